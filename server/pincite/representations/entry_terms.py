"""What is known of one entry, in numbers: the stems of its texts, its names, its year.

Texts are given by the numbers of their words' stems (`TermIds`), names and acronyms by numbers of
their own (`Names`). A text that nothing is known of is an empty array.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from ..model.papers import BibEntry, Candidate
from ..text.folding import folded
from ..text.tokens import composed, stop_words, words
from .internal import words_of

Ids = npt.NDArray[np.int32]

NO_IDS: Final[Ids] = np.empty(0, dtype=np.int32)
#: The inner part of each inlink context: Duma and Klein (2014), Table 1.
_INLINK_WORDS: Final = 20
_VENUE_FIELDS: Final = ("journal", "journaltitle", "booktitle", "series", "publisher", "school")
_NOTE_FIELDS: Final = ("keywords", "annote", "annotation", "note")
#: "BERT", "GloVe", "ImageNet": two capitals or more.
_ACRONYM: Final = re.compile(r"[^\W_]*[A-Z][^\W_]*[A-Z0-9][^\W_]*")
_LONGEST_ACRONYM: Final = 12
#: A name before a colon: "fastText: …".
_LONGEST_NAME: Final = 24
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

#: Kinds of works by their entry types; what is not listed is of the last kind.
KINDS: Final[Mapping[str, int]] = {
    "article": 0,
    "inproceedings": 1,
    "conference": 1,
    "proceedings": 1,
    "book": 2,
    "inbook": 2,
    "incollection": 2,
    "collection": 2,
    "misc": 3,
    "online": 3,
    "unpublished": 3,
    "www": 3,
    "electronic": 3,
    "phdthesis": 4,
    "mastersthesis": 4,
    "thesis": 4,
    "techreport": 5,
    "report": 5,
    "manual": 5,
    "software": 6,
}
OTHER_KIND: Final = 7


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


class TermIds(dict[str, int]):
    """The number of each word's stem; -1 for what no field counts.

    Not counted are English stop words, words that are `left_out`, single characters and what points
    to parts of the text ("Section"). A stem that
    `known` lacks gets a number of its own from ``first_new`` on. Safe to use from several threads.
    """

    def __init__(
        self,
        stem: Callable[[str], str],
        known: Mapping[str, int] | None = None,
        first_new: int = 0,
        left_out: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__()
        self._stem = stem
        self._known = {} if known is None else known
        self.new: dict[str, int] = {}
        #: A number above those of all stems so far.
        self.width = first_new
        self._stopped = stop_words() | left_out

    def __missing__(self, word: str) -> int:
        term = composed(word).lower()
        number = -1
        if len(term) > 1 and term not in self._stopped and word not in _PARTS_OF_TEXT:
            stem = self._stem(term)
            known = self._known.get(stem)
            if known is None and (known := self.new.get(stem)) is None:
                known = self._number(stem)
            number = known
        self[word] = number
        return number

    def _number(self, stem: str) -> int:
        with _numbering:
            number = self.new.get(stem)
            if number is None:
                # The width first: other threads read both without the lock.
                number, self.width = self.width, self.width + 1
                self.new[stem] = number
        return number

    def numbers(self, found: Sequence[str]) -> Ids:
        """Return the number of each word."""
        return np.asarray(list(map(self.__getitem__, found)), dtype=np.int32)

    def of(self, found: Sequence[str]) -> Ids:
        """Return the numbers of the words that count, in order."""
        numbers = [number for number in map(self.__getitem__, found) if number >= 0]
        return np.asarray(numbers, dtype=np.int32) if numbers else NO_IDS


class Names(dict[str, int]):
    """The number of each name or acronym, lower-case and without accents."""

    def __missing__(self, name: str) -> int:
        self[name] = number = len(self)
        return number

    def of(self, names: Iterable[str]) -> Ids:
        """Return the numbers of some names, each once, in rising order."""
        numbers = sorted({self[name] for name in names})
        return np.asarray(numbers, dtype=np.int32) if numbers else NO_IDS


@dataclass(frozen=True, slots=True, eq=False)
class EntryTerms:
    """One entry in numbers.

    `everything` is its whole text, title and names first; `inlinks` has an array for each inlink
    context, and `citing` the paper or draft it stands in. `first_author` is a name, -1 for none;
    `year` is 0 where it is not known. `initials` are the first letters of the title's words, once
    without its small words and once with them, parted by a space.
    """

    title: Ids
    abstract: Ids
    venue: Ids
    everything: Ids
    inlinks: tuple[Ids, ...]
    citing: tuple[str, ...]
    authors: Ids
    first_author: int
    acronyms: Ids
    key_words: Ids
    year: int
    kind: int
    has_abstract: bool
    has_full_text: bool
    initials: str


def read_entry(
    candidate: Candidate,
    ids: TermIds,
    names: Names,
    *,
    full_text: bool = True,
    inlinks: bool = True,
) -> EntryTerms:
    """Return a candidate in numbers; without its `full_text` or its `inlinks` on request."""
    paper, entry = candidate.paper, candidate.entry
    work = words_of(candidate)
    title = candidate.title
    title_words = words(title)
    surnames = candidate.names or paper.surnames
    authors = list(map(folded, words(" ".join(surnames))))
    first = words(surnames[0]) if surnames else []
    contexts = candidate.inlink_contexts if inlinks else ()
    said = _fields(entry)
    everything = ids.numbers(work.everything if full_text else work.summary)
    return EntryTerms(
        title=ids.of(title_words),
        abstract=ids.of(words(_joined(paper.abstract, said, _NOTE_FIELDS))),
        venue=ids.of(words(_joined("", said, _VENUE_FIELDS))),
        everything=everything[everything >= 0],
        inlinks=tuple(
            ids.of((*each.left[-_INLINK_WORDS:], *each.right[:_INLINK_WORDS])) for each in contexts
        ),
        citing=tuple(each.citing_paper for each in contexts),
        authors=names.of(name for name in authors if len(name) > 1),
        first_author=names[folded(first[-1])] if first else -1,
        acronyms=names.of(_acronyms(title, title_words)),
        key_words=names.of(key_words_of(entry.key)) if entry is not None else NO_IDS,
        year=_year((entry.year if entry is not None else "") or paper.year),
        kind=KINDS.get(entry.entry_type, OTHER_KIND) if entry is not None else OTHER_KIND,
        has_abstract=bool(paper.abstract.strip()),
        has_full_text=full_text and paper.basis == "full text",
        initials=initials_of(title_words),
    )


def _fields(entry: BibEntry | None) -> Mapping[str, str]:
    """Return the fields with notes and venues, read once."""
    if entry is None:
        return {}
    wanted = (*_VENUE_FIELDS, *_NOTE_FIELDS)
    return {name: entry.fields[name] for name in wanted if name in entry.fields}


def _joined(text: str, said: Mapping[str, str], fields: Iterable[str]) -> str:
    """Return a text with what fields say; without an abstract, notes stand for it already."""
    parts = [value for name in fields if (value := said.get(name)) and value not in text]
    return " ".join((text, *parts)) if parts else text


def _year(written: str) -> int:
    digits = written[:4]
    return int(digits) if len(digits) == 4 and digits.isascii() and digits.isdigit() else 0


def acronyms_of(title: str) -> set[str]:
    """Return the acronyms in a title, the name before its colon, and what its initials make.

    They are in lower case and without accents.
    """
    return _acronyms(title, words(title))


def _acronyms(title: str, title_words: Sequence[str]) -> set[str]:
    found = {
        folded(word)
        for word in title_words
        if len(word) <= _LONGEST_ACRONYM and not word.islower() and _ACRONYM.fullmatch(word)
    }
    parts = [title_words]
    head, colon, _ = title.partition(":")
    if colon:
        before = words(head)
        parts += [before, title_words[len(before) :]]
        if 0 < len(head.strip()) <= _LONGEST_NAME and len(before) <= 2:
            found.update(map(folded, before))
    found.update(i for i in map(_initials, parts) if 2 <= len(i) <= 6)
    return found


def initials_of(title_words: Sequence[str]) -> str:
    """Return the initials of a title without its small words, and behind a space those of all."""
    return f"{_initials(title_words)} {''.join([word[0] for word in title_words]).lower()}"


def _initials(title_words: Sequence[str]) -> str:
    kept = [word[0] for word in title_words if word not in _SMALL_WORDS and word[0].isalpha()]
    return folded("".join(kept))


def key_words_of(key: str) -> set[str]:
    """Return the words in a key: ``devlinBert2018`` names Devlin and BERT.

    Digits are left out: a generated key (``ref018``) often counts in the order of citation.
    """
    found = _KEY_WORD.findall(key)
    parts = (part for word in found for part in (word, *_KEY_CAPITAL.split(word)))
    return {folded(part) for part in parts if len(part) > 2}
