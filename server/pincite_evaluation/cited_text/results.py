"""The result of cited text identification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..results import Curve, Result


@dataclass(frozen=True, slots=True)
class PaperCounts:
    """Counts of right, returned and wanted sentences of a reference paper, for each row."""

    id: str
    title: str
    citances: int
    sentences: int
    right: tuple[int, ...]
    returned: tuple[int, ...]
    wanted: int


@dataclass(frozen=True, kw_only=True)
class CitedTextResult(Result):
    """The whole table; `per_paper` has an item in `right` and `returned` for each row.

    Of the `curves`, ``f1_by_d`` are those of Figure 3 of Ricci et al. (2022), by citances,
    ``recall_by_k`` those of Figure 4, and ``f1_by_mix`` is that of NEAL by λ; there are none unless
    requested.
    """

    per_paper: tuple[PaperCounts, ...] = ()
    curves: Mapping[str, tuple[Curve, ...]] = field(default_factory=dict)
