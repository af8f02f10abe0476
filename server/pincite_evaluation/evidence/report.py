"""The report of judged evidence: the text that the command prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..report.tables import Column, Table, number, percent
from ..results import Result, Row

if TYPE_CHECKING:
    from rich.console import RenderableType


def text(result: Result) -> Iterator[RenderableType]:
    """Yield the rows in percent, how far readers agree, and the calibration."""
    shares = ("first_relevant", "first_helps", "irrelevant", "answered")
    columns: list[Column[Row]] = [
        Column("percent", "system"),
        Column("text", "basis"),
        Column("sentences", "sentences"),
        *(Column(name.replace("_", " "), name, percent) for name in shares),
        Column(
            "silence right",
            "silence_right",
            lambda share: "-" if share is None else percent(share),
        ),
        Column("silent elsewhere", "silent_elsewhere", percent),
        Column("nDCG", "ndcg", number(3)),
        Column("for each", "shown_for_each", number(2)),
        Column("unjudged", "unjudged"),
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
