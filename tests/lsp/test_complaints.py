r"""What users of other tools complained about, as tests over the real server.

Each test is named after the threads it answers: ``lw`` is LaTeX Workshop, the numbers are those
of its issues, and so on. The projects are small; the cursor is at ``|``.
"""

import os
import re
import sys
import time

import pytest

from author import Author, applied, edits_of
from protocol_client import eventually

#: The threads that concern citations. What is about other things (menus, builds) is not here.
COMPLAINTS = """
texlab_1592 texlab_829 lw_1379 lw_4522 lw_4969 lw_4538 vscode_74133 texlab_1039 latextools_752
latextools_688 lw_2833 lw_2761 lw_1035 texlab_1278 lw_782 lw_4335 lw_2196 lw_4021 lw_4192 lw_1438
lw_1085 lw_1643 texlab_493 lw_4313 texstudio_2363 texstudio_2668 texlab_409 lw_2344 latexer_19
lw_1921 vimtex_2091 lw_639 lw_640 texlab_944 lw_4289 vscode_zotero_18 latex_utilities_398
vscode_zotero_21 vscode_zotero_31 lw_1051 overleaf_1391
""".split()

BIB = """
@article{x1, author={Barzilay, Regina and Lapata, Mirella}, title={Modeling Local Coherence}, year=2008}
@article{x2, author={Salton, Gerard}, title={A Vector Space Model for Automatic Indexing}, year=1975}
@book{x3, author={Müller, Jörg}, title={Über Grammatik}, year=1999}
"""


def test_each_complaint_has_a_test_named_after_it():
    here = sys.modules[__name__]
    names = " ".join(name for name in vars(here) if name.startswith("test_"))
    assert [
        complaint for complaint in COMPLAINTS if not re.search(rf"_{complaint}(?!\d)", names)
    ] == []


@pytest.mark.parametrize("typed", ["lapata", "barzi", "local coh", "2008", "coherence 2008"])
def test_texlab_1592_texlab_829_lw_1379_a_work_is_found_by_author_title_and_year(author, typed):
    author.begin(f"Texts \\cite{{{typed}|}}.\n\\bibliography{{refs}}\n%! refs.bib\n{BIB}")
    assert author.suggested() == ["x1"]
    assert author.accept("x1").startswith("Texts \\cite{x1}.")


def test_lw_4522_lw_4969_the_list_is_ordered_by_what_the_text_is_about(author):
    project = "{}\n\\bibliography{{refs}}\n%! refs.bib\n" + BIB.replace("{", "{{").replace(
        "}", "}}"
    )
    author.begin(project.format("A vector space for automatic indexing \\cite{|}."))
    assert author.suggested()[0] == "x2"
    author.write("Local coherence of texts \\cite{|}.\n\\bibliography{refs}")
    assert author.suggested()[0] == "x1"
    # Also among those that match what was typed equally well.
    author.write("A vector space for automatic indexing \\cite{x|}.\n\\bibliography{refs}")
    assert author.suggested()[0] == "x2"


def test_lw_4538_vscode_74133_what_is_typed_is_found_behind_128_characters(author):
    """Clients look at 128 characters of `filterText`; ours begins with what was typed."""
    title = "A title " + "of many words " * 20 + "about zebras"
    author.begin(
        f"\\cite{{zebras|}}\n\\bibliography{{refs}}\n%! refs.bib\n@book{{long, title={{{title}}}}}"
    )
    (item,) = author.items()
    assert item["filterText"].startswith("zebras")


def test_texlab_1039_latextools_752_a_huge_bibliography_is_completed(author):
    strings = "".join(f"@string{{venue{n} = {{Conference {n}}}}}\n" for n in range(3_000))
    entries = "".join(
        f"@inproceedings{{key{n:05}, author={{Author{n}, A.}}, title={{Paper on topic{n}}}, booktitle=venue{n % 3_000}}}\n"
        for n in range(12_000)
    )
    author.begin("\\cite{author11999|}\n\\bibliography{refs}\n%! refs.bib\n" + strings + entries)
    assert author.suggested() == ["key11999"]


