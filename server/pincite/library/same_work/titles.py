"""Compare titles letter by letter, and find titles with words in common."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from itertools import accumulate
from typing import Final, NamedTuple

import numpy as np
from rapidfuzz import fuzz

from .words import letters_of, same_word, words_of

#: The least similarity of equal titles, in per cent of their letters (`rapidfuzz.fuzz.ratio`).
#: Every word also needs a counterpart in the other title, so the value is not critical: on 970
#: references and 104 PDFs against 48,949 entries (benchmarks/title_matching.py) all values from 70
#: to 96 give no wrong match, with the right entries or without; 98 costs 5 % of titles broken by
#: hyphens.
TITLE_SCORE: Final = 90.0
#: The same if authors are unknown, years differ, or the title has few words.
SURE_TITLE_SCORE: Final = 97.0
#: The same for a title within a longer text (`rapidfuzz.fuzz.partial_ratio`); same measurement.
PASSAGE_SCORE: Final = 92.0
# A title of fewer words is not distinctive: "Introduction", "Machine translation".
TELLING_WORDS: Final = 4
# This many letters identify a title that is cut or has other text attached.
TELLING_LETTERS: Final = 20
# The share of a title's words, weighted by rarity, that must occur.
_COVERAGE: Final = 0.6
# Characters of a reference, title, first page or name that are used; the rest adds nothing.
MAX_LENGTH: Final = 2_000
_NUMBER: Final = re.compile(r"\d+|[ivx]{1,4}\Z")
_SUBTITLE: Final = re.compile(r"[:?!]\s|\s[–—-]{1,3}\s|\.\s")


class Title(NamedTuple):
    """A title in the form that is compared: lower-case letters and digits without accents.

    `main` has the letters before a subtitle, none if there is no subtitle.
    """

    words: tuple[str, ...]
    letters: str
    main: str

    @classmethod
    def of(cls, text: str) -> Title:
        """Return the title for a `text`."""
        text = text[:MAX_LENGTH]
        words = words_of(text)
        subtitle = _SUBTITLE.search(text)
        return cls(words, "".join(words), letters_of(text[: subtitle.start()]) if subtitle else "")

    def likeness(self, other: Title) -> Likeness | None:
        """Compare with another title; either may lack its subtitle, be cut, or continue."""
        if not self.letters or not other.letters:
            return None
        score = fuzz.ratio(self.letters, other.letters, score_cutoff=TITLE_SCORE)
        words = min(len(self.words), len(other.words))
        if score and (score == 100 or (self._within(other) and other._within(self))):
            return Likeness(score, True, words)
        if bool(self.main) != bool(other.main):
            one, two = (self.main, other.letters) if self.main else (self.letters, other.main)
            if score := fuzz.ratio(one, two, score_cutoff=SURE_TITLE_SCORE):
                return Likeness(score, True, words)
        short, long = sorted((self, other), key=lambda title: len(title.letters))
        size = len(short.letters)
        if size < TELLING_LETTERS:
            return None
        score = fuzz.ratio(short.letters, long.letters[:size], score_cutoff=PASSAGE_SCORE)
        ends = accumulate(len(word) for word in long.words)
        begins_long = Title(
            tuple(word for word, end in zip(long.words, ends, strict=True) if end <= size),
            long.letters[:size],
            "",
        )
        if score and short._within(long) and begins_long._within(short):
            return Likeness(score, False, words)
        return None

    def _within(self, other: Title) -> bool:
        """Return whether each word has a counterpart in the other title.

        Numbers must be equal; words may be broken, joined or misspelt, but "Chinese" is not
        "Japanese".
        """
        return all(
            word in other.words
            or (
                not _NUMBER.match(word)
                and (
                    len(word) < 3
                    or word in other.letters
                    or any(same_word(word, one) for one in other.words)
                )
            )
            for word in self.words
        )


class Likeness(NamedTuple):
    """How well a title matches, as a `whole` or a part, and at which letter of a text it begins."""

    score: float
    whole: bool
    words: int
    start: int = 0

    def suffices(self, authors: int, apart: int | None) -> bool:
        """Return whether this is the work; for the arguments see `WorkMatcher`."""
        telling = self.words >= TELLING_WORDS
        near = apart is None or apart <= 1
        if not self.whole:
            return telling and not apart and authors > 1
        if authors > 0 and near and telling:
            return True
        return self.score >= SURE_TITLE_SCORE and (
            (authors > 0 and (near or telling)) or (near and telling)
        )


class TitleIndex:
    """An inverted index of titles by their words, each weighted by its rarity."""

    def __init__(self, titles: Iterable[Title]) -> None:
        self._by_letters: dict[str, list[int]] = {}
        self._numbers: dict[str, int] = {}
        self._count = 0
        words, rows = array("i"), array("i")
        for row, title in enumerate(titles):
            for letters in {title.letters, title.main}:
                self._by_letters.setdefault(letters, []).append(row)
            for word in set(title.words):
                words.append(self._numbers.setdefault(word, len(self._numbers)))
                rows.append(row)
            self._count = row + 1
        of_word, of_row = np.array(words, np.int32), np.array(rows, np.int32)
        frequencies = np.bincount(of_word, minlength=len(self._numbers))
        rarity = np.log1p(self._count / np.maximum(frequencies, 1))
        totals = np.bincount(of_row, rarity[of_word], self._count)
        order = np.argsort(of_word, kind="stable")
        self._starts = [0, *accumulate(frequencies.tolist())]
        self._rows = of_row[order]
        self._weights = (rarity[of_word] / totals[of_row])[order]

    def candidates(self, title: Title, words: Iterable[str]) -> set[int]:
        """Return the rows of titles that consist mostly of these words and those of `title`."""
        found = set(self._by_letters.get(title.letters, ()) if title.letters else ())
        known = [
            slice(self._starts[number], self._starts[number + 1])
            for word in {*title.words, *words}
            if (number := self._numbers.get(word)) is not None
        ]
        if known:
            rows = np.concatenate([self._rows[part] for part in known])
            weights = np.concatenate([self._weights[part] for part in known])
            covered = np.bincount(rows, weights, self._count)
            found.update(np.flatnonzero(covered >= _COVERAGE).tolist())
        return found
