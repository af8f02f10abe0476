"""Citation markers in running text, and the works that they name.

Markers are removed before words are compared (Ricci et al. 2022, section 3.1): blanked, not cut, so
offsets do not change. Every repetition has an upper bound, so the time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import regex

#: What to do with the markers of a text.
Markers = Literal["remove", "keep"]

_SPACE = r"\s{0,4}+"
_SPACES = r"\s{1,4}+"
_PARTICLE = (
    rf"(?i:van|von|vander|vande|de|del|della|der|den|des|di|da|do|dos|du|el|al|bin|ibn|ben"
    rf"|la|le|los|ter|ten|te|zu|zur|st\.|mc|mac){_SPACES}"
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
#: Some are surnames, too, so a year must follow.
_GERMAN_MONTH = r"(?:Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\s\d{4}"
#: Words that open a sentence before a name: "However, Smith and Jones (2001) …".
_OPENER = (
    r"(?:Also|And|Additionally|Although|As|At|Because|Both|But|By|Consequently|Currently"
    r"|Earlier|Finally|First|Following|For|From|Furthermore|Hence|Here|However|In|Indeed"
    r"|Inspired|Instead|Last|Lastly|Later|Like|Meanwhile|More|Moreover|Most|Next|On|Or|Our"
    r"|Previously|Recently|Second|See|Similarly|Since|Specifically|Subsequently|The|Then"
    r"|Therefore|Third|Thus|To|Unlike|Using|We|When|Whereas|While|With)"
)
_NAME = (
    rf"(?P<name>(?:\p{{Lu}}\.{_SPACE}){{0,4}}(?:{_PARTICLE}){{0,3}}"
    rf"(?!(?:{_MONTH}|{_OPENER})(?![\p{{L}}\p{{M}}'’\-])|{_GERMAN_MONTH})"
    # A name may have been broken at the end of a line of a PDF: "Tou- tanova".
    r"(?:[dDO]['’])?\p{Lu}[\p{L}\p{M}'’\-\u00ad]{1,40}+"
    r"(?:(?<=[\-\u00ad])\s(?!and\b|und\b)\p{Ll}[\p{L}\p{M}'’\-]{1,40}+)?)"
)
_AND = r"(?:and|und|y|et|e|&|och|og|ja|és|ve|και|и|та)"
_JOINT = rf"(?:{_SPACE},{_SPACE}(?:{_AND}{_SPACE})?|{_SPACES}{_AND}{_SPACES}|{_SPACE}&{_SPACE})"
_ET_AL = (
    rf"(?:et{_SPACE}\.?{_SPACE}al(?!\p{{L}})\.?"
    rf"|{_AND}{_SPACES}(?:(?:his|her|their){_SPACES})?(?:others|colleagues|co-?workers))"
)
#: The same in other languages.
_ET_ALII = (
    rf"(?:{_AND}{_SPACES}(?:otros|outros|altri|andere|diğerleri|(?:coll?|cols|др|ін)\.)"
    rf"|(?:i{_SPACES}(?:in|wsp)|a{_SPACES}kol)\.|u\.{_SPACE}a\.|κ\.{_SPACE}ά\.|m\.{_SPACE}fl\."
    r"|e\.a\.|(?:vd|ym)(?!\p{L})\.?)"
)
_OTHERS = rf"(?P<others>{_SPACE},?{_SPACE}(?:{_ET_AL}|{_ET_ALII}))"
_START = r"(?<![\p{L}\p{M}\p{N}'’])"
_END = r"(?![\p{L}\p{M}\p{N}])"
#: The letter of a year, but not the "p" in "2001, p. 5".
_LETTER = rf"[a-z](?![\p{{L}}\p{{N}}]|\.?{_SPACE}\d)"
_YEAR = (
    rf"(?:(?:1[89]|20)\d\d(?:{_SPACE}{_LETTER}(?:{_SPACE}[,/&]{_SPACE}{_LETTER}){{0,8}})?{_END}"
    r"|(?i:in\s+press|to\s+appear|forthcoming|submitted|in\s+prep(?:aration|\.)?|this\s+volume))"
)
_MARKED_YEAR = rf"(?P<year>{_YEAR})"
_YEARS = rf"{_MARKED_YEAR}(?:{_SPACE}[,;/\-–]{_SPACE}(?:{_AND}{_SPACE})?{_MARKED_YEAR}){{0,8}}"
_SHORT_YEAR = rf"(?P<year>(?<!\p{{L}})(?:['’‘]\d|[06-9])\d[a-z]?{_END})"
_PAGES = (
    rf"(?:{_SPACE}[,:;]{_SPACE}(?i:pp?\.?|pages?|ch\.?|chapters?|chap\.|sec\.|sections?|§)?"
    rf"{_SPACE}[\dIVXivx]{{1,8}}(?:{_SPACE}[\-–]{_SPACE}\d{{1,6}})?)?"
)

#: "Smith and Jones, 2001" between brackets, where names may follow each other without a comma.
_CITED_IN_BRACKETS = regex.compile(
    rf"{_START}{_NAME}(?:"
    rf"(?:(?:{_JOINT}|{_SPACES}){_NAME}){{0,11}}(?:{_OTHERS})?{_SPACE}[,:.]?{_SPACE}{_YEARS}"
    rf"|(?:{_JOINT}{_NAME}){{0,5}}(?:{_OTHERS}|{_JOINT}{_NAME}){_SPACE},?{_SPACE}{_SHORT_YEAR})"
)
_BRACKETS = regex.compile(r"[(\[]([^()\[\]]{2,400}+)[)\]]")
_BARE_YEARS = regex.compile(rf"{_SPACE}{_YEARS}{_PAGES}{_SPACE}")
#: "Smith et al. (2001)", "Smith and Jones's (2001, p. 5)", "Smith [2001]".
_NARRATIVE = regex.compile(
    rf"{_START}{_NAME}(?:{_JOINT}{_NAME}){{0,11}}(?:{_OTHERS})?(?:['’]s?)?{_SPACE}"
    rf"(?:\({_SPACE}{_YEARS}{_PAGES}{_SPACE}\)|\[{_SPACE}{_YEARS}{_PAGES}{_SPACE}\])"
)
#: "Smith et al., 2001" without brackets: only "et al." makes a name certain there.
_WITHOUT_BRACKETS = regex.compile(
    rf"{_START}{_NAME}(?P<others>{_SPACE},?{_SPACE}{_ET_AL}){_SPACE},?{_SPACE}{_MARKED_YEAR}"
)
_RANGE = r"(?P<number>[1-9]\d{0,2}(?:\s{0,4}+[\-–]\s{0,4}+[1-9]\d{0,2})?)"
_NUMBERS = regex.compile(
    # After a single letter the bracket is an index, "a[1]"; with a zero it is an interval.
    r"(?<!(?<![\p{L}\p{N}])[\p{L}\p{N}])"
    rf"\[{_SPACE}{_RANGE}(?:{_SPACE}[,;]{_SPACE}{_RANGE}){{0,40}}{_PAGES}{_SPACE}\]"
)
_KEY = r"(?P<key>\p{Lu}[\p{L}+]{1,16}\d{2}(?:\d{2})?[a-z]?)"
_KEYS = regex.compile(rf"\[{_SPACE}{_KEY}(?:{_SPACE}[,;]{_SPACE}{_KEY}){{0,20}}{_SPACE}\]")

# Searching for names at every letter is slow, so first check for what follows them in a marker.
_MAY_BE_NARRATIVE = re.compile(r"[(\[]\s{0,4}[12itfsITFSſıİ]")
_MAY_BE_WITHOUT_BRACKETS = re.compile(r"et\s{0,4}\.?\s{0,4}al|others|colleagues|workers")

#: Words that may accompany the citations in a bracket without being content.
_SIGNAL = regex.compile(
    r"also|al|alia|among|an|and|appendix|as|by|cf|ch|chap|chapter|compare|details|eg|especially"
    r"|et|etc|example|fig|figure|for|further|ie|in|instance|inter|more|notably|note|of|or|others?"
    r"|overview|pages?|particularly|pp|references|review|sec|section|see|survey|table|the|therein"
    r"|vol|volume|[ivxlc]{1,8}|\p{L}",
    regex.IGNORECASE,
)
_WORD = regex.compile(r"[\p{L}\p{M}]+")
_MAX_RANGE = 40
#: Two-digit years up to this belong to the 21st century.
_TURN_OF_CENTURY = 40
_YEAR_PARTS = regex.compile(
    r"(?P<digits>['’‘]?\d{2,4})(?:\s*(?P<letter>[a-z])(?:\s*[,/&]\s*(?P<letter>[a-z]))*)?"
)
_DIGITS = regex.compile(r"\d+")
_YEARS_ANYWHERE = regex.compile(rf"(?<!\p{{N}}){_YEAR}")


class CitedWork(NamedTuple):
    """One work as named by a citation marker; `start` and `end` are its part of the marker.

    Together the works of a marker cover it, including brackets, signal words and pages. `year` has
    four digits and perhaps a letter, or is the text in its place (``to appear``); `names` end at
    `names_end`. `labels` are a key or numbers in place of names and year.
    """

    start: int
    end: int
    names: tuple[str, ...] = ()
    others: bool = False
    year: str = ""
    labels: tuple[str, ...] = ()
    names_end: int = 0


_Found = tuple[int, int, list[CitedWork]]


def marker_spans(text: str) -> list[tuple[int, int]]:
    """Return the half-open spans of the citation markers in `text`, in order, without overlaps."""
    return [(start, end) for start, end, _ in _found(text)]


def cited_works(text: str) -> list[CitedWork]:
    """Return the works that the markers of `marker_spans` name, in order, without overlaps."""
    works: list[CitedWork] = []
    for start, end, named in _found(text):
        bounds = [start, *(work.start for work in named[1:]), end]
        works += (work._replace(start=bounds[n], end=bounds[n + 1]) for n, work in enumerate(named))
    return works


def years(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and value of every year in `text`; "2001a,b" are two."""
    for match in _YEARS_ANYWHERE.finditer(text):
        yield from _single_years(match[0], match.start())


