"""One entry in numbers: the stems of its texts, its names, its year.

Stems are numbered by `TermIds`, names and acronyms by themselves. An unknown text is empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from threading import Lock
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ..model.papers import Candidate, ReferencePaper
from ..text.characters import folded
from ..text.tokens import composed, stop_words, words

Ids = npt.NDArray[np.int32]

NO_IDS: Final[Ids] = np.empty(0, dtype=np.int32)
#: The inner part of each inlink context: Duma and Klein (2014), Table 1.
_INLINK_WORDS: Final = 20
#: "BERT", "GloVe", "ImageNet": two capitals or more.
_ACRONYM: Final = re.compile(r"[^\W_]*[A-Z][^\W_]*[A-Z0-9][^\W_]*")
_MAX_ACRONYM: Final = 12
#: A name before a colon: "fastText: …".
_MAX_NAME: Final = 24
_KEY_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_KEY_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
#: Not spelt out in the acronym of a title.
_SMALL_WORDS: Final = frozenset(
    """
    a an and as at by for from in into is of on or the to via with
    au aux da das de der des di die do du e ein eine el en et la las le les los o os
    sur und y zu zum zur
    """.split()
)

_BOOKS: Final = frozenset(("book", "inbook", "incollection", "collection"))
#: "as Section 3 says": words that point to parts of the same text, as they are written there.
_PARTS_OF_TEXT: Final = frozenset(
    """
    Section Sections Sect Sec Figure Figures Fig Figs Table Tables Tab Equation Equations Eq Eqs
    Chapter Chapters Appendix Abschnitt Kapitel Abbildung Abb Tabelle Gleichung Anhang
    Chapitre Tableau Annexe Équation
    """.split()
)
#: Held while a stem gets a number.
_numbering: Final = Lock()


def number_of(numbers: dict[str, int], text: str) -> int:
    """Return the number of a text: a stem, a name, a paper; a new text gets the next one."""
    return numbers.setdefault(text, len(numbers))


class TermIds(dict[str, int]):
    """The number of each word's stem; -1 for what no field counts.

    Not counted are English stop words, words that are `left_out`, single characters and what points
    to parts of the text ("Section"). Stems are numbered by `stems`, which may grow.
    Safe to use from several threads.
    """

    def __init__(
        self,
        stem: Callable[[str], str],
        stems: dict[str, int] | None = None,
        left_out: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__()
        self._stem = stem
        self.stems: dict[str, int] = {} if stems is None else stems
        #: The stem with each number that a word has got here.
        self.stem_of: dict[int, str] = {}
        self._stopped = stop_words() | left_out

    @property
    def width(self) -> int:
        """A number above those of all stems so far."""
        return len(self.stems)

    def __missing__(self, word: str) -> int:
        term = composed(word).lower()
        number = -1
        if len(term) > 1 and term not in self._stopped and word not in _PARTS_OF_TEXT:
            stem = self._stem(term)
            with _numbering:
                number = number_of(self.stems, stem)
            self.stem_of[number] = stem
        self[word] = number
        return number

    def numbers(self, found: Sequence[str]) -> Ids:
        """Return the number of each word."""
        return np.asarray(list(map(self.__getitem__, found)), dtype=np.int32)

    def counted(self, found: Iterable[str]) -> list[int]:
        """Return the numbers of the words that count, in order."""
        return [number for number in map(self.__getitem__, found) if number >= 0]

    def of(self, found: Sequence[str]) -> Ids:
        """Return the numbers of the words that count, in order, as an array."""
        return np.asarray(self.counted(found), dtype=np.int32)


class _Surname(NamedTuple):
    """A surname in numbers: its terms, the names in it, and the last of these, -1 for none."""

    terms: list[int]
    names: list[int]
    last: int


class EntryReader:
    """Converts entries to numbers; names, which many entries share, are cached.

    `names` numbers names and acronyms, and may grow.
    """

    def __init__(self, ids: TermIds, names: dict[str, int]) -> None:
        self._ids, self._names = ids, names
        self._surname = cache(partial(_surname, ids, names))

    def read(self, candidate: Candidate, *, full_text: bool = True) -> EntryTerms:
        """Return a candidate in numbers, with or without its `full_text`."""
        paper, entry, counted = candidate.paper, candidate.entry, self._ids.counted
        title = candidate.title
        title_words = words(title)
        terms = counted(title_words)
        surnames = list(map(self._surname, candidate.names or paper.surnames))
        everything = [*terms] if paper.title == title else counted(words(paper.title))
        if candidate.names:
            # The names that the candidate carries open its text (`bags.words_of`).
            everything += chain.from_iterable([each.terms for each in surnames])
        everything += self._body(paper, full_text=full_text)
        initials = _initials(title_words)
        contexts = candidate.inlink_contexts
        return EntryTerms(
            title=terms,
            everything=everything,
            inlinks=tuple(
                [
                    counted((*each.left[-_INLINK_WORDS:], *each.right[:_INLINK_WORDS]))
                    for each in contexts
                ]
            ),
            citing=tuple([each.citing_paper for each in contexts]),
            authors=sorted({*chain.from_iterable([each.names for each in surnames])}),
            first_author=surnames[0].last if surnames else -1,
            acronyms=self._named(_acronyms_of(title, title_words, initials)),
            key_words=self._named(key_words_of(entry.key)) if entry is not None else [],
            year=_year((entry.year if entry is not None else "") or paper.year),
            is_book=entry is not None and entry.entry_type in _BOOKS,
            initials=f"{initials} {''.join([word[0] for word in title_words]).lower()}",
        )

    def _body(self, paper: ReferencePaper, *, full_text: bool) -> list[int]:
        body = []
        # An abstract has the same words as its sentences.
        if full_text and not (paper.basis == "abstract" and paper.abstract):
            body = [*chain.from_iterable([words(each.text) for each in paper.sentences])]
        return self._ids.counted(body or words(paper.abstract))

    def _named(self, texts: Iterable[str]) -> list[int]:
        """Return the numbers of some names, each once, in ascending order."""
        return sorted({number_of(self._names, text) for text in texts})


def _surname(ids: TermIds, names: dict[str, int], name: str) -> _Surname:
    written = words(name)
    read = list(map(folded, written))
    return _Surname(
        ids.counted(written),
        [number_of(names, word) for word in read if len(word) > 1],
        number_of(names, read[-1]) if read else -1,
    )


def _acronym(word: str) -> str:
    """Return the acronym that a word is, empty if it is none."""
    is_one = len(word) <= _MAX_ACRONYM and not word.islower() and _ACRONYM.fullmatch(word)
    return folded(word) if is_one else ""


def _acronyms_of(title: str, title_words: Sequence[str], initials: str) -> set[str]:
    """Return the acronyms in a title, the name before its colon, and what initials make."""
    found = set(map(_acronym, title_words))
    made = [initials]
    head, colon, _ = title.partition(":")
    if colon:
        before = words(head)
        made += map(_initials, (before, title_words[len(before) :]))
        if 0 < len(head.strip()) <= _MAX_NAME and len(before) <= 2:
            found.update(map(folded, before))
    found.discard("")
    found.update(each for each in made if 2 <= len(each) <= 6)
    return found


# Not frozen: there are as many as entries, and a frozen one takes five times as long to make.
@dataclass(slots=True, eq=False)
class EntryTerms:
    """One entry in numbers.

    `everything` is its whole text, title and names first; `inlinks` has an array for each inlink
    context, and `citing` the paper or draft it stands in. `first_author` is a name, -1 for none;
    `year` is 0 where it is not known. `initials` are the first letters of the title's words, once
    without its small words and once with them, parted by a space.
    """

    title: Sequence[int]
    everything: Sequence[int]
    inlinks: tuple[Sequence[int], ...] = ()
    citing: tuple[str, ...] = ()
    authors: Sequence[int] = ()
    first_author: int = -1
    acronyms: Sequence[int] = ()
    key_words: Sequence[int] = ()
    year: int = 0
    is_book: bool = False
    initials: str = ""


def _year(written: str) -> int:
    digits = written[:4]
    return int(digits) if len(digits) == 4 and digits.isascii() and digits.isdigit() else 0


def _initials(title_words: Sequence[str]) -> str:
    first = [word[0] for word in title_words if word not in _SMALL_WORDS]
    made = "".join(first)
    return folded(made if made.isalpha() else "".join(filter(str.isalpha, first)))


def key_words_of(key: str) -> set[str]:
    """Return the words in a key: ``devlinBert2018`` names Devlin and BERT.

    Digits are left out: a generated key (``ref018``) often counts in the order of citation.
    """
    found = _KEY_WORD.findall(key)
    if key.islower() and key.isascii():
        return set(found)
    parts = (part for word in found for part in (word, *_KEY_CAPITAL.split(word)))
    return {folded(part) for part in parts if len(part) > 2}
