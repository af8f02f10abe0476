"""Compare titles and names letter by letter, and find titles: by words in common, or within a text.

The text is a reference, or the first page of a paper.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Final, NamedTuple

import numpy as np
from rapidfuzz import fuzz

from ...text.characters import folded
from ...text.characters import letters_of as letters_of
from ...text.characters import words_of as words_of

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
#: Titles less similar than this are different, whatever else agrees.
OTHER_TITLE: Final = 70.0
# A title of fewer words is not distinctive: "Introduction", "Machine translation".
TELLING_WORDS: Final = 4
# This many letters identify a title that is cut or has other text attached.
TELLING_LETTERS: Final = 20
# A name with fewer letters occurs in longer words by chance.
TELLING_NAME: Final = 5
# The least similarity of two spellings of a word or surname, in per cent.
_WORD_SCORE: Final = 80.0
_NAME_SCORE: Final = 85.0
# The share of a title's words, weighted by rarity, that must occur.
_COVERAGE: Final = 0.6
# Characters of a reference, title, first page or name that are used; the rest adds nothing.
MAX_LENGTH: Final = 2_000
_WORD: Final = re.compile(r"[^\W_]+")
# Müller is also written Mueller.
_UMLAUT: Final = re.compile(r"(?<=[aou])e")
_NUMBER: Final = re.compile(r"\d+|[ivx]{1,4}\Z")
_AUTHOR_WITHIN: Final = 60
# What may follow a title in a reference without punctuation before it.
_VENUE: Final = re.compile(r"\s+(?:in|proc\w*|journal|trans\w*|arxiv|corr)\b", re.IGNORECASE)
# What precedes the title of a whole volume, when a part of it is cited.
_VOLUME: Final = re.compile(r"\b(?:in|eds?|editors?)\b[\s.,:()]*\Z", re.IGNORECASE)
_WITHIN_WORD: Final = frozenset(("", "-", "'", "’", "‐", "\u00ad"))
#: Where a title that is found approximately may begin and end, from where it is found.
_AROUND: Final = (0, -1, 1, -2, 2)
_SUBTITLE: Final = re.compile(r"[:?!]\s|\s[–—-]{1,3}\s|\.\s")


def name_words(surnames: Iterable[str]) -> tuple[str, ...]:
    """Return normalised surnames, in which ü and ue are the same; empty ones are left out."""
    folded_names = (" ".join(_WORD.findall(folded(name))) for name in surnames)
    return tuple(_UMLAUT.sub("", name) for name in folded_names if name)


def same_name(name: str, other: str) -> bool:
    """Return whether two surnames are the same, like "van Noord" and "Noord", "Och" and "O ch"."""
    if name.rpartition(" ")[2] == other.rpartition(" ")[2]:
        return True
    one, two = name.replace(" ", ""), other.replace(" ", "")
    return one == two or (
        min(len(one), len(two)) >= TELLING_NAME
        and (one in two or two in one or fuzz.ratio(one, two) >= _NAME_SCORE)
    )


def same_word(word: str, other: str) -> bool:
    """Return whether two words are the same, perhaps misspelt."""
    return word[0] == other[0] and fuzz.ratio(word, other) >= _WORD_SCORE


class Likeness(NamedTuple):
    """How well a title matches, as a `whole` or a part, and at which letter of a text it begins."""

    score: float
    whole: bool
    words: int
    start: int = 0

    def suffices(self, authors: int, apart: int | None) -> bool:
        """Return whether this is the work; for the arguments see `WorkQuery`."""
        telling = self.words >= TELLING_WORDS
        near = apart is None or apart <= 1
        if not self.whole:
            return telling and not apart and authors > 1
        if authors > 0 and near and telling:
            return True
        return self.score >= SURE_TITLE_SCORE and (
            (authors > 0 and (near or telling)) or (near and telling)
        )


class Title(NamedTuple):
    """A title as folded letters and digits; `main` has those before a subtitle, if there is one."""

    words: tuple[str, ...]
    letters: str
    main: str = ""

    @classmethod
    def of(cls, text: str) -> Title:
        """Return the title for a `text`."""
        words = words_of(text[:MAX_LENGTH])
        subtitle = _SUBTITLE.search(text[:MAX_LENGTH])
        return cls(words, "".join(words), letters_of(text[: subtitle.start()]) if subtitle else "")

    def likeness(self, other: Title) -> Likeness | None:
        """Compare with another title; either may lack its subtitle, be cut, or continue."""
        if not self.letters or not other.letters:
            return None
        score = fuzz.ratio(self.letters, other.letters, score_cutoff=TITLE_SCORE)
        words = min(len(self.words), len(other.words))
        if score == 100 or (score and self.matches(other)):
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
        ends = accumulate(map(len, long.words))
        begun = tuple(word for word, end in zip(long.words, ends, strict=True) if end <= size)
        if score and short._within(long) and Title(begun, long.letters[:size])._within(short):
            return Likeness(score, False, words)
        return None

    def matches(self, other: Title) -> bool:
        """Return whether all words have a counterpart, perhaps misspelt; numbers must be equal."""
        return self._within(other) and other._within(self)

    def _within(self, other: Title) -> bool:
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


class Passage:
    """A text to search for titles and names."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.words = words_of(text)
        self.letters = "".join(self.words)

    @cached_property
    def _name_words(self) -> frozenset[str]:
        return frozenset(_UMLAUT.sub("", word) for word in self.words)

    @cached_property
    def _joined_names(self) -> str:
        return _UMLAUT.sub("", self.letters)

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
