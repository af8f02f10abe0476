"""Recommenders of drafts: their rankers are fitted, or loaded from the cache on disk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from ..library.index import PaperIndex
from ..library.lent_texts import NOTHING_LENT, LentTexts
from ..library.library import Library
from ..model.basis import TextBasis
from ..model.drafts import Draft
from ..model.papers import (
    BibEntry,
    Candidate,
    Candidates,
    InlinkContext,
    ReferencePaper,
    UnreadPaper,
)
from ..model.problems import Problem
from ..settings import Settings
from .bibliographies import DraftBibliography

# Imported where they are used: the first list of suggestions does not need them.
if TYPE_CHECKING:
    from ..library.inlinks import Inlinks
    from ..matching.base import SentenceMatcher
    from ..ranking.kept import KeptRankers
    from ..ranking.learned import FittedFields
    from ..ranking.tfidf import Fitted
    from ..recommend import Extent, RankedFor, Recommender, Since

_CANDIDATES_KEPT = 512
_RANKERS_FOLDER = "rankings"
#: With no more entries and papers than these, fitting takes no longer than computing the digests.
_FITTED_AT_ONCE = 2_000
_FEW_PAPERS = 500
_BEST_FIRST: tuple[TextBasis, ...] = ("full text", "abstract", "title")


class KnowsDrafts(Protocol):
    """What `Rankings` needs of a workspace."""

    settings: Settings

    def bibliography(self, draft: Draft) -> DraftBibliography:
        """Return the entries of a draft."""

    def saved_bibliography(self, draft: Draft) -> Sequence[str] | None:
        """Return digests of the bibliographies of a draft; None while one has unsaved edits."""

    def library(self, draft: Draft) -> Library:
        """Return the library that serves a draft."""

    def lent_texts(self, draft: Draft) -> LentTexts:
        """Return the texts that other bibliographies lend to a draft's entries."""

    def inlinks(self, draft: Draft) -> Inlinks:
        """Return the inlink contexts of a draft's entries, by key."""

    def matcher(self) -> SentenceMatcher[Any]:
        """Return the sentence matcher of the settings."""


