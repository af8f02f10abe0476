"""Which program reads a bibliography decides which entry a key means, for every feature alike."""

import json
from pathlib import Path

import pytest
from lsprotocol import types
from typer.testing import CliRunner

from markup import parse_fixture, write_project
from pincite.cli.app import app
from pincite.lsp.documents import Documents, Lines
from pincite.lsp.features import diagnostics, hover, navigation
from pincite.lsp.session import Session

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


class Project:
    """A project as the server knows it, with a file open."""

    def __init__(self, folder: Path, text: str) -> None:
        self.folder, self.files = folder, dict(parse_fixture(text).files)
        write_project(folder, parse_fixture(text))
        self.documents = Documents()
        self.session = Session(self.documents)
        self.session.folders = (folder,)

    def lines(self, name: str) -> Lines:
        self.documents.open((self.folder / name).as_uri(), self.files[name])
        return self.documents.now.lines((self.folder / name).as_uri())

    def ask(self, feature, name: str, at: str, **options):
        lines = self.lines(name)
        place = lines.position(lines.text.index(at.replace("|", "")) + at.index("|"))
        return feature(self.session.project(), self.folder / name, lines, place, **options)

    def told(self, name: str) -> list[tuple[str, int]]:
        """Return the codes of what is found in a file, with the lines."""
        lines = self.lines(name)
        found = diagnostics.diagnostics(self.session.project(), self.folder / name, lines)
        return sorted((each.code, each.range.start.line + 1) for each in found)

    def line_of(self, name: str, at: str) -> int | None:
        link = self.ask(navigation.define, name, at)
        return link and link.target_selection_range.start.line + 1

    def renamed(self, name: str, at: str) -> list[int]:
        """Return the lines of the bibliography that the rename of a key changes."""
        edit = self.ask(navigation.rename, name, at, new_name="new")
        return sorted(
            each.range.start.line + 1
            for document in edit.document_changes
            if document.text_document.uri.endswith("refs.bib")
            for each in document.edits
        )


@pytest.fixture(name="project")
def a_project(tmp_path):
    projects = []

    def begin(text: str) -> Project:
        projects.append(Project(tmp_path, text))
        return projects[-1]

    yield begin
    for each in projects:
        each.session.stop()


MAINS = [("main.tex", tex(BIBER)), ("main.md", MARKDOWN), ("main.typ", TYPST)]


@pytest.mark.parametrize(("name", "main"), MAINS)
def test_what_is_commented_out_is_no_entry(project, tmp_path, monkeypatch, name, main):
    opened = project(main + COMMENTED)
    assert opened.told("refs.bib") == []
    assert [code for code, _ in opened.told(name)] == ["undefined-key"]
    assert opened.line_of(name, "|moss") == 4
    assert opened.line_of(name, "|fern") is None
    assert opened.line_of("refs.bib", "|moss, title = {Moss") == 4
    assert opened.line_of("refs.bib", "|fern") is None
    assert "Green" in opened.ask(hover.hover, name, "|moss").contents.value
    assert opened.ask(hover.hover, "refs.bib", "|fern") is None
    assert opened.renamed(name, "|moss") == [4]
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(app, ["library", name, "--format", "json"])
    counts = json.loads(run.stdout)["counts"]
    assert (counts["entries"], counts["repeated_keys"]) == (1, 0)


def test_for_bibtex_it_is_the_entry(project):
    opened = project(tex(BIBTEX) + COMMENTED)
    assert ("duplicate-key", 4) in opened.told("refs.bib")
    assert opened.told("main.tex") == []
    assert opened.line_of("main.tex", "|moss") == 1
    assert opened.line_of("refs.bib", "|moss, title = {Moss") == 1
    assert opened.line_of("refs.bib", "|fern") == 5
    assert opened.ask(hover.hover, "refs.bib", "|fern") is not None
    assert opened.renamed("main.tex", "|moss") == [1, 4]


def test_in_a_bibliography_that_no_draft_reads_comments_are_comments(project):
    opened = project(COMMENTED)
    assert opened.told("refs.bib") == []
    assert opened.line_of("refs.bib", "|moss, title = {Moss") == 4


def test_what_two_programs_make_of_one_bibliography_is_told_for_each(project):
    opened = project(MARKDOWN + tex(BIBTEX) + COMMENTED)
    assert ("duplicate-key", 4) in opened.told("refs.bib")
    assert opened.told("main.tex") == []
    assert [code for code, _ in opened.told("main.md")] == ["undefined-key"]
    assert (opened.line_of("main.tex", "|moss"), opened.line_of("main.md", "|moss")) == (1, 4)


@pytest.mark.parametrize(
    ("name", "main", "ignored", "counts", "message"),
    [
        ("main.tex", tex(BIBER), 3, 1, "An earlier entry has the key “moss”: this one is ignored."),
        ("main.tex", tex(BIBTEX), 3, 1, "An earlier entry has the key “moss”: this one is ignored."),
        ("main.md", MARKDOWN, 1, 3, "A later entry has the key “moss”: this one is ignored."),
        ("main.typ", TYPST, 3, 1, "An earlier entry has the key “moss”: Typst refuses the bibliography."),
    ],
)  # fmt: skip
def test_of_a_repeated_key(project, name, main, ignored, counts, message):
    opened = project(main + TWICE)
    assert opened.told("refs.bib") == [("duplicate-key", ignored)]
    lines = opened.lines("refs.bib")
    (found,) = diagnostics.diagnostics(opened.session.project(), opened.folder / "refs.bib", lines)
    assert found.message == message
    assert found.related_information[0].location.range.start.line + 1 == counts
    assert opened.line_of(name, "|moss") == counts
    assert opened.line_of("refs.bib", "|moss, title = {Two") == counts
    assert isinstance(opened.ask(hover.hover, name, "|moss"), types.Hover)
