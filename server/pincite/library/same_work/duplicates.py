"""Entries of one bibliography that are the same work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ...cancellation import checked
from ...model.papers import BibEntry
from .matcher import WorkMatcher, as_reference
from .titles import letters_of

_CHECKED_EVERY: Final = 100
#: How many others of the same title an entry is compared with: hundreds are “Introduction”.
_MAX_COMPARED: Final = 20
#: A preprint precedes its publication by this many years at most; later ones are other editions.
_MAX_YEARS: Final = 3
_NUMBER: Final = re.compile(r"\d+")
#: Where entries of one type differ in one of these, they are two works of one title.
_TELLING_NUMBERS: Final = ("volume", "number", "pages", "chapter", "edition", "part")
#: Types that are used for a work of any type.
_ANY_TYPE: Final = frozenset(("misc", "online", "unpublished", "techreport", "report"))


def same_works(entries: Iterable[BibEntry]) -> Iterator[tuple[BibEntry, BibEntry]]:
    """Yield entries that are the same work as an earlier one, each with the first such entry.

    A preprint and its publication are; an article and the conference paper of its title are not,
    unless they have the same pages: the type is then that of one of two reference managers.
    """
    known: dict[tuple[str, str], list[BibEntry]] = {}
    for entry in checked(entries, _CHECKED_EVERY):
        if entry.members or entry.entry_type == "set":
            continue
        names = {
            "doi": letters_of(entry.doi),
            "arxiv": entry.arxiv,
            "title": letters_of(entry.title),
            "key": entry.key.lower(),
        }
        alike = [known.setdefault(name, []) for name in names.items() if name[1]]
        others = {id(other): other for each in alike for other in each[:_MAX_COMPARED]}
        for other in others.values():
            matcher = WorkMatcher([other])
            if not _are_two_works(entry, other) and matcher.find(as_reference(entry)) is not None:
                yield entry, other
                break
        else:
            for others_alike in alike:
                others_alike.append(entry)


def _are_two_works(entry: BibEntry, other: BibEntry) -> bool:
    """Return whether identifiers, types, years or numbers show that these are two works."""
    both = (entry, other)
    if entry.doi and entry.doi == other.doi:
        # Chapters may have the DOI of their book.
        return entry.entry_type != other.entry_type and letters_of(entry.title) != letters_of(
            other.title
        )
    if entry.arxiv and other.arxiv:
        return entry.arxiv != other.arxiv
    is_preprint = any(map(_is_preprint, both))
    if entry.doi and other.doi and not is_preprint:
        return True
    years = [int(each.year) for each in both if each.year.isdecimal()]
    if len(years) == 2 and abs(years[0] - years[1]) > (_MAX_YEARS if is_preprint else 0):
        return True
    if entry.entry_type != other.entry_type:
        is_any = any(each.entry_type in _ANY_TYPE for each in both) or _have_same_pages(*both)
        return not (is_preprint or is_any) or any("thesis" in each.entry_type for each in both)
    for name in () if is_preprint else _TELLING_NUMBERS:
        found = [_NUMBER.search(each.fields.get(name, "")) for each in both]
        if len({number.group() for number in found if number}) == 2:
            return True
    return False


def _is_preprint(entry: BibEntry) -> bool:
    named = (entry.doi, entry.fields.get("journal", "").lower())
    return bool(entry.arxiv) or any("arxiv" in each for each in named)


def _have_same_pages(entry: BibEntry, other: BibEntry) -> bool:
    """Return whether two entries have the same pages, and no other volume."""
    pages, volumes = (
        [_NUMBER.findall(each.fields.get(name, "")) for each in (entry, other)]
        for name in ("pages", "volume")
    )
    return pages[0] == pages[1] != [] and (volumes[0] == volumes[1] or [] in volumes)
