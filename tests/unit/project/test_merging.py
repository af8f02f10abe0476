"""Duplicates become one entry: with all that both have, cited by one key, in every draft."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markup import write_project
from pincite.model.edits import applied
from pincite.model.spans import TextSpan, without
from pincite.parsing.bibliographies import parse_bibliography
from pincite.project.merging import drafts_sharing, merge_plan
from pincite.project.workspace import Workspace

HEAD = (
    r"\documentclass{article}\usepackage{biblatex}\addbibresource{one.bib}\addbibresource{two.bib}"
)
DRAFT = rf"""
%! main.tex
{HEAD}\begin{{document}}
Words \cite{{salton1975, salton, other}} and \cite{{salton}}. \cite{{salton}} \input{{part}}
\end{{document}}
%! part.tex
More \citep[p.~3]{{salton1975}}.
%! one.bib
% Kept as it is.
@article{{salton,
  author = {{Salton, G. and Wong, A.}},
  title = {{A vector space model for automatic indexing}},
  journal = {{Commun. ACM}},
  year = 1975,
  keywords = {{retrieval}}
}}

@misc{{other, title = {{Another work}}, related = {{salton1975}}}}
%! two.bib
@article{{salton1975,
  author = {{Salton, Gerard and Wong, Anita}}, ids = {{swy}},
  title = {{A Vector Space Model for Automatic Indexing}},
  journal = {{Communications of the ACM}}, month = nov,
  year = {{1975}}, keywords = {{retrieval, vectors}}, doi = {{10.1145/361219.361220}},
}}

