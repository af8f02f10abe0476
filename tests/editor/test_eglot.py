"""Emacs's eglot, headless, with the configuration that docs/how-to/editors gives."""

from pathlib import Path

import pytest

from editor.documented import ROOT, configuration
from editor.emacs import answers_of

pytestmark = pytest.mark.slow

SESSION = Path(__file__).with_name("eglot_session.el")


@pytest.fixture(scope="module", name="answers")
def answers_of_a_session(tmp_path_factory):
    """One session, as a user has it; a test for each thing that the user sees."""
    return answers_of(
        SESSION, configuration("eglot", "elisp"), "eglot", tmp_path_factory.mktemp("eglot")
    )


def test_the_server_is_started_for_a_draft(answers):
    assert answers["connected"] is True


def test_suggestions_are_in_the_order_of_the_server(answers):
    assert answers["candidates"][0] == "barzilay2008coherence"
    assert len(answers["candidates"]) > 10
    assert answers["candidates"] != sorted(answers["candidates"])


def test_an_authors_name_completes_to_the_key(answers):
    assert answers["completed"].endswith("\\cite{barzilay2008coherence}.")


def test_eldoc_has_the_supporting_sentences(answers):
    assert "Barzilay and Lapata 2008" in answers["hover"]
    assert "coheren" in answers["hover"]


def test_definition_leads_to_the_entry(answers):
    ((file, line),) = answers["definition"]
    entry = ROOT / "examples" / file
    assert "barzilay2008coherence" in entry.read_text("utf-8").splitlines()[line - 1]


def test_references_are_the_citations_of_the_key(answers):
    assert "survey.tex" in {file for file, _ in answers["references"]}


def test_actions_are_offered_on_a_citation(answers):
    assert any(title.startswith("Also cite ") for title in answers["actions"])


def test_a_key_is_renamed_in_draft_and_bibliography(answers):
    assert answers["renamed"].endswith("\\cite{lapata2008}.")
    assert answers["renamed entry"] is True


def test_a_bibliography_in_latin_1_is_edited_only_once_emacs_has_visited_it(answers):
    entry = "@book{agern, author = {Ägern, Jörg}}\n"
    (refused,) = answers["closed in latin-1"]
    assert "old.bib is not in UTF-8, and an editor that opens it as UTF-8" in refused
    assert bytes(answers["bytes before"]) == entry.encode("latin-1")
    assert answers["open in latin-1"] == "Rivers \\cite{new1990}."
    assert bytes(answers["bytes after"]) == entry.replace("agern", "new1990").encode("latin-1")


def test_flymake_shows_an_undefined_key(answers):
    assert any("nosuchkey" in text for text in answers["problems"])


def test_a_draft_in_quarto_has_the_same(answers):
    if "markdown connected" not in answers:
        pytest.skip("Emacs has no markdown-mode")
    assert answers["markdown connected"] is True
    assert "Qazvinian and Radev 2008" in answers["markdown hover"]
    assert answers["markdown candidates"] == ["kusner2015wmd"]
    assert answers["markdown completed"].endswith(" measured by @kusner2015wmd")


def test_a_draft_in_typst_has_the_same(answers):
    assert answers["typst connected"] is True
    assert "Teufel et al. 2006" in answers["typst hover"]
    assert answers["typst candidates"] == ["kusner2015wmd"]
    assert answers["typst completed"].endswith(" measured by @kusner2015wmd")


def test_the_server_ends_as_asked(answers):
    assert answers["exit"] == 0
