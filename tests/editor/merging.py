"""What an author sees where a client asks several servers: merged as VS Code merges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lsprotocol import types

#: VS Code looks at no more of a `filterText`.
MATCHED_CHARACTERS = 128
BETWEEN_WORDS = frozenset(" _-./\\'\":;$<>()[]{}")


@dataclass(frozen=True)
class Shown:
    """A suggestion in the list, with the server it comes from."""

    server: str
    item: types.CompletionItem


def merged_completions(
    lists: Iterable[tuple[str, Sequence[types.CompletionItem]]], typed: str
) -> list[Shown]:
    """Return the list that pops up when `typed` stands between an item's start and the cursor.

    All items are put in the order of `sortText` and label; typed text first sorts by how well it
    matches `filterText`, and this order decides only between equals.
    """
    shown = [Shown(server, item) for server, items in lists for item in items]
    shown.sort(
        key=lambda one: ((one.item.sort_text or one.item.label).lower(), one.item.label.lower())
    )
    scored = [(match_score(typed, one.item.filter_text or one.item.label), one) for one in shown]
    matching = [(score, one) for score, one in scored if score is not None]
    return [one for _, one in sorted(matching, key=lambda pair: -pair[0])]


def preselected(shown: Sequence[Shown], typed: str) -> Shown:
    """Return the suggestion that Enter takes: the first marked one of those that match best."""
    scores = [match_score(typed, one.item.filter_text or one.item.label) for one in shown]
    best = [one for score, one in zip(scores, shown, strict=True) if score == scores[0]]
    return next((one for one in best if one.item.preselect), best[0])


def match_score(typed: str, text: str) -> int | None:
    """Return how well `typed` matches, by the rules of VS Code that decide between servers.

    The letters must occur in their order, the first one at the start of a word. A letter counts 5,
    or 7 in the same case at the place it has in `typed`; the next letter in a row counts 1 more;
    a match that starts late loses by the distance.
    """
    if not typed:
        return 0
    text = text[:MATCHED_CHARACTERS]
    starts = (
        start
        for start, letter in enumerate(text)
        if letter.lower() == typed[0].lower() and (start == 0 or text[start - 1] in BETWEEN_WORDS)
    )
    return max(
        (score for start in starts if (score := _score_from(typed, text, start)) is not None),
        default=None,
    )


def _score_from(typed: str, text: str, start: int) -> int | None:
    score, last = -start, start - 1
    for place, letter in enumerate(typed):
        found = text.lower().find(letter.lower(), last + 1)
        if found < 0:
            return None
        score += 7 if found == place and text[found] == letter else 5
        score += found == last + 1 and place > 0
        last = found
    return score


def merged_hovers(hovers: Iterable[types.Hover | None]) -> list[str]:
    """Return the texts that stand below each other in one hover."""
    return [hover.contents.value for hover in hovers if hover is not None]


def merged_definitions(answers: Iterable[object]) -> list[tuple[str, types.Range]]:
    """Return the places to choose from; equal ranges of different servers are one."""
    places = []
    for answer in answers:
        found = answer if isinstance(answer, (list, tuple)) else [answer] if answer else []
        places += [(place.uri, place.range) for place in map(_as_location, found)]
    return [place for index, place in enumerate(places) if place not in places[:index]]


def _as_location(place: types.Location | types.LocationLink) -> types.Location:
    if isinstance(place, types.LocationLink):
        return types.Location(place.target_uri, place.target_selection_range)
    return place
