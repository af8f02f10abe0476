"""Works around the bibliography of a draft, and those of them that fit a place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from ..discovery import order
from ..discovery.neighbours import Neighbour, neighbourhood, neighbours_path, read_neighbours
from ..library.index import default_index_path
from ..model.contexts import CitationContext
from ..model.drafts import Draft
from ..project.bibliographies import DraftBibliography
from ..project.workspace import Workspace
from .nouns import Suggestion, suggestions

if TYPE_CHECKING:
    from ..recommend import Recommender

#: Of the draft's file, where its own title is.
_FRONT_CHARACTERS = 5_000


class Around:
    """The works around the bibliography of a draft, ranked in one list with it."""

    def __init__(self, workspace: Workspace, draft: Draft, bibliography: DraftBibliography) -> None:
        """Take a draft whose papers were read."""
        self._workspace, self._draft, self._bibliography = workspace, draft, bibliography

    @cached_property
    def neighbours(self) -> Mapping[str, Neighbour]:
        """The works around the draft's, each by a key that the draft does not have."""
        draft, entries = self._draft, self._bibliography.entries
        self._workspace.inlinks(draft)  # finds which papers are those of which entries
        listed = self._workspace.library(draft).references()
        fetched = read_neighbours(neighbours_path(default_index_path(), draft.root))
        front = draft.files[0].text[:_FRONT_CHARACTERS]
        found = neighbourhood(entries.values(), listed, fetched, front)
        return {each.entry.key: each for each in found if each.entry.key not in entries}

    @cached_property
    def recommender(self) -> Recommender:
        """A recommender over both."""
        around = {key: each.entry for key, each in self.neighbours.items()}
        every = replace(self._bibliography, entries={**self._bibliography.entries, **around})
        return self._workspace.recommender(self._draft, every)

    def suggest(
        self, context_in: Callable[[Recommender], CitationContext], top: int | None
    ) -> list[Suggestion]:
        """Return the neighbours that fit a context best; the first reason says why they are."""
        around = self.neighbours
        if not around:
            return []
        recommender = self.recommender
        context = context_in(recommender)
        ranked = [each for each in recommender.rank(context) if each.key in around]
        connections = [len(around[each.key].connected) for each in ranked]
        scores = order.scores([each.score for each in ranked], connections).tolist()
        # A retracted work is never suggested first.
        best = sorted(
            zip(scores, ranked, strict=True),
            key=lambda each: (around[each[1].key].is_retracted, -each[0], each[1].key),
        )[:top]
        shown = suggestions(recommender, context, [entry for _, entry in best])
        return [
            replace(
                each,
                score=score,
                probability=None,
                reasons=(around[each.key].reason, *each.reasons),
            )
            for each, (score, _) in zip(shown, best, strict=True)
        ]