def without_markers(text: str) -> str:
    """Return `text` with every citation marker replaced by spaces, which preserves offsets."""
    return blanked(text, marker_spans(text))


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return `text` with spaces in place of `spans`, which are in order and do not overlap."""
    parts: list[str] = []
    position = 0
    for start, end in spans:
        parts += (text[position:start], " " * (end - start))
        position = end
    parts.append(text[position:])
    return "".join(parts)


def _found(text: str) -> list[_Found]:
    found = [
        (*match.span(), _named(match))
        for pattern, hint in (
            (_NARRATIVE, _MAY_BE_NARRATIVE),
            (_WITHOUT_BRACKETS, _MAY_BE_WITHOUT_BRACKETS),
        )
        if hint.search(text)
        for match in pattern.finditer(text)
    ]
    if "[" in text:
        found += [
            (*match.span(), _labelled(match, group))
            for pattern, group in ((_NUMBERS, "number"), (_KEYS, "key"))
            for match in pattern.finditer(text)
        ]
    for match in _BRACKETS.finditer(text):
        found += _in_brackets(text, match.start(1), match.end(1))
    return _apart(found)


def _in_brackets(text: str, start: int, end: int) -> list[_Found]:
    if bare := _BARE_YEARS.fullmatch(text, start, end):
        return [(start - 1, end + 1, _named(bare))]
    cited = list(_CITED_IN_BRACKETS.finditer(text, start, end))
    if not cited:
        return []
    rest, position = "", start
    for match in cited:
        rest += text[position : match.start()] + " "
        position = match.end()
    rest += text[position:end]
    if all(_SIGNAL.fullmatch(word) for word in _WORD.findall(rest)):
        return [(start - 1, end + 1, [work for match in cited for work in _named(match)])]
    return [(*match.span(), _named(match)) for match in cited]


def _named(match: regex.Match[str]) -> list[CitedWork]:
    """Return the works of one group of authors, one for each year."""
    groups = match.re.groupindex
    names = tuple(match.captures("name")) if "name" in groups else ()
    others = "others" in groups and match["others"] is not None
    names_end = match.start()
    if names:
        names_end = match.end("others") if others else match.ends("name")[-1]
    works = [
        CitedWork(start, end, names, others, year, names_end=names_end)
        for place in match.spans("year")
        for start, end, year in _single_years(match.string[slice(*place)], place[0])
    ]
    works[0] = works[0]._replace(start=match.start())
    return works


def _single_years(written: str, offset: int) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and value of each year in "2001", "2001a,b", "'02" or "to appear"."""
    parts = _YEAR_PARTS.fullmatch(written)
    if parts is None:
        yield offset, offset + len(written), " ".join(written.lower().split())
        return
    digits = parts["digits"].lstrip("'’‘")
    if len(digits) == 2:
        digits = ("20" if int(digits) <= _TURN_OF_CENTURY else "19") + digits
    start = 0
    for place, letter in zip(parts.spans("letter"), parts.captures("letter"), strict=True):
        yield offset + start, offset + place[1], digits + letter
        start = place[0] + 1
    if not start:
        yield offset, offset + len(written), digits


def _labelled(match: regex.Match[str], group: str) -> list[CitedWork]:
    return [
        CitedWork(*place, labels=tuple(numbers(label)) if group == "number" else (label,))
        for place, label in zip(match.spans(group), match.captures(group), strict=True)
    ]


def numbers(written: str) -> list[str]:
    """Return all numbers of a range such as "7-9", or the single number, as digits."""
    first, *last = (int(number) for number in _DIGITS.findall(written))
    if last and first < last[0] <= first + _MAX_RANGE:
        return [str(number) for number in range(first, last[0] + 1)]
    return [str(number) for number in (first, *last)]


def _apart(found: list[_Found]) -> list[_Found]:
    """Sort and merge overlapping markers; of works with the same year, keep the longest."""
    merged: list[_Found] = []
    for start, end, works in sorted(found, key=lambda marker: marker[:2]):
        if merged and start < merged[-1][1]:
            before, reach, named = merged[-1]
            ends = {work.end for work in named}
            named += (work for work in works if work.end not in ends)
            named.sort(key=lambda work: work.end)
            merged[-1] = (before, max(end, reach), named)
        else:
            merged.append((start, end, works))
    return merged
