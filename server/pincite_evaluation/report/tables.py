"""Tables that render as HTML and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pincite.text.escaping import escape_markdown


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
_MARKS = {"": "", "em": "*", "strong": "**"}


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
    def of(caption: str, heads: Line, lines: Iterable[Line], words: int = 1) -> Table:
        """Return a table without groups."""
        return Table(caption, heads, {"": list(lines)}, words=words)


def cell(given: Cell | str) -> Cell:
    """Return a cell, made from a text if necessary."""
    return given if isinstance(given, Cell) else Cell(given)


def markdown_table(table: Table) -> str:
    """Return a table in Markdown, without its caption; its columns are aligned."""
    width = len(table.heads)
    lines = [
        [_markdown(head) for head in table.heads],
        [":--"] * table.words + ["--:"] * (width - table.words),
    ]
    for group, members in table.groups.items():
        if group:
            lines.append([escape_markdown(group), *[""] * (width - 1)])
        lines += ([_markdown(one) for one in line] for line in members)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        f"| {' | '.join(map(str.ljust, line, widths))} |"  # as wide as the column
        for line in lines
    )


def _markdown(given: Cell | str) -> str:
    one = cell(given)
    mark = _MARKS[one.mark]
    note = f" ({one.note})" if one.note else ""
    return f"{mark}{escape_markdown(one.text)}{mark}{note}"
