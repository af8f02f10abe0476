r"""Inlink contexts of a draft's entries: what is read when looked at is what all of it would be."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.library.index import PaperIndex
from pincite.library.inlinks import Inlinks, fetched_sources
from pincite.model.fetched import CITING, FILE_NAME, written_citing
from pincite.model.papers import BibEntry, InlinkContext
from pincite.project.workspace import Workspace
from pincite.settings import LibrarySettings, Settings

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
    """Read the papers of a library for the draft in a folder; return their contexts of entries."""
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


# Sentences that were fetched

SENTENCE = "Dams are old (Bog, 1990) and, as Rybczynski et al. (2007) found, large [3]."


def sources(*citing, author="Rybczynski, Natalia and Bog, Ann", read=()):
    fields = {"title": "Dams", "author": author, CITING: written_citing(citing)}
    entry = BibEntry("w1", "misc", fields, Path("fetched", FILE_NAME))
    return list(fetched_sources({"beaver": (entry,)}, read))


def contexts(*citing, **options):
    return [
        context
        for source in sources(*citing, **options)
        for _, context in source.contexts([number for number, _ in source.cited])
    ]


@pytest.mark.parametrize(
    ("author", "left", "right"),
    [
        ("Rybczynski, Natalia", ("Dams", "are", "old", "and", "as"), ("found", "large")),
        ("Bog, Ann", ("Dams", "are", "old"), ("and", "as", "found", "large")),
        # An author that no marker names: one of them is that of the work.
        ("Otter, Ann", ("Dams", "are", "old"), ("and", "as", "found", "large")),
        ("", ("Dams", "are", "old"), ("and", "as", "found", "large")),
    ],
)
def test_the_place_is_the_marker_with_the_first_author(author, left, right):
    (context,) = contexts(("On dams", [SENTENCE]), author=author)
    assert (context.left, context.right) == (left, right)
    assert (context.citing_paper, context.citance) == ("On dams", SENTENCE)


def test_without_a_marker_it_is_the_middle():
    (context,) = contexts(("On dams", ["Beavers build large dams."]))
    assert (context.left, context.right) == (("Beavers", "build"), ("large", "dams"))


def test_a_paper_that_is_read_does_not_count_twice():
    citing = ("On Dams: a history", ["Beavers build [1]."]), ("Others", ["Beavers swim [2]."])
    assert [source.name for source in sources(*citing, read=["On dams - a history"])] == ["Others"]
