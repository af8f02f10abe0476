"""The recommenders of a draft over time: a first one at once, a full one when papers are read.

While a bibliography is edited, what is known of the other entries goes on to serve.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..cancellation import holding
from .listed import Listed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..model.basis import Basis
    from ..model.contexts import CitationContext
    from ..model.drafts import Draft, TexFile
    from ..model.papers import BibEntry, Candidates
    from ..model.results import RankedEntry, SupportingSentence
    from ..parsing.bibtex import MergedEntries
    from ..ranking.base import Ranking
    from ..recommend import Recommender
    from .workspace import Workspace

#: With more changed entries than this, fitting everything again takes no longer.
_MOST_CHANGED = 200
#: With more entries than this, an author would wait for the first list.
MOST_AT_ONCE = 2_000


class Ranks(Protocol):
    """What a request asks of a recommender."""

    @property
    def candidates(self) -> Candidates:
        """The candidates by key."""

    @property
    def by_key(self) -> npt.NDArray[np.intp]:
        """The positions of the candidates in the order of keys."""

    def bases(self) -> Sequence[tuple[Basis, ...]]:
        """Return what is known of each candidate."""

    def context(self, draft: Draft, file: TexFile, offset: int) -> CitationContext:
        """Return the citation context of a place in a file of the draft."""

    def rank(self, context: CitationContext) -> Ranking:
        """Return all candidates, best first."""

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Fill in the matched words of some ranked entries."""

    def supporting(
        self, context: CitationContext, key: str, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the supporting sentences of a candidate for the citance of a context."""


class Overlaid(Mapping[str, "BibEntry | None"]):
    """Entries of an earlier state without some of them, then others, which go before them."""

    def __init__(
        self,
        earlier: Mapping[str, BibEntry | None],
        now: Mapping[str, BibEntry | None],
        without: Collection[str],
    ) -> None:
        self.earlier = earlier
        self.now = now
        self._keys = dict.fromkeys(key for key in earlier if key not in without)
        self._keys.update(dict.fromkeys(now))

    def __getitem__(self, key: str) -> BibEntry | None:
        if key not in self._keys:
            raise KeyError(key)
        return (self.now if key in self.now else self.earlier)[key]

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


class Patched:
    """A recommender made earlier, with one for the entries that changed since.

    The scores of the two come from spaces fitted on different entries. That puts a new entry at a
    place that is only roughly right, for the seconds until everything is fitted again.
    """

    def __init__(self, earlier: Ranks, changed: Ranks, gone: Collection[str]) -> None:
        """Take what was made earlier, what has the changed entries, and which are there no more.

        As few lists of all entries as possible are made: each edit of an entry makes them.
        """
        import numpy as np

        from ..model.papers import Candidates

        self._earlier = earlier
        self._changed = changed
        before, now = earlier.candidates, changed.candidates
        others = {*gone, *(key for key in now.entries if key in before.entries)}
        stays = np.asarray([key not in others for key in before.entries], dtype=np.bool_)
        self._positions = np.flatnonzero(stays)
        entries = Overlaid(before.entries, now.entries, others)
        self._keys = keys = tuple(entries)
        new_positions = np.cumsum(stays) - 1
        order = new_positions[earlier.by_key[stays[earlier.by_key]]]
        added = sorted(range(len(order), len(keys)), key=keys.__getitem__)
        places = [bisect_left(order, keys[at], key=keys.__getitem__) for at in added]
        self.by_key = np.insert(order, places, added)
        self.candidates = Candidates(entries, lambda key: (now if key in now else before)[key])

    @property
    def parts(self) -> tuple[Ranks, npt.NDArray[np.intp], Ranks]:
        """The earlier recommender, the positions of what is kept of it, the other recommender."""
        return self._earlier, self._positions, self._changed

    def bases(self) -> Sequence[tuple[Basis, ...]]:
        """Return what is known of each candidate."""
        before = self._earlier.bases()
        return [*(before[at] for at in self._positions.tolist()), *self._changed.bases()]

    def context(self, draft: Draft, file: TexFile, offset: int) -> CitationContext:
        """Return the citation context of a place in a file of the draft."""
        return self._earlier.context(draft, file, offset)

    def rank(self, context: CitationContext) -> Ranking:
        """Return all candidates, best first."""
        import numpy as np

        from ..ranking.base import Ranking

        before, now = self._earlier.rank(context), self._changed.rank(context)
        kept = self._positions
        scores = np.concatenate([before.scores[kept], now.scores])

        def entry(position: int) -> RankedEntry:
            if position < len(kept):
                return before.at(int(kept[position]))
            return now.at(position - len(kept))

        return Ranking(self._keys, scores, self.by_key, entry)

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Fill in the matched words of some ranked entries."""
        known: dict[str, RankedEntry] = {}
        changed = self._changed.candidates
        for recommender, is_changed in ((self._earlier, False), (self._changed, True)):
            own = [entry for entry in entries if (entry.key in changed) is is_changed]
            known.update((entry.key, entry) for entry in recommender.explain(context, own))
        return [known[entry.key] for entry in entries]

    def supporting(
        self, context: CitationContext, key: str, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the supporting sentences of a candidate for the citance of a context."""
        recommender = self._changed if key in self._changed.candidates else self._earlier
        return recommender.supporting(context, key, number)


@dataclass(frozen=True, slots=True)
class Generation:
    """The state of the files that an index was made from."""

    library: tuple[tuple[Path, object], ...]
    entries: MergedEntries

    def same_entries(self, other: Generation) -> bool:
        """Tell whether the bibliography is the same."""
        return self.entries is other.entries or (
            len(self.entries) == len(other.entries)
            and not other.changed_since(self.entries, most=0)
        )

    def changed_since(self, earlier: Mapping[str, BibEntry | None], most: int) -> set[str]:
        """Return the keys of entries that are new or changed; stop after `most` and one."""
        from ..parsing.bibtex.merged import MergedEntries, says_the_same

        suspects: set[str] = set()
        base = earlier
        while isinstance(base, Overlaid):
            suspects.update(base.now)
            base = base.earlier
        changed: set[str] = set()
        all_of_them = self.entries if not isinstance(base, MergedEntries) else ()
        since = self.entries.changed_since(base) if isinstance(base, MergedEntries) else ()
        for key in chain(suspects, all_of_them, since):
            entry, other = self.entries.get(key), earlier.get(key)
            if entry is not None and not (other is not None and says_the_same(entry, other)):
                changed.add(key)
                if len(changed) > most:
                    break
        return changed


@dataclass(slots=True, eq=False)
class Index:
    """The recommenders of one draft in one generation; each attribute is set once it is known.

    `base` is the best recommender of an earlier generation. The index is `stale` once the
    bibliography has changed, `outdated` once something else has that it was made from, `halted`
    once the author wants no more papers read for it, and `done` when nothing better will come.
    """

    generation: Generation
    own_files: frozenset[Path]
    base: Ranks | None = None
    first: Ranks | None = None
    full: Recommender | None = None
    stale: bool = False
    outdated: bool = False
    halted: bool = False
    done: bool = False
    #: What it is to be made from, once that is in the queue; and whether it has left it.
    submitted: tuple[Workspace, Draft] | None = None
    begun: bool = False
    #: Held while `first` is made.
    lock: threading.Lock = field(default_factory=threading.Lock)

    def best(self, workspace: Workspace, draft: Draft) -> Ranks:
        """Return the best recommender so far, or make one quickly."""
        with holding(self.lock):
            if self.full is not None:
                return self.full
            if self.first is None:
                self.first = self._patched(workspace, draft) or self._new(workspace, draft)
            return self.first

    def rank_list(self, workspace: Workspace, draft: Draft) -> None:
        """Rank what is only listed yet, by titles and abstracts: papers may take long to read."""
        if isinstance(self.first, Listed):
            self.first = workspace.recommender(draft, full_texts=False, keep=True)

    def improve(self, full: Recommender) -> None:
        """Serve with this recommender from now on; what served until now is let go of."""
        with self.lock:
            self.full, self.base, self.first = full, None, None

    def succeeded_by(
        self, generation: Generation, own_files: frozenset[Path], *, same_entries: bool
    ) -> Index:
        """Return the index of a later generation."""
        index = Index(generation, own_files, self.full or self.base or self.first)
        self.stale = not same_entries
        return index

    def _new(self, workspace: Workspace, draft: Draft) -> Ranks:
        entries = self.generation.entries
        if len(entries) > MOST_AT_ONCE:
            return workspace.kept_recommender(draft) or Listed(workspace, draft, entries)
        return workspace.recommender(draft, full_texts=False)

    def _patched(self, workspace: Workspace, draft: Draft) -> Ranks | None:
        if self.base is None:
            return None
        known = self.base.candidates.entries
        changed = self.generation.changed_since(known, _MOST_CHANGED)
        if len(changed) > _MOST_CHANGED:
            return None
        entries = self.generation.entries
        added_keys = sum(key not in known for key in changed)
        gone: Collection[str] = ()
        if len(entries) != len(known) + added_keys:
            gone = known.keys() - entries.keys()
        if not changed and not gone:
            return self.base
        added = workspace.recommender(
            draft, full_texts=False, only=changed, beside=_ranking_most(self.base)
        )
        return Patched(self.base, added, gone)


def _ranking_most(ranks: Ranks) -> Recommender | None:
    """Return the recommender of most entries, on which those that changed since were put."""
    from ..recommend import Recommender

    while isinstance(ranks, Patched):
        ranks = ranks.parts[0]
    return ranks if isinstance(ranks, Recommender) else None
