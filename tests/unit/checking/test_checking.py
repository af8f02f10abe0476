"""What is reported about drafts and bibliographies, and what is left alone."""

import textwrap
from pathlib import Path

import pytest

from markup import write_project
from pincite.checking.bibliographies import (
    broken_entries,
    repaired,
    repeated_in,
    repeated_items,
    repeated_keys,
    unused_entries,
)
from pincite.checking.citations import (
    keys_without_bibliography,
    knows_all_entries,
    missing_bibliographies,
    nearest_keys,
    undefined_keys,
)
from pincite.checking.claims import missing_citations, verdict_on
from pincite.checking.verdicts import Verdict, VerdictCounts
from pincite.edits.new_keys import free_key
from pincite.model.contexts import CitationContext
from pincite.model.edits import applied
from pincite.model.papers import BibEntry, Candidate, ReferencePaper, Sentence
from pincite.model.results import SupportingSentence
from pincite.parsing.bibtex import parse_bibliography
from pincite.project.workspace import Workspace
from pincite.settings import Settings

BIB = r"""
%! refs.bib
@article{barzilay2008, title={Coherence}, ids={barzilay}}
@book{Knuth, title={The Art}}
"""


class Checked:
    """A project as it is checked: the draft at its first file with what it cites."""

    def __init__(self, folder, project):
        text, files, others = textwrap.dedent(project.removeprefix("\n")).partition("\n%!")
        self.path = write_project(folder, f"%! main.tex\n{text}{files}{others}\n{BIB}")
        self.workspace = Workspace(folder)
        self.draft = self.workspace.draft(self.path)
        self.known = self.workspace.bibliography(self.draft)
        self.file = self.draft.file(self.path)

    def undefined(self):
        if not knows_all_entries(self.draft, self.known.files):
            return None
        found = undefined_keys(self.file, self.draft, lambda key: self.known.find(key) is not None)
        return [finding.key for finding in found]

    def repeated(self, name):
        path = self.path.parent / name
        text = self.workspace.read(path)
        found = list(repeated_keys(path, self.draft, self.known.files))
        assert all(finding.span.of(text) == finding.key for finding in found)
        return [(finding.key, finding.first[0].name) for finding in found]

    def sentences(self):
        found = missing_citations(self.file, self.known.find)
        return [finding.scope.of(self.file.text) for finding in found]


@pytest.fixture(name="check")
def check_of_projects(tmp_path):
    return lambda project: Checked(tmp_path, project)


# Undefined keys


def test_a_key_without_an_entry_is_undefined(check):
    checked = check(
        r"""
        \cite{barzilay2008,knut} \citep[see][p. 3]{nobody} \textcites{barzilay2008}[2]{nowhere}
        \bibliography{refs}
        """
    )
    assert checked.undefined() == ["knut", "nobody", "nowhere"]
    key = checked.file.citations[0].keys[1]
    (first, *_) = undefined_keys(checked.file, checked.draft, lambda key: key != "knut")
    assert (first.span, first.scope, first.code) == (key.span, key.span, "undefined-key")
    assert first.message == "No entry of the bibliography has the key “knut”."


@pytest.mark.parametrize(
    "cited",
    [
        r"\nocite{*}",
        r"\nocite{Knuth}",
        # BibTeX does not look at the case, and gaps are no keys.
        r"\cite{KNUTH}",
        r"\cite{}\cite{?}\cite{TODO}\cite{todo: find it}",
        # What follows an open list may be anything.
        "\\cite{nobody and so on\n\nNext paragraph.",
        r"\newcommand{\seen}[1]{\citep[see][]{#1}}",
        r"% \cite{nobody}",
        r"\begin{verbatim}\cite{nobody}\end{verbatim}",
        # mciteplus and revtex print two under one number.
        r"\cite{barzilay2008,*Knuth}",
    ],
)
def test_what_is_not_undefined(check, cited):
    assert check(f"{cited}\n\\bibliography{{refs}}").undefined() == []