class Rankings:
    """Makes recommenders; a ranker that is cached on disk is loaded instead of fitted."""

    def __init__(self, index: PaperIndex) -> None:
        self._index = index
        self._kept: KeptRankers | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why fitted rankers cannot be cached."""
        return () if self._kept is None else tuple(self._kept.problems)

    def recommender(
        self,
        known: KnowsDrafts,
        draft: Draft,
        *,
        full_texts: bool = True,
        bibliography: DraftBibliography | None = None,
        keep: bool = False,
        extent: Extent = "texts",
    ) -> Recommender:
        """Return a recommender over the entries of a draft.

        Its `bibliography` is read unless it is given. Full texts and inlink contexts are those that
        the workspace has read so far; without `full_texts`, only the entries' own fields are used.
        With `keep`, a ranker that takes long to fit is loaded from disk, or fitted and stored
        there. With an `extent` below "texts", only keys, or keys and titles, are read, which is
        much faster.
        """
        from ..recommend import RankedFor, Recommender

        bibliography = bibliography or known.bibliography(draft)
        inlinks = known.inlinks(draft) if full_texts else {}
        lent = known.lent_texts(draft) if full_texts else NOTHING_LENT
        read = partial(known.library(draft).paper, lent=lent) if full_texts else Library.known_text
        candidates = candidates_of(bibliography, read, inlinks)
        papers: tuple[object, ...] = tuple(known.library(draft).linked()) if full_texts else ()
        papers = (*papers, lent.state) if lent.state else papers
        ranked_for = RankedFor.draft(draft, bibliography.key_of)
        fitted = (
            self._fitted(known, draft, candidates, papers, inlinks, ranked_for) if keep else None
        )
        if full_texts:
            known.matcher()  # reports its problems
        return Recommender(
            candidates, known.settings, known.matcher, fitted, ranked_for, extent=extent
        )

    def updated(
        self, known: KnowsDrafts, draft: Draft, bibliography: DraftBibliography, since: Since
    ) -> Recommender:
        """Return a recommender that goes on from an earlier one, which has most of its entries.

        Of entries that changed since, full texts are not known yet.
        """
        from ..model.papers import Candidates
        from ..recommend import RankedFor, Recommender

        now, before = candidates_of(bibliography, Library.known_text), since.earlier.candidates
        changed = since.changed
        candidates = Candidates(now.entries, lambda key: (now if key in changed else before)[key])
        ranked_for = RankedFor.draft(draft, bibliography.key_of)
        return Recommender(candidates, known.settings, known.matcher, None, ranked_for, since)

    def kept_recommender(
        self, known: KnowsDrafts, draft: Draft, bibliography: DraftBibliography | None = None
    ) -> Recommender | None:
        """Return a recommender with the ranker last used for the same bibliography, from disk.

        Its papers may differ from the library's current ones. None if nothing is cached.
        """
        rankers = self._rankers()
        if rankers is None or rankers.is_empty():
            return None
        bibliography = bibliography or known.bibliography(draft)
        candidates = candidates_of(bibliography, known.library(draft).paper)
        from ..recommend import RankedFor, Recommender

        ranked_for = RankedFor.draft(draft, bibliography.key_of)
        state = _ranked_state(known, draft, candidates, ranked_for)
        if state is None:
            return None
        fitted = rankers.newest(state, tuple(candidates))
        if fitted is None:
            return None
        return Recommender(candidates, known.settings, known.matcher, fitted, ranked_for)

    def _rankers(self) -> KeptRankers | None:
        # An index that was on the disk may have gone on in memory since.
        if self._kept is None or self._index.path is None:
            self._kept = kept_rankers(self._index)
        return self._kept

    def _fitted(
        self,
        known: KnowsDrafts,
        draft: Draft,
        candidates: Candidates,
        papers: Collection[object],
        inlinks: Mapping[str, Sequence[InlinkContext]],
        ranked_for: RankedFor,
    ) -> Fitted | FittedFields | None:
        """Load the fitted ranker of a draft from disk; if it is not there, fit and store it.

        `papers` identify the full texts. None if caching is not worth it or not possible.
        """
        from ..ranking.kept import Name, digest
        from ..recommend import fit

        rankers = self._rankers()
        is_small = len(candidates) <= _FITTED_AT_ONCE and len(papers) <= _FEW_PAPERS
        state = None if is_small else _ranked_state(known, draft, candidates, ranked_for)
        if rankers is None or state is None:
            return None
        said = (
            "\0".join((key, *context.left, "", *context.right))
            for key, contexts in inlinks.items()
            for context in contexts
        )
        # In order: papers and contexts come as the index happens to have them.
        additions = digest((*sorted(map(repr, papers)), "", *sorted(said)))
        name, keys = Name(state, additions), tuple(candidates)
        fitted = rankers.get(name, keys)
        if fitted is None:
            fitted = fit(candidates, known.settings, ranked_for)
            owner = (draft.root, bool(papers or inlinks))
            if fitted is not None and rankers.put(name, fitted, owner):
                # Mapped from disk, only the pages in use are in memory.
                fitted = rankers.get(name, keys) or fitted
        return fitted


def _ranked_state(
    known: KnowsDrafts, draft: Draft, candidates: Candidates, ranked_for: RankedFor
) -> str | None:
    """Return a digest of what the ranker of a draft depends on, papers and contexts apart.

    None while a bibliography has unsaved edits: its state in memory is not the one on disk.
    """
    from ..ranking.kept import digest

    items = [(item.key, item.text) for item in draft.bib_items]
    saved = known.saved_bibliography(draft)
    if saved is None or known.bibliography(draft).entries is not candidates.entries:
        return None
    # Stems are those of the draft's language.
    return digest([repr((known.settings.ranking, ranked_for.language, items)), *saved])


def kept_rankers(index: PaperIndex) -> KeptRankers | None:
    """Return the cache of fitted rankers beside an index; None if the index is in memory only."""
    from ..ranking.kept import KeptRankers

    return None if index.path is None else KeptRankers(index.path.parent / _RANKERS_FOLDER)


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
        return _candidate(entry, read, bibliography, inlinks)

    @lru_cache(_CANDIDATES_KEPT)
    def find(key: str) -> Candidate:
        return make(entries[key])

    return Candidates(
        entries,
        find,
        lambda: map(make, entries.read_through()),
        lambda: (entry.title for entry in entries.read_through(title_only=True)),
    )


def _candidate(
    entry: BibEntry,
    read: Callable[[BibEntry], ReferencePaper],
    bibliography: DraftBibliography,
    inlinks: Mapping[str, Sequence[InlinkContext]],
) -> Candidate:
    names, contexts = entry.surnames, inlinks.get(entry.key, ())
    if not entry.members or (paper := read(entry)).title:
        return Candidate(entry.key, UnreadPaper(partial(read, entry)), entry, names, contexts)
    # A biblatex set has the texts of its members.
    members = [m for key in entry.members if (m := bibliography.find(key)) is not None]
    names = tuple(name for member in members for name in member.surnames)
    papers = [read(member) for member in members]
    paper = ReferencePaper(
        title="; ".join(member.title for member in members),
        basis=min((paper.basis, *(p.basis for p in papers)), key=_BEST_FIRST.index),
        sentences=tuple(sentence for p in papers for sentence in p.sentences),
        abstract=" ".join(p.abstract for p in papers if p.abstract),
    )
    return Candidate(entry.key, paper, entry, names, contexts)
