"""Recommenders of a draft while papers are read and its bibliography is edited."""

import pytest

from pincite.model.contexts import CitationContext
from pincite.project.workspace import Workspace

SET = "@set{both, entryset={k1,k2}}\n"
MAIN = r"\documentclass{book}Text \cite{}.\bibliography{refs}"


@pytest.fixture(name="folder")
def draft_in_a_folder(tmp_path):
    entries = "".join(f"@misc{{k{n}, title={{Paper {n}}}}}\n" for n in range(20))
    (tmp_path / "main.tex").write_text(MAIN)
    (tmp_path / "refs.bib").write_text(entries + SET)
    (tmp_path / "papers").mkdir()
    return tmp_path


def read(folder):
    workspace = Workspace(folder)
    draft = workspace.draft(folder / "main.tex")
    workspace.read_library(draft)
    return workspace, draft


def score(recommender, word, key):
    return recommender.rank(CitationContext((word,), ())).of(key).score


def test_a_set_has_the_texts_of_its_members(folder):
    (folder / "papers" / "k1.txt").write_text("Moss is here. It is much.")
    workspace, draft = read(folder)
    assert score(workspace.recommender(draft), "moss", "both") > 0
