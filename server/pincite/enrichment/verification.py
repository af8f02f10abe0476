"""Decide whether a service's record describes the same work as an entry.

A wrong abstract is worse than none: title and authors must agree as those of two references to one
work do (`library.same_work`), and titles that differ must not differ in what distinguishes works: a
search returns similar works, and the commonest wrong DOI is that of a similar one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, Literal

from rapidfuzz import fuzz

from ..library.same_work import WorkMatcher, as_reference
from ..library.same_work.titles import (
    OTHER_TITLE,
    TELLING_WORDS,
    Title,
    name_words,
    same_name,
    same_word,
    words_of,
)
from ..model.papers import BibEntry, Reference
from ..text.languages import identified

#: "other": certainly another work. "unsure": too little agrees, or too little is known.
Verdict = Literal["same", "other", "unsure"]
#: An issue may appear in the year after its articles.
_MAX_YEARS: Final = 1
#: How many shared authors make up for a short title.
_TELLING_AUTHORS: Final = 2
#: Two spellings of a word begin with so many letters that are the same: "modelling", "modeling",
#: but neither "hypertension", "hypotension" nor "UK", "US".
_SAME_LETTERS: Final = 4
#: Words that only one of two titles has if they are of different works: a part of it, another
#: edition, or what is published about it. The first where nothing else is added.
_SHORT_PARTS: Final = 3
_PARTS_ALONE: Final = frozenset(
    "abstract abstracts book chapter comment comments commentary data decision discussion editorial"
    " index letter poster preface preprint reply replies report response review section slides"
    " summary".split()
)
_PARTS: Final = frozenset(
    "addendum appendix appendices concern correction corrections corrigenda corrigendum ed edition"
    " errata erratum part rejoinder removed retracted retraction supplement supplemental"
    " supplementary supplements supporting teil tome vol volume withdrawn".split()
)
#: Words that make no difference.
_SMALL: Final = frozenset("a an and at by for from in of on the to with".split())
#: Fields with the title of that which a work is in.
_LARGER: Final = ("maintitle", "booktitle", "series", "journal", "journaltitle")
_NUMBER: Final = re.compile(r"\d.*|[ivxlc]+|\w")


def verify_match(entry: BibEntry, work: BibEntry, *, by_doi: bool) -> Verdict:
    """Return whether a record is of an entry's work; `by_doi` if it was looked up by its DOI.

    The DOI alone is no evidence: the result of that look-up has it in any case. With it, the year
    may differ, as for an article that was online long before it was printed, or a preprint. What is
    found by its title must have that title, but for the subtitle, and the same first author and
    year.
    """
    record = as_reference(work)
    title, other = Title.of(entry.title), Title.of(record.title)
    theirs = name_words(record.surnames)
    shared = sum(any(same_name(own, name) for name in theirs) for own in name_words(entry.surnames))
    alike = title.likeness(other)
    if alike is None:
        return "other" if _contradict(entry, record, title, other, shared) else "unsure"
    if _are_of_two_works(title, other):
        return "unsure"
    if not entry.surnames or not record.surnames:
        return "same" if by_doi and alike.whole else "unsure"
    # A group may be named otherwise there, or a name written in another order.
    if not shared:
        return "unsure"
    if not by_doi:
        one, two = title.main or title.letters, other.main or other.letters
        lacks_subtitle = one == two and bool(title.main) != bool(other.main)
        is_short = min(len(title.words), len(other.words)) < TELLING_WORDS
        if not (title.letters == other.letters or lacks_subtitle) or not _same_author_and_year(
            entry, work, shared, is_short
        ):
            return "unsure"
    reference = Reference(record.title, record.surnames, "" if by_doi else record.year)
    return "unsure" if WorkMatcher((entry,)).find(reference) is None else "same"


def is_of_larger(entry: BibEntry, title: Title) -> bool:
    """Return whether a title is that of what a work is in: its identifier may be theirs."""
    return any(Title.of(entry.fields.get(name, "")).likeness(title) for name in _LARGER)


def _contradict(
    entry: BibEntry, record: Reference, title: Title, other: Title, shared: int
) -> bool:
    if not (title.letters and other.letters and entry.surnames and record.surnames):
        return False
    if (
        title.letters.isascii() != other.letters.isascii()
        or is_of_larger(entry, other)
        or fuzz.ratio(title.letters, other.letters) >= OTHER_TITLE
    ):
        return False
    if shared:
        return identified(entry.title) == identified(record.title) is not None
    latin = ("".join(name_words(each)).isascii() for each in (entry.surnames, record.surnames))
    return len(set(latin)) == 1


def _are_of_two_works(title: Title, other: Title) -> bool:
    """Return whether two similar titles differ in a way that distinguishes works."""
    if title.letters == other.letters:
        return False
    own, theirs = _without(title.words, other.words), _without(other.words, title.words)
    if own and theirs:
        pairs = zip(own, theirs, strict=False)
        return len(own) != len(theirs) or not all(_are_spellings(*pair) for pair in pairs)
    added = own or theirs
    return bool(added) and (
        len(added) == 1
        or _NUMBER.fullmatch(added[0]) is not None
        or not _PARTS.isdisjoint(added)
        or (len(added) <= _SHORT_PARTS and not _PARTS_ALONE.isdisjoint(added))
    )


def _without(words: Iterable[str], others: Iterable[str]) -> Sequence[str]:
    """Return the words that others lack, in order, without function words."""
    left, found = list(others), []
    for word in words:
        if word in left:
            left.remove(word)
        elif word not in _SMALL:
            found.append(word)
    return found


def replaced_words(title: Title, other: Title) -> tuple[Sequence[str], Sequence[str]]:
    """Return the words that each of two titles has instead of those of the other.

    Function words, other spellings, and words that are written together or apart are none.
    """
    own, theirs = _without(title.words, other.words), _without(other.words, title.words)
    return _replaced(own, title, theirs, other), _replaced(theirs, other, own, title)


def _replaced(own: Sequence[str], title: Title, theirs: Sequence[str], other: Title) -> list[str]:
    """Return the words of `own` of which another title has no spelling."""
    pairs = [*pairwise(title.words)]
    apart = {word for pair in pairs if "".join(pair) in other.words for word in pair}
    together = {"".join(pair) for pair in pairwise(other.words)}
    new = (word for word in own if word not in apart | together)
    return [word for word in new if not any(same_word(word, one) for one in theirs)]


def _are_spellings(word: str, other: str) -> bool:
    return (
        word[:_SAME_LETTERS] == other[:_SAME_LETTERS]
        and len(word) >= _SAME_LETTERS
        and (word + other).isalpha()
        and same_word(word, other)
    )


def _same_author_and_year(entry: BibEntry, work: BibEntry, shared: int, is_short: bool) -> bool:
    """Return whether first author and year agree; for a `is_short` title, more must agree."""
    if not entry.year or not work.year:
        return False
    if abs(int(entry.year) - int(work.year)) > (0 if is_short else _MAX_YEARS):
        return False
    (own, one), (theirs, two) = (_first_author(each) for each in (entry, work))
    if own.isdisjoint(theirs):
        return False
    if one and two:
        return one <= two or two <= one
    return not is_short or shared >= _TELLING_AUTHORS


def _first_author(entry: BibEntry) -> tuple[set[str], set[str]]:
    surname = {word for name in name_words(entry.surnames[:1]) for word in name.split()}
    first = (entry.fields.get("author") or entry.fields.get("editor") or "").split(" and ")[0]
    return surname, {word[0] for word in words_of(first) if word not in surname}
