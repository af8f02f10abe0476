"""Figures of a report: drawn once for each theme, independent of the user's matplotlib style."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pincite.model.problems import InputError
from pincite.text.escaping import one_line, valid

if TYPE_CHECKING:
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
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise InputError(
            "the figures of a report need matplotlib: pip install 'pincite[plots]'"
        ) from error


def figure(draw: Callable[[Axes], None], size: tuple[float, float], alternative: str) -> Figure:
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
    """Return a deterministic SVG as a data URL."""
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
