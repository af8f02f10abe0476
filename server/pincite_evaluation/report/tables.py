"""Tables: columns over the rows of a result, rendered as text, Markdown and HTML."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from pincite.text.escaping import escape_markdown

if TYPE_CHECKING:
    from typing import TypeGuard

    from rich.table import Table as RichTable

    from ..results import Curve

Item = TypeVar("Item")

#: The least number of citations of the best and worst papers; with fewer, chance decides.
MIN_OUTCOMES = 5
MAX_LISTED_PAPERS = 10


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with more than its text.

    `mark` emphasises it; `note` is in small print below it (in Markdown, in brackets after it). In
    HTML only: `kind` names CSS classes, `title` is a tooltip.
    """

    text: str
    mark: Literal["", "strong", "em"] = ""
    note: str = ""
    kind: str = ""
    title: str = ""


Line: TypeAlias = Sequence[Cell | str]
#: The value of an item: by a function, or the name of a figure, or of one in another
#: (``official.f1``).
Value: TypeAlias = Callable[[Any], Any] | str
#: The head of a column, the value that an item has there, and its format.
Column: TypeAlias = tuple[str, Value, Callable[[Any], Cell | str]]
_MARKS = {"": "", "em": "*", "strong": "**"}


def value_of(item: Any, value: Value) -> Any:  # noqa: ANN401 - an item, or a row of figures
    """Return a value of an item."""
    if not isinstance(value, str):
        return value(item)

    def inside(of: Any, name: str) -> Any:  # noqa: ANN401
        return of[name] if hasattr(of, "__getitem__") else getattr(of, name)

    return reduce(inside, value.split("."), item)


@dataclass(frozen=True, slots=True)
class Table:
    """Lines, headed by their first cells, below the heads of their columns.

    `groups` are lines by the name of their group, "" for one without a heading. `over` are heads
    that span several columns each, from the second column on (HTML only). The first `words` columns
    are left-aligned. `kind` names CSS classes.
    """

    caption: str
    heads: Line
    groups: Mapping[str, Sequence[Line]]
    over: Sequence[tuple[Cell | str, int]] = ()
    words: int = 1
    kind: str = ""

    @staticmethod
    def of(caption: str, columns: Sequence[Column], items: Iterable[Any], words: int = 1) -> Table:
        """Return a table with a line for each item, without groups."""
        lines = [[write(value_of(item, value)) for _, value, write in columns] for item in items]
        return Table(caption, [head for head, *_ in columns], {"": lines}, words=words)

    @staticmethod
    def of_curves(
        caption: str,
        of_x: str,
        curves: Sequence[Curve],
        levels: Mapping[str, float] = MappingProxyType({}),
    ) -> Table:
        """Return the points of curves in percent, with a column for each curve and each level."""
        by_x = [dict(curve.points) for curve in curves]
        lines = [
            [f"{x:g}", *map(percent, (*(points.get(x) for points in by_x), *levels.values()))]
            for x in sorted({x for points in by_x for x in points})
        ]
        return Table(caption, [of_x, *(curve.system for curve in curves), *levels], {"": lines})

    def markdown(self) -> str:
        """Return the table in Markdown, without its caption; its columns are aligned."""
        width = len(self.heads)
        lines = [list(map(_markdown, self.heads)), [":--"] * self.words]
        lines[1] += ["--:"] * (width - self.words)
        for group, members in self.groups.items():
            if group:
                lines.append([escape_markdown(group), *[""] * (width - 1)])
            lines += (list(map(_markdown, line)) for line in members)
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(f"| {' | '.join(map(str.ljust, line, widths))} |" for line in lines)

    def text(self, *, no_wrap: bool = False) -> RichTable:
        """Return the table for a terminal, without caption and groups; figures may be `no_wrap`."""
        from rich.table import Table as RichTable

        made = RichTable(box=None, pad_edge=False)
        for place, head in enumerate(map(cell, self.heads)):
            is_text = place < self.words
            justify: Literal["left", "right"] = "left" if is_text else "right"
            made.add_column(head.text, justify=justify, no_wrap=is_text or no_wrap)
        for lines in self.groups.values():
            for line in lines:
                made.add_row(*(cell(one).text for one in line))
        return made


def cell(given: Cell | str) -> Cell:
    """Return a cell, made from a text if necessary."""
    return given if isinstance(given, Cell) else Cell(given)


def _markdown(given: Cell | str) -> str:
    one = cell(given)
    mark = _MARKS[one.mark]
    return f"{mark}{escape_markdown(one.text)}{mark}" + (f" ({one.note})" if one.note else "")


def worst_and_best(
    columns: Sequence[Column], papers: Iterable[Item], key: Value, score: Callable[[Item], float]
) -> list[Table]:
    """Return tables of the worst and the best papers; with few papers, they do not overlap."""
    ordered = sorted(papers, key=lambda one: (-value_of(one, key), value_of(one, "id")))
    ranked = sorted(ordered, key=score, reverse=True)
    half = (len(ranked) + 1) // 2
    listed = {"Worst papers": sorted(ranked[half:], key=score), "Best papers": ranked[:half]}
    return [
        Table.of(caption, columns, some[:MAX_LISTED_PAPERS], words=2)
        for caption, some in listed.items()
        if some
    ]


def is_known(value: float | None) -> TypeGuard[float]:
    """Return whether there is a value."""
    return value is not None and not math.isnan(value)


def number(decimals: int) -> Callable[[float | None], str]:
    """Return a format with this many decimals, a dash if unknown."""
    return lambda value: f"{value:,.{decimals}f}" if is_known(value) else "–"


thousands, fraction = number(0), number(3)


def percent(value: float | None) -> str:
    """Return a fraction in percent."""
    return number(1)(100 * value if is_known(value) else None)


def difference(value: float | None) -> str:
    """Return a difference of fractions in percentage points."""
    return f"{100 * value:+.1f}".replace("-", "−") if is_known(value) else "–"


def count(value: int, noun: str) -> str:
    """Return ``1 paper`` or ``1,520 papers``."""
    return f"{value:,} {noun}{'' if value == 1 else 's'}"


def between(ends: Iterable[float], write: Callable[[float], str] = percent, dash: str = "–") -> str:
    """Return an interval."""
    return dash.join(map(write, ends))


#: Precision, recall and F1 as columns name them.
SCORES = {"P": "precision", "R": "recall", "F1": "f1"}


def scores(of: str, prefix: str = "") -> list[Column]:
    """Return the columns of precision, recall and F1 of a figure, in percent."""
    return [(f"{prefix}{head}", f"{of}.{name}", percent) for head, name in SCORES.items()]