def test_with_biblatex_aliases_and_sets_are_defined_and_the_case_matters(check):
    checked = check(
        r"""
        \usepackage{biblatex}\addbibresource{refs.bib}
        \defbibentryset{both}{barzilay2008,Knuth}
        \begin{refsegment}\cite{barzilay} \cite{both} \cite{knuth}\end{refsegment}
        """
    )
    assert checked.undefined() == ["knuth"]


@pytest.mark.parametrize(
    "bibliography",
    ["", r"\bibliography{gone}", r"\bibliography{refs,gone}", r"\addbibresource{https://a.b/c.bib}\addbibresource{refs.bib}", r"\bibliography{refs,broken}"],
)  # fmt: skip
def test_keys_are_not_reported_while_a_bibliography_is_missing(check, tmp_path, bibliography):
    (tmp_path / "broken.bib").write_bytes(b"\0\1\2" * 99)
    assert check(f"\\cite{{nobody}}\n{bibliography}").undefined() is None


# No bibliography at all

NONE_NAMED = (
    "No bibliography: the draft names none and there is no .bib file beside main.tex. "
    "Name one with \\bibliography or \\addbibresource."
)


def reported_without_bibliography(folder, project):
    path = write_project(folder, f"%! main.tex\n\\documentclass{{article}}\n{project}")
    workspace = Workspace(folder)
    draft = workspace.draft(path)
    assert not workspace.bibliography(draft).files
    found = keys_without_bibliography(draft.file(path), draft) if draft.lacks_bibliography else ()
    return [(finding.key, finding.message) for finding in found]


def test_without_any_bibliography_a_name_that_may_be_no_key_is_not_reported(tmp_path):
    path = write_project(tmp_path, "%! main.typ\nBy @alice #cite(<a>), @bob.\n")
    draft = Workspace(tmp_path).draft(path)
    (found,) = keys_without_bibliography(draft.files[0], draft)
    assert found.key == "a"
    assert found.message == (
        "No bibliography: the draft names none and there is no bibliography beside main.typ. "
        "Name one with #bibliography."
    )


GONE = (
    "No bibliography: “gone” does not exist and there is no .bib file beside main.tex. "
    "Name one that can be read."
)


@pytest.mark.parametrize(
    ("project", "reported"),
    [
        ("\\cite{a,b} \\nocite{*} \\cite{?} \\citep{b}\n%! main.bbl\n"
         "\\begin{thebibliography}{0}\\end{thebibliography}", [("a", NONE_NAMED), ("b", NONE_NAMED)]),
        (r"\cite{a}\bibliography{IEEEabrv,gone}", [("a", GONE)]),
        # Where a bibliography may be, nothing is reported.
        (r"\cite{a}\begin{thebibliography}{9}\bibitem{b} B.\end{thebibliography}", []),
        (r"\cite{a}\begin{biblist}\bib{a}{book}{title={A}}\end{biblist}", []),
        (r"\cite{a}\addbibresource{https://a.b/c.bib}", []),
        (r"\cite{a}\bibliography{\mine}", []),
        # What is not there may name one.
        (r"\cite{a}\input{gone}", []),
        ("% !TeX root = gone.tex\n\\cite{a}", []),
        ("\\cite{a}\\bibliography{gone}\n%! main.bbl\n\\bibitem{a} A.", []),
        ("\\usepackage{own}\\cite{a}\n%! own.sty\n\\addbibresource{\\secret}", []),
    ],
)  # fmt: skip
def test_without_any_bibliography_each_key_is_reported_once(tmp_path, project, reported):
    assert reported_without_bibliography(tmp_path, project) == reported


def test_a_part_by_itself_has_the_bibliography_of_a_draft_that_is_not_known(tmp_path):
    path = write_project(tmp_path, "%! part.tex\n\\cite{a}")
    assert not Workspace(tmp_path).draft(path).lacks_bibliography


def test_a_list_of_journals_that_tex_brings_along_is_not_missed(check):
    checked = check("\\cite{nobody}\n\\bibliography{IEEEabrv,refs}")
    assert checked.undefined() == ["nobody"]
    assert list(missing_bibliographies(checked.draft, checked.path)) == []
    assert checked.draft.problems == ()


