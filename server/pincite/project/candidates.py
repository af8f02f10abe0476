"""The entries of a bibliography as candidates: each with its text and who cites it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Final

from ..model.basis import TextBasis
from ..model.papers import (
    BibEntry,
    Candidate,
    Candidates,
    InlinkContext,
    ReferencePaper,
    UnreadPaper,
)
from .bibliographies import DraftBibliography

_CACHED_CANDIDATES: Final = 512
_BEST_FIRST: Final[tuple[TextBasis, ...]] = ("full text", "abstract", "title")


def candidates_of(
    bibliography: DraftBibliography,
    read: Callable[[BibEntry], ReferencePaper],
    inlinks: Mapping[str, Sequence[InlinkContext]] = MappingProxyType({}),
) -> Candidates:
    """Return the entries of a bibliography as candidates, whose texts `read` returns.

    The most recently used are cached.
    """
    entries = bibliography.entries

    def make(entry: BibEntry) -> Candidate:
        names, contexts = entry.surnames, inlinks.get(entry.key, ())
        if not entry.members or (paper := read(entry)).title:
            return Candidate(entry.key, UnreadPaper(partial(read, entry)), entry, names, contexts)
        # A biblatex set has the texts of its members.
        members = [m for key in entry.members if (m := bibliography.find(key)) is not None]
        papers = [read(member) for member in members]
        paper = ReferencePaper(
            title="; ".join(member.title for member in members),
            basis=min((paper.basis, *(p.basis for p in papers)), key=_BEST_FIRST.index),
            sentences=tuple(sentence for p in papers for sentence in p.sentences),
            abstract=" ".join(p.abstract for p in papers if p.abstract),
        )
        names = tuple(name for member in members for name in member.surnames)
        return Candidate(entry.key, paper, entry, names, contexts)

    find = lru_cache(_CACHED_CANDIDATES)(lambda key: make(entries[key]))
    return Candidates(entries, find, lambda: map(make, entries.values()))
