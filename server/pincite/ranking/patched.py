"""Rank candidates that an earlier ranker mostly knows, until all are counted together again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ..model.contexts import CitationContext
from ..model.papers import Basis, Candidates
from ..model.results import RankedEntry
from .base import Keys, Ranker, Ranking


class PatchedRanker:
    """Ranks the `changed` candidates with a small ranker of their own beside the earlier one.

    Candidates that are gone are left out.
    """

    def __init__(
        self,
        earlier: Ranker[Any],
        added: Ranker[Any],
        candidates: Candidates,
        changed: Collection[str],
    ) -> None:
        """Fit `added` to the candidates that `earlier` does not know as they are now."""
        self.earlier, self._added = earlier, added
        self.described = earlier.described
        self._changed = frozenset(changed)
        added.fit(Candidates.of(candidates[key] for key in candidates if key in self._changed))
        self.keys = Keys.of(candidates)
        self._is_new = np.asarray([key in self._changed for key in self.keys.listed], np.bool_)
        known, new = earlier.keys.positions, added.keys.positions
        #: The position of each candidate in the ranker that knows it.
        self._position = np.asarray(
            [new[key] if key in self._changed else known[key] for key in self.keys.listed], np.intp
        )

    @property
    def bases(self) -> tuple[tuple[Basis, ...], ...]:
        """What the ranking of each candidate rests on."""
        pairs = zip(self._is_new.tolist(), self._position.tolist(), strict=True)
        bases = self.earlier.bases, self._added.bases
        return tuple(bases[is_new][position] for is_new, position in pairs)

    def rank(self, context: CitationContext, beside: Ranker[Any] | None = None) -> Ranking:
        """Return all candidates, best first, as `Ranker.rank` does."""
        has_new = bool(self._is_new.any())
        known = self.earlier.rank(context, beside or (self._added if has_new else None))
        new = self._added.rank(context, self.earlier)
        scores = np.zeros(len(self.keys.listed))
        scores[~self._is_new] = known.scores[self._position[~self._is_new]]
        scores[self._is_new] = new.scores[self._position[self._is_new]]

        def entry(position: int) -> RankedEntry:
            ranking = new if self._is_new[position] else known
            return ranking.at(int(self._position[position]))

        return Ranking(self.keys, scores, entry)

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Return ranked entries with their matched words and reasons filled in."""
        new = [entry for entry in entries if entry.key in self._changed]
        known = [entry for entry in entries if entry.key not in self._changed]
        explained = {
            entry.key: entry
            for entry in (*self._added.explain(context, new), *self.earlier.explain(context, known))
        }
        return [explained[entry.key] for entry in entries]
