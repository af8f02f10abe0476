"""Papers with citances and the sentences that annotators chose for them (CL-SciSumm, Task 1A)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import regex

from pincite.model.papers import ReferencePaper
from pincite.model.problems import Problem

Split = Literal["train", "scisummnet", "test"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of an annotator, its fields as written in the file.

    The organisers' script interprets quotes, brackets and blanks, so fields are only stripped.
    `facet` is None if the file has no such column.
    """

    number: str
    reference: str
    citing: str
    citation_text: str
    reference_offset: str
    reference_text: str
    facet: str | None = None


@dataclass(frozen=True, slots=True)
class GoldFile:
    """The rows of one annotator for one reference paper, in file order."""

    name: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Citance:
    """One citance of the task.

    `citing` is the citing paper's id without ``.xml``. `written` is the citation text as in the
    file, on which scores join. `text` is the same for readers and matchers, without tags and
    entities; for rows without citation text, it comes from elsewhere in the corpus.
    """

    number: str
    citing: str
    written: str
    text: str


@dataclass(frozen=True, slots=True)
class AnnotatedPaper:
    """A reference paper with its citances and gold.

    `sids` has an id for each of its sentences, `written` their texts as in the file, with encoded
    entities; it is empty if these equal the sentences' texts.
    """

    id: str
    paper: ReferencePaper
    sids: tuple[str, ...]
    citances: tuple[Citance, ...]
    gold: tuple[GoldFile, ...]
    written: tuple[str, ...] = ()

    def citances_of_others(self, citance: Citance) -> list[str]:
        """Return the citances of all citing papers except the given citance's own."""
        return [each.text for each in self.citances if each.citing != citance.citing]


@dataclass(frozen=True, slots=True)
class AnnotatedCorpus:
    """The papers of one split, in the order of their ids."""

    split: Split
    papers: tuple[AnnotatedPaper, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def citances(self) -> int:
        """Number of citances of all papers."""
        return sum(len(paper.citances) for paper in self.papers)


#: For each citance of a paper, in its order, the ids of the sentences that a system chose.
Answers = Sequence[Sequence[str]]


#: The key of a row: reference and citing paper, or citing paper and citation text.
Key = tuple[str, str]
#: What annotators write if they found no sentence.
NOT_JUDGED: Final = "NA"
#: At either end of an id.
_QUOTE: Final = re.compile(r"^['\"]|['\"]\Z")
#: A tag may contain any character but ``>``; matching the last ``<S`` before it keeps this linear.
_WITH_TEXT: Final = regex.compile(r"<S\b(?:[^<>]++|<(?!S\b))*+>[^<]")
_ID: Final = re.compile(r"\d+")
_NO_LETTER: Final = re.compile(r"[^a-z0-9]+")
#: This much of a citation text identifies it; annotators' copies may differ towards the end.
_JOINED_LETTERS: Final = 60


def paper_id(written: str) -> str:
    """Return the id of a paper as the organisers' script reads it."""
    return written.replace(".xml", "")


def citance_key(citing: str, citation_text: str) -> Key:
    """Return the key that citances are joined on: citing paper and the first letters of the text.

    Accents, case, spaces and punctuation are ignored.
    """
    text = unicodedata.normalize("NFKD", citation_text).lower()
    return paper_id(citing), _NO_LETTER.sub("", text)[:_JOINED_LETTERS]


def is_usable(row: Row) -> bool:
    """Return whether the organisers' script finds a sentence in a row; in ``NA`` it does not."""
    return _WITH_TEXT.search(row.reference_text) is not None


def listed_ids(field: str) -> tuple[str, ...]:
    """Return the ids in a list as annotators write it: ``'9','10'``, ``['9', '10']``, ``9``."""
    items = field.removeprefix("[").removesuffix("]").split(",")
    return tuple(_QUOTE.sub("", item.strip()) for item in items)


def numbers(field: str) -> frozenset[str]:
    """Return the numbers in a list, ignoring everything around them."""
    return frozenset(_ID.findall(field))