def test_a_bibliography_named_after_the_job_is_read(check):
    checked = check(
        r"""
        \begin{filecontents}{\jobname.bib}
        @book{inside, title={A}}
        \end{filecontents}
        \cite{inside}\cite{outside}\addbibresource{\jobname.bib}
        """
    )
    assert checked.undefined() == ["outside"]


def test_a_bibliography_that_does_not_exist_is_reported_where_it_is_named(check):
    checked = check("\\cite{x}\n\\bibliography{refs,gone}")
    (missing,) = missing_bibliographies(checked.draft, checked.path)
    assert missing.span.of(checked.file.text) == r"\bibliography{refs,gone}"
    assert missing.message == "The bibliography “gone” does not exist."


# Repeated keys


@pytest.mark.parametrize(
    ("named", "of_one", "of_two"),
    [
        # BibTeX does not look at the case.
        (r"\bibliography{one,two}", ["A", "a"], [("B", "one.bib")]),
        (r"\addbibresource{one.bib}\addbibresource{two.bib}", ["a"], []),
    ],
    ids=["BibTeX", "biber"],
)
def test_a_key_used_twice_is_reported_at_the_later_entry(check, named, of_one, of_two):
    one = "@misc{a, title={1}}\n@misc{b, title={2}}\n@misc{a, title={3}}\n@misc{A, title={4}}"
    two = "@misc{B, title={5}}\n@misc{c, title={6}}"
    checked = check(f"{named}\n%! one.bib\n{one}\n%! two.bib\n{two}\n")
    assert checked.repeated("one.bib") == [(key, "one.bib") for key in of_one]
    assert checked.repeated("two.bib") == of_two


def test_an_added_library_has_the_drafts_entries_of_course(check):
    checked = check("\\bibliography{one}\n%! one.bib\n@misc{a, title={1}}\n%! all.bib\n@misc{a, title={1}}\n")  # fmt: skip
    library = checked.path.parent / "all.bib"
    workspace = Workspace(checked.path.parent, Settings(bibliographies=(library,)))
    files = workspace.bibliography(checked.draft).files
    assert len(files) == 2
    assert list(repeated_keys(library, checked.draft, files)) == []


def test_a_bibitem_may_be_there_once(check):
    checked = check(
        r"\begin{thebibliography}{9}\bibitem{a} A.\bibitem[B]{b} B.\bibitem[C]{a} C.\end{thebibliography}"
    )
    (again,) = repeated_items(checked.file)
    assert again.span.start == checked.file.text.rindex("{a}") + 1
    assert again.first[1].start == checked.file.text.index("{a}") + 1


# Unused entries


def unused(folder, project, bibliography="refs.bib", settings=None):
    """Return the keys that no draft of a workspace cites."""
    write_project(folder, textwrap.dedent(project.removeprefix("\n")))
    workspace = Workspace(folder, settings)
    drafts = [workspace.draft(main) for main in workspace.mains_with(folder / bibliography)]
    read = [(draft, workspace.bibliography(draft).files) for draft in drafts]
    found = list(unused_entries(folder / bibliography, read))
    text = workspace.read(folder / bibliography)
    assert all(finding.span.of(text) == finding.key for finding in found)
    return [finding.key for finding in found]


def in_main(text, bib):
    main = f"\\documentclass{{article}}\n{text}\n\\bibliography{{refs}}"
    return f"%! main.tex\n{main}\n%! refs.bib\n{bib}\n"


THREE = "@misc{a, title={A}}\n@misc{b, title={B}}\n@misc{c, title={C}}"


def test_an_entry_that_no_draft_of_the_workspace_cites_is_unused(tmp_path):
    project = rf"""
        %! main.tex
        \documentclass{{article}} \cite{{a}} \input{{part}} \bibliography{{refs}}
        %! part.tex
        % \cite{{c}}
        %! talks/talk.tex
        \documentclass{{beamer}} \citep[see][]{{B}} \bibliography{{../refs}}
        %! other.tex
        \documentclass{{article}} \cite{{c}} \bibliography{{elsewhere}}
        %! elsewhere.bib
        @misc{{c, title={{C}}}}
        %! refs.bib
        {THREE.splitlines()[0]}
        {THREE.splitlines()[1]}
        {THREE.splitlines()[2]}
        """
    assert unused(tmp_path, project) == ["c"]


