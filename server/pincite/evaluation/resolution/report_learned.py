"""The rows of the learned ranker in a report: what is known in columns, situations in lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ..page import element, fraction, listing, markdown_table
from .results import Row

if TYPE_CHECKING:
    from lxml import etree

TITLE: Final = "The learned ranker"
NOTE: Final = (
    "Top-1 accuracy of boosted trees by what is known of the candidates, from the text on both "
    "sides alone, or with what the paper cites before the place; with 95% intervals."
)


def _cells(rows: Sequence[Row]) -> Iterator[tuple[str, Mapping[str, Row]]]:
    """Yield each situation with its rows by what is known."""
    for situation in dict.fromkeys(row.situation for row in rows):
        own = {row.knows or "": row for row in rows if row.situation == situation}
        yield situation or "", own


def _figure(row: Row | None) -> str:
    if row is None:
        return "–"
    return f"{fraction(row.accuracy)} ({'–'.join(map(fraction, row.ci95))})"


def markdown(rows: Sequence[Row]) -> list[str]:
    """Return the lines of a table, none without rows."""
    if not rows:
        return []
    known = list(dict.fromkeys(row.knows or "" for row in rows))
    lines = [
        [TITLE, *known],
        [":--", *("--:" for _ in known)],
        *(
            [situation, *(_figure(own.get(knows)) for knows in known)]
            for situation, own in _cells(rows)
        ),
    ]
    return ["", NOTE, "", *markdown_table(lines)]


def html(rows: Sequence[Row]) -> list[etree._Element]:
    """Return a section, nothing without rows."""
    if not rows:
        return []
    depths = sorted(rows[0].recall)
    heads = ["Situation", "Known of candidates", "Accuracy", "95% interval", "MRR"]
    heads += [f"Recall@{depth}" for depth in depths]
    records = [
        [
            row.situation or "",
            row.knows or "",
            fraction(row.accuracy),
            "–".join(map(fraction, row.ci95)),
            *map(fraction, [row.mrr, *(row.recall.get(depth) for depth in depths)]),
        ]
        for row in rows
    ]
    caption = "The learned ranker by what is known"
    return [
        element("h2", TITLE),
        element("p", NOTE),
        listing(caption, heads, records, words=2),
    ]
