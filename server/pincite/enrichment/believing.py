"""Whether what a source says is said of the work of an entry.

A wrong abstract is worse than none: title and authors must agree as those of two references to one
work do (`library.same_work`), and the years where no DOI connects the two. What is found by its
title must also have that very title: a search returns similar works, and one letter may tell them
apart (hepatitis B and C).
"""

from __future__ import annotations

from typing import Final, Literal

from rapidfuzz import fuzz

from ..library.same_work import WorkMatcher, as_reference
from ..library.same_work.titles import TELLING_WORDS, Title
from ..library.same_work.words import name_words, same_name, words_of
from ..model.papers import BibEntry, Reference
from .sources import FoundWork

#: "other": certainly another work. "unsure": too little agrees, or too little is known.
Belief = Literal["same", "other", "unsure"]
#: An issue may appear in the year after its articles.
_MOST_YEARS: Final = 1
#: Less similar titles are those of two works, in per cent of their letters.
_OTHER_TITLE: Final = 70.0
#: So many authors of both make up for a short title.
_TELLING_AUTHORS: Final = 2
#: What is published about a work, under its title.
_NOTICES: Final = frozenset(
    "addendum comment commentary comments corrigendum corrigenda correction corrections errata"
    " erratum replies reply response retracted retraction withdrawn".split()
)


def belief(entry: BibEntry, work: FoundWork, *, by_doi: bool) -> Belief:
    """Return whether a work is that of an entry; `by_doi` says that it has the entry's DOI.

    The DOI alone is no evidence: what is asked by a DOI has that DOI. With it, the year may differ,
    as for an article that was online long before it was printed, or a preprint.
    """
    said = as_reference(work.entry())
    title, other = Title.of(entry.title), Title.of(said.title)
    if _NOTICES & set(title.words) != _NOTICES & set(other.words):
        return "unsure"
    alike = title.likeness(other)
    if alike is None:
        known = bool(title.letters and other.letters)
        differ = known and fuzz.ratio(title.letters, other.letters) < _OTHER_TITLE
        return "other" if differ else "unsure"
    if title.letters != other.letters and _signs(title) != _signs(other):
        return "unsure"
    if not entry.surnames or not said.surnames:
        return "same" if by_doi and alike.whole else "unsure"
    shared = _shared_names(entry.surnames, said.surnames)
    if by_doi and not shared:
        # A group may be named otherwise there, or a name written in another order.
        return "unsure" if title.letters == other.letters else "other"
    if not by_doi and not _has_title(title, other):
        return "unsure"
    is_short = min(len(title.words), len(other.words)) < TELLING_WORDS
    if not by_doi and is_short and not _is_told(entry, work.entry(), shared):
        return "unsure"
    year = "" if by_doi else said.year
    if year and entry.year and abs(int(year[:4]) - int(entry.year)) > _MOST_YEARS:
        return "unsure"
    found = WorkMatcher((entry,)).find(Reference(said.title, said.surnames, year))
    return "unsure" if found is None else "same"


def same_title(entry: BibEntry, work: FoundWork) -> bool:
    """Return whether an entry and a work have the very same title, but for spaces and signs."""
    return Title.of(entry.title).letters == Title.of(work.title).letters


def _has_title(title: Title, other: Title) -> bool:
    """Return whether two titles are the same, but that either may lack its subtitle."""
    one, two = title.main or title.letters, other.main or other.letters
    return title.letters == other.letters or (one == two and bool(title.main) != bool(other.main))


def _is_told(entry: BibEntry, work: BibEntry, shared: int) -> bool:
    """Return whether year and people tell works with a short title apart: "Introduction"."""
    one, two = _initials(entry), _initials(work)
    same_person = bool(one and two) and (one <= two or two <= one)
    return entry.year == work.year and (shared >= _TELLING_AUTHORS or same_person)


def _initials(entry: BibEntry) -> frozenset[str]:
    """Return the initials of the first author's given names."""
    first = (entry.fields.get("author") or entry.fields.get("editor") or "").split(" and ")[0]
    surname = words_of(" ".join(entry.surnames[:1]))
    return frozenset(word[0] for word in words_of(first) if word not in surname)


def _signs(title: Title) -> frozenset[str]:
    """Return the single letters of a title, such as the B of "hepatitis B", but for the article."""
    return frozenset(word for word in title.words if len(word) == 1) - {"a"}


def _shared_names(own: tuple[str, ...], others: tuple[str, ...]) -> int:
    names = name_words(others)
    return sum(any(same_name(name, other) for other in names) for name in name_words(own))
