"""A bibliography that is too large to be ranked at once, for the seconds until it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..model.basis import Basis
    from ..model.contexts import CitationContext
    from ..model.drafts import Draft, TexFile
    from ..model.papers import BibEntry, Candidate
    from ..model.results import RankedEntry, SupportingSentence
    from ..ranking.base import Ranking
    from .workspace import Workspace


class Listed:
    """Entries by key; what is known of one is looked up when it is shown."""

    def __init__(self, workspace: Workspace, draft: Draft, entries: Mapping[str, BibEntry]) -> None:
        import numpy as np

        from ..model.papers import Candidates

        self._keys = tuple(entries)
        self._workspace = workspace
        self._draft = draft
        order = sorted(range(len(self._keys)), key=self._keys.__getitem__)
        self._by_key = np.asarray(order, dtype=np.intp)
        self.candidates = Candidates(entries, partial(_candidate, entries))

    @property
    def by_key(self) -> npt.NDArray[np.intp]:
        """The positions of the candidates in the order of keys."""
        return self._by_key

    def bases(self) -> Sequence[tuple[Basis, ...]]:
        """Return what is known of each candidate: more than the title will be."""
        return [("title",)] * len(self._keys)

    def context(self, draft: Draft, file: TexFile, offset: int) -> CitationContext:
        """Return the citation context of a place in a file of the draft."""
        from ..contexts.windows import of_place

        return of_place(file, offset, self._workspace.settings.ranking.window)

    def rank(self, context: CitationContext) -> Ranking:
        """Return all candidates by key."""
        import numpy as np

        from ..model.results import RankedEntry
        from ..ranking.base import Ranking

        def entry(position: int) -> RankedEntry:
            return RankedEntry(self.candidates[self._keys[position]], 0.0, 0.0, 0.0, ("title",))

        number = len(self._keys)
        return Ranking(self._keys, np.zeros(number), self._by_key, entry)

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Return the entries as they are: that they are nowhere near the context is not known."""
        return list(entries)

    def supporting(
        self, context: CitationContext, key: str, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the supporting sentences of a candidate for the citance of a context."""
        alone = self._workspace.recommender(self._draft, full_texts=False, only=(key,))
        return alone.supporting(context, key, number)


def _candidate(entries: Mapping[str, BibEntry], key: str) -> Candidate:
    from ..model.papers import Candidate, ReferencePaper

    entry = entries[key]
    return Candidate(key, ReferencePaper(entry.title, "title"), entry, entry.surnames)