def test_latextools_688_a_bibliography_is_not_read_again_at_every_citation(author):
    author.begin(f"\\cite{{|}}\n\\bibliography{{refs}}\n%! refs.bib\n{BIB}")
    assert set(author.suggested()) == {"x1", "x2", "x3"}
    bibliography = author.folder / "refs.bib"
    before = bibliography.stat()
    # The same size and time stamp at every moment: nobody who looks at those would read it again.
    (beside := author.folder / "beside").write_bytes(
        bibliography.read_bytes().replace(b"{x1,", b"{y1,")
    )
    os.utime(beside, ns=(before.st_atime_ns, before.st_mtime_ns))
    beside.replace(bibliography)
    assert set(author.suggested()) == {"x1", "x2", "x3"}


@pytest.mark.parametrize("told", [True, False])
def test_lw_2833_lw_2761_lw_1035_better_bibtex_create_and_move_export(author, told):
    """Every export writes a new file and moves it onto the old one."""
    author.begin(f"\\cite{{|}}\n\\bibliography{{refs}}\n%! refs.bib\n{BIB}")
    assert "x1" in author.suggested()
    for export in range(3):
        new = author.save_elsewhere(
            "refs.bib.tmp", f"{BIB}@misc{{export{export}, title={{New}}}}", told=False
        )
        new.replace(author.folder / "refs.bib")
        if told:
            author.tell(author.folder / "refs.bib")
        eventually(lambda key=f"export{export}": key in author.suggested(), "the export is seen")