@pytest.mark.parametrize(
    ("text", "bib", "keys"),
    [
        # What entries in use need is in use.
        (r"\nocite{*}", THREE, []),
        (r"\cite{old}", "@misc{new, ids={older, old}}", []),
        (r"\cite{part}", "@inbook{part, crossref={Whole}}\n@book{whole, xdata={shared}}\n@xdata{shared, publisher={P}}", []),
        (r"\cite{one}", "@misc{one, related={two}, xref={three}}\n@misc{two,}\n@misc{three,}", []),
        (r"\cite{both}", "@set{both, entryset={one,two}}\n@misc{one,}\n@misc{two,}", []),
        (r"\defbibentryset{both}{one, two}\cite{both}", "@misc{one,}\n@misc{two,}", []),
        (r"\cite{a,*b}", "@misc{a,}\n@misc{b,}", []),
        # A parent of unused entries is unused.
        (r"\cite{a}", "@inbook{part, crossref={whole}}\n@book{whole,}\n@misc{a,}", ["part", "whole"]),
        # While not all text is known, nothing is called unused.
        (r"\cite{a}\input{gone}", THREE, []),
        (r"\cite{a}\input{\chapter}", THREE, []),
    ],
)  # fmt: skip
def test_which_entries_are_unused(tmp_path, text, bib, keys):
    assert unused(tmp_path, in_main(text, bib)) == keys


def test_an_entry_that_is_cited_by_its_doi_is_used(tmp_path):
    bib = "@book{a, title={A}}\n@book{b, title={B}, doi={10.1000/B}}\n"
    page = "So {cite}`https://doi.org/10.1000/b`."
    settings = "project: {bibliography: [refs.bib]}"
    project = f"%! page.md\n{page}\n%! myst.yml\n{settings}\n%! refs.bib\n{bib}"
    assert unused(tmp_path, project) == ["a"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("main.md", "---\nbibliography: refs.bib\nnocite: '@*'\n---\nSo [@a]."),
        (
            "main.md",
            "---\nbibliography: refs.bib\n---\nSo {cite}`a`.\n```{bibliography}\n:all:\n```",
        ),
        ("main.typ", '@a #bibliography(("refs.bib",), full: true)'),
    ],
)
def test_a_draft_in_any_markup_may_list_all_entries(tmp_path, name, text):
    assert unused(tmp_path, f"%! {name}\n{text}\n%! refs.bib\n{THREE}\n") == []
    less = text.replace("'@*'", "''").replace(":all:", "").replace("true", "false")
    assert unused(tmp_path, f"%! {name}\n{less}\n%! refs.bib\n{THREE}\n") == ["b", "c"]


@pytest.mark.parametrize(
    "settings",
    [
        "%! myst.yml\nproject: {bibliography: [refs.bib]}\n",
        "%! _quarto.yml\nbook: {chapters: [page.md, code.ipynb]}\nbibliography: refs.bib\n",
        "%! _config.yml\nbibtex_bibfiles: [refs.bib]\n%! _toc.yml\nroot: page\nchapters: [{file: code}]\n",
    ],
)
def test_a_notebook_of_a_project_may_cite_any_entry(tmp_path, settings):
    project = f"%! page.md\nSo {{cite}}`a` and [@a].\n{settings}%! refs.bib\n{THREE}\n"
    assert unused(tmp_path / "without", project) == ["b", "c"]
    assert unused(tmp_path / "with", f"{project}%! code.ipynb\n{{}}\n") == []


def test_settings_of_a_project_may_list_any_entry(tmp_path):
    project = (
        f"%! page.qmd\nSo [@a].\n%! refs.bib\n{THREE}\n%! _quarto.yml\nbibliography: refs.bib\n"
    )
    assert unused(tmp_path, project) == ["b", "c"]
    assert unused(tmp_path, f"{project}nocite: '@*'\n") == []


