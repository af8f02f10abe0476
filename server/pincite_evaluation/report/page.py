"""Reports: tables, charts and pages; the templates have the words of each task."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from pincite import __version__
from pincite.text.characters import escape_markdown, one_line, valid

from ..processes import imported
from ..results import Curve

if TYPE_CHECKING:
    from typing import TypeGuard

    from jinja2 import Environment
    from matplotlib.axes import Axes
    from rich.table import Table as RichTable

Item = TypeVar("Item")

#: The least number of citations of the best and worst papers; with fewer, chance decides.
MIN_OUTCOMES = 5
MAX_LISTED_PAPERS = 10


@dataclass(frozen=True, slots=True)
class Cell:
    """A text with emphasis and a note in small print; for HTML, with CSS classes and a tooltip."""

    text: str
    mark: Literal["", "strong", "em"] = ""
    note: str = ""
    kind: str = ""
    title: str = ""


Line: TypeAlias = Sequence[Cell | str]
#: The value of an item: by a function, or the name of a figure, perhaps inside another
#: (``official.f1``).
Value: TypeAlias = Callable[[Any], Any] | str
#: The head of a column, the value that an item has there, and its format.
Column: TypeAlias = tuple[str, Value, Callable[[Any], Cell | str]]


def value_of(item: Any, value: Value) -> Any:  # noqa: ANN401
    """Return the value that an item has in a column."""
    if not isinstance(value, str):
        return value(item)

    def inside(of: Any, name: str) -> Any:  # noqa: ANN401
        return of[name] if hasattr(of, "__getitem__") else getattr(of, name)

    return reduce(inside, value.split("."), item)


@dataclass(frozen=True, slots=True)
class Table:
    """Lines, headed by their first cells, below the heads of their columns.

    `groups` are lines by the name of their group, "" for one without a heading. `over` are heads
    that span several columns each (HTML only). The first `words` columns are left-aligned.
    """

    caption: str
    heads: Line
    groups: Mapping[str, Sequence[Line]]
    over: Sequence[tuple[Cell | str, int]] = ()
    words: int = 1
    kind: str = ""

    @staticmethod
    def of(caption: str, columns: Sequence[Column], items: Iterable[Any], words: int = 1) -> Table:
        """Return a table with a line for each item, in one group."""
        lines = [[write(value_of(item, value)) for _, value, write in columns] for item in items]
        return Table(caption, [head for head, *_ in columns], {"": lines}, words=words)

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
        """Return the table for a terminal, without caption, groups and notes; a star is bold.

        Figures may be `no_wrap`.
        """
        from rich.table import Table as RichTable

        made = RichTable(box=None, pad_edge=False)
        for place, head in enumerate(map(cell, self.heads)):
            is_text = place < self.words
            justify: Literal["left", "right"] = "left" if is_text else "right"
            made.add_column(head.text, justify=justify, no_wrap=is_text or no_wrap)
        for lines in self.groups.values():
            for line in lines:
                cells = map(cell, line)
                made.add_row(*(f"{'*' * (one.mark == 'strong')}{one.text}" for one in cells))
        return made


def cell(given: Cell | str) -> Cell:
    """Return a text as a cell without emphasis."""
    return given if isinstance(given, Cell) else Cell(given)


def _markdown(given: Cell | str) -> str:
    one = cell(given)
    mark = {"": "", "em": "*", "strong": "**"}[one.mark]
    return f"{mark}{escape_markdown(one.text)}{mark}" + (f" ({one.note})" if one.note else "")


def worst_and_best(
    columns: Sequence[Column], papers: Iterable[Item], key: Value, score: Callable[[Item], float]
) -> list[Table]:
    """Return tables of the worst and the best papers, which do not overlap; `columns` follow."""
    columns = [("Paper", "id", str), ("Title", "title", one_line), *columns]
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
    """Return whether there is a value; nan stands for one that cannot be computed."""
    return value is not None and not math.isnan(value)


def number(decimals: int) -> Callable[[float | None], str]:
    """Return a format with this many decimals, a dash if unknown."""
    return lambda value: f"{value:,.{decimals}f}" if is_known(value) else "–"


thousands, fraction = number(0), number(3)


def percent(value: float | None) -> str:
    """Return a fraction in percent with one decimal, a dash if unknown."""
    return number(1)(100 * value if is_known(value) else None)


def difference(value: float | None) -> str:
    """Return a difference of fractions in percentage points with its sign, a dash if unknown."""
    return f"{100 * value:+.1f}".replace("-", "−") if is_known(value) else "–"


def count(value: int, noun: str) -> str:
    """Return a number with thousands separators and its noun, in the plural unless it is 1."""
    return f"{value:,} {noun}{'' if value == 1 else 's'}"


def between(ends: Iterable[float], write: Callable[[float], str] = percent, dash: str = "–") -> str:
    """Return an interval as its two ends with a dash in between."""
    return dash.join(map(write, ends))


#: Precision, recall and F1 as columns name them.
SCORES = {"P": "precision", "R": "recall", "F1": "f1"}


def scores(of: str, prefix: str = "") -> list[Column]:
    """Return the columns of precision, recall and F1 of a figure, in percent."""
    return [(f"{prefix}{head}", f"{of}.{name}", percent) for head, name in SCORES.items()]


#: The colour of bars, visible on both themes' backgrounds.
BAR = "#4a8bd0"
_LIGHT_INK, _DARK_INK = "#1f2328", "#e6e8eb"
#: Colours and markers of lines, distinguishable without colour vision.
_LINES = tuple(zip((BAR, "#c9711c", "#3a9a63", "#a06cd5"), "osD^", strict=True))


class Figure(NamedTuple):
    """An image for each theme as a data URL, and its alternative text."""

    light: str
    dark: str
    alternative: str


def figure(
    draw: Callable[[Axes], None], size: tuple[float, float], alternative: str = ""
) -> Figure:
    """Return a figure of `size` inches; raise `InputError` without matplotlib."""
    require()
    return Figure(_image(draw, size, _LIGHT_INK), _image(draw, size, _DARK_INK), alternative)


def label(text: str) -> str:
    """Return a text that matplotlib does not read as mathematics."""
    return one_line(valid(text)).replace("$", r"\$")


def _image(draw: Callable[[Axes], None], size: tuple[float, float], ink: str) -> str:
    from matplotlib import style
    from matplotlib.figure import Figure as Drawing

    inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    frameless = dict.fromkeys(("axes.spines.top", "axes.spines.right"), False)
    fixed = {"svg.hashsalt": "pincite", "font.size": 9, **frameless, **dict.fromkeys(inked, ink)}
    unwanted = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    image = io.BytesIO()
    with style.context(["default", fixed]):
        drawing = Drawing(figsize=size, layout="constrained")
        draw(drawing.add_subplot())
        drawing.savefig(image, format="svg", transparent=True, metadata=unwanted)
    return "data:image/svg+xml;base64," + base64.b64encode(image.getvalue()).decode("ascii")


def _ink(axes: Axes) -> str:
    """Return the colour of text in the theme that is being drawn."""
    return str(axes.xaxis.label.get_color())


def _legend_above(axes: Axes) -> None:
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def curves(
    given: Iterable[Mapping[str, Any]], of_x: str, of_y: str, levels: Mapping[str, float]
) -> dict[str, Any] | None:
    """Draw the curves of a result's JSON in percent, and `levels` as horizontal lines.

    Return the figure and its table, with a column for each curve and level; None without values.
    """
    every = (Curve(**one) for one in given)
    drawn = [curve for curve in every if any(is_known(y) for _, y in curve.points)]
    if not drawn:
        return None
    by_x = [dict(curve.points) for curve in drawn]
    lines = [
        [f"{x:g}", *map(percent, (*(points.get(x) for points in by_x), *levels.values()))]
        for x in sorted({x for points in by_x for x in points})
    ]
    described: list[str] = []
    for curve in drawn:
        best, highest = max((p for p in curve.points if is_known(p[1])), key=lambda p: p[1])
        described.append(f"{curve.system} is highest, {percent(highest)}, at {of_x} = {best:g}")
    described += [f"{name} is a level of {percent(y)}" for name, y in levels.items()]
    alternative = f"Lines of {of_y} by {of_x}, as in the table: {'; '.join(described)}."
    caption = f"{of_y[0].upper()}{of_y[1:]} in percent, by {of_x}"
    table = Table(caption, [of_x, *(curve.system for curve in drawn), *levels], {"": lines})

    def draw(axes: Axes) -> None:
        for curve, (colour, marker) in zip(drawn, cycle(_LINES), strict=False):
            xs, ys = zip(*curve.points, strict=True)
            in_percent = [100 * y for y in ys]
            axes.plot(xs, in_percent, color=colour, marker=marker, ms=5, label=label(curve.system))
        for (name, y), dashes in zip(levels.items(), cycle(("--", ":", "-.")), strict=False):
            axes.axhline(100 * y, color=_ink(axes), ls=dashes, lw=1.2, label=label(name))
        axes.set_xticks(sorted({x for curve in drawn for x, _ in curve.points}))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_ylim(bottom=0)
        axes.set(xlabel=of_x, ylabel=f"{of_y}, in percent")
        axes.grid(axis="y", color=_ink(axes), alpha=0.15)
        _legend_above(axes)

    return {"figure": figure(draw, (5.0, 3.5), alternative), "table": table}


def bars(
    values: Sequence[tuple[str, float]],
    of: str,
    ends: Sequence[Sequence[float]] = (),
    marks: tuple[str, Sequence[float | None]] = ("", ()),
    level: tuple[str, float | None] = ("", None),
) -> Figure:
    """Draw named values as bars with the `ends` of their intervals, a mark in each, and a level."""

    def draw(axes: Axes) -> None:
        places, widths = range(len(values)), [value for _, value in values]
        reach: Any = np.abs(np.transpose(ends) - widths) if ends else None
        colours: Any = {"color": BAR, "ecolor": _ink(axes)}
        axes.barh(places, widths, 0.6, xerr=reach, capsize=3, label="here", **colours)
        known = {place: mark for place, mark in enumerate(marks[1]) if mark is not None}
        if known:
            style: Any = {"color": _ink(axes), "ms": 15, "mew": 2, "label": marks[0]}
            axes.plot(list(known.values()), list(known), "|", **style)
        if level[1] is not None:
            axes.axvline(level[1], color=_ink(axes), ls="--", lw=1, label=level[0])
        if known or level[1] is not None:
            _legend_above(axes)
        axes.set_yticks(places, [label(name) for name, _ in values])
        axes.invert_yaxis()
        axes.set_xlabel(of)
        axes.tick_params(axis="y", length=0)

    return figure(draw, (6.0, 1.1 + 0.3 * len(values)))


def grid(
    lines: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    texts: Sequence[Sequence[str]],
    alternative: str = "",
    **axes_labels: str,
) -> Figure:
    """Draw a grid of texts whose cells have colours by their values; nan for an empty one."""

    def draw(axes: Axes) -> None:
        mesh = axes.pcolormesh(values, cmap="cividis")
        low, high = mesh.get_clim()
        for y, line in enumerate(values):
            for x, value in enumerate(line):
                if is_known(value):
                    colour = "black" if value > low + 0.45 * (high - low) else "white"
                    axes.text(x + 0.5, y + 0.5, texts[y][x], color=colour, ha="center", va="center")
        axes.set_yticks([y + 0.5 for y in range(len(lines))], lines)
        axes.set_xticks([x + 0.5 for x in range(len(columns))], columns)
        axes.set(**axes_labels)
        axes.invert_yaxis()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)

    return figure(draw, (3.2 + 0.95 * len(columns), 1.0 + 0.27 * len(lines)), alternative)


def require(*, figures: bool = True) -> None:
    """Raise `InputError` where a report could not be made; call this before a long run."""
    if figures:
        needs = "the figures of a report need matplotlib: pip install 'pincite[plots]'"
        imported(needs, "matplotlib.figure")
    imported("a report needs Jinja2: pip install 'pincite[report]'", "jinja2")


def render(template: str, **content: object) -> str:
    """Return a filled-in template as valid Unicode; raises `InputError` without Jinja2."""
    require(figures=False)
    return valid(_environment().get_template(template).render(content))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    blocks: Any = {"trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True}
    loader = FileSystemLoader(Path(__file__).with_name("templates"))
    made = Environment(
        loader=loader, autoescape=select_autoescape(), undefined=StrictUndefined, **blocks
    )
    filters = {"between": between, "cell": cell, "count": count, "percent": percent}
    made.filters |= {**filters, "fraction": fraction, "thousands": thousands}
    made.globals |= {"version": __version__, "min_outcomes": MIN_OUTCOMES, "fraction": fraction}
    return made
