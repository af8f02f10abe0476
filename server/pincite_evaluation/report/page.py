"""Pages: figures drawn for each theme, and the template of a task as HTML or Markdown."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from pincite import __version__
from pincite.text.escaping import one_line, valid

from ..processes import imported
from ..results import Curve
from . import tables

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.axes import Axes

#: The colour of bars, visible on both themes' backgrounds.
BAR = "#4a8bd0"
_LIGHT_INK, _DARK_INK = "#1f2328", "#e6e8eb"


@dataclass(frozen=True, slots=True)
class Figure:
    """An image for each theme as a data URL, and its alternative text."""

    light: str
    dark: str
    alternative: str


def require_plots() -> None:
    """Raise `InputError` without matplotlib; call this before a long run."""
    needs = "the figures of a report need matplotlib: pip install 'pincite[plots]'"
    imported(needs, "matplotlib.figure")


def figure(
    draw: Callable[[Axes], None], size: tuple[float, float], alternative: str = ""
) -> Figure:
    """Return a figure of `size` inches; raise `InputError` without matplotlib."""
    require_plots()
    return Figure(_image(draw, size, _LIGHT_INK), _image(draw, size, _DARK_INK), alternative)


def ink(axes: Axes) -> str:
    """Return the theme's text colour."""
    return str(axes.xaxis.label.get_color())


def label(text: str) -> str:
    """Return a name for a drawing, with mathematical markup escaped."""
    return one_line(valid(text)).replace("$", r"\$")


def _image(draw: Callable[[Axes], None], size: tuple[float, float], ink: str) -> str:
    from matplotlib import style
    from matplotlib.figure import Figure as Drawing

    inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    fixed = {"svg.hashsalt": "pincite", "font.size": 9, **dict.fromkeys(inked, ink)}
    unwanted = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    image = io.BytesIO()
    with style.context(["default", fixed]):
        drawing = Drawing(figsize=size, layout="constrained")
        draw(drawing.add_subplot())
        drawing.savefig(image, format="svg", transparent=True, metadata=unwanted)
    return "data:image/svg+xml;base64," + base64.b64encode(image.getvalue()).decode("ascii")


#: Colours and markers of lines, distinguishable without colour vision.
_LINES = tuple(zip((BAR, "#c9711c", "#3a9a63", "#a06cd5"), "osD^", strict=True))


def draw_curves(
    axes: Axes,
    curves: Sequence[Curve],
    of_x: str,
    of_y: str,
    levels: Mapping[str, float] = MappingProxyType({}),
) -> None:
    """Draw a line for each curve, in percent, and each level as a dashed one."""
    for curve, (colour, marker) in zip(curves, cycle(_LINES), strict=False):
        xs, ys = zip(*curve.points, strict=True)
        scores = [100 * y for y in ys]
        axes.plot(xs, scores, color=colour, marker=marker, ms=5, label=label(curve.system))
    for (name, y), dashes in zip(levels.items(), cycle(("--", ":", "-.")), strict=False):
        axes.axhline(100 * y, color=ink(axes), linestyle=dashes, linewidth=1.2, label=label(name))
    axes.set_xticks(sorted({x for curve in curves for x, _ in curve.points}))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylim(bottom=0)
    axes.set_xlabel(of_x)
    axes.set_ylabel(f"{of_y}, in percent")
    axes.grid(axis="y", color=ink(axes), alpha=0.15)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


_TEMPLATES = Path(__file__).with_name("templates")


def require_templates() -> None:
    """Raise `InputError` without Jinja2; call this before a long run."""
    imported("a report needs Jinja2: pip install 'pincite[report]'", "jinja2")


def html(task: str, **content: object) -> str:
    """Return the HTML page of a task; content is escaped."""
    require_plots()
    require_templates()
    return render(f"{task}.html", **content)


def render(template: str, **content: object) -> str:
    """Return a template with its content, which is escaped in HTML only."""
    return valid(_environment().get_template(template).render(content))


def markdown(*parts: str) -> str:
    """Return the parts of a report in Markdown, which are escaped, without the empty ones."""
    return valid("\n\n".join(filter(None, parts))) + "\n"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for name in ("between", "cell", "count", "percent", "thousands"):
        made.filters[name] = getattr(tables, name)
    made.globals["version"] = __version__
    return made