@misc{{last, title = {{The last one}}}}
"""


def merged(folder: Path, project: str, main: str = "main.tex", *, aliases: bool = False):
    """Return the texts after a merge by name, and the plan."""
    write_project(folder, project)
    workspace = Workspace(folder)
    drafts = drafts_sharing(workspace, workspace.draft(folder / main))
    plan = merge_plan(drafts, lambda _: "utf-8", aliases=aliases)
    texts = {path.name: applied(plan.texts[path], edits) for path, edits in plan.by_path.items()}
    return texts, plan


def why(plan) -> list[str]:
    return [each.why for each in plan.unmerged]


def test_two_entries_of_one_work_become_one_with_the_better_of_each_field(tmp_path):
    texts, plan = merged(tmp_path, DRAFT)
    (merge,) = plan.merges
    assert (merge.kept.key, [each.key for each in merge.gone]) == ("salton", ["salton1975"])
    assert not plan.unmerged
    assert texts["main.tex"].splitlines()[1] == (
        r"Words \cite{salton, other} and \cite{salton}. \cite{salton} \input{part}"
    )
    assert texts["part.tex"] == "More \\citep[p.~3]{salton}.\n"
    assert texts["one.bib"].startswith("% Kept as it is.\n@article{salton,")
    assert "related = {salton}" in texts["one.bib"]
    assert texts["two.bib"] == "@misc{last, title = {The last one}}\n"
    read = parse_bibliography(texts["one.bib"], Path("one.bib"))
    assert not read.problems
    fields = read.entries["salton"].fields
    assert fields["author"] == "Salton, Gerard and Wong, Anita"
    assert fields["journal"] == "Communications of the ACM"
    assert (fields["month"], fields["doi"]) == ("November", "10.1145/361219.361220")
    assert fields["keywords"] == "retrieval, vectors"
    assert "month = nov," in texts["one.bib"]
    # What others call it stays its name.
    assert read.entries["salton"].aliases == ("swy",)


def test_the_old_keys_stay_as_aliases_if_the_author_wants_it(tmp_path):
    texts, _ = merged(tmp_path, DRAFT, aliases=True)
    assert "ids = {swy, salton1975}" in texts["one.bib"]
    bibtex = DRAFT.replace(r"\usepackage{biblatex}", "").replace(
        r"\addbibresource{one.bib}\addbibresource{two.bib}", r"\bibliography{one,two}"
    )
    texts, _ = merged(tmp_path / "bibtex", bibtex, aliases=True)
    assert "salton1975" not in texts["one.bib"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ("title={A vector space model for automatic indexing}, year=1975, pages={1--9}", ""),
        ("title={A vector space model for automatic indexing}, year=1975, volume=12", "they share a key but seem"),
        ("title={A vector space model for automatic indexing}, year=1975, note={Mine}", "their fields differ"),
        ("title={A quite different work of some people}, year=1999", "they share a key but seem"),
        ("title={A vector space model for automatic indexing}, year=1975", "one of the entries is broken"),
    ],
)  # fmt: skip
def test_a_key_that_is_there_twice(tmp_path, fields, reason):
    """The one that is ignored goes, if it is the same work and nothing of it is lost."""
    again = f"@article{{a, author={{Salton, G.}}, {fields}}}"
    if "broken" in reason:
        again = again.replace("year=1975", "year={1975")
    texts, plan = merged(
        tmp_path,
        rf"""
        %! main.tex
        \documentclass{{article}}\begin{{document}}\cite{{a}}\bibliography{{one}}\end{{document}}
        %! one.bib
        @article{{a, author={{Salton, G.}}, title={{A vector space model for automatic indexing}},
          year=1975, volume=11, note={{Yours}}, pages={{1}}}}
        {again}
        """,
    )
    if reason:
        assert not texts
        assert [each.startswith(reason) for each in why(plan)] == [True]
        assert [place.line for place in plan.unmerged[0].entries] == [1, 3]
    else:
        assert texts["one.bib"].count("@article") == 1
        assert "pages={1--9}" in texts["one.bib"].replace(" ", "")
    if reason == "their fields differ":
        ((field, mine, other),) = plan.unmerged[0].values
        assert (field, mine, other) == ("note", "Yours", "Mine")


@pytest.mark.parametrize(
    ("mine", "other", "kept"),
    [
        ("0262-6667", "0262-6667, 2150-3435", "0262-6667, 2150-3435"),
        ("2150-3435 0262-6667", "02626667 (print)", "2150-3435 0262-6667"),
        ("0262-6667, 2150-3435", "2150-3435; 0262-6667", "0262-6667, 2150-3435"),
        ("0262-6667, 2150-3435", "0262-6667, 1573-0565", ""),
    ],
)
def test_the_longer_list_of_numbers_stays_if_it_has_all_of_the_other(tmp_path, mine, other, kept):
    both = "author={Salton, G.}, title={A vector space model for indexing}, year=1975"
    texts, plan = merged(
        tmp_path,
        rf"""
        %! main.tex
        \documentclass{{article}}\begin{{document}}\cite{{a,b}}\bibliography{{one}}\end{{document}}
        %! one.bib
        @article{{a, {both}, issn={{{mine}}}}}
        @article{{b, {both}, issn={{{other}}}}}
        """,
    )
    if kept:
        entry = parse_bibliography(texts["one.bib"], Path("one.bib")).entries["a"]
        assert entry.fields["issn"] == kept
    else:
        assert plan.unmerged[0].values == (("issn", mine, other),)


@pytest.mark.parametrize("cut", ["others", "et al.", "{et al.}"])
def test_the_list_that_names_all_authors_stays(tmp_path, cut):
    title = "title={A vector space model for indexing}, year=1975"
    texts, _ = merged(
        tmp_path,
        rf"""
        %! main.tex
        \documentclass{{article}}\begin{{document}}\cite{{a}}\bibliography{{one}}\end{{document}}
        %! one.bib
        @misc{{a, author={{Salton, Gerard and {cut}}}, {title}}}
        @misc{{b, author={{Salton, G. and Wong, A. and Yang, C.}}, {title}}}
        """,
    )
    assert "author={Salton, G. and Wong, A. and Yang, C.}" in texts["one.bib"]
    assert cut not in texts["one.bib"]


def test_a_preprint_goes_where_its_publication_is(tmp_path):
    texts, plan = merged(
        tmp_path,
        r"""
        %! main.tex
        \documentclass{article}\begin{document}\cite{a,b}\cite{a}\bibliography{one}\end{document}
        %! one.bib
        @misc{a, author={Vaswani, A. and Shazeer, N.}, title={Attention is all you need}, year=2017,
          eprint={1706.03762}, archiveprefix={arXiv}}
        @inproceedings{b, author={Vaswani, Ashish and Shazeer, Noam}, year=2018,
          title={Attention is all you need}, booktitle={Advances in Neural Information Processing}}
        """,
    )
    assert len(plan.merges) == 1
    entry = parse_bibliography(texts["one.bib"], Path("one.bib")).entries["a"]
    assert (entry.entry_type, entry.year, entry.arxiv) == ("inproceedings", "2018", "1706.03762")
    assert entry.fields["booktitle"].startswith("Advances")
    assert r"\cite{a}\cite{a}" in texts["main.tex"]


@pytest.mark.parametrize(
    "preprint",
    [
        "@article{a, %s, journal={bioRxiv}, doi={10.1101/2020.01.02.123456}}",
        "@misc{a, %s, publisher={bioRxiv}, doi={10.64898/2026.01.02.123456}}",
    ],
)
def test_a_preprint_of_another_server_becomes_its_publication(tmp_path, preprint):
    work = "author={Frosch, Fred}, title={A study of frogs at night}, year="
    texts, plan = merged(
        tmp_path,
        rf"""
        %! main.tex
        \documentclass{{article}}\begin{{document}}\cite{{a,b}}\bibliography{{one}}\end{{document}}
        %! one.bib
        {preprint % f"{work}2020"}
        @article{{b, {work}2021, journal={{Ponds}}, doi={{10.1000/ponds}}}}
        """,
    )
    assert len(plan.merges) == 1
    entry = parse_bibliography(texts["one.bib"], Path("one.bib")).entries["a"]
    assert (entry.entry_type, entry.year, entry.doi) == ("article", "2021", "10.1000/ponds")
    assert entry.fields["journal"] == "Ponds"


@pytest.mark.parametrize(
    ("mine", "other", "stays"),
    [
        (r"\aap", r"A\&A", r"\aap"),
        (r"A\&A", r"\aap", r"A\&A"),
        ("arXiv e-prints", r"\aap", r"\aap"),
    ],
)
def test_a_journal_that_a_class_names_is_no_other_journal(tmp_path, mine, other, stays):
    work = "author={Stern, S.}, title={A study of stars at night}, year=2021, doi={10.1000/stars}"
    texts, plan = merged(
        tmp_path,
        rf"""
        %! main.tex
        \documentclass{{article}}\begin{{document}}\cite{{a}}\bibliography{{one,two}}\end{{document}}
        %! one.bib
        @article{{a, {work}, journal={{{mine}}}}}
        %! two.bib
        @article{{a, {work}, journal={{{other}}}, month=may}}
        """,
    )
    assert not plan.unmerged
    assert f"{{{stays}}}" in texts["one.bib"]
    assert "month" in texts["one.bib"]
    assert texts["two.bib"].strip() == ""


def test_what_programs_give_two_types_is_one_work_unless_both_types_are_specific(tmp_path):
    lattices = "author={Verband, V.}, title={On lattices and their orders}, year=1998, pages={11}"
    frogs = "author={Frosch, F.}, title={A study of frogs at night}, year=2011, pages={315--323}"
    ponds = "author={Teich, T.}, title={Ponds in the north freeze}, year=2020"
    texts, plan = merged(
        tmp_path,
        rf"""
        %! main.tex
        \documentclass{{article}}\begin{{document}}\cite{{a,b,c}}\bibliography{{one,two}}\end{{document}}
        %! one.bib
        @inproceedings{{a, {lattices}, booktitle={{Algebra}}}}
        @inproceedings{{b, {frogs}, booktitle={{Proc. Frogs}}}}
        @inproceedings{{c, {ponds}, booktitle={{Proc. Ponds}}, doi={{10.1/ab}}}}
        %! two.bib
        @article{{a, {lattices}, month=jan}}
        @article{{b, {frogs}, journal={{Proceedings on Frogs}}}}
        @article{{c, {ponds}, journal={{arXiv e-prints}}, keywords={{ice}}}}
        """,
    )
    assert [merge.kept.key for merge in plan.merges] == ["a", "c"]
    entries = parse_bibliography(texts["one.bib"], Path("one.bib")).entries
    assert entries["a"].fields["month"] == "January"
    assert (entries["c"].fields["keywords"], "journal" in entries["c"].fields) == ("ice", False)
    assert ("type", "inproceedings", "article") in plan.unmerged[0].values


@pytest.mark.parametrize(
    ("talk", "poster", "kept"),
    [
        # The one that all drafts read stays.
        (r"\bibliography{two}", "", "salton1975"),
        (r"\bibliography{two}", r"\bibliography{one}", "does not read"),
        # What has another entry with a key keeps it.
        (r"\bibliography{three,one,two}", "", "different entry"),
        (r"\bibliography{three,one,two}", r"\bibliography{four,one,two}", "different entry"),
        (r"\bibliography{four}\input{part}", "", "salton1975"),
        (r"\bibliography{one,two}\cite{salton1975}", "", "salton"),
    ],
)
def test_no_draft_loses_what_it_cites(tmp_path, talk, poster, kept):
    others = "\n".join(
        f"%! {name}.tex\n\\documentclass{{beamer}}{text}" + r"\cite{last}" * bool(text)
        for name, text in (("talk", talk), ("poster", poster))
    )
    bibs = "%! three.bib\n@misc{salton, title={Else}}\n%! four.bib\n@misc{salton1975, title={X}}\n"
    texts, plan = merged(tmp_path, f"{DRAFT}{others}\n{bibs}")
    if kept.startswith("salton"):
        assert [merge.kept.key for merge in plan.merges] == [kept]
        assert ("talk.tex" in texts) == ("cite{salton" in talk)
    else:
        assert not texts
        assert kept in why(plan)[0]


def test_a_csl_file_keeps_its_form(tmp_path):
    first = {"id": "a", "type": "book", "title": "A book about frogs and ponds", "issued": "1999"}
    more = {"id": "b", "type": "book", "title": "A Book about Frogs and Ponds", "issued": "1999",
            "DOI": "10.1/x", "author": [{"family": "Frog", "given": "F."}], "custom": {"x": "y"}}  # fmt: skip
    last = {"id": "c", "type": "book", "title": "Else"}
    text = json.dumps([first, more, last], indent=2)
    project = "%! main.md\n---\nbibliography: refs.json\n---\nSee [@a; @b] and [@a].\n"
    texts, plan = merged(tmp_path, f"{project}%! refs.json\n{text}\n", "main.md")
    assert len(plan.merges) == 1
    merged_items = json.loads(texts["refs.json"])
    assert merged_items == [{**more, "id": "a", "title": first["title"]}, last]
    assert "See [@a; @a] and [@a]." in texts["main.md"]


def test_csl_in_yaml(tmp_path):
    texts, plan = merged(
        tmp_path,
        """
        %! main.md
        ---
        bibliography: refs.yaml
        ---
        See [@b], [@b] and [@a].
        %! refs.yaml
        references:
        - id: a
          type: book
          title: A book about frogs and ponds
          issued: 1999
          DOI: 10.1/x
        - id: b
          type: book
          title: A book about frogs and ponds
          issued: 1999
        - id: c
          type: book
          title: Else
        """,
        "main.md",
    )
    assert len(plan.merges) == 1
    read = parse_bibliography(texts["refs.yaml"], Path("refs.yaml"))
    assert list(read.entries) == ["b", "c"]
    assert read.entries["b"].doi == "10.1/x"
    assert not read.problems


def test_hayagriva_is_only_read(tmp_path):
    texts, plan = merged(
        tmp_path,
        """
        %! main.typ
        Words @a @b. #bibliography("refs.yml")
        %! refs.yml
        a:
          type: book
          title: A book about frogs and ponds
          author: Frog, Fred
          date: 1999
        b:
          type: book
          title: A book about frogs and ponds
          author: Frog, Fred
          date: 1999
        """,
        "main.typ",
    )
    assert not texts
    assert why(plan) == ["Pincite cannot write Hayagriva entries"]


_NAMES = ("year", "volume", "note", "keywords", "publisher", "abstract", "annote", "file")
_VALUES = st.sampled_from(
    ("1999", "Gelb", "gelb, rot", '{\\"O}l', "Acad. Press", "Academic Press", "x;y", "A {B} c")
)
_FIELDS = st.dictionaries(st.sampled_from(_NAMES), _VALUES, max_size=6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), _FIELDS), min_size=1, max_size=5))
def test_nothing_of_an_entry_that_goes_is_lost(tmp_path_factory, entries):
    """Every value is in the result, or an abbreviation or part of what is."""
    title = "A vector space model for automatic indexing"
    written = [
        f"@book{{{key},\n  author = {{Salton, Gerard}},\n  title = {{{title}}},\n"
        + "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
        + "}\n\n"
        for key, fields in entries
    ]
    text = "".join(written) + "@misc{z, title={Last}}\n"
    folder = tmp_path_factory.mktemp("merged")
    (folder / "one.bib").write_text(text, "utf-8")
    (folder / "main.tex").write_text(r"\documentclass{book}\cite{a,b,c}\bibliography{one}")
    workspace = Workspace(folder)
    drafts = drafts_sharing(workspace, workspace.draft(folder / "main.tex"))
    plan = merge_plan(drafts, lambda _: "utf-8")
    after = {p.name: applied(plan.texts[p], edits) for p, edits in plan.by_path.items()}
    read = parse_bibliography(after.get("one.bib", text), folder / "one.bib")
    assert [fault for fault in read.faults if fault.kind != "key used"] == []
    gone = sum(len(merge.gone) for merge in plan.merges)
    assert len([key for key in read.keys if key]) == len(entries) + 1 - gone
    if gone == len(entries) - 1:
        (kept,) = [entry for key, entry in read.entries.items() if key != "z"]
        for name in {name for _, fields in entries for name in fields}:
            assert kept.fields[name]
    # A second merge finds nothing more.
    for name, changed in after.items():
        (folder / name).write_text(changed, "utf-8")
    again = Workspace(folder)
    drafts = drafts_sharing(again, again.draft(folder / "main.tex"))
    assert not merge_plan(drafts, lambda _: "utf-8").merges


@given(st.lists(st.booleans(), max_size=8))
def test_what_is_left_of_a_list_has_its_separators(goes):
    text = ", ".join("abcdefgh"[: len(goes)])
    spans = [TextSpan(3 * at, 3 * at + 1) for at in range(len(goes))]
    left, last = "", 0
    for span in without(spans, {at for at, each in enumerate(goes) if each}):
        left, last = left + text[last : span.start], span.end
    kept = [letter for letter, each in zip("abcdefgh", goes, strict=False) if not each]
    assert left + text[last:] == ", ".join(kept)
