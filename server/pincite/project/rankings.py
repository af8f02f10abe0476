"""Recommenders of drafts: their rankers are fitted, or loaded from the cache on disk."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..library.index import PaperIndex
from ..library.lent_texts import LentTexts
from ..library.library import Library
from ..model.basis import TextBasis
from ..model.drafts import Draft
from ..model.papers import (
    NO_TEXTS,
    BibEntry,
    Candidate,
    Candidates,
    InlinkContext,
    ReferencePaper,
    TextSources,
    UnreadPaper,
)
from ..model.problems import Problem
from ..settings import Settings
from .bibliographies import DraftBibliography
from .chosen_matcher import ChosenMatcher

# Imported where they are used: the first list of suggestions does not need them.
if TYPE_CHECKING:
    from ..library.inlinks import Inlinks
    from ..ranking.base import Fitted
    from ..ranking.kept import KeptRankers, Name
    from ..recommend import Extent, RankedFor, Recommender, Since

_CANDIDATES_KEPT = 512
_RANKERS_FOLDER = "rankings"
#: With no more entries and papers than these, fitting takes no longer than computing the digests.
_FITTED_AT_ONCE = 2_000
_FEW_PAPERS = 500
#: After so many updates, all entries are counted in one segment again.
_MOST_UPDATES = 3
_BEST_FIRST: tuple[TextBasis, ...] = ("full text", "abstract", "title")


class Rankings(ABC):
    """What makes the recommenders of a workspace, from what the workspace knows of its drafts.

    A ranker that is cached on disk is loaded instead of fitted.
    """

    settings: Settings
    matcher: ChosenMatcher

    def __init__(self, index: PaperIndex) -> None:
        self._index = index
        self._kept: KeptRankers | None = None

    @abstractmethod
    def bibliography(self, draft: Draft) -> DraftBibliography:
        """Return the entries of a draft."""

    @abstractmethod
    def saved_bibliography(self, draft: Draft) -> Sequence[str] | None:
        """Return digests of the bibliographies of a draft; None while one has unsaved edits."""

    @abstractmethod
    def library(self, draft: Draft) -> Library:
        """Return the library that serves a draft."""

    @abstractmethod
    def lent_texts(self, draft: Draft) -> LentTexts:
        """Return the texts that other bibliographies lend to a draft's entries."""

    @abstractmethod
    def inlinks(self, draft: Draft) -> Inlinks:
        """Return the inlink contexts of a draft's entries, by key."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why papers or fitted rankers cannot be cached, and why a matcher cannot be had."""
        kept = () if self._kept is None else self._kept.problems
        return (*self.matcher.problems, *self._index.problems, *kept)

    def recommender(
        self,
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
        from ..recommend import RankedFor, Recommender, fit

        bibliography = bibliography or self.bibliography(draft)
        if full_texts:
            candidates = self._with_texts(draft, bibliography)
            self.matcher()  # reports its problems
        else:
            candidates = candidates_of(bibliography, Library.known_text, NO_TEXTS)
        ranked_for = RankedFor.draft(draft, bibliography.key_of)
        place = self._kept_place(draft, candidates, ranked_for) if keep else None
        fitted = None
        if place is not None:
            fitted = place.get() or place.put(fit(candidates, self.settings, ranked_for))
        return Recommender(
            candidates, self.settings, self.matcher, fitted, ranked_for, extent=extent
        )

    def recommenders_with_papers(
        self,
        draft: Draft,
        bibliography: DraftBibliography,
        earlier: Recommender | None,
        *,
        complete: bool,
    ) -> Iterator[Recommender]:
        """Yield recommenders that use all papers read so far, the best one last.

        The first goes on from an `earlier` one: only entries whose texts have changed since are
        counted, in a segment of their own. Where that is not possible or takes about as long, or
        the papers are `complete`, all entries are counted in one segment, which is stored on disk
        if they are complete.
        """
        from ..recommend import RankedFor, Recommender, Since, fit

        self.matcher()  # reports its problems
        candidates = self._with_texts(draft, bibliography)
        ranked_for = RankedFor.draft(draft, bibliography.key_of)
        place = self._kept_place(draft, candidates, ranked_for) if complete else None
        fitted = None if place is None else place.get()
        changed = None
        if earlier is not None and fitted is None:
            changed = _changed(candidates, bibliography, earlier, complete=complete)
            if changed is not None:
                since = Since(earlier, changed)
                yield Recommender(candidates, self.settings, self.matcher, None, ranked_for, since)
        if complete or changed is None:
            if place is not None and fitted is None:
                fitted = place.put(fit(candidates, self.settings, ranked_for))
            yield Recommender(candidates, self.settings, self.matcher, fitted, ranked_for)

    def updated_recommender(
        self, draft: Draft, bibliography: DraftBibliography, since: Since
    ) -> Recommender:
        """Return a recommender that goes on from an earlier one, which has most of its entries.

        Of entries that changed since, full texts are not known yet.
        """
        from ..model.papers import Candidates
        from ..recommend import RankedFor, Recommender

        now, before = candidates_of(bibliography, Library.known_text), since.earlier.candidates
        changed, sources = since.changed, before.sources
        candidates = Candidates(
            now.entries,
            lambda key: (now if key in changed else before)[key],
            sources=None if sources is None else sources.without(changed),
        )
        ranked_for = RankedFor.draft(draft, bibliography.key_of)
        return Recommender(candidates, self.settings, self.matcher, None, ranked_for, since)

    def kept_recommender(
        self, draft: Draft, bibliography: DraftBibliography | None = None
    ) -> Recommender | None:
        """Return a recommender with the ranker last used for the same bibliography, from disk.

        Its papers may differ from the library's current ones. None if nothing is cached.
        """
        rankers = self._rankers()
        if rankers is None or rankers.is_empty():
            return None
        bibliography = bibliography or self.bibliography(draft)
        candidates = candidates_of(bibliography, self.library(draft).paper)
        from ..recommend import RankedFor, Recommender

        ranked_for = RankedFor.draft(draft, bibliography.key_of)
        state = self._ranked_state(draft, candidates, ranked_for)
        if state is None:
            return None
        fitted = rankers.newest(state, tuple(candidates))
        if fitted is None:
            return None
        return Recommender(candidates, self.settings, self.matcher, fitted, ranked_for)

    def _with_texts(self, draft: Draft, bibliography: DraftBibliography) -> Candidates:
        """Return the entries of a draft with all texts and inlink contexts that are read so far."""
        inlinks, lent, library = self.inlinks(draft), self.lent_texts(draft), self.library(draft)
        sources = TextSources.of(library.text_files(), inlinks, lent.state)
        return candidates_of(bibliography, partial(library.paper, lent=lent), sources)

    def _ranked_state(
        self, draft: Draft, candidates: Candidates, ranked_for: RankedFor
    ) -> str | None:
        """Return a digest of what the ranker of a draft depends on, papers and contexts apart.

        None while a bibliography has unsaved edits: its state in memory is not the one on disk.
        """
        from ..ranking.kept import digest

        items = [(item.key, item.text) for item in draft.bib_items]
        saved = self.saved_bibliography(draft)
        if saved is None or self.bibliography(draft).entries is not candidates.entries:
            return None
        # Stems are those of the draft's language.
        return digest([repr((self.settings.ranking, ranked_for.language, items)), *saved])

    def _rankers(self) -> KeptRankers | None:
        # An index that was on the disk may have gone on in memory since.
        if self._kept is None or self._index.path is None:
            self._kept = kept_rankers(self._index)
        return self._kept

    def _kept_place(
        self, draft: Draft, candidates: Candidates, ranked_for: RankedFor
    ) -> _KeptPlace | None:
        """Return where the fitted ranker of a draft is cached on disk.

        None if caching is not worth it or not possible.
        """
        from ..ranking.kept import Name, digest

        rankers, sources = self._rankers(), candidates.sources or NO_TEXTS
        papers: list[object] = []
        if sources.files or sources.inlinks or sources.lent:
            papers = [*self.library(draft).linked(), *filter(None, [sources.lent])]
        is_small = len(candidates) <= _FITTED_AT_ONCE and len(papers) <= _FEW_PAPERS
        state = None if is_small else self._ranked_state(draft, candidates, ranked_for)
        if rankers is None or state is None:
            return None
        # In order: papers and contexts come as the index happens to have them.
        said = sorted(map(repr, sources.said().items()))
        additions = digest((*sorted(map(repr, papers)), "", *said))
        owner = (draft.root, bool(papers or sources.inlinks))
        return _KeptPlace(rankers, Name(state, additions), tuple(candidates), owner)


@dataclass(frozen=True, slots=True)
class _KeptPlace:
    """Where a fitted ranker is cached on disk."""

    rankers: KeptRankers
    name: Name
    keys: tuple[str, ...]
    owner: tuple[Path, bool]

    def get(self) -> Fitted[Any] | None:
        """Return the ranker that is there."""
        return self.rankers.get(self.name, self.keys)

    def put(self, fitted: Fitted[Any] | None) -> Fitted[Any] | None:
        """Store a ranker, and return it as it is read again: then its words take less memory."""
        if fitted is not None and self.rankers.put(self.name, fitted, self.owner):
            return self.get() or fitted
        return fitted


def kept_rankers(index: PaperIndex) -> KeptRankers | None:
    """Return the cache of fitted rankers beside an index; None if the index is in memory only."""
    from ..ranking.kept import KeptRankers

    return None if index.path is None else KeptRankers(index.path.parent / _RANKERS_FOLDER)


def _changed(
    candidates: Candidates, bibliography: DraftBibliography, earlier: Recommender, *, complete: bool
) -> set[str] | None:
    """Return the keys of the candidates that changed since an earlier recommender.

    None if these cannot be known, or are so many that all can be counted as well; once the papers
    are `complete`, which means that all will be counted, half of the texts are too many.
    """
    from ..parsing.bibtex import MergedEntries

    before, entries, most = earlier.candidates, bibliography.entries, len(candidates) // 2
    if before.sources is None or candidates.sources is None or earlier.updates >= _MOST_UPDATES:
        return None
    changed = candidates.sources.changed_since(before.sources)
    if changed is None or not isinstance(before.entries, MergedEntries):
        return None
    changed.update(islice(entries.changed_since(before.entries), most + 1))
    texts = candidates.sources.files.keys()
    if complete and 2 * len(changed & texts) > len(texts):
        return None
    # A biblatex set has the texts of its members, which may be others by now.
    changed.update(key for file in entries.files for key in file.sets())
    return changed if len(changed) <= most else None


def candidates_of(
    bibliography: DraftBibliography,
    read: Callable[[BibEntry], ReferencePaper],
    sources: TextSources | None = None,
) -> Candidates:
    """Return the entries of a bibliography as candidates, whose texts `read` returns.

    The most recently used are cached.
    """
    entries = bibliography.entries
    inlinks = {} if sources is None else sources.inlinks

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
        sources,
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
