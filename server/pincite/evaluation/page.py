"""What the reports of the evaluations share: a page of HTML that needs nothing else, and Markdown.

Equal contents make equal pages, whatever the user's matplotlib style.
"""

from __future__ import annotations

import base64
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from lxml import etree

from ..model.problems import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Paper = TypeVar("_Paper")

#: What the best and worst papers must have: a paper with few citations is right or wrong by luck.
MIN_OUTCOMES = 5
#: The colour of bars, which stands out from either theme's background.
BAR = "#4a8bd0"
_LISTED_PAPERS = 10
_LIGHT_INK, _DARK_INK = "#1f2328", "#e6e8eb"


# Words and figures


def fraction(value: float | None) -> str:
    """Return a fraction with three decimals, a dash for what is not known."""
    return "–" if value is None or math.isnan(value) else f"{value:.3f}"


def count(number: int, noun: str) -> str:
    """Return ``1 paper`` or ``1,520 papers``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def worst_and_best(
    papers: Sequence[_Paper], score: Callable[[_Paper], float]
) -> dict[str, list[_Paper]]:
    """Return the worst and the best papers by caption; with few papers, no paper is in both lists.

    Of papers with the same score, those that come first in `papers` are listed first.
    """
    ranked = sorted(papers, key=score, reverse=True)
    half = (len(ranked) + 1) // 2
    lists = {
        "Worst papers": sorted(ranked[half:], key=score)[:_LISTED_PAPERS],
        "Best papers": ranked[:half][:_LISTED_PAPERS],
    }
    return {caption: listed for caption, listed in lists.items() if listed}


def valid(text: str) -> str:
    """Replace what no text file should have, such as control characters and lone surrogates."""
    return re.sub(r"[^\t\n\r -~\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


# Markdown


def markdown_table(lines: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, its columns aligned; the cells are Markdown already."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "| "
        + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in lines
    ]


def escape_markdown(text: str) -> str:
    """Return a text for one line of Markdown, without meaning as markup."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&!])", r"\\\1", " ".join(valid(text).split()))


# HTML


def page(title: str, *content: etree._Element, style: str = "") -> str:
    """Return a whole page with its own style and, below the shared one, that of `style`.

    It loads nothing, and its policy lets it load nothing.
    """
    whole = element(
        "html",
        element(
            "head",
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="color-scheme", content="light dark"),
            element("title", title),
            element("style", _STYLE + style),
        ),
        element("body", element("main", *content)),
        lang="en",
    )
    written = etree.tostring(whole, method="html", encoding="unicode", doctype="<!DOCTYPE html>")
    return written + "\n"


def element(tag: str, *content: etree._Element | str, **attributes: str) -> etree._Element:
    """Return an element; lxml escapes what is in it. ``http_equiv=`` writes ``http-equiv``."""
    made = etree.Element(tag)
    for name, value in attributes.items():
        made.set(name.rstrip("_").replace("_", "-"), valid(value))
    for part in content:
        if not isinstance(part, str):
            made.append(part)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + valid(part)
        else:
            made.text = (made.text or "") + valid(part)
    return made


def scrolling(table: etree._Element, label: str) -> etree._Element:
    """Return a table that scrolls, by keys too, where it is wider than the page."""
    return element("div", table, class_="wide", role="region", aria_label=label, tabindex="0")


def listing(
    caption: str, heads: Iterable[str], records: Iterable[Sequence[str]], words: int = 1
) -> etree._Element:
    """Return a table of records headed by their first fields; `words` columns are set left."""
    lines = (
        element(
            "tr",
            element("th", record[0], scope="row"),
            *(element("td", field) for field in record[1:]),
        )
        for record in records
    )
    table = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *(element("th", head, scope="col") for head in heads))),
        element("tbody", *lines),
        class_=f"words-{words}",
    )
    return scrolling(table, caption)


def tiles(figures: Mapping[str, str]) -> etree._Element:
    """Return the key figures of a page by what they are."""
    shown = (
        element("div", element("dt", name), element("dd", value)) for name, value in figures.items()
    )
    return element("dl", *shown, class_="tiles")


def facts(values: Mapping[str, str]) -> etree._Element:
    """Return a list of what there is to know of a run, by name."""
    pairs = (
        part
        for name, value in values.items()
        for part in (element("dt", name), element("dd", value))
    )
    return element("dl", *pairs, class_="facts")


# Figures


def require_plots() -> None:
    """Raise `InputError` without matplotlib, so that a long run need not end in it."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise InputError(
            "the figures of a report need matplotlib: pip install 'pincite[plots]'"
        ) from error


def figure(
    draw: Callable[[Axes], None], size: tuple[float, float], alternative: str
) -> etree._Element:
    """Return a figure of `size` inches in two inks, of which the reader's theme takes one."""
    return element(
        "figure",
        element(
            "picture",
            element(
                "source",
                media="(prefers-color-scheme: dark)",
                srcset=_image(draw, size, _DARK_INK),
            ),
            element("img", src=_image(draw, size, _LIGHT_INK), alt=alternative),
        ),
    )


def _image(draw: Callable[[Axes], None], size: tuple[float, float], ink: str) -> str:
    """Return an SVG as a data address, the same for the same figures whatever the user's style."""
    from matplotlib import style
    from matplotlib.figure import Figure

    inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    fixed = {"svg.hashsalt": "pincite", "font.size": 9, **dict.fromkeys(inked, ink)}
    unwanted = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    image = io.BytesIO()
    with style.context(["default", fixed]):
        drawing = Figure(figsize=size, layout="constrained")
        draw(drawing.add_subplot())
        drawing.savefig(image, format="svg", transparent=True, metadata=unwanted)
    return "data:image/svg+xml;base64," + base64.b64encode(image.getvalue()).decode("ascii")


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
:root {
  color-scheme: light dark;
  --page: #ffffff; --ink: #1f2328; --faint: #59636e; --line: #d1d9e0; --tint: #eef4fb;
}
@media (prefers-color-scheme: dark) {
  :root { --page: #14181d; --ink: #e6e8eb; --faint: #9aa4af; --line: #353c45; --tint: #1c2937; }
}
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { line-height: 1.2; margin: 0 0 .5rem; }
h2 { margin: 2.5rem 0 .75rem; }
p { max-width: 46rem; }
.wide { overflow-x: auto; margin: 0 0 1.5rem; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--faint); padding-bottom: .5rem; }
th, td { padding: .25rem .625rem; text-align: right; vertical-align: baseline;
  border-bottom: 1px solid var(--line); }
th { font-weight: normal; }
thead th { vertical-align: bottom; color: var(--faint); }
thead th[scope=colgroup] { text-align: center; color: var(--ink); }
tbody th, thead tr:first-child th:first-child,
.words-2 :is(th, td):nth-child(2), .words-3 :is(th, td):nth-child(-n+3) {
  text-align: left; }
tbody th { white-space: nowrap; }
.group th { padding-top: 1rem; font-weight: 600; }
.best { background: var(--tint); }
.published { color: var(--faint); }
.words-2 td:nth-child(2) { min-width: 18rem; }
small { display: block; color: var(--faint); font-size: .6875rem; white-space: nowrap; }
.tiles { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: 1.5rem 0; }
.tiles dd { margin: 0; font-size: 1.375rem; font-weight: 600; }
.tiles dt, .facts dt { color: var(--faint); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .375rem 1.5rem; }
.facts dd { margin: 0; max-width: 46rem; }
figure { margin: 0 0 1.5rem; }
img { max-width: 100%; height: auto; }
@media print { .wide { overflow: visible; } }
"""
