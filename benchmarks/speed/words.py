"""Generate any amount of words, titles and prose with the statistics of real bibliographies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

_ENTRY = re.compile(r"^@\w+\{([^,\s]+),\n(.*?)\n\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r'^  (\w+) = "(.*?)",?$', re.MULTILINE | re.DOTALL)
_IN_BRACES = re.compile(r"\{[^{}]*\}")
_WORD = re.compile(r"[^\W\d_]{2,}")
#: Words drawn at a time; drawing them one by one would take longer than everything else.
_DRAWN = 1 << 16


@dataclass(frozen=True, slots=True)
class Entry:
    """The fields of a work from which other material is generated."""

    key: str
    title: str
    author: str
    year: str
    abstract: str = ""
    url: str = ""

    @property
    def surname(self) -> str:
        return self.author.split(" and ")[0].split(",")[0]

    def bibtex(self) -> str:
        fields = {
            "title": f"{{{self.title}}}",
            "author": self.author,
            "booktitle": "Proceedings of the Conference",
            "year": self.year,
            "abstract": self.abstract,
        }
        lines = (f'  {name} = "{_escaped(value)}"' for name, value in fields.items() if value)
        return f"@inproceedings{{{self.key},\n" + ",\n".join(lines) + "\n}\n"


def is_sound(value: str) -> bool:
    """Return whether a value can be quoted."""
    while value != (value := _IN_BRACES.sub("", value)):
        pass
    return not any(sign in value for sign in '"{}')


def _escaped(value: str) -> str:
    return value if is_sound(value) else re.sub(r'["{}]', "", value)


def entries_of(bibliography: str) -> list[Entry]:
    """Return the entries of a .bib file that is written as the ACL Anthology writes its own."""
    found = []
    for key, body in _ENTRY.findall(bibliography):
        fields = dict(_FIELD.findall(body))
        found.append(
            Entry(
                key,
                fields.get("title", "").strip("{}"),
                fields.get("author", ""),
                fields.get("year", ""),
                fields.get("abstract", ""),
                fields.get("url", ""),
            )
        )
    return found


def invented_entries(number: int, rng: np.random.Generator) -> list[Entry]:
    """Return synthetic entries of pronounceable words, by Zipf's law, if there are no real ones."""
    syllables = [a + b for a, b in product("bdfgklmnprstv", ("a", "e", "i", "o", "u", "an", "er"))]
    vocabulary = ["".join(rng.choice(syllables, rng.integers(1, 5))) for _ in range(20_000)]
    shares = 1.0 / np.arange(2, len(vocabulary) + 2)
    draws = _Draws(vocabulary, shares, rng)
    entries = []
    for index in range(number):
        title = " ".join(draws.take(9)).capitalize()
        abstract = " ".join(draws.take(110)) if index % 6 == 0 else ""
        surnames = [word.capitalize() for word in draws.take(2)]
        author = " and ".join(f"{name}, {name[0]}." for name in surnames)
        year = str(1980 + index % 45)
        entries.append(
            Entry(f"{surnames[0].lower()}-{year}-{index}", title, author, year, abstract)
        )
    return entries


class _Draws:
    """Samples values with replacement, weighted by their shares."""

    def __init__(self, values: Sequence[str], shares: Iterable[float], rng: np.random.Generator):
        self._values = list(values)
        self._ends = np.cumsum(np.fromiter(shares, np.float64, len(self._values)))
        self._rng = rng
        self._drawn = self._draw()

    def _draw(self) -> Iterator[str]:
        while True:
            places = self._rng.random(_DRAWN) * self._ends[-1]
            for index in np.searchsorted(self._ends, places, side="right").tolist():
                yield self._values[index]

    def take(self, number: int) -> list[str]:
        return [value for value, _ in zip(self._drawn, range(number), strict=False)]


@dataclass(slots=True)
class Words:
    """The word distribution of some entries; samples depend on the seed only."""

    entries: Sequence[Entry]
    rng: np.random.Generator
    _titles: _Draws = field(init=False)
    _abstracts: _Draws = field(init=False)
    _surnames: _Draws = field(init=False)

    def __post_init__(self) -> None:
        titles = Counter(word for e in self.entries for word in _WORD.findall(e.title.lower()))
        prose = Counter(word for e in self.entries for word in _WORD.findall(e.abstract.lower()))
        surnames = Counter(entry.surname for entry in self.entries if entry.surname)
        self._titles = _Draws(tuple(titles), titles.values(), self.rng)
        self._abstracts = _Draws(tuple(prose or titles), (prose or titles).values(), self.rng)
        self._surnames = _Draws(tuple(surnames), surnames.values(), self.rng)

    def new_entries(self, number: int) -> Iterator[Entry]:
        """Yield synthetic entries with the lengths and shares of abstracts of the real ones."""
        patterns = [
            (len(e.title.split()), len(e.abstract.split()), e.author.count(" and ") + 1, e.year)
            for e in self.entries
        ]
        chosen = self.rng.integers(0, len(patterns), number).tolist()
        for index, pattern in enumerate(chosen):
            title_words, abstract_words, authors, year = patterns[pattern]
            title = self._titles.take(max(1, title_words))
            surnames = self._surnames.take(authors)
            yield Entry(
                f"{_plain(surnames[0])}-{year}-{title[0]}-{index}",
                " ".join(title).capitalize(),
                " and ".join(f"{name}, {name[0]}." for name in surnames),
                year,
                " ".join(self._abstracts.take(abstract_words)),
            )

    def sentence(self, entry: Entry, length: int) -> list[str]:
        """Return words for a sentence about a work: a third its own, the rest from all works."""
        own = _WORD.findall(f"{entry.title} {entry.abstract}".lower()) or ["work"]
        about = [own[i] for i in self.rng.integers(0, len(own), max(2, length // 3)).tolist()]
        words = about + self._abstracts.take(max(1, length - len(about)))
        order = self.rng.permutation(len(words)).tolist()
        return [words[index] for index in order]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower()) or "anon"
