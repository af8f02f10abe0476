"""CSL JSON, CSL YAML and Hayagriva in the editor: what works in a .bib file works in them."""

import pytest

from markup import parse_fixture, write_project
from pincite.lsp.documents import Documents
from pincite.lsp.features import diagnostics, hover, links, navigation
from pincite.lsp.features.citing import addition
from pincite.lsp.session import Session
from pincite.settings import Settings

FILES = {
    "refs.json": '[\n  {"id": "moss", "type": "book", "title": "Moss 😀", "DOI": "10.1/m"},\n'
    '  {"id": "kelp", "type": "book", "title": "Kelp", "author": [{"family": "Aalto"}]}\n]\n',
    "refs.yaml": "references:\n- id: moss\n  title: Moss 😀\n  DOI: 10.1/m\n- id: kelp\n  title: Kelp\n"
    "  author:\n  - family: Aalto\n",
    "works.yml": "moss:\n  title: Moss 😀\n  doi: 10.1/m\nkelp:\n  title: Kelp\n  author: Aalto\n",
}  # fmt: skip
LIBRARY = "@book{fern, title={Ferns}, author={Cole, Ruth}, year=2011}\n"


class Author:
    def __init__(self, folder, name, text=None):
        self.folder, self.name = folder, name
        main = rf"\documentclass{{article}}\begin{{document}}\cite{{moss,kelp}} \cite{{nobody}}\bibliography{{{name}}}\end{{document}}"
        self.files = {"main.tex": main, name: FILES[name] if text is None else text}
        write_project(folder, parse_fixture("%! library.bib\n" + LIBRARY))
        for each, written in self.files.items():
            (folder / each).write_text(written, "utf-8")
        self.documents = Documents()
        self.session = Session(self.documents)
        self.session.folders = (folder,)
        for each, written in self.files.items():
            self.documents.open((folder / each).as_uri(), written, 1)

    def ask(self, feature, name, words, **options):
        """Ask at the end of some words of a file."""
        lines = self.documents.now.lines((self.folder / name).as_uri())
        position = lines.position(self.files[name].index(words) + len(words))
        return feature(self.session.project(), self.folder / name, lines, position, **options)

    def about(self, feature, name):
        lines = self.documents.now.lines((self.folder / name).as_uri())
        return feature(self.session.project(), self.folder / name, lines)

    def text(self, name, range_):
        lines = self.documents.now.lines((self.folder / name).as_uri())
        return lines.text[lines.offset(range_.start) : lines.offset(range_.end)]


@pytest.fixture(params=FILES)
def author(request, tmp_path):
    return Author(tmp_path, request.param)


def test_a_key_leads_to_its_entry(author):
    link = author.ask(navigation.define, "main.tex", "moss,kelp")
    assert link.target_uri.endswith(author.name)
    assert author.text(author.name, link.target_selection_range) == "kelp"
    inside = author.ask(navigation.define, author.name, "kelp")
    assert author.text(author.name, inside.target_selection_range) == "kelp"


def test_the_keys_hover_says_what_is_known_and_where_it_is_cited(author):
    shown = author.ask(hover.hover, author.name, "kelp")
    assert "Kelp" in str(shown.contents)
    assert "main.tex" in str(shown.contents)


def test_a_key_is_renamed_in_the_bibliography_and_the_draft(author):
    edit = author.ask(navigation.rename, "main.tex", "moss,kelp", new_name="weed")
    found = {
        (change.text_document.uri.rpartition("/")[2], author.text(change.text_document.uri.rpartition("/")[2], each.range))
        for change in edit.document_changes
        for each in change.edits
    }  # fmt: skip
    assert found == {("main.tex", "kelp"), (author.name, "kelp")}


def test_an_undefined_key_is_found_and_the_address_linked(author):
    found = author.about(diagnostics.diagnostics, "main.tex")
    assert [each.code for each in found] == ["undefined-key"]
    assert author.about(diagnostics.diagnostics, author.name) == []
    (link,) = author.about(links.document_links, author.name)
    assert link.target == "https://doi.org/10.1/m"
    assert author.text(author.name, link.range) == "10.1/m"


def test_an_entry_of_the_library_is_added_in_the_files_own_form(author):
    author.session.settings = Settings(global_bibliographies=(author.folder / "library.bib",))
    found = addition(author.session.project(), author.folder / "main.tex", "fern")
    if author.name == "works.yml":
        assert (
            found.message
            == "Not added to works.yml: Hayagriva is read only here, add the entry by hand."
        )
    else:
        assert found.label == f"Add fern to {author.name}"
        (edit,) = found.edit.document_changes[0].edits
        assert "Ferns" in edit.new_text


@pytest.mark.parametrize(
    ("library", "text"),
    [
        ("all.json", '[{"id": "fern", "type": "book", "title": "Ferns"}]'),
        ("all.yaml", "references:\n- id: fern\n  type: book\n  title: Ferns\n"),
        ("all.yml", "fern:\n  type: book\n  title: Ferns\n"),
    ],
)
def test_the_whole_library_may_be_in_any_form(author, library, text):
    (author.folder / library).write_text(text, "utf-8")
    settings = Settings(global_bibliographies=(author.folder / library,))
    author.session.settings = settings
    author.session.project().global_library.recommender()
    author.session.background.wait(30)
    recommender = author.session.project().global_library.recommender()
    assert list(recommender.candidates) == ["fern"]
    found = addition(author.session.project(), author.folder / "main.tex", "fern")
    assert (author.name != "works.yml") is (found.label == f"Add fern to {author.name}")


def test_broken_entries_are_diagnosed_where_a_draft_reads_the_file(tmp_path):
    author = Author(tmp_path, "refs.json", '[{"id": "moss",}, {"id": "kelp"}, {"id": "kelp"}]')
    (tmp_path / "other.json").write_text("{,}", "utf-8")
    author.files["other.json"] = "{,}"
    author.documents.open((tmp_path / "other.json").as_uri(), "{,}", 1)
    found = author.about(diagnostics.diagnostics, "refs.json")
    assert {each.code for each in found} == {"broken-entry", "duplicate-key"}
    assert author.about(diagnostics.diagnostics, "other.json") == []
