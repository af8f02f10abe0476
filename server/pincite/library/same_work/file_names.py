"""Parse file names into what they state about the work."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .words import name_words

_FILE_DOI: Final = re.compile(r"10\.\d{4,9}[^\w.]?\S+")
_FILE_ARXIV: Final = re.compile(r"(?<![\d.])(\d\d(?:0[1-9]|1[0-2])\.\d{4,5})(?:v\d{1,2})?(?![\d.])")
_FILE_OLD_ARXIV: Final = re.compile(
    r"([a-z]+(?:-[a-z]+)?)(?:\.[a-z]{2})?[_./-]?(\d{7})(?:v\d{1,2})?"
)
# "Och and Ney - 2003 - A Systematic Comparison of...", and "och_2003_systematic".
_FILE_PARTS: Final = re.compile(r"(.{2,80}?) - ((?:1[89]|20)\d\d) - (.{3,})")
_FILE_NAMES: Final = re.compile(r",|&|\band\b|\bet al\b\.?")
_FILE_KEY: Final = re.compile(r"([^\W\d_]{2,40}?)[-_.]?((?:1[89]|20)\d\d)[-_.]?([^\W\d_]{4,40})")


class NamedWork(NamedTuple):
    """The parts of a file name: a title, normalised surnames, and a year."""

    title: str
    names: tuple[str, ...] | None = None
    year: int | None = None


def doi_in(stem: str) -> str:
    """Return the DOI in a file name, empty if there is none."""
    found = _FILE_DOI.search(stem)
    return found.group() if found else ""


def arxiv_in(stem: str) -> str:
    """Return the arXiv identifier in a file name, empty if there is none."""
    if found := _FILE_OLD_ARXIV.fullmatch(stem):
        return f"{found[1]}/{found[2]}"
    found = _FILE_ARXIV.search(stem)
    return found[1] if found else ""


def author_year_word(stem: str) -> tuple[str, int, str] | None:
    """Return the name, year and word of a file name such as ``och_2003_systematic``."""
    if (key := _FILE_KEY.fullmatch(stem)) is None:
        return None
    (name,) = name_words((key[1],)) or ("",)
    return name, int(key[2]), key[3]


def work_named(stem: str) -> NamedWork:
    """Return the title in a file name, with authors and year if it has them."""
    title = stem.replace("_", " ").replace("+", " ")
    if parts := _FILE_PARTS.fullmatch(title):
        return NamedWork(parts[3], name_words(_FILE_NAMES.split(parts[1])), int(parts[2]))
    return NamedWork(title)
