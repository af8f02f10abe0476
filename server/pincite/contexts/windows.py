"""Citation contexts: up to *w* words left and right of a place (Duma and Klein 2014, section 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from ..model.contexts import CitationContext
from ..model.drafts import DraftFile
from ..settings import Window
from ..text.tokens import words
from .citance import asked_at, citance_at

#: Commands whose citation is part of the sentence.
_TEXTUAL = ("citet", "citeauthor", "textcite", "citeasnoun", "newcite")
#: No sentence is longer than this in the source.
_NEAR = 2_000
#: Characters searched at first per requested word; that is nearly always enough.
_CHARACTERS_PER_WORD = 16
#: Characters searched at most, even if they have too few words.
_MAX_CHARACTERS = 10_000


def extract(prose: str, offset: int, window: Window) -> CitationContext:
    """Return the context of the place at `offset` in `prose`."""
    return CitationContext(
        left=words_before(prose, offset, window.left),
        right=words_after(prose, offset, window.right),
        sentences=cache(lambda: (citance_at(prose, offset), asked_at(prose, offset))),
    )


def of_place(
    file: DraftFile, offset: int, window: Window, name_of: Callable[[str], str] = lambda _key: ""
) -> CitationContext:
    """Return the context of the place at `offset` in a file of a draft.

    `name_of` returns the name of the work with a key, "" if unknown.
    """
    place, prose = file.prose.offset_at(offset), file.prose.text

    def sentences() -> tuple[str, str]:
        names = {
            file.prose.offset_at(citation.span.start): name
            for citation in file.citations
            if citation.command.lower().rstrip("*s").startswith(_TEXTUAL)
            # Those that may be in the same sentence.
            and offset - _NEAR <= citation.span.start < offset + _NEAR
            and (name := " and ".join(filter(None, (name_of(key.key) for key in citation.keys))))
        }
        return citance_at(prose, place, names), asked_at(prose, place)

    return replace(extract(prose, place, window), sentences=cache(sentences))


def words_around(
    prose: str, offset: int, window: Window
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words on the left and on the right of `offset`."""
    return words_before(prose, offset, window.left), words_after(prose, offset, window.right)


def words_before(prose: str, offset: int, number: int) -> tuple[str, ...]:
    """Return up to `number` words that end before `offset`, in reading order."""
    found: list[str] = []
    for reach in _reaches(number):
        start = max(0, offset - reach)
        # Drop the first word, which may be cut in two.
        found = words(prose[start : max(offset, 0)])[1 if start else 0 :]
        if len(found) >= number or start == 0:
            break
    return tuple(found[-number:])


def words_after(prose: str, offset: int, number: int) -> tuple[str, ...]:
    """Return up to `number` words that start after `offset`, in reading order."""
    found, offset = list[str](), max(offset, 0)
    for reach in _reaches(number):
        end = offset + reach
        found = words(prose[offset:end])[: None if end >= len(prose) else -1]
        if len(found) >= number or end >= len(prose):
            break
    return tuple(found[:number])


def _reaches(number: int) -> tuple[int, ...]:
    """Return how many characters to search for a number of words, first and at most."""
    near = number * _CHARACTERS_PER_WORD
    return (near, max(_MAX_CHARACTERS, 4 * near)) if number > 0 else ()