def test_a_bibliography_that_no_draft_names_is_a_store_of_works(tmp_path):
    project = f"%! main.tex\n\\documentclass{{article}}\\cite{{a}}\n%! refs.bib\n{THREE}\n"
    # It serves instead, or is added to every draft.
    assert unused(tmp_path, project) == []
    settings = Settings(bibliographies=(tmp_path / "refs.bib",))
    assert unused(tmp_path, project, settings=settings) == []
    assert unused(tmp_path, f"%! refs.bib\n{THREE}\n") == []


# Broken entries


def broken(text, **options):
    return list(broken_entries(text, parse_bibliography(text, None).faults, **options))


def test_comments_in_entries_are_broken_for_bibtex_and_right_for_biber():
    text = "@misc{a,\n  title = {A}, % a comment\n}"
    assert broken(text) == []
    (finding,) = broken(text, by_bibtex=True)
    assert "does not begin a comment" in finding.message


BROKEN = [
    ("@misc{a, title={A} year=2000}", "}", "No comma after the value of title.", "@misc{a, title={A}, year=2000}"),
    ("@misc{a, title={A}", "{A}", "Value of title is not closed.", "@misc{a, title={A}}"),
    ("@misc(a, title={A},", "@misc(a", "Not closed.", "@misc(a, title={A},)"),
    ("@misc{a,\n  title={A},\n\n@misc{b}", "@misc{a", "Not closed.", "@misc{a,\n  title={A},\n}\n\n@misc{b}"),
    ("@misc{a, title={A}}, year=2000}", "}", "One closing brace too many.", "@misc{a, title={A}, year=2000}"),
    # What the author wanted is unclear.
    ("@misc{a, title={A, year=2000}\n", "{A", "Value of title is not closed.", None),
    ("@misc{a, title={A}, title={B}}", "title={B}}", "Field title is given twice.", None),
    ("@misc{title={A}}", "@misc{", "No citation key, so it cannot be cited.", None),
    ("@misc{a, title {A}}", "title", "No = after title.", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "marked", "message", "fixed"), BROKEN)
def test_a_broken_entry_is_reported_at_its_place_and_mended_where_that_is_certain(
    tmp_path, text, marked, message, fixed
):
    finding = next(finding for finding in broken(text) if finding.message == message)
    assert finding.span.of(text).startswith(marked)
    mending = repaired(tmp_path / "refs.bib", text, finding)
    assert (mending and applied(text, [mending[1]])) == fixed
    if fixed:
        before, after = parse_bibliography(text, None), parse_bibliography(fixed, None)
        assert [dict(e.fields) for e in before.entries.values()] == [
            dict(e.fields) for e in after.entries.values()
        ]


def test_only_the_broken_entry_is_changed(tmp_path):
    first, last = "@misc{one, title={ö}\n  year=1}\n", "\n@misc{two, title={ü} year=2}"
    text = f"% a note\n{first}{last}"
    findings = broken(text)
    mended_both = applied(text, [repaired(tmp_path, text, finding)[1] for finding in findings])
    assert mended_both == text.replace("{ö}", "{ö},").replace("{ü}", "{ü},")
    assert not broken(mended_both)


def test_a_repeated_key_is_no_broken_entry():
    text = "@misc{a, title={A}}\n@misc{a, title={B}}"
    assert broken(text) == []
    (again,) = repeated_in(None, parse_bibliography(text, None))
    assert again.span.start == text.rindex("a,")


@pytest.mark.parametrize("bare", ["@article", "  @Article", "@ article % later", "@inproceedings ann2001,"])  # fmt: skip
def test_a_type_without_an_entry_after_it_is_reported_at_its_line(bare):
    text = f"@misc{{a, title={{A}}}}\n\n{bare}\n\n@book{{b, title={{B}}}}\n"
    (finding,) = broken(text)
    written = bare.strip().removesuffix(" % later").removesuffix(" ann2001,")
    assert finding.span.of(text) == written
    assert finding.message == f"{written} has no entry after it: add {{key, ...}}, or delete it."
    bibliography = parse_bibliography(text, None)
    assert list(bibliography.entries) == ["a", "b"]
    assert [problem.line for problem in bibliography.problems] == [3]


