"""Emacs's lsp-mode, which asks all servers of a buffer, with a second LaTeX server beside ours."""

import sys
from pathlib import Path

import pytest

from editor.documented import configuration
from editor.emacs import answers_of

pytestmark = pytest.mark.slow

SESSION = Path(__file__).with_name("lsp_mode_session.el")
STANDIN = Path(__file__).with_name("standin_texlab.py")


@pytest.fixture(scope="module", name="answers")
def answers_of_a_session(tmp_path_factory):
    """One session; what lsp-mode starts as texlab, of its own accord, is the stand-in."""
    folder = tmp_path_factory.mktemp("lsp-mode")
    texlab = folder / "bin" / "texlab"
    texlab.parent.mkdir()
    texlab.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{STANDIN}'\n")
    texlab.chmod(0o755)
    return answers_of(
        SESSION,
        configuration("lsp-mode", "elisp") + configuration("Typst", "elisp"),
        "lsp-mode",
        folder,
        texlab.parent,
    )


def test_both_servers_are_started(answers):
    assert set(answers["servers"]) == {"pincite", "texlab"}


def test_our_suggestions_come_first_in_our_order(answers):
    ranks = [rank for _, rank in answers["candidates"]]
    ours = [rank for rank in ranks if rank.startswith("!")]
    assert answers["candidates"][0][0] == "barzilay2008coherence"
    assert ranks[: len(ours)] == sorted(ours)
    assert 10 < len(ours) < len(ranks)


def test_one_hover_has_evidence_and_the_other_the_reference(answers):
    assert answers["hover"].count("Barzilay and Lapata 2008") == 1
    assert answers["hover"].count("Modeling Local Coherence") == 1
    assert "typical of" in answers["hover"]


def test_a_definition_is_one_jump(answers):
    assert answers["definitions"] == 1


def test_a_draft_in_typst_has_our_server(answers):
    assert answers["typst deferred"] is True
    assert answers["typst servers"] == ["pincite"]
    assert "Teufel et al. 2006" in answers["typst hover"]
    assert answers["typst candidates"] == ["kusner2015wmd"]
