"""Papers with citances and the sentences that annotators chose for them (CL-SciSumm, Task 1A)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

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
