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
_STRAY_ACCENTS = regex.compile(r"(?<=\S)\s?[´`¨ˆ˜ˇ˘˙˚]+\Z")


def references_of(lines: Sequence[Line], join: Join) -> tuple[Reference, ...]:
    """Return the references of one list, given its lines in reading order without its heading."""
    if not lines:
        return ()
    size = statistics.median(line.size for line in lines)
    lines = [
        line
        for line in lines
        if abs(line.size - size) <= _OTHER_SIZE * size and not CAPTION.match(line.text)
    ]
    distance = _usual_distance(lines)
    edges = _left_edges(lines)
    listed: list[ListLine] = []
    for above, line in zip([None, *lines], lines, strict=False):
        edge = edges[line.place]
        is_top = above is None or above.place != line.place
        listed.append(
            ListLine(
                _STRAY_ACCENTS.sub("", line.text),
                None if edge is None else (line.x0 - edge) / line.size,
                None if is_top or above is None else (above.y - line.y) / distance,
            )
        )
    items = split_references(listed)
    texts = []
    for item in items:
        text = ""
        for words in item:
            text = text + words if text.endswith("/") else join(text, words)
        texts.append(text)
    return read_references(texts, labelled=has_labels(items))


def list_lines(lines: Sequence[Line]) -> set[Line]:
    """Return the lines of a reference list that is recognised by its form alone."""
    *starts, end = list_by_form([line.text for line in lines]) or [0]
    if not starts:
        return set()
    usual = _usual_distance(lines[starts[0] : end])
    last = lines[starts[-1] : end]
    cut = (at for at, pair in enumerate(pairwise(last), 1) if _is_apart(*pair, usual))
    return {*lines[starts[0] : starts[-1] + next(cut, len(last))]}


def _is_apart(above: Line, line: Line, usual: float) -> bool:
    """Return whether something else begins on the page after a line of a reference."""
    if CAPTION.match(line.text) or abs(line.size - above.size) > _OTHER_SIZE * above.size:
        return True
    if line.place != above.place:
        return ENDED.search(above.text) is not None
    return not 0 < above.y - line.y < _PARAGRAPH * usual


def _usual_distance(lines: Sequence[Line]) -> float:
    """Return the usual distance of a line from the one above it, in points."""
    near = [above.y - line.y for above, line in pairwise(lines) if line.is_below(above, math.inf)]
    return statistics.median_low(near) if near else 1.0


def _left_edges(lines: Sequence[Line]) -> dict[tuple[int, int], float | None]:
    """Return where the text of each column, by page and column, starts on the left.

    A single line that starts further left is ignored, unless the column starts there or the others
    have the usual indentation of references. None if all lines of a column start at the same
    place, although other columns of the list have indentation.
    """
    edges: dict[tuple[int, int], float | None] = {}
    level = []
    by_place = sorted(lines, key=lambda line: (line.place, line.x0))
    for place, members in groupby(by_place, key=lambda line: line.place):
        column = list(members)
        starts = [line.x0 for line in column]
        edges[place] = next(
            (
                x0
                for x0, following in pairwise([*starts, math.inf])
                if following - x0 < _SAME_EDGE
                or abs(x0 - column[0].left) < _SAME_EDGE
                or _HANG[0] < (following - x0) / column[0].size < _HANG[1]
            ),
            starts[0],
        )
        if starts[-1] - starts[0] < _SAME_EDGE:
            level.append(place)
    if len(level) < len(edges):
        edges |= dict.fromkeys(level)
    return edges
