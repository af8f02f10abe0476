"""Pages in the note of a citation: ``chap. 2`` becomes ``chap. 2, p. 361``.

A note that ends in pages gets the new page added to them, and adjacent pages become a range:
``p. 361`` and 362 give ``pp. 361-362``, with 365 ``pp. 361, 365``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from sys import maxsize
from typing import NamedTuple

_NUMBER = (
    r"(?<![A-Za-z\d])(?:(?:[A-Za-z]{1,2}-?)?\d+(?:[.:]\d+)*|[ivxlcdm]+|[IVXLCDM]+)(?![A-Za-z\d])"
)
_DASH = r"\s*(?:-{1,3}|–|\\bibrangedash\s?)\s*"
_FOLLOWING = r"(?:~|\\,|[ ])?ff?(?![A-Za-z])\.?"
_RANGE = rf"(?:{_NUMBER}(?:{_DASH}{_NUMBER})?|[A-Za-z]?\d+{_FOLLOWING})"
_BETWEEN = r"(?:\s*,\s*~?|(?:\s|~)+(?:and|und|et|y|e|\\&)(?:\s|~)+)"
_LIST = rf"{_RANGE}(?:{_BETWEEN}{_RANGE})*"
_SIGN = (
    r"(?<![A-Za-z\\])(?:\\pp?no|[Pp]p?\.|[Pp]ages?|S\.|Seiten?)(?![A-Za-z])(?:~|\s|\\[ ,;]|\{\})*"
)
_PAGES = re.compile(rf"(?P<sign>{_SIGN})(?P<list>{_LIST})")
#: Numbers with dots and without an abbreviation are section numbers.
_BARE_PAGES = re.compile(rf"(?!.*\d\.\d)(?P<sign>)(?P<list>{_LIST})", re.DOTALL)
_PAGE = re.compile(_RANGE)
_PARTS = re.compile(
    r"(?P<first>(?:[A-Za-z]{1,2}-?\d+|[^\W_]+)(?:[.:]\d+)*)"
    rf"(?:(?P<dash>{_DASH})(?P<last>[^\W_]+)|(?P<following>\W*f{{1,2}}\.?))?"
)
_NUMERAL = re.compile(r"\d+|[ivxlcdm]+|[IVXLCDM]+")
_PLURALS: Mapping[str, str] = {
    "p.": "pp.", "P.": "Pp.", "page": "pages", "Page": "Pages", "Seite": "Seiten",
    "\\pno": "\\ppno",
}  # fmt: skip


def is_page(text: str) -> bool:
    """Return whether a text is a page or a range of pages."""
    return _PAGE.fullmatch(text) is not None


def with_page(
    note: str, page: str, *, biblatex: bool = False, space: str = "~", dash: str = "--"
) -> str:
    """Return a note with a page added; the same note if it already has the page.

    `space` is written after an abbreviation, and `dash` between the pages of a range.
    """
    new = _range(page)
    # biblatex adds the abbreviation only if the note consists of pages in numerals.
    alone = biblatex and all(map(_NUMERAL.fullmatch, re.split(r"[\s–-]+", page)))
    # Its own abbreviation is in the draft's language.
    sign = "\\pno" if biblatex else "p."
    signed = f"{sign if new.dash is None else _PLURALS[sign]}{space}{page}"
    if not note:
        return page if alone else signed
    found = [whole] if (whole := _BARE_PAGES.fullmatch(note)) else list(_PAGES.finditer(note))
    lists = [[*_PAGE.finditer(note, *each.span("list"))] for each in found]
    if any(_covers(_range(match.group()), new) for each in lists for match in each):
        return note
    if not found or found[-1].end() < len(note):
        return f"{note.rstrip(', ')}, {signed}"
    sign = found[-1]["sign"] or (f"\\ppno{space}" if biblatex and not alone else "")
    word = re.match(r"\\?[A-Za-z]+\.?", sign)
    if word is not None:
        sign = _PLURALS.get(word[0], word[0]) + sign[word.end() :]
    return note[: found[-1].start()] + sign + _list_with(note, lists[-1], new, dash)


class _Range(NamedTuple):
    """Pages in a note, their numbers if they are such; one that is not `plain` ends in "f"."""

    text: str
    numbers: tuple[int, int] | None = None
    dash: str | None = None
    plain: bool = True


def _range(text: str) -> _Range:
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return _Range(text)
    first, last = parts["first"], parts["last"] or parts["first"]
    if not (first.isdecimal() and last.isdecimal()):
        return _Range(text, None, parts["dash"])
    if len(last) < len(first):  # 361--2
        last = first[: -len(last)] + last
    following = parts["following"] is not None
    return _Range(text, (int(first), int(last) + following), parts["dash"], not following)


def _covers(one: _Range, other: _Range) -> bool:
    if one.numbers is None or other.numbers is None:
        return one.text == other.text
    return one.numbers[0] <= other.numbers[0] and other.numbers[1] <= one.numbers[1]


def _touches(one: _Range, other: _Range) -> bool:
    if one.numbers is None or other.numbers is None or not one.plain:
        return False
    return one.numbers[0] - 1 <= other.numbers[1] and other.numbers[0] <= one.numbers[1] + 1


def _list_with(note: str, listed: list[re.Match[str]], new: _Range, dash: str) -> str:
    """Return a list of pages with another one inserted in order; separators stay."""
    ranges = [_range(match.group()) for match in listed]
    betweens = [note[one.end() : other.start()] for one, other in pairwise(listed)]
    texts = [each.text for each in ranges]
    joined = [at for at, each in enumerate(ranges) if _touches(each, new)]
    if joined and joined == list(range(joined[0], joined[-1] + 1)):
        merged = (*(ranges[at] for at in joined), new)
        ends = [end for each in merged for end in each.numbers or ()]
        dash = next((each.dash for each in (*ranges, new) if each.dash), dash)
        texts[joined[0] : joined[-1] + 1] = [f"{min(ends)}{dash}{max(ends)}"]
        del betweens[joined[0] : joined[-1]]
    else:
        # Before the first that is later.
        numbers = new.numbers or (maxsize, 0)
        later = (at for at, each in enumerate(ranges) if each.numbers and each.numbers > numbers)
        at = next(later, len(texts))
        texts.insert(at, new.text)
        betweens.insert(min(at, len(betweens)), ", ")
    return "".join(part for pair in zip(texts, [*betweens, ""], strict=True) for part in pair)
