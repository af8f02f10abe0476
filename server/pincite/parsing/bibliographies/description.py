"""What an item says: a key, a type and fields under the names that BibTeX has for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ...model.papers import NO_BREAK_SPACE
from ...text.controls import without_controls
from ..bibtex.entry import MONTHS
from .items import Value

_SPACE: Final = re.compile(r"\s+")
#: What few texts have: space to fold, control characters, half surrogate pairs.
_UNTIDY: Final = re.compile(
    "\\s\\s|\\A\\s|\\s\\Z|[\x00-\x1f\x7f-\xa0\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_HALF_PAIR: Final = re.compile("[\ud800-\udfff]")
_AND: Final = re.compile(r"\band\b", re.IGNORECASE)
_DAY: Final = re.compile(r"\d{1,2}")


@dataclass(frozen=True, slots=True)
class EntryDescription:
    """An item of a bibliography; the key is empty if it has none."""

    key: str
    entry_type: str
    fields: Mapping[str, str]
    aliases: tuple[str, ...] = ()


def plain(value: Value | None) -> str:
    """Return a value as a line of text, the texts of a list separated by commas."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(plain, value)))
    if not isinstance(value, str):
        return ""
    if _UNTIDY.search(value) is None:
        return value
    value = _SPACE.sub(" ", value).strip()
    return _HALF_PAIR.sub("\ufffd", without_controls(value))


def listed(value: Value | None) -> list[Value]:
    """Return the items of a value that may be a list or the only item."""
    if value is None or value == "":
        return []
    return value if isinstance(value, list) else [value]


def name(family: str, given: str = "", suffix: str = "") -> str:
    """Return a person's name in BibTeX's order: ``von Family, Suffix, Given``."""
    parts = [family, suffix, given] if suffix else [family, given]
    if not given and not suffix:
        # Without a comma, the last word would be the family name.
        return one_word(family)
    return ", ".join(filter(None, map(_unseparated, parts)))


def one_word(text: str) -> str:
    """Return a name that is not divided: that of an organization."""
    return (
        NO_BREAK_SPACE.join(text.split())
        .replace(",", f",{NO_BREAK_SPACE}")
        .replace(NO_BREAK_SPACE * 2, NO_BREAK_SPACE)
    )


def _unseparated(part: str) -> str:
    """Return a part of a name without what separates names and parts."""
    return one_word(part) if "," in part or _AND.search(part) else part


def joined(names: Iterable[str]) -> str:
    """Return names as BibTeX lists them."""
    return " and ".join(filter(None, names))


def date_fields(date: str, year: str = "") -> dict[str, str]:
    """Return a date in ISO form as fields; `year` is what it says of the year alone."""
    if not date and not year:
        return {}
    year = year or date.split("/", 1)[0].lstrip("-").split("-", 1)[0].rstrip("~?%")
    found = {"date": date, "year": year}
    rest = date.split("/", 1)[0].lstrip("-").split("-")[1:]
    if rest and _DAY.fullmatch(rest[0]) and 1 <= int(rest[0]) <= 12:
        found["month"] = MONTHS[int(rest[0]) - 1]
    return {key: value for key, value in found.items() if value}
