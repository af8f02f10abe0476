"""Format citations of a LaTeX paper as a reader sees them, by the name of their command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ....model.papers import Reference, author_year
from .cited_works import CitedWorks

#: The printed form of a citation command, according to its name.
_Form = Literal["brackets", "narrative", "bare", "authors", "year", "bare year", "title"]
_NARRATIVE = re.compile(
    r"citet|newcite|textcite|citeasnoun|citeposs|citepos|possessivecite|onlinecite|inlinecite"
    r"|(?:full|short)?citeA\Z|citen\Z|headlesscite",
    re.IGNORECASE,
)
_BARE = re.compile(r"citeal[tp]|citeNP|citeNN|citeay", re.IGNORECASE)
#: ``\shortcite`` of the ACL's older styles is a year.
_YEAR_ONLY = re.compile(r"citeyear|citedate|citeurldate|shortcite\Z|yrcite")


@dataclass(frozen=True, slots=True)
class PrintedCitation:
    """A citation as a reader sees it, and within brackets; the references that it cites."""

    text: str
    bare: str
    references: tuple[int, ...]


def printed_citation(command: str, keys: Sequence[str], works: CitedWorks) -> PrintedCitation:
    """Return how a command prints the works of some keys; an unknown work is printed as its key.

    Cited works get their numbers in `works`.
    """
    numbers = [works.number(key) for key in keys]
    cited = tuple(dict.fromkeys(number for number in numbers if number is not None))
    if not cited:
        bare = "; ".join(keys)
        return PrintedCitation(f"[{bare}]", f"[{bare}]", ())
    form = _form(command)
    known = [None if number is None else works.references[number] for number in numbers]
    labels = [_label(r, key, form) for r, key in zip(known, keys, strict=True)]
    bare = (", " if form == "narrative" else "; ").join(dict.fromkeys(labels))
    return PrintedCitation(f"({bare})" if form in ("brackets", "year") else bare, bare, cited)


def _form(command: str) -> _Form:
    """Return the printed form of a citation command, according to its name."""
    name = command.rstrip("*")
    lowered = name.lower()
    if "title" in lowered:
        return "title"
    if "author" in lowered and "year" not in lowered:
        return "authors"
    if _YEAR_ONLY.search(lowered):
        return "year" if lowered.endswith(("par", "cite")) else "bare year"
    if _NARRATIVE.search(name) and "foot" not in lowered:
        return "narrative"
    return "bare" if _BARE.search(name) else "brackets"


def _label(reference: Reference | None, key: str, form: _Form) -> str:
    """Return how one work is cited, without unknown parts; its key if all are unknown."""
    if reference is None:
        return key
    who, year = author_year(reference.surnames, ""), reference.year
    said = f"{who} {year}".strip()
    if form == "narrative" and who and year:
        said = f"{who} ({year})"
    elif form == "authors":
        said = who
    elif form in ("year", "bare year"):
        said = year
    elif form == "title":
        said = reference.title
    return said or key
