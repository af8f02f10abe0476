"""Which program reads a bibliography decides which entry a key refers to, for every feature alike."""

import json

import pytest
from typer.testing import CliRunner

from pincite.cli.app import app
from pincite.lsp.features.diagnostics import diagnostics
from pincite.lsp.features.evidence import hover
from pincite.lsp.features.navigation import define, rename

BIBER = r"\documentclass{article}\usepackage[backend=biber]{biblatex}\addbibresource{refs.bib}"
BIBTEX = r"\documentclass{article}\bibliography{refs}"
TEX = "%! main.tex\n{preamble}\n\\begin{document}\\cite{moss}, \\cite{fern}.\\end{document}\n"
MARKDOWN = "%! main.md\n---\nbibliography: refs.bib\n---\nSo [@moss; @fern].\n"
TYPST = '%! main.typ\n#cite(<moss>) #cite(<fern>)\n#bibliography("refs.bib")\n'
COMMENTED = """\
%! refs.bib
% @misc{moss,
%   title = {An older version},
% }
@misc{moss, title = {Moss on stones}, author = {Green, Ann}, year = 2020}
%@misc{fern, title = {Ferns}}
"""
TWICE = """\
%! refs.bib
@misc{moss, title = {One}}
@misc{fern, title = {Ferns}}
@misc{moss, title = {Two}}
"""


def tex(preamble):
    return TEX.replace("{preamble}", preamble)


def reported(project, name):
    """Return the codes of what is found in a file, with the lines."""
    found = diagnostics(project.here(name))
    return sorted((each.code, each.range.start.line + 1) for each in found)


def line_of(project, name, at):
    link = project.ask(define, at, name)
    return link and link.target_selection_range.start.line + 1


def renamed(project, name, at):
    """Return the lines of the bibliography that the rename of a key changes."""
    edit = project.ask(rename, at, name, new_name="new")
    documents = {each.text_document.uri: each.edits for each in edit.document_changes}
    return sorted(each.range.start.line + 1 for each in documents[project.uri("refs.bib")])


@pytest.mark.parametrize(
    ("name", "main"), [("main.tex", tex(BIBER)), ("main.md", MARKDOWN), ("main.typ", TYPST)]
)
def test_what_is_commented_out_is_no_entry(editing, tmp_path, monkeypatch, name, main):
    opened = editing(main + COMMENTED)
    assert reported(opened, "refs.bib") == []
    assert [code for code, _ in reported(opened, name)] == ["undefined-key"]
    assert line_of(opened, name, "|moss") == 4
    assert line_of(opened, name, "|fern") is None
    assert line_of(opened, "refs.bib", "|moss, title = {Moss") == 4
    assert line_of(opened, "refs.bib", "|fern") is None
    assert "Green" in opened.ask(hover, "|moss", name).contents.value
    assert opened.ask(hover, "|fern", "refs.bib") is None
    assert renamed(opened, name, "|moss") == [4]
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(app, ["library", name, "--format", "json"])
    counts = json.loads(run.stdout)["counts"]
    assert (counts["entries"], counts["repeated_keys"]) == (1, 0)


def test_for_bibtex_it_is_the_entry(editing):
    opened = editing(tex(BIBTEX) + COMMENTED)
    assert ("duplicate-key", 4) in reported(opened, "refs.bib")
    assert reported(opened, "main.tex") == []
    assert line_of(opened, "main.tex", "|moss") == 1
    assert line_of(opened, "refs.bib", "|moss, title = {Moss") == 1
    assert line_of(opened, "refs.bib", "|fern") == 5
    assert opened.ask(hover, "|fern", "refs.bib") is not None
    assert renamed(opened, "main.tex", "|moss") == [1, 4]


def test_in_a_bibliography_that_no_draft_reads_comments_are_comments(editing):
    opened = editing(COMMENTED)
    assert reported(opened, "refs.bib") == []
    assert line_of(opened, "refs.bib", "|moss, title = {Moss") == 4


def test_what_two_programs_make_of_one_bibliography_is_found_for_each(editing):
    opened = editing(MARKDOWN + tex(BIBTEX) + COMMENTED)
    assert ("duplicate-key", 4) in reported(opened, "refs.bib")
    assert reported(opened, "main.tex") == []
    assert [code for code, _ in reported(opened, "main.md")] == ["undefined-key"]
    assert (line_of(opened, "main.tex", "|moss"), line_of(opened, "main.md", "|moss")) == (1, 4)


@pytest.mark.parametrize(
    ("name", "main", "ignored", "counts", "message"),
    [
        ("main.tex", tex(BIBER), 3, 1, "An earlier entry has the key “moss”: this one is ignored."),
        ("main.tex", tex(BIBTEX), 3, 1, "An earlier entry has the key “moss”: this one is ignored."),
        ("main.md", MARKDOWN, 1, 3, "A later entry has the key “moss”: this one is ignored."),
        ("main.typ", TYPST, 3, 1, "An earlier entry has the key “moss”: Typst rejects the bibliography."),
    ],
)  # fmt: skip
def test_of_a_repeated_key(editing, name, main, ignored, counts, message):
    opened = editing(main + TWICE)
    assert reported(opened, "refs.bib") == [("duplicate-key", ignored)]
    (found,) = diagnostics(opened.here("refs.bib"))
    assert found.message == message
    assert found.related_information[0].location.range.start.line + 1 == counts
    assert line_of(opened, name, "|moss") == counts
    assert line_of(opened, "refs.bib", "|moss, title = {Two") == counts
    assert opened.ask(hover, "|moss", name) is not None
