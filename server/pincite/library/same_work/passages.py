"""Find titles and names within a longer text: a reference, or the first page of a paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from rapidfuzz import fuzz

from .titles import (
    PASSAGE_SCORE,
    TELLING_LETTERS,
    TELLING_NAME,
    UMLAUT,
    Likeness,
    Title,
    letters_of,
    words_of,
)

_AUTHOR_WITHIN: Final = 60
# What may follow a title in a reference without punctuation before it.
_VENUE: Final = re.compile(r"\s+(?:in|proc\w*|journal|trans\w*|arxiv|corr)\b", re.IGNORECASE)
# What precedes the title of a whole volume, when a part of it is cited.
_VOLUME: Final = re.compile(r"\b(?:in|eds?|editors?)\b[\s.,:()]*\Z", re.IGNORECASE)
_WITHIN_WORD: Final = frozenset(("", "-", "'", "’", "‐", "\u00ad"))
#: Where a title that is found approximately may begin and end, from where it is found.
_AROUND: Final = (0, -1, 1, -2, 2)


class Passage:
    """A text to search for titles and names."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.words = words_of(text)
        self.letters = "".join(self.words)

    @cached_property
    def _name_words(self) -> frozenset[str]:
        return frozenset(UMLAUT.sub("", word) for word in self.words)

    @cached_property
    def _joined_names(self) -> str:
        return UMLAUT.sub("", self.letters)

    @cached_property
    def _places(self) -> list[int]:
        """The offset in the text of each letter."""
        sizes = (len(letters_of(sign)) for sign in self.text)
        return [place for place, size in enumerate(sizes) for _ in range(size)]

    def names(self, name: str) -> bool:
        """Return whether a surname occurs, also letter-spaced or with its words reversed."""
        if self._name_words.issuperset(name.split()):
            return True
        letters = name.replace(" ", "")
        return len(letters) >= TELLING_NAME and letters in self._joined_names

    def likeness(self, title: Title, within: int, authors: Sequence[str]) -> Likeness | None:
        """Return where a title occurs that punctuation, a line end or its authors set off."""
        size = len(title.letters)
        if not title.letters or size > len(self.letters):
            return None
        start = self.letters.find(title.letters)
        while 0 <= start < within:
            if self._begins(start) and self._ends(start + size, authors):
                return Likeness(100.0, True, len(title.words), start)
            start = self.letters.find(title.letters, start + 1)
        if size < TELLING_LETTERS:
            return None
        found = fuzz.partial_ratio_alignment(
            title.letters, self.letters[: within + size], score_cutoff=PASSAGE_SCORE
        )
        if found is None or found.score == 100:
            return None
        begins, ends = ([at + by for by in _AROUND] for at in (found.dest_start, found.dest_end))
        begin = next((at for at in begins if self._begins(at)), -1)
        end = next((at for at in ends if self._ends(at, authors)), -1)
        if begin < 0 or end <= begin:
            return None
        piece = Title.of(self.text[self._places[begin] : self._places[end - 1] + 1])
        if not title.matches(piece):
            return None
        return Likeness(found.score, True, len(title.words), begin)

    def _begins(self, letter: int) -> bool:
        """Return whether a line, or something set off by punctuation, begins at a letter."""
        if not 0 < letter < len(self.letters):
            return letter == 0
        before, place = self._places[letter - 1], self._places[letter]
        gap = self.text[before + 1 : place]
        if not _parts(gap) and not (gap and self.text[before].isdigit()):
            return False
        return not _VOLUME.search(self.text[max(0, place - 12) : place])

    def _ends(self, letter: int, authors: Sequence[str]) -> bool:
        """Return whether a title ends before a letter."""
        if not 0 < letter < len(self.letters):
            return letter == len(self.letters)
        before, place = self._places[letter - 1], self._places[letter]
        gap = self.text[before + 1 : place]
        if (
            _parts(gap)
            # The number of a footnote to the title.
            or (not gap and self.text[place].isdigit())
            or _VENUE.match(self.text, before + 1) is not None
        ):
            return True
        # Where lines were joined, authors follow rather than more of the title.
        if self.text[place].islower() or "\n" in self.text:
            return False
        behind = Passage(self.text[place : place + _AUTHOR_WITHIN])
        return any(map(behind.names, authors))


def _parts(gap: str) -> bool:
    """Return whether the text between two letters is more than a space or a hyphen."""
    return "\n" in gap or (gap.strip() not in _WITHIN_WORD) or (" " in gap and gap.strip() != "")