def test_after_a_half_typed_type_the_author_may_go_on():
    (finding,) = broken("@misc{a,}\n@article\n\n@book{b,}")
    # A brace may come on the next line.
    assert len(finding.scope) == len("@article\n\n")


@pytest.mark.parametrize(
    "text",
    ["me@article.org", "Write to mail@misc\nor to\n@misc.org.", "see @article", "@article\n  {a, title={A}}",
     "@articles are @unknown\n@unknown", "% @article", "@misc{a, abstract={As in\n@article\nor so}}",
     "@misc(a, note = {One\n@book\n})", "@string\n@preamble\n@comment", "@misc-types"],
)  # fmt: skip
def test_what_is_no_entry_without_its_braces(text):
    assert broken(text) == []


def test_macros_that_other_files_or_styles_may_define_are_left_alone():
    text = "@article{a, journal = cacm, month = jan, publisher = mine}"
    assert [finding.message for finding in broken(text)] == ["@string macro mine is not defined."]
    assert broken(text)[0].span.of(text).startswith("mine")
    assert broken(text, macros_known=False) == []


def test_faults_of_an_embedded_bibliography_are_reported_in_the_file_around_it(check):
    checked = check(
        r"""
        Before it.
        \begin{filecontents*}[overwrite]{in.bib}
        @misc{a, title={A} year=1}
        @misc{a, title={B}}
        \end{filecontents*}
        \bibliography{in}
        """
    )
    text = checked.file.text
    ((_, bibliography),) = checked.known.files
    (finding,) = broken_entries(text, bibliography.faults)
    assert finding.span.end == text.index(" year")
    assert repaired(checked.path, text, finding)[1].span.start == text.index(" year")
    assert checked.repeated("main.tex") == [("a", "main.tex")]


# Keys


def test_the_nearest_keys_come_first_and_a_free_key_is_unused():
    keys = ["knuth1984", "barzilay2008coherence", "salton1975vsm", "barzilay2005"]
    assert nearest_keys("barzilay2008", keys)[0] == "barzilay2008coherence"
    assert nearest_keys("Barzilai2005", keys)[0] == "barzilay2005"
    assert nearest_keys("knuth84", keys) == ["knuth1984"]
    assert nearest_keys("zzz", keys) == []
    assert nearest_keys("", keys) == []
    assert free_key("knuth1984", {"knuth1984", "knuth1984a"}.__contains__) == "knuth1984b"
    assert free_key("x", lambda key: not key.endswith("-3")) == "x-3"


# Support

LONG = "Coherent texts keep their entities in prominent syntactic roles throughout"


def paper(basis, *sentences):
    return ReferencePaper(
        "T", sentences=tuple(map(Sentence, sentences or ("Words.",))), basis=basis
    )


class InLanguage:
    """A recommender that knows the languages of draft and work, where they differ."""

    def __init__(self, differ=None):
        self.languages = lambda _key: differ


FOREIGN = InLanguage(("en", "de"))


def verdict(citance, read, supporting=(), recommender=None, **facts):
    entry = BibEntry("k", "article", {}, Path())
    candidate = None if read is None else Candidate("k", read, entry)
    context = CitationContext((), (), citance)
    return verdict_on(recommender or InLanguage(), context, candidate, supporting, **facts)


@pytest.mark.parametrize(
    ("citance", "read", "facts", "words"),
    [
        (LONG, paper("full text", "One.", "Two."), {}, "nothing found in 2 sentences"),
        ("Protein folding is solved by gradient descent", paper("full text"), {},
         "not checked, because the sentence has fewer than six content words"),
        (LONG, paper("full text"), {"recommender": FOREIGN},
         "not checked, because the work is in another language"),
        (LONG, paper("abstract"), {},
         "not checked, because nothing was found in the abstract, and there is no full text"),
        (LONG, paper("abstract"), {"recommender": FOREIGN},
         "not checked, because the work is in another language"),
        ("See also", ReferencePaper("T", "title"), {}, "not checked, because only the title is known"),
        (LONG, ReferencePaper("T", "title"), {"lacks_text": lambda _: True},
         "not checked, because no text could be read from its file"),
        (LONG, ReferencePaper("T", "full text"), {},
         "not checked, because no text could be read from its file"),
        (LONG, paper("abstract"), {"complete": False},
         "not checked, because papers are still being read"),
        (LONG, None, {}, "not checked, because no bibliography has the key"),
    ],
)  # fmt: skip
def test_without_a_supporting_sentence_there_is_a_verdict_or_a_reason(citance, read, facts, words):
    assert str(verdict(citance, read, **facts)) == words