def test_texlab_1278_a_symlinked_bibliography_is_followed(author, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("zotero") / "library.bib"
    elsewhere.write_text(BIB)
    author.begin("\\cite{|}\n\\bibliography{refs}")
    (author.folder / "refs.bib").symlink_to(elsewhere)
    assert "x1" in eventually(author.suggested, "the link is followed")
    later = time.time_ns() + 2_000_000_000
    elsewhere.write_text(BIB.replace("{x1,", "{renamed,"))
    os.utime(elsewhere, ns=(later, later))
    eventually(lambda: "renamed" in author.suggested(), "the new entry is seen")


@pytest.mark.parametrize("told", [True, False])
def test_lw_782_what_git_pull_changes_is_seen(author, told):
    author.begin(
        f"\\input{{part}}\\cite{{|}}\n\\bibliography{{refs}}\n%! part.tex\nPart.\n%! refs.bib\n{BIB}"
    )
    assert "x1" in author.suggested()
    author.save_elsewhere("refs.bib", BIB.replace("{x1,", "{pulled,"), told=told)
    eventually(lambda: "pulled" in author.suggested(), "the bibliography is seen")
    author.save_elsewhere("more.bib", "@misc{more, title={More}}", told=told)
    author.save_elsewhere("part.tex", "\\bibliography{more}", told=told)
    eventually(lambda: "more" in author.suggested(), "the other bibliography is seen")


@pytest.mark.parametrize("broken", ["@article{broken, title={Never closed", "@article{", "@article{b, title = = {x}}", "@article{b title={x}}", "}}}", "@article{b, title={a}, , year=}"])  # fmt: skip
def test_lw_4335_lw_2196_one_bad_entry_costs_the_others_nothing(author, broken):
    before, after = BIB.strip().split("\n", 1)
    author.begin(f"\\cite{{|}}\n\\bibliography{{refs}}\n%! refs.bib\n{before}\n{broken}\n{after}")
    assert {"x1", "x2", "x3"} <= set(author.suggested())


def test_lw_4021_strings_in_strings_are_resolved(author):
    bib = '@string{acl = "Association"}\n@string{proc = "Proceedings of the " # acl}\n@inproceedings{one, author={One, A.}, title=proc # " on coherence", year=2001}'
    author.begin(f"\\cite{{coherence|}}\n\\bibliography{{refs}}\n%! refs.bib\n{bib}")
    (item,) = author.items()
    assert "Proceedings of the Association on coherence" in item["detail"]


@pytest.mark.parametrize(
    ("part", "main"),
    [
        (r"\documentclass[../main]{subfiles}\begin{document}\cite{|}\end{document}", r"\documentclass{book}\usepackage{subfiles}\begin{document}\subfile{chapters/one}\bibliography{refs}\end{document}"),
        (r"\documentclass[../main]{subfiles}\begin{document}\cite{|}\bibliography{\subfix{../refs}}\end{document}", r"\documentclass{book}\usepackage{subfiles}\begin{document}\subfile{chapters/one}\end{document}"),
    ],
)  # fmt: skip
def test_lw_4192_lw_1438_subfiles_and_subfix(author, part, main):
    author.begin(f"%! chapters/one.tex\n{part}\n%! main.tex\n{main}\n%! refs.bib\n{BIB}")
    assert set(author.suggested()) == {"x1", "x2", "x3"}


def test_lw_1085_entries_of_other_projects_do_not_leak(author):
    author.begin(
        r"""
        %! thesis/main.tex
        \cite{|}
        \bibliography{refs}
        %! thesis/refs.bib
        @misc{mine, title={Mine}}
        %! paper/main.tex
        \cite{other}
        \bibliography{refs}
        %! paper/refs.bib
        @misc{other, title={Other}}
        """
    )
    assert author.suggested() == ["mine"]


def test_lw_1643_bibliographies_in_bibinputs_are_found(author):
    (author.client.bibinputs / "everywhere.bib").write_text(BIB)
    author.begin(r"\cite{|}\bibliography{everywhere}")
    assert set(author.suggested()) == {"x1", "x2", "x3"}


def test_texlab_493_a_bibliography_outside_of_the_workspace(author, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "refs.bib"
    outside.write_text(BIB)
    author.begin(f"\\cite{{|}}\n\\addbibresource{{{outside}}}")
    assert set(author.suggested()) == {"x1", "x2", "x3"}
    outside.write_text(BIB + "@misc{new, title={New}}")
    later = time.time_ns() + 2_000_000_000
    os.utime(outside, ns=(later, later))
    eventually(lambda: "new" in author.suggested(), "the new entry is seen")


@pytest.mark.parametrize("citation", [r"\cites{|}", r"\cites[see][12]{x1}[3]{|}", r"\parencites(pre)(post)[1]{x1}[][2]{|}", r"\textcites{x1}{x2}[7]{|}", "\\cites[1]{x1}%\n  [2]{|}", r"\footcites[12]{|}"])  # fmt: skip
def test_lw_4313_texstudio_2363_notes_of_multicite_commands(author, citation):
    author.begin(f"{citation}\n\\bibliography{{refs}}\n%! refs.bib\n{BIB}")
    assert "x3" in author.suggested()
    assert not {key for key in ("x1", "x2") if f"{{{key}}}" in citation} & set(author.suggested())


@pytest.mark.parametrize(
    "draft",
    [
        r"\DeclareCiteCommand{\mycite}{}{\printnames{labelname}}{;}{} \mycite[3]{|}",
        r"\citeA{|}",
        r"\shortciteNP{|}",
        r"\newcommand{\seealso}[1]{\citep[see also][]{#1}} \seealso{|}",
        r"\NewDocumentCommand{\mine}{O{} m}{\cite[#1]{#2}} \mine[p.~3]{|}",
    ],
)
def test_texstudio_2668_texlab_409_commands_of_ones_own(author, draft):
    author.begin(f"{draft}\n\\bibliography{{refs}}\n%! refs.bib\n{BIB}")
    assert set(author.suggested()) == {"x1", "x2", "x3"}


@pytest.mark.parametrize(
    "citation", [r"\cite{x1,|}", r"\cite{x1, |}", "\\cite{x1,\n  |}", r"\cite{x1,|,x2}"]
)
def test_lw_2344_latexer_19_completion_behind_a_comma(author, citation):
    author.begin(f"{citation}\n\\bibliography{{refs}}\n%! refs.bib\n{BIB}")
    assert "x3" in author.suggested()
    assert "x1" not in author.suggested()
    triggers = author.client.answer["result"]["capabilities"]["completionProvider"][
        "triggerCharacters"
    ]
    assert "," in triggers


def test_lw_1921_the_hover_is_about_the_key_under_the_cursor(author):
    author.begin(f"Words \\cite{{x1, x|2}}.\n\\bibliography{{refs}}\n%! refs.bib\n{BIB}")
    assert "Salton 1975" in author.hover()
    assert "Barzilay" not in author.hover()


@pytest.mark.parametrize(
    "name", ["Müller", 'M{\\"u}ller', 'M\\"uller', 'M{\\"{u}}ller', "Mu\u0308ller"]
)
@pytest.mark.parametrize("typed", ["müller", "muller", "Mull"])
def test_vimtex_2091_accents_are_one_however_they_are_written(author, name, typed):
    author.begin(
        f"\\cite{{{typed}|}}\n\\bibliography{{refs}}\n%! refs.bib\n@book{{x3, author={{{name}, J.}}, title={{T}}}}"
    )
    assert author.suggested() == ["x3"]


def test_lw_639_lw_640_suggestions_say_author_year_and_title(author):
    author.begin(f"Local coherence \\cite{{|}}\n\\bibliography{{refs}}\n%! refs.bib\n{BIB}")
    first = author.items()[0]
    assert first["labelDetails"]["detail"].strip() == "Barzilay and Lapata 2008"
    assert first["detail"].startswith("Modeling Local Coherence")


def test_texlab_944_author_and_year_are_shown_behind_keys(author):
    author.begin(
        f"|Words \\cite{{x1}}.\n\\bibliography{{refs}}\n%! refs.bib\n{BIB}", inlayHints="on"
    )
    end = {"line": author.text.count("\n"), "character": 0}
    (hint,) = author.ask(
        "textDocument/inlayHint", range={"start": {"line": 0, "character": 0}, "end": end}
    )
    assert "Barzilay and Lapata 2008" in str(hint["label"])
    assert hint["position"]["character"] == len("Words \\cite{x1")


def test_lw_4289_vscode_zotero_18_the_pdf_of_an_entry_is_a_link(author):
    """In the bibliography; on keys of the text where the author wants it."""
    bib = BIB.replace("year=2008", "file={:papers/a b.pdf:PDF}")
    pdf = author.folder / "papers" / "a b.pdf"
    pdf.parent.mkdir()
    pdf.write_bytes(b"%PDF-1.4")
    author.begin(
        f"Words \\cite{{x1|}}.\n\\bibliography{{refs}}\n%! refs.bib\n{bib}", documentLinks="on"
    )
    assert pdf.as_uri() in [link["target"] for link in author.ask("textDocument/documentLink")]
    author.configure()
    author.open("refs.bib", bib)
    assert pdf.as_uri() in [link["target"] for link in author.ask("textDocument/documentLink")]


def library(author: Author) -> None:
    """An author whose whole library is elsewhere and not in the draft's bibliography."""
    zotero = author.save_elsewhere("zotero/library.bib", BIB, told=False)
    author.begin(
        "Local coherence of texts \\cite{|}.\n\\bibliography{refs}\n%! refs.bib\n@misc{own,\n\ttitle = {Own}\n}\n",
        globalBibliographies=[str(zotero)],
    )
    eventually(lambda: "x1" in author.suggested(), "the library is read")


def test_latex_utilities_398_vscode_zotero_21_a_work_of_the_library_is_cited_and_its_entry_added(
    author,
):
    library(author)
    item = next(item for item in author.items() if item["label"] == "x1")
    author.client.request("workspace/executeCommand", item["command"])
    author.client.methods()
    (edit,) = (
        m["params"]["edit"] for m in author.client.seen if m.get("method") == "workspace/applyEdit"
    )
    ((name, edits),) = edits_of(edit).items()
    assert name == "refs.bib"
    before = (author.folder / "refs.bib").read_text()
    after = applied(before, edits)
    assert after.startswith(before.rstrip("\n"))
    assert "{x1," in after


def test_vscode_zotero_31_works_are_chosen_in_the_editors_own_list(author):
    """Nothing but completion items with text: what a screen reader reads of any other list."""
    library(author)
    item = next(item for item in author.items() if item["label"] == "x1")
    assert item["labelDetails"]["detail"].strip() == "Barzilay and Lapata 2008"
    assert author.suggested()[0] == "own"


def test_lw_1051_bibitems_are_suggested(author):
    entries = "\\bibitem{barz} R. Barzilay. Local coherence.\n\\bibitem[Salton(1975)]{salton} G. Salton. Vectors."
    author.begin(
        f"\\cite{{|}}\n\\begin{{thebibliography}}{{9}}\n{entries}\n\\end{{thebibliography}}"
    )
    assert set(author.suggested()) == {"barz", "salton"}


def test_overleaf_1391_the_keys_of_a_bibliography_are_completed(author):
    """Whoever leaves Overleaf's community edition for an editor of their own gets what it lacks."""
    author.begin(
        f"\\documentclass{{article}}\n\\cite{{|\n\\bibliography{{sample}}\n%! sample.bib\n{BIB}"
    )
    assert set(author.suggested()) == {"x1", "x2", "x3"}
