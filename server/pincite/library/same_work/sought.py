"""What is known about the work that is looked for: by a reference, or by a paper itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ...model.papers import Reference, ReferencePaper
from .passages import Passage
from .titles import LONGEST, Title
from .words import name_words

_YEAR: Final = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
# A paper's own title begins within this many letters of its first page.
_TITLE_WITHIN: Final = 400
# A short one is mentioned in other titles and in abstracts: it has to be the very first words.
_SHORT_TITLE_WITHIN: Final = 1
_ANYWHERE: Final = 1_000_000
# This many characters of a reference are searched for its authors, and after a title for one.
_AUTHORS_WITHIN: Final = 120
# A text has to have this many letters before what it lacks speaks against an entry.
TELLING_TEXT: Final = 150


@dataclass(frozen=True, slots=True)
class Sought:
    """What is known about the work that is looked for.

    `title` is the title as far as it was recognised, and `passage` a text that has it somewhere,
    beginning before the letter `title_within`, or `short_title_within` where it has few words.
    `names` are surnames as `name_words` has them, `witness` is a text that names the authors.
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
    def by_reference(cls, reference: Reference, key: str) -> Sought:
        """Return what a reference says."""
        text = reference.text[:LONGEST]
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
    def by_paper(cls, paper: ReferencePaper) -> Sought:
        """Return what a paper says about itself."""
        front = Passage(paper.front[:LONGEST])
        telling = len(front.letters) >= TELLING_TEXT
        return cls(
            Title.of(paper.title),
            front,
            # Notes and reading lists begin with the titles of other works; they have no pages.
            _TITLE_WITHIN if paper.page_count else 0,
            _SHORT_TITLE_WITHIN if paper.page_count else 0,
            name_words(paper.surnames),
            front if telling or paper.surnames else Passage(),
            tuple(map(int, _YEAR.findall(paper.year))),
        )
