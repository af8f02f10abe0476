"""The one model of a table, for a page as for Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .words import escape_markdown


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is more than its text.

    `mark` sets it off from the others; `note` is in small print below it (in brackets behind it in
    Markdown). On a page only: `kind` names CSS classes, `title` shows where the pointer rests.
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

    `groups` are lines by the name of their group, "" for one without a head of its own. `over` are
    heads over several columns each, from the second column on (page only). `words` columns are
    set left. `kind` names CSS classes.
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
    """Return a cell also for a text."""
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
