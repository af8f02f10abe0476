"""Whether what a source says is said of the work of an entry.

A wrong abstract is worse than none: title and authors must agree as those of two references to one
work do (`library.same_work`), and the years where no DOI connects the two.
"""

from __future__ import annotations

from typing import Final, Literal

from rapidfuzz import fuzz

from ..library.same_work import WorkMatcher, as_reference
from ..library.same_work.titles import Title
from ..library.same_work.words import name_words, same_name
from ..model.papers import BibEntry, Reference
from .sources import FoundWork

#: "other": certainly another work. "unsure": too little agrees, or too little is known.
Belief = Literal["same", "other", "unsure"]
#: An issue may appear in the year after its articles.
_MOST_YEARS: Final = 1
#: Less similar titles are those of two works, in per cent of their letters.
_OTHER_TITLE: Final = 70.0


def belief(entry: BibEntry, work: FoundWork, *, by_doi: bool) -> Belief:
    """Return whether a work is that of an entry; `by_doi` says that it has the entry's DOI.

    The DOI alone is no evidence: what is asked by a DOI has that DOI. With it, the year may differ,
    as for an article that was online long before it was printed, or a preprint.
    """
    said = as_reference(work.entry())
    title, other = Title.of(entry.title), Title.of(said.title)
    alike = title.likeness(other)
    if alike is None:
        known = bool(title.letters and other.letters)
        differ = known and fuzz.ratio(title.letters, other.letters) < _OTHER_TITLE
        return "other" if differ else "unsure"
    if not entry.surnames or not said.surnames:
        return "same" if by_doi and alike.whole else "unsure"
    if by_doi and not _share_a_name(entry.surnames, said.surnames):
        return "other"
    year = "" if by_doi else said.year
    if year and entry.year and abs(int(year[:4]) - int(entry.year)) > _MOST_YEARS:
        return "unsure"
    found = WorkMatcher((entry,)).find(Reference(said.title, said.surnames, year))
    return "unsure" if found is None else "same"


def _share_a_name(own: tuple[str, ...], others: tuple[str, ...]) -> bool:
    names = name_words(others)
    return any(same_name(name, other) for name in name_words(own) for other in names)
