"""A bibliography that is too large to be ranked at once, for the seconds until it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model.contexts import CitationContext
    from ..model.drafts import Draft, TexFile
    from ..model.papers import BibEntry, Candidate
    from ..model.results import RankedEntry, SupportingSentence
    from ..recommend import Recommender
    from ..workspace import Workspace


class Listed:
    """Entries by key; what is known of one is looked up when it is shown."""

    def __init__(self, workspace: Workspace, draft: Draft, entries: Mapping[str, BibEntry]) -> None:
        self.candidates = _Candidates(entries)
        self._workspace = workspace
        self._draft = draft
        self._none = self._only()

    def context(self, file: TexFile, offset: int) -> CitationContext:
        """Return the citation context of a place in a file of the draft."""
        return self._none.context(file, offset)

    def rank(self, context: CitationContext, explained: int | None = None) -> list[RankedEntry]:
        """Return all candidates by key, without their titles until they are explained."""
        from ..model.papers import Candidate, ReferencePaper
        from ..model.results import RankedEntry

        untitled = ReferencePaper("", "title")
        return [
            RankedEntry(Candidate(key, untitled), 0.0, 0.0, 0.0, ("title",))
            for key in self.candidates
        ]

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Fill in what entries are; that they are nowhere near the context is not known."""
        return [replace(entry, candidate=self.candidates[entry.key]) for entry in entries]

    def supporting(
        self, context: CitationContext, key: str, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the supporting sentences of a candidate for the citance of a context."""
        return self._only(key).supporting(context, key, number)

    def _only(self, *keys: str) -> Recommender:
        return self._workspace.recommender(self._draft, full_texts=False, only=keys)


class _Candidates(Mapping[str, "Candidate"]):
    """Candidates made of entries when they are looked at: decoding all takes long."""

    def __init__(self, entries: Mapping[str, BibEntry]) -> None:
        self._entries = {key: entries[key] for key in sorted(entries)}

    def __getitem__(self, key: str) -> Candidate:
        from ..model.papers import Candidate, ReferencePaper

        entry = self._entries[key]
        return Candidate(key, ReferencePaper(entry.title, "title"), entry, entry.surnames)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
