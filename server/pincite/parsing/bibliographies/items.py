"""Items of bibliographies in JSON and YAML, with their places, and how their values are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, Union

from ...model.bibliographies import FieldPlace
from ...model.papers import NO_BREAK_SPACE
from ...model.spans import TextSpan
from ...text.characters import without_controls
from ..bibtex.entry import MONTHS

#: A value without places: what is not a list or a mapping is text, as written.
Value = Union[str, "list[Value]", "dict[str, Value]"]
#: What is wrong, and the offset.
Complaint = tuple[str, int]
#: The names under which an object has its list of items (Pandoc; CSL's own test suite).
LISTS = ("items", "references")

#: What few texts have: space to fold, control characters, half surrogate pairs.
_UNTIDY: Final = re.compile(
    "\\s\\s|\\A\\s|\\s\\Z|[\x00-\x1f\x7f-\xa0\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_HALF_PAIR: Final = re.compile("[\ud800-\udfff]")
_SEPARATES: Final = re.compile(r",|\band\b", re.IGNORECASE)
_DAY: Final = re.compile(r"\d{1,2}")


class Item(NamedTuple):
    """An item and the places of its texts; one of Hayagriva is a mapping from its key."""

    value: Value
    span: TextSpan
    scalars: Callable[[], Sequence[FieldPlace]]
    complaints: Sequence[Complaint] = ()


class Items(NamedTuple):
    """The items of a text, what is wrong around them, and where the list in JSON is closed."""

    items: Sequence[Item] = ()
    complaints: Sequence[Complaint] = ()
    closing: int | None = None


def plain(value: Value | None) -> str:
    """Return a value as a line of text, the texts of a list separated by commas."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(plain, value)))
    if not isinstance(value, str):
        return ""
    if _UNTIDY.search(value) is None:
        return value
    return _HALF_PAIR.sub("\ufffd", without_controls(" ".join(value.split())))


def lowered(value: Value | None) -> dict[str, Value]:
    """Return a mapping with its keys in lower case; empty if the value is no mapping."""
    return {key.lower(): each for key, each in value.items()} if isinstance(value, dict) else {}


def listed(value: Value | None) -> list[Value]:
    """Return the items of a value that may be a list or the only item."""
    if value is None or value == "":
        return []
    return value if isinstance(value, list) else [value]


def name(family: str, given: str = "", suffix: str = "") -> str:
    """Return a person's name in BibTeX's order: ``von Family, Suffix, Given``."""
    if not given and not suffix:
        # Without a comma, the last word would be the family name.
        return one_word(family)
    parts = filter(None, (family, suffix, given))
    return ", ".join(one_word(part) if _SEPARATES.search(part) else part for part in parts)


def one_word(text: str) -> str:
    """Return a name that is not divided: that of an organization."""
    return NO_BREAK_SPACE.join(text.replace(",", ", ").split())


def joined(names: Iterable[str]) -> str:
    """Return names as BibTeX lists them."""
    return " and ".join(filter(None, names))


def date_fields(date: str, year: str = "") -> dict[str, str]:
    """Return a date in ISO form as fields; `year` is for one whose year alone is known."""
    first, *rest = date.split("/", 1)[0].lstrip("-").split("-")
    found = {"date": date, "year": year or first.rstrip("~?%")}
    if rest and _DAY.fullmatch(rest[0]) and 1 <= int(rest[0]) <= 12:
        found["month"] = MONTHS[int(rest[0]) - 1]
    return {key: value for key, value in found.items() if value}
