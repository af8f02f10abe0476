"""A key for a new entry, in the style of the keys that a bibliography has.

A manner is names, year and words of the title in an order, with what separates them:
``chambers2008unsupervised``, ``chambers-jurafsky-2008-unsupervised``, ``Chambers:08``, ``CJ08``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from string import ascii_lowercase
from typing import Final, NamedTuple

from ..model.papers import BibEntry, doi_in_key
from ..text.characters import folded
from ..text.stop_words import function_words

#: The number of entries, from the last, whose keys are examined.
_LOOKED_AT: Final = 200
_SEPARATORS: Final = "-_:.+/"
_WORD: Final = re.compile(r"[a-z0-9]+")
#: Small letters without accents of Cyrillic and Greek; alone, Greek ones are symbols.
_LATIN: Final = dict.fromkeys(map(ord, "ъь"), "") | dict(
    zip(
        map(ord, "абвгґдђежзијіклљмнњопрстћуфхцчџшщыѣэєюяαβγδεζηθικλμνξοπρστυφχψω"),
        "a b v g g d dj e zh z i j i k l lj m n nj o p r s t c u f kh ts ch dz sh shch y e e ie iu"
        " ia a v g d e z i th i k l m n x o p r s t u f ch ps o".split(),
        strict=True,
    )
)
_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")
#: What distinguishes two works of the same people and year.
_LETTER: Final = re.compile(r"[a-z]?")
_MAX_NAMES: Final = 3
#: What separates keys, or ends them, in one of the markups.
_NO_KEY: Final = re.compile(r"[\s{}()\[\]\\,;%#~\"'=@]|//")


def _et_al(joint: str, others: str) -> Callable[[Sequence[str]], str]:
    def names(surnames: Sequence[str]) -> str:
        return joint.join(surnames if len(surnames) < 3 else (surnames[0], others))

    return names


def _initials(surnames: Sequence[str]) -> str:
    if len(surnames) == 1:
        return surnames[0][:3].capitalize()
    return "".join(name[0].upper() for name in surnames[:_MAX_NAMES])


def _capitals(form: Callable[[Sequence[str]], str]) -> Callable[[Sequence[str]], str]:
    return lambda words: form([word.capitalize() for word in words])


def _first(words: Sequence[str]) -> str:
    return words[0]


def _three(words: Sequence[str]) -> str:
    return "".join(words[:_MAX_NAMES])


#: How names, years and titles are written, the commonest first: of forms that fit as many keys, the
#: first counts.
_OF_NAMES: Final[Sequence[Callable[[Sequence[str]], str]]] = (
    _first,
    _capitals(_first),
    _et_al("-", "etal"),
    _et_al("_", "etal"),
    _capitals(_et_al("", "EtAl")),
    _capitals(_et_al("", "Etal")),
    _et_al("", "etal"),
    _three,
    _capitals(_three),
    _initials,
)
_OF_YEARS: Final[Sequence[Callable[[str], str]]] = (str, lambda year: year[2:])
_OF_TITLES: Final[Sequence[Callable[[Sequence[str]], str]]] = (
    _first,
    _capitals(_first),
    _three,
    _capitals(_three),
)


class Manner(NamedTuple):
    """Indices of forms, and separators; without `title`, of names and year alone."""

    names: int
    separator: str
    year: int
    title: int | None = None
    second: str = ""
    year_last: bool = False

    def key(self, entry: BibEntry) -> str:
        """Return the key of an entry in this manner, which may be taken."""
        surnames, title = _names(entry), _title(entry)
        names = _OF_NAMES[self.names](surnames) if surnames else ""
        year = _OF_YEARS[self.year](entry.year)
        words = "" if self.title is None or not title else _OF_TITLES[self.title](title)
        if not names and title:
            names, words = title[0], ""
        parts = (names, words, year) if self.year_last else (names, year, words)
        has_letter = any(map(str.isalpha, "".join(parts)))
        first, *others = [*["work"][has_letter:], *filter(None, parts)]
        separators = (self.separator, self.second, self.second)
        return first + "".join(map("".join, zip(separators, others, strict=False)))


_USUAL: Final = Manner(0, "", 0, 0)


def key_in_manner(entry: BibEntry, entries: Mapping[str, BibEntry], taken: Collection[str]) -> str:
    """Return an unused key for an entry, in the style of the keys of `entries`.

    Keys that differ in case alone are the same for BibTeX.
    """
    return own_key(manner_of(entries).key(entry), taken)


def manner_of(entries: Mapping[str, BibEntry]) -> Manner:
    """Return the manner in which most keys of `entries` are written."""
    manners = Counter(
        manner
        for key in tuple(entries)[-_LOOKED_AT:]
        for manner in dict.fromkeys(_manners(key, entries[key]))
    )
    ((manner, _),) = manners.most_common(1) or ((_USUAL, 0),)
    return manner


def own_key(key: str, taken: Iterable[str]) -> str:
    """Return a key, with a suffix if it is taken, in any case."""
    used = {each.lower() for each in taken}
    return free_key(key, lambda each: each.lower() in used) if key.lower() in used else key


def free_key(key: str, is_used: Callable[[str], bool]) -> str:
    """Return an unused key: `key` with the first suffix, a letter or number, that makes it new."""
    endings = chain(ascii_lowercase, map("-{}".format, count(2)))
    return next(name for ending in endings if not is_used(name := key + ending))


def is_typed(key: str) -> bool:
    """Return whether an author would type a key: programs invent numbers, addresses and DOIs."""
    has_letter = any(map(str.isalpha, key))
    return has_letter and _NO_KEY.search(key) is None and not doi_in_key(key)


def _manners(key: str, entry: BibEntry) -> Iterator[Manner]:
    """Yield the manners in which the key of an entry may be written."""
    surnames, title, year = _names(entry), _title(entry), entry.year
    if not surnames or not year:
        return
    years = [*enumerate(form(year) for form in _OF_YEARS)]
    titles = [*enumerate(form(title) for form in _OF_TITLES)] if title else []
    for names, form in enumerate(_OF_NAMES):
        if not key.startswith(written := form(surnames)):
            continue
        behind = key[len(written) :]
        for at, digits in years:
            if (found := _separators(behind, digits)) and _LETTER.fullmatch(found[-1]):
                yield Manner(names, found[0], at)
            for number, words in titles:
                if (found := _separators(behind, digits, words)) and not found[-1]:
                    yield Manner(names, found[0], at, number, found[1])
        for number, words in titles:
            for at, digits in years:
                if (found := _separators(behind, words, digits)) and not found[-1]:
                    yield Manner(names, found[0], at, number, found[1], year_last=True)


def _separators(text: str, *parts: str) -> list[str]:
    """Return what is before each part of a text, and the rest; empty if it has not these parts."""
    found: list[str] = []
    for part in parts:
        separator = text[:1] if text[:1] in _SEPARATORS else ""
        if not text.startswith(part, len(separator)):
            return []
        found.append(separator)
        text = text[len(separator) + len(part) :]
    return [*found, text]


def _names(entry: BibEntry) -> list[str]:
    return [*filter(None, ("".join(_words(each)) for each in entry.surnames))]


def _title(entry: BibEntry) -> list[str]:
    """Return the words of a title but for function words, such as articles."""
    words = _words(entry.fields.get("title", "").replace("’", "").replace("'", ""))
    small = function_words("en")
    return [word for word in words if word not in small] or words


def _words(text: str) -> list[str]:
    """Return the words of a text in plain Latin letters, and without those in other scripts."""
    return _WORD.findall(_LETTERS.sub(lambda found: found[0].translate(_LATIN), folded(text)))
