"""Published figures for discourse facets (CL-SciSumm, Task 1B), for comparison with ours.

Dennis Aumiller, Satya Almasian, Philip Hausner and Michael Gertz, "UniHD@CL-SciSumm 2020: Citation
Extraction as Search", SDP 2020, pages 261-269.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ..measures import Measure
from .classifier import Facet

#: Table 3: a fifth of the annotations of the 40 training papers, drawn at random, so that most of
#: its papers are in the training part too. Figures of a facet, and how many samples it has.
VALIDATION: Final[Mapping[Facet, tuple[Measure, int]]] = {
    "Aim": (Measure(1.000, 0.333, 0.500), 18),
    "Hypothesis": (Measure(0.000, 0.000, 0.000), 1),
    "Implication": (Measure(0.000, 0.000, 0.000), 21),
    "Method": (Measure(0.742, 0.969, 0.841), 98),
    "Results": (Measure(0.444, 0.800, 0.571), 15),
}
VALIDATION_MICRO: Final = Measure(0.685, 0.739, 0.711)
VALIDATION_MACRO: Final = Measure(0.437, 0.421, 0.382)


@dataclass(frozen=True, slots=True)
class PublishedOfficial:
    """The official F1 of one system on the test set; `sentences` is that of Task 1A.

    `k` is the number of sentences per citance, if known.
    """

    name: str
    source: str
    f1: float
    sentences: float | None = None
    k: int | None = None


_TABLE_4: Final = "Aumiller et al. 2020, Table 4"
_SCORED: Final = "scored by us"
#: The constant answer is scored on the public gold, with Pincite's sentences.
OFFICIAL_TEST: Final = (
    PublishedOfficial("UniHD, 2 fields", _TABLE_4, 0.292, 0.161, 4),
    PublishedOfficial("UniHD, 3 fields", _TABLE_4, 0.294, 0.153, 4),
    PublishedOfficial("NaCTeM-UoM 2019 (Zerva et al.)", _TABLE_4, 0.312, 0.126),
    PublishedOfficial("NUDT 2018 (Wang et al.)", _TABLE_4, 0.262, 0.145),
    PublishedOfficial("CIST 2019 (Li et al.)", _TABLE_4, 0.389, 0.106),
    PublishedOfficial("CIST 2018 (Li et al.)", _TABLE_4, 0.381, 0.122),
    PublishedOfficial("CMU CiteQA 2020, run 26", "the organisers' scores of 2020", 0.3105),
    PublishedOfficial("always Method", _SCORED, 0.347, k=2),
    PublishedOfficial("always Method", _SCORED, 0.400, k=3),
    PublishedOfficial("always Method", _SCORED, 0.454, k=4),
    PublishedOfficial("always Method", _SCORED, 0.552, k=8),
)
