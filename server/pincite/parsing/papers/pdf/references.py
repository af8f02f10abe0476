"""Lines of a PDF's reference lists → references: where each starts on the page, and its words."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import groupby, pairwise

import regex

from ....model.papers import Reference
from ..hyphenation import Join
from ..reference_lists import ENDED, ListLine, has_labels, list_by_form, split_references
from ..references import read_references
from .lines import Line
from .structure import CAPTION

#: Lines of a list that differ more than this from its usual size belong to a table or figure.
_OTHER_SIZE = 0.16
_SAME_EDGE = 2.0
#: Lines of one reference are closer to each other than this, in usual distances.
_PARAGRAPH = 1.4
#: By how many ems the further lines of a reference are usually indented.
_HANG = (0.8, 2.5)
_STRAY_ACCENTS = regex.compile(r"(?<=\S)\s?[´`¨ˆ˜ˇ˘˚]+\Z")


def references_of(lines: Sequence[Line], join: Join) -> tuple[Reference, ...]:
    """Return the references of one list, given its lines in reading order without its heading.

    `join` joins two lines to one text and undoes hyphenation.
    """
    if not lines:
        return ()
    usual = statistics.median(line.size for line in lines)
    kept = [
        line
        for line in lines
        if abs(line.size - usual) <= _OTHER_SIZE * usual and not CAPTION.match(line.text)
    ]
    items = split_references(_list_lines(kept))
    texts = []
    for item in items:
        text = ""
        for line in item:
            text = text + line if text.endswith("/") else join(text, line)
        texts.append(text)
    return read_references(texts, labelled=has_labels(items))


def list_lines(lines: Sequence[Line]) -> set[int]:
    """Return the `id`s of the lines of a reference list that is recognised by its form alone.

    `lines` are those of the whole paper in reading order.
    """
    *starts, end = list_by_form([line.text for line in lines]) or [0]
    if not starts:
        return set()
    usual = _usual_distance(lines[starts[0] : end])
    within = range(starts[-1] + 1, end)
    end = next((at for at in within if _is_apart(lines[at - 1], lines[at], usual)), end)
    return {id(line) for line in lines[starts[0] : end]}


def _is_apart(above: Line, line: Line, usual: float) -> bool:
    """Return whether something else begins on the page after a line of a reference.

    `usual` is the usual distance of lines.
    """
    if CAPTION.match(line.text) or abs(line.size - above.size) > _OTHER_SIZE * above.size:
        return True
    if line.place != above.place:
        return ENDED.search(above.text) is not None
    return not 0 < above.y - line.y < _PARAGRAPH * usual


def _usual_distance(lines: Sequence[Line]) -> float:
    """Return the usual distance of a line from the one above it, in points."""
    distances = [
        above.y - line.y for above, line in pairwise(lines) if line.is_below(above, math.inf)
    ]
    return statistics.median_low(distances) if distances else 1.0


def _list_lines(lines: Sequence[Line]) -> list[ListLine]:
    """Return the lines with their indentation and gaps, column by column."""
    found: list[ListLine] = []
    usual = _usual_distance(lines)
    edges = _left_edges(lines)
    above: Line | None = None
    for line in lines:
        follows = above is not None and above.place == line.place
        gap = (above.y - line.y) / usual if above is not None and follows else None
        edge = edges[line.place]
        indent = None if edge is None else (line.x0 - edge) / line.size
        found.append(ListLine(_STRAY_ACCENTS.sub("", line.text), indent, gap))
        above = line
    return found


def _left_edges(lines: Sequence[Line]) -> dict[tuple[int, int], float | None]:
    """Return where the text of each column, by page and column, starts on the left.

    A single line that starts further left is ignored, unless the column starts there or the others
    have the usual indentation of references. None if all lines of a column start at the same
    place, although other columns of the list have indentation.
    """
    edges: dict[tuple[int, int], float | None] = {}
    level: set[tuple[int, int]] = set()
    by_place = sorted(lines, key=lambda line: (line.place, line.x0))
    for place, members in groupby(by_place, key=lambda line: line.place):
        column = list(members)
        starts = [line.x0 for line in column]
        believed = (
            x0
            for x0, following in zip(starts, [*starts[1:], float("inf")], strict=True)
            if following - x0 < _SAME_EDGE
            or abs(x0 - column[0].left) < _SAME_EDGE
            or _HANG[0] < (following - x0) / column[0].size < _HANG[1]
        )
        edges[place] = next(believed, starts[0])
        if starts[-1] - starts[0] < _SAME_EDGE:
            level.add(place)
    return {
        place: None if place in level and len(level) < len(edges) else edge
        for place, edge in edges.items()
    }
