"""Published figures, for comparison with ours; ``published.json`` has them and their sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from .results import Row

Scheme = Literal["official", "citance", "union"]
#: The source of figures that no paper gives.
SCORED_BY_US = "scored by us"


class Ours(NamedTuple):
    """A system of ours, with the parameters that correspond to a published row."""

    system: str
    changed: dict[str, Any]

    def is_of(self, row: Row) -> bool:
        """Return whether a row has this system and these parameters, with any K."""
        changed = {name: value for name, value in row.changed.items() if name not in ("k", "model")}
        return self.system == row["system"] and self.changed == changed


class Published(msgspec.Struct, frozen=True):
    """Cited text identification: figures of one system on one split, None if not given.

    `k` is the number of sentences per citance, or per field of the ensembles, None if unknown.
    `ours` are our versions of the system. With `part`, only those papers of the split were scored.
    """

    name: str
    source: str
    split: str
    scheme: Scheme
    f1: float
    k: int | None = None
    precision: float | None = None
    recall: float | None = None
    rouge_s: float | None = None
    ours: tuple[Ours, ...] = ()
    part: str = ""


class PublishedLength(msgspec.Struct, frozen=True):
    """The mean length, in tokens, of the sentences that a system chose on the training set."""

    name: str
    tokens: float
    k: int
    ours: tuple[Ours, ...]


_READ = msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes())
PUBLISHED = msgspec.convert(_READ["cited_text"], tuple[Published, ...])
LENGTHS = msgspec.convert(_READ["lengths"], tuple[PublishedLength, ...])
#: Ricci et al.: the claim, the row that should be ahead, and the row that should be behind. Rows
#: with their own vectors are compared with `asymmetric-trained`, trained on the same text.
CLAIMS: Sequence[tuple[str, str, str]] = _READ["claims"]
#: CitRet's steps, compared among rows with the same weights.
STEPS: Sequence[tuple[str, str, str]] = _READ["steps"]
#: Facets of a fifth of the training set (Aumiller et al. 2020, Table 3), as a row of ours.
FACETS_OF_A_FIFTH = Row("UniHD, Table 3 (random fifth)", _READ["facets_of_a_fifth"])
#: The official F1 of facets on the test set; `sentences` is that of Task 1A.
FACETS_OFFICIAL: Sequence[Mapping[str, Any]] = _READ["facets_official"]
#: Sizes of the collection of Duma and Klein (2014).
RESOLUTION: Mapping[str, int] = _READ["resolution"]
#: Their accuracy by representation and window, as rows of resolution name them.
ACCURACY: Mapping[tuple[str, str], float] = {
    (representation, window): accuracy
    for representation, by_window in _READ["resolution_accuracy"].items()
    for window, accuracy in by_window.items()
}


def published(row: Row, split: str, scheme: Scheme) -> Published | None:
    """Return the published figures for a row's system, parameters and K, None if there are none."""
    for one in PUBLISHED:
        is_same = (one.split, one.scheme, one.k, one.part) == (split, scheme, row["k"], "")
        if is_same and any(ours.is_of(row) for ours in one.ours):
            return one
    return None