@pytest.mark.parametrize("citance", [LONG, "See also"])
@pytest.mark.parametrize("basis", ["full text", "abstract"])
def test_a_sentence_of_any_strength_is_support_whatever_else_is_missing(citance, basis):
    found = [SupportingSentence("Words.", 1.0, probability=0.4, strength="partial")]
    made = verdict(citance, paper(basis), found, FOREIGN, lacks_text=lambda _: True, complete=False)
    assert (made.kind, str(made), made.sentences) == ("supported", "supported (partial)", 1)


def test_a_verdict_is_a_sentence_about_the_work():
    assert (
        Verdict("nothing found", None, 1200).sentence("Ng 2005")
        == "Nothing found in 1,200 sentences of Ng 2005."
    )
    unchecked = Verdict("not checked", reason="title only")
    assert unchecked.sentence("Ng 2005") == "Ng 2005: not checked, because only the title is known."
    assert unchecked.sentence() == "Not checked, because only the title is known."


# Sentences without a citation


@pytest.mark.parametrize(
    "sentence",
    [
        "As Smith and Jones (2008) say, words count.",
        "Words count (Smith, 2008).",
        "Müller et~al. count words.",
        "Wie Müller und Schmidt (2008) schreiben.",
        "Frogs are green (see van den Berg & de Vries, 2001).",
        "It has been shown that words count.",
        "It has since been found that words count.",
        "In the wild, many nets have been developed for frogs.",
        "Previous work has used lists of words.",
    ],
)
def test_a_sentence_about_the_work_of_others_wants_a_citation(check, sentence):
    checked = check(f"Frogs are green. {sentence} Frogs are loud.")
    assert checked.sentences() == [sentence]


@pytest.mark.parametrize(
    "text",
    [
        "It has been shown that words count \\cite{a}.",
        # In the next sentence, or the one before; not in another paragraph.
        "Recent studies look at words only. An example is \\cite{a}.",
        "This was \\cite{a}. It has been used since.",
        "It has been shown that words count [citation needed].",
        "We have shown that words count, and it has been shown in Section 2.",
        "Frogs that should have been found were counted; some might not have been observed.",
        "A negative score has been introduced, denoted by $s$.",
        "This goes on until all of the words have been used.",
        "Whenever two ponds have been used, they are merged.",
        # Of the draft's own work, as often as not.
        "Frogs are counted by a tool that has been used in all ponds.",
        "It has been observed that the frogs of this pond are green.",
        "Correctness for the frog has been proven.",
        "A new net has been developed for it.",
        "The pond as well as the net have been developed particularly for it.",
        "No studies have counted frogs, and the number of groups has increased.",
        "No frogs have been studied here.",
        "A peak has been observed at the left.",
        "The Education Act (2013) and the Olympics (2012) have a name.",
        "The frogs of two ponds (UK, 2002--2005; Spain, 2010-2016) are alike.",
        "Frogs are patient (Smith, 2008, personal communication).",
        "Words count. Frogs are green.",
        "\\subsection{The method of Chen \\emph{et al.}}\\label{chen}\nWords count.",
        "\\subsection{\\emph{The method of Chen et al.}}\nWords count.",
        "\\begin{abstract}Recent studies look at words only.\\end{abstract}",
        "\\chapter*{Abstract}\nRecent studies look at words only.\n",
        "\\chapter*{Summary}\nRecent studies look at words only.\n",
        "\\chapter*{Zusammenfassung}\nRecent studies look at words only.\n",
        "\\section*{Acknowledgements}\\label{thanks}\nRecent studies look at words only.\n",
        "\\begin{verbatim}\nIt has been shown that words count.\n\\end{verbatim}",
    ],
)
def test_a_sentence_that_wants_none(check, text):
    assert check(text).sentences() == []


