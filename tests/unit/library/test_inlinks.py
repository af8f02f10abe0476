r"""Inlink contexts of a draft's entries: what is read when looked at is what all of it would be."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.library.index import PaperIndex
from pincite.library.inlinks import Inlinks
from pincite.model.papers import InlinkContext
from pincite.project.workspace import Workspace
from pincite.settings import LibrarySettings, Settings, Window
from where import SHARED

COLLECTION = SHARED / "data" / "acl-resolution" / "papers.jsonl.gz"
WINDOW = Window(20, 20)

DRAFT = r"""
\documentclass{article}
\begin{document}
We grow apples.
\bibliography{refs}
\end{document}
"""
REFS = r"""
@article{pippin, title = {Apples of Unheard-of Sweetness}, author = {Pippin, Cox}, year = 2001}
@article{conference, title = {Pears of the North}, author = {Abate, Fetel}, year = 2002}
"""
PEARS = """
# Pears of the North

Sweetness was bred for {what} (Pippin, 2001). Since then it has not been lost (Pippin, 2001).

## References

- Pippin, Cox. 2001. Apples of Unheard-of Sweetness. Journal of Fruit.
"""
EARLIER = r"""
\documentclass{article}
\begin{document}
Apples can be sweet \cite{mine}, and sour.
\begin{filecontents}{own.bib}
\end{filecontents}
\bibliography{own}
\end{document}
"""
OWN = "@article{mine, title={Apples of Unheard-of Sweetness}, author={Pippin, Cox}, year=2001}"


def opened(folder: Path, library: Path, index: PaperIndex | None = None) -> Inlinks:
    """Read the papers of a library for the draft in a folder; return what they say of entries."""
    settings = Settings(library=LibrarySettings(folders=(library,)))
    workspace = Workspace(folder, settings, index)
    draft = workspace.draft(folder / "main.tex")
    assert workspace.read_library(draft, jobs=1)
    return workspace.inlinks(draft)


@pytest.fixture(name="orchard")
def orchard_of_papers(tmp_path: Path) -> Path:
    """A draft, an earlier draft, and a paper with its preprint, which differ in one sentence."""
    for name, text in {
        "draft/main.tex": DRAFT,
        "draft/refs.bib": REFS,
        "draft/earlier/earlier.tex": EARLIER,
        "draft/earlier/own.bib": OWN,
        "library/conference.md": PEARS.format(what="centuries"),
        "library/preprint.md": PEARS.format(what="ages"),
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.strip(), encoding="utf-8")
    return tmp_path


def test_contexts_come_from_papers_and_drafts_each_once(orchard):
    found = opened(orchard / "draft", orchard / "library")
    assert found.keys() == {"pippin"}
    assert [(c.citing_paper, c.left[-3:], c.right[:2]) for c in found["pippin"]] == [
        ("conference", ("bred", "for", "centuries"), ("Since", "then")),
        ("conference", ("not", "been", "lost"), ()),
        ("earlier/earlier.tex", ("can", "be", "sweet"), ("and", "sour")),
    ]
    assert "conference" not in found


def test_what_was_found_before_holds_until_an_entry_changes(orchard):
    index = PaperIndex(orchard / "index.sqlite")
    first = opened(orchard / "draft", orchard / "library", index)
    again = opened(orchard / "draft", orchard / "library", PaperIndex(orchard / "index.sqlite"))
    assert contexts_of(again) == contexts_of(first) != {}
    refs = orchard / "draft" / "refs.bib"
    refs.write_text(REFS.replace("Apples of Unheard-of Sweetness", "Cherries in the Snow"))
    assert opened(orchard / "draft", orchard / "library", index) == {}


def contexts_of(inlinks: Inlinks) -> dict[str, tuple[InlinkContext, ...]]:
    return {key: tuple(contexts) for key, contexts in inlinks.items() if contexts}
