"""All entries of a draft, ranked for one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import regex

from ..model.contexts import CitationContext
from ..ranking.base import Ranking as RankedEntries
from ..settings import DEFAULT_RANKER
from .conversion import entry_of
from .nouns import Place, Suggestion

if TYPE_CHECKING:
    from ..recommend import Recommender

#: The words in a draft without spaces are pairs of characters that overlap.
_UNSPACED_PAIR = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]{2}")


class Ranking:
    """All entries of a project, as they fit at a place; its length is their number.

    `left` and `right` are the words around the place, `citance` is its sentence without citations.
    """

    def __init__(
        self,
        place: Place,
        context: CitationContext,
        ranked: RankedEntries,
        recommender: Recommender,
        key_of: Callable[[str], str | None],
    ) -> None:
        """Use `Project.rank` instead."""
        self.place = place
        self._context, self._ranked, self._key_of = context, ranked, key_of
        self._recommender = recommender

    def __repr__(self) -> str:
        return f"<Ranking of {len(self)} entries at {self.place}>"

    def __len__(self) -> int:
        return len(self._ranked)

    @property
    def left(self) -> str:
        """The words before the place."""
        return " ".join(_readable(self._context.left))

    @property
    def right(self) -> str:
        """The words behind the place."""
        return " ".join(_readable(self._context.right))

    @property
    def citance(self) -> str:
        """The sentence of the draft, without its citations."""
        return self._context.citance

    def rank_of(self, key: str) -> int | None:
        """Return the rank of an entry, from 1; None for an undefined key."""
        name = self._key_of(key)
        return None if name is None else self._ranked.rank_of(name)

    def best(self, top: int | None = 5) -> list[Suggestion]:
        """Return the entries that fit best, the best first; all if `top` is None."""
        recommender = self._recommender
        is_learned = recommender.settings.ranking.ranker == DEFAULT_RANKER
        explained = recommender.explain(self._context, self._ranked[:top])
        return [
            Suggestion(
                key=each.key,
                rank=rank,
                score=each.score,
                probability=each.score if is_learned else None,
                internal=each.internal,
                external=each.external,
                basis=each.basis,
                reasons=each.reasons,
                matched=each.matched,
                languages=recommender.languages(each.key),
                entry=entry_of(each.candidate),
            )
            for rank, each in enumerate(explained, 1)
        ]


def _readable(words: Sequence[str]) -> list[str]:
    """Return words, with the overlapping character pairs of unspaced scripts joined again."""
    joined: list[str] = []
    for number, word in enumerate(words):
        pair = words[number - 1 : number + 1] if number else ()
        if len(pair) == 2 and all(map(_UNSPACED_PAIR.fullmatch, pair)) and pair[0][1] == word[0]:
            joined[-1] += word[1]
        else:
            joined.append(word)
    return joined
