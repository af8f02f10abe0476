"""The report of judged evidence: the text that the command prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..report.page import Column, Table, fraction, number, percent
from ..results import Result

if TYPE_CHECKING:
    from rich.console import RenderableType


def text(result: Result) -> Iterator[RenderableType]:
    shares = ("first_relevant", "first_helps", "irrelevant", "answered")
    columns: list[Column] = [
        ("percent", "system", str),
        ("text", "basis", str),
        ("sentences", "sentences", str),
        *((name.replace("_", " "), name, percent) for name in shares),
        ("silence right", "silence_right", lambda of: "-" if of is None else percent(of)),
        ("silent elsewhere", "silent_elsewhere", percent),
        ("nDCG", "ndcg", fraction),
        ("for each", "shown_for_each", number(2)),
        ("unjudged", "unjudged", str),
    ]
    yield Table.of("", columns, result.rows, words=3).text()
    of = result.facts
    readers = "one reader" if of["kappa"] is None else f"two readers (κ {of['kappa']:.2f})"
    yield f"{of['pairs']:,} pairs of {of['citances']:,} citances, judged by {readers}"
    if of["missing"]:
        yield f"{of['missing']:,} more pairs are not in the data, or their text has changed"
    for basis, found in result.more["calibration"].items():
        points = (f"{each['predicted']:.2f} → {each['observed']:.2f}" for each in found["curve"])
        yield f"{basis}: calibration error {found['error']:.3f} ({', '.join(points)})"
