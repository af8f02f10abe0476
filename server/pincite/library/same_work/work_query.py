"""A query for a work, made from a reference or from a paper's own front matter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ...model.papers import Reference, ReferencePaper
from .passages import Passage
from .titles import MAX_LENGTH, Title
from .words import name_words

_YEAR: Final = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
# A paper's own title begins within the first letters of its first page, at most this many.
_TITLE_WITHIN: Final = 400
# A short title occurs in other titles and in abstracts, so it must be the very first words.
_SHORT_TITLE_WITHIN: Final = 1
_ANYWHERE: Final = 1_000_000
# This many characters of a reference, or after a title, are searched for authors.
_AUTHORS_WITHIN: Final = 120
# Only in a text of this many letters is something missing evidence against an entry.
TELLING_TEXT: Final = 150


@dataclass(frozen=True, slots=True)
class WorkQuery:
    """What is known about the work to find.

    `title` is the recognised title, if any, and `passage` a text that contains it, beginning before
    the letter `title_within`, or `short_title_within` if it has few words. `names` are surnames as
    returned by `name_words`, `witness` is a text that names the authors.
    """

    title: Title
    passage: Passage
    title_within: int
    short_title_within: int
    names: tuple[str, ...]
    witness: Passage
    years: tuple[int, ...]
    key: str = ""

    @classmethod
    def by_reference(cls, reference: Reference, key: str) -> WorkQuery:
        """Make a query from a reference."""
        text = reference.text[:MAX_LENGTH]
        years = _YEAR.findall(reference.year) or _YEAR.findall(text)
        return cls(
            Title.of(reference.title),
            Passage(text),
            _ANYWHERE,
            _ANYWHERE,
            name_words(reference.surnames),
            Passage(text[:_AUTHORS_WITHIN]),
            tuple(sorted(set(map(int, years)))),
            key,
        )

    @classmethod
    def by_paper(cls, paper: ReferencePaper) -> WorkQuery:
        """Make a query from a paper's own title page."""
        front = Passage(paper.front[:MAX_LENGTH])
        telling = len(front.letters) >= TELLING_TEXT
        return cls(
            Title.of(paper.title),
            front,
            # Files without pages may be notes and reading lists, which begin with other titles.
            _TITLE_WITHIN if paper.page_count else 0,
            _SHORT_TITLE_WITHIN if paper.page_count else 0,
            name_words(paper.surnames),
            front if telling or paper.surnames else Passage(),
            tuple(map(int, _YEAR.findall(paper.year))),
        )
