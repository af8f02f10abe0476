"""CSL JSON, CSL YAML and Hayagriva in the editor: what works in a .bib file works in them."""

import pytest

from pincite.lsp.features import links, navigation
from pincite.lsp.features.citing import addition
from pincite.lsp.features.diagnostics import diagnostics
from pincite.lsp.features.evidence import hover
from pincite.model.problems import InputError
from pincite.settings import Settings

FILES = {
    "refs.json": '[\n  {"id": "moss", "type": "book", "title": "Moss 😀", "DOI": "10.1/m"},\n'
    '  {"id": "kelp", "type": "book", "title": "Kelp", "author": [{"family": "Aalto"}]}\n]\n',
    "refs.yaml": "references:\n- id: moss\n  title: Moss 😀\n  DOI: 10.1/m\n- id: kelp\n  title: Kelp\n"
    "  author:\n  - family: Aalto\n",
    "works.yml": "moss:\n  title: Moss 😀\n  doi: 10.1/m\nkelp:\n  title: Kelp\n  author: Aalto\n",
}  # fmt: skip
LIBRARIES = {
    "all.bib": "@book{fern, title={Ferns}, author={Cole, Ruth}, year=2011}\n",
    "all.json": '[{"id": "fern", "type": "book", "title": "Ferns"}]\n',
    "all.yaml": "references:\n- id: fern\n  type: book\n  title: Ferns\n",
    "all.yml": "fern:\n  type: book\n  title: Ferns\n",
}


def project(name, text):
    main = rf"\documentclass{{article}}\begin{{document}}\cite{{moss,kelp}} \cite{{nobody}}\bibliography{{{name}}}\end{{document}}"
    return f"%! main.tex\n{main}\n%! {name}\n{text}\n"


@pytest.fixture(name="author", params=FILES)
def author_of_a_draft(request, editing):
    author = editing(project(request.param, FILES[request.param]))
    author.name = request.param
    author.here(author.name)
    return author


def test_a_key_leads_to_its_entry_and_shows_where_it_is_cited(author):
    for link in (
        author.ask(navigation.define, "moss,ke|lp"),
        author.ask(navigation.define, "ke|lp", author.name),
    ):
        found = author.shown(link.target_uri, link.target_selection_range)
        assert (found.split(":")[0], found.split(":")[2]) == (author.name, "kelp")
    shown = author.ask(hover, "ke|lp", author.name).contents.value
    assert "Kelp" in shown
    assert "main.tex" in shown


def test_a_key_is_renamed_in_the_bibliography_and_the_draft(author):
    edit = author.ask(navigation.rename, "moss,ke|lp", new_name="weed")
    found = {
        author.shown(change.text_document.uri, each.range).replace(":0:", ":")
        for change in edit.document_changes
        for each in change.edits
    }
    assert {(each.split(":")[0], each.split(":")[-1]) for each in found} == {
        ("main.tex", "kelp"),
        (author.name, "kelp"),
    }


def test_an_undefined_key_is_found_and_the_address_linked(author):
    assert [each.code for each in diagnostics(author.here())] == ["undefined-key"]
    assert diagnostics(author.here(author.name)) == []
    (link,) = links.document_links(author.here(author.name))
    assert link.target == "https://doi.org/10.1/m"
    assert author.shown(author.uri(author.name), link.range).endswith(":10.1/m")


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_entry_of_a_library_in_any_form_is_added_in_the_files_own_form(author, library):
    path = author.folder / library
    path.write_text(LIBRARIES[library], "utf-8")
    author.session.settings = Settings(global_bibliographies=(path,))
    author.project.global_library.recommender()
    author.session.background.wait(30)
    assert list(author.project.global_library.recommender().candidates) == ["fern"]
    if author.name == "works.yml":
        refused = (
            "Not added to works.yml: Pincite cannot write Hayagriva entries; add the entry by hand."
        )
        with pytest.raises(InputError, match=refused):
            addition(author.project, author.main, "fern")
    else:
        (added,) = addition(author.project, author.main, "fern")
        assert (added.path.name, "Ferns" in added.text) == (author.name, True)


def test_broken_entries_are_diagnosed_where_a_draft_reads_the_file(editing):
    broken = '[{"id": "moss",}, {"id": "kelp"}, {"id": "kelp"}]'
    author = editing(project("refs.json", broken) + "%! other.json\n{,}\n")
    codes = {each.code for each in diagnostics(author.here("refs.json"))}
    assert codes == {"broken-entry", "duplicate-key"}
    assert diagnostics(author.here("other.json")) == []