def test_authors_may_be_named_again_after_a_citation_of_their_work(check):
    checked = check(
        r"""
Chen et al. count frogs. Frogs are green.

Ponds \citep{pond,depth} are deep.\nocite{frog}

\emph{Chen et al.} count ponds. Berg \textit{et~al.} dig them. Frog et al. do not.
\bibliography{own}
%! own.bib
@misc{pond, title={Ponds}, author={Chen, A and Frog, B}}
@misc{depth, title={Depths}, author={van den Bérg, C}}
@misc{frog, title={Frogs}, author={Frog, B}}
"""
    )
    assert checked.sentences() == ["Chen et al. count frogs.", "Frog et al. do not."]


def test_authors_may_be_named_again_after_a_citation_beside_their_name(check):
    checked = check(
        "Brin et al. count frogs.\n\n"
        "Ponds were counted by Brín et al. in 1998 \\cite{page}. They were deep. Frogs are green.\n\n"
        "Brin et al. count ponds. Frogs are loud (Brook et al., unpublished)."
    )
    assert checked.sentences() == ["Brin et al. count frogs."]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", "---\ntitle: Words\nabstract: |\n  {0}\n\n  {0}\nlang: en\n---\n\n{1}\n"),
        ("a.md", "# Abstract {{.unnumbered}}\n\n{0}\n\n# Abstract words\n\n{1}\n"),
        ("a.typ", "= Acknowledgments\n{0}\n= Words\n{1}\n"),
    ],
)
def test_abstracts_and_acknowledgements_want_none_in_any_markup(tmp_path, path, text):
    text = text.format("Recent studies look at words.", "Recent work looks at words.")
    (tmp_path / path).write_text(text)
    draft = Workspace(tmp_path).draft(tmp_path / path)
    (found,) = missing_citations(draft.files[0])
    assert found.scope.of(text) == "Recent work looks at words."


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("0_abstract.tex", 0),
        ("_abstract.Rmd", 0),
        ("_abstract-main.Rmd", 0),
        ("Summary.tex", 0),
        ("abstraction.tex", 1),
    ],
)
def test_a_file_that_is_an_abstract_wants_none(tmp_path, path, found):
    (tmp_path / path).write_text("Recent studies look at words.")
    draft = Workspace(tmp_path).draft(tmp_path / path)
    assert len([*missing_citations(draft.files[0])]) == found


def test_the_words_that_ask_for_the_citation_are_marked(check):
    checked = check('F\\"ur fr\\"ogs it \\emph{has been shown} that 5\\,\\% count. (Smith, 2008)')
    first, second = missing_citations(checked.file)
    assert first.span.of(checked.file.text) == "has been shown"
    assert second.message == "“Smith, 2008” is written out, without a citation command."


@pytest.mark.parametrize(
    ("sentence", "written"),
    [
        ("Frogs (Smith, 2008) are green.", "Smith, 2008"),
        ("As Smith et al. [2008] say, they are.", "Smith et al. [2008]"),
        ("Comme (Latour et Woolgar, 1986) disent.", "Latour et Woolgar, 1986"),
        ("Come Rossi e Bianchi (2010) dicono.", "Rossi e Bianchi (2010)"),
        ("Frogs [Pond Act 2005, Smith et al., 2008] are green.", "Smith et al., 2008"),
    ],
)
def test_what_is_written_out_is_named_without_a_bracket_around_it(check, sentence, written):
    (found,) = missing_citations(check(sentence).file)
    assert found.message == f"“{written}” is written out, without a citation command."


def test_all_verdicts_are_counted():
    short, title = (Verdict("not checked", reason=each) for each in ("too short", "title only"))
    made = [
        Verdict("supported", "strong", 4),
        Verdict("nothing found", None, 9),
        short,
        title,
        title,
    ]
    assert str(VerdictCounts.of(made)) == (
        "5 citations: 1 supported, 1 without support, 3 not checked (2 title only, 1 too short)"
    )
    assert str(VerdictCounts.of([])) == "0 citations: 0 supported, 0 without support, 0 not checked"
