"""Citation contexts: up to *w* words left and right of a place (Duma and Klein 2014, section 4).

Works on any prose in which citations are `CITATION_MARK`s: marks are not words, so citations in
direct succession share their context.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from ..model.contexts import CitationContext
from ..model.drafts import DraftFile
from ..settings import Window
from ..text.tokens import word_spans, words
from .citance import asked_at, citance_at

#: Commands whose citation is part of the sentence.
_TEXTUAL = ("citet", "citeauthor", "textcite", "citeasnoun", "newcite")
#: No sentence is longer than this in the source.
_NEAR = 2_000
#: Characters searched at first per requested word; that is nearly always enough.
_CHARACTERS_PER_WORD = 16
#: The most characters searched, even if they have too few words.
_FARTHEST = 10_000


def extract(prose: str, offset: int, window: Window) -> CitationContext:
    """Return the context of the place at `offset` in `prose`."""
    return CitationContext(
        left=words_before(prose, offset, window.left),
        right=words_after(prose, offset, window.right),
        said=cache(lambda: (citance_at(prose, offset), asked_at(prose, offset))),
    )


def of_place(
    file: DraftFile, offset: int, window: Window, name_of: Callable[[str], str] = lambda _key: ""
) -> CitationContext:
    """Return the context of the place at `offset` in a file of a draft.

    `name_of` returns the name of the work with a key, "" if unknown.
    """
    place, prose = file.prose.offset_at(offset), file.prose.text

    def said() -> tuple[str, str]:
        names = {
            file.prose.offset_at(citation.span.start): name
            for citation in file.citations
            if citation.command.lower().rstrip("*s").startswith(_TEXTUAL)
            # Those that may be in the same sentence.
            and offset - _NEAR <= citation.span.start < offset + _NEAR
            and (name := " and ".join(filter(None, (name_of(key.key) for key in citation.keys))))
        }
        return citance_at(prose, place, names), asked_at(prose, place)

    return replace(extract(prose, place, window), said=cache(said))


def words_before(prose: str, offset: int, number: int) -> tuple[str, ...]:
    """Return up to `number` words that end before `offset`, in reading order.

    A word that is cut in two by `offset` counts as a word.
    """
    offset = max(offset, 0)
    if number <= 0:
        return ()
    reach, farthest = number * _CHARACTERS_PER_WORD, _farthest(number)
    while True:
        start = max(0, offset - reach)
        # Drop the first word, which may be cut in two.
        found = words(prose[start:offset])[1 if start else 0 :]
        if len(found) >= number or start == 0 or reach >= farthest:
            return tuple(found[-number:])
        reach = farthest


def words_after(prose: str, offset: int, number: int) -> tuple[str, ...]:
    """Return up to `number` words that start after `offset`, in reading order."""
    offset = max(offset, 0)
    if number <= 0:
        return ()
    reach, farthest = number * _CHARACTERS_PER_WORD, _farthest(number)
    while True:
        end = offset + reach
        found = words(prose[offset:end])
        if end < len(prose):
            found = found[:-1]
        if len(found) >= number or end >= len(prose) or reach >= farthest:
            return tuple(found[:number])
        reach = farthest


class ProseWords:
    """The words of a prose, found once for the windows of many places in it.

    `before` and `after` return what `words_before` and `words_after` do, however far the words are.
    """

    def __init__(self, prose: str) -> None:
        self._prose = prose
        self._spans = list(word_spans(prose))
        self._starts = [start for start, _ in self._spans]

    def before(self, offset: int, number: int) -> tuple[str, ...]:
        """Return up to `number` words that end before `offset`, in reading order."""
        last = bisect_left(self._starts, offset)
        spans = self._spans[max(0, last - number) : last] if number > 0 else ()
        return tuple(self._prose[start : min(end, offset)] for start, end in spans)

    def after(self, offset: int, number: int) -> tuple[str, ...]:
        """Return up to `number` words that start after `offset`, in reading order."""
        if number <= 0:
            return ()
        first = bisect_left(self._starts, offset)
        rest: list[str] = []
        if first and offset < self._spans[first - 1][1]:
            # Of a word that the place cuts in two; a combining mark alone is none.
            rest = words(self._prose[offset : self._spans[first - 1][1]])
        spans = self._spans[first : first + number - len(rest)]
        return (*rest, *(self._prose[start:end] for start, end in spans))


def _farthest(number: int) -> int:
    """Return the most characters to search for a number of words."""
    return max(_FARTHEST, 4 * number * _CHARACTERS_PER_WORD)
