"""Build the lines of a PDF page in reading order.

PDFium returns characters with their boxes. Runs of them without a wide gap are segments; a gutter
that few segments cross separates columns; segments on one baseline within a column are a line.
All lengths are in points, with the origin at the lower left of the page as it is displayed.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
import regex

from .characters import ACCENTS, RAISABLE, RAISED, Floats, with_accents, with_superscripts

#: A gap wider than this part of the type size separates segments (a column gap is wider still).
_SEGMENT_GAP = 0.9
_CELL_GAP = 1.2
_SPACE_GAP = 0.12
_MIN_SIZE = 2.0
#: Height of an ascender in ems.
_ASCENDER = 0.69
_MAX_DEPTH = 3
_MIN_COLUMN_LINES = 3
_MAX_PLACES = 2000
#: How far after its number a reference or an item of a list starts, in ems.
_HANG = 2.5
_HANGING = re.compile(r"\[?\d{1,3}[.\]]?")

_BOLD = re.compile(r"bold|black|heavy|demi|medi(?!um)|CM(?:BX|SSBX|BSY)|SFBX|-B$|\.B$", re.I)
_MONOSPACED = re.compile(
    r"mono|courier|typewriter|consol|menlo|CMTT|LMTT|SFTT|ECTT|txtt|Code", re.I
)
#: The codes of TeX's ligatures in its OT1 and T1 encodings, as seen in fonts without a map.
_TEX_LIGATURES = dict(
    zip("\x0b\x0c\r\x0e\x0f\x1b\x1c\x1d\x1e\x1f", 2 * ("ff", "fi", "fl", "ffi", "ffl"), strict=True)
)
_TEX_LIGATURE = re.compile(r"(?<=[^\W\d_])[\x0b-\x0f\x1b-\x1f]|[\x0b-\x0f\x1b-\x1f](?=[a-z]{2})")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "ĳ": "ij"}
    # PDFium marks a hyphen at the end of a line with U+0002 (U+FFFE in its own text).
    | {"\x02": "-", "\ufffe": "-", "\u00a0": " ", "\u200b": None, "\ufeff": None}
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
#: An accent set as a separate character, before its letter (TeX's OT1 encoding).
#: A grave accent is not included: it is an opening quotation mark far more often.
_LOOSE_ACCENT = regex.compile(
    r"([CcSsTtGgKkLlNnRr])(¸)|([´¨ˆ˘˚])[ ]?([AEIOUYaeiouyı])(?![\u0300-\u036f])"
    r"|([˜ˇ¸˙˝])[ ]?([A-Za-zı])"
)


@dataclass(slots=True)
class Line:
    """A line of text with its place on the page; `left` and `right` bound its column.

    `depth` ranges from 0 (top of the page) to 1; `cells` counts the parts between wide gaps.
    """

    page: int
    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    monospaced: bool
    cells: int
    left: float
    right: float
    column: int
    depth: float

    @property
    def place(self) -> tuple[int, int]:
        """Return the page and the column."""
        return self.page, self.column

    def is_below(self, above: Line, reach: float) -> bool:
        """Return whether the line is in the same column as another one, and not far below it."""
        return self.place == above.place and 0 < above.y - self.y < reach

    @property
    def is_short(self) -> bool:
        """Return whether the line ends well before its column does."""
        return self.x1 < self.right - 0.12 * (self.right - self.left)

    @property
    def is_indented(self) -> bool:
        """Return whether the line starts to the right of its column's left edge."""
        return self.x0 > self.left + 0.7 * self.size


@dataclass(slots=True)
class _Segment:
    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    monospaced: bool


def page_lines(page: pdfium.PdfPage, number: int) -> list[Line]:
    """Return the lines of a pypdfium2 page in reading order; `number` is its 1-based number.

    Text set at an angle (a stamp in the margin, an axis of a plot) is left out.
    """
    width, height = page.get_size()
    with closing(page.get_textpage()) as textpage:
        segments = _segments(textpage.raw, page.get_rotation(), width, height)
    lines: list[Line] = []
    for column, leaf in enumerate(_columns(segments, 0)):
        lines += _leaf_lines(leaf, number, column, height)
    return lines


def _segments(
    textpage: pdfium_c.FPDF_TEXTPAGE, rotation: int, width: float, height: float
) -> list[_Segment]:
    """Cut the characters of a page into runs on one baseline without a wide gap."""
    count = pdfium_c.FPDFText_CountChars(textpage)
    if count <= 0:
        return []
    boxes = (pdfium_c.FS_RECTF * count)()
    read_box, read_code = pdfium_c.FPDFText_GetLooseCharBox, pdfium_c.FPDFText_GetUnicode
    for index, box in enumerate(boxes):
        read_box(textpage, index, box)
    text = "".join([chr(read_code(textpage, index)) for index in range(count)])
    edges = np.frombuffer(boxes, dtype=np.float32).reshape(count, 4).astype(np.float64)
    x0, y1, x1, y0 = _displayed(np.nan_to_num(edges), rotation, width, height)
    text = with_accents(text, x0, x1, y0, y1)

    # "\r\n" is PDFium's own line end; a lone "\r" is TeX's "fl" in a font without a map.
    is_ink = np.array(
        [
            not char.isspace()
            or (char in "\x0b\x0c\r\x1c\x1d\x1e\x1f" and text[at + 1 : at + 2] != "\n")
            for at, char in enumerate(text)
        ]
    )
    # Invisible, off the page: printers' marks, or coordinates of a damaged file.
    on_page = (x0 > -width) & (x1 < 2 * width) & (y0 > -height) & (y1 < 2 * height)
    ink = np.flatnonzero(is_ink & on_page)
    if not ink.size:
        return []
    high = np.maximum(y1 - y0, 0.1)[ink]
    left, right, low, top = x0[ink], x1[ink], y0[ink], y1[ink]
    newlines = np.cumsum(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4") == 10)
    tall = np.maximum(high[1:], high[:-1])
    breaks = (
        (newlines[ink][1:] != newlines[ink][:-1])
        | (left[1:] - right[:-1] > _SEGMENT_GAP * tall)
        | (left[1:] < left[:-1] - tall)
        | (np.abs(low[1:] - low[:-1]) > 0.6 * tall)
    )
    firsts = np.concatenate(([0], np.flatnonzero(breaks) + 1))
    lasts = np.concatenate((firsts[1:], [ink.size])) - 1
    lengths = lasts - firsts + 1
    lefts, rights = np.minimum.reduceat(left, firsts), np.maximum.reduceat(right, firsts)
    lows = np.add.reduceat(low, firsts) / lengths
    highs = np.add.reduceat(high, firsts) / lengths
    above = (low - np.repeat(lows, lengths)) / np.repeat(highs, lengths)
    raised = (high < 0.85 * np.repeat(highs, lengths)) & (above > 0.1)
    fonts = _Fonts(textpage, rotation)
    text = with_superscripts(text, ink[raised].tolist(), fonts.is_above, x0, x1)
    segments = []
    places = zip(lefts.tolist(), rights.tolist(), lows.tolist(), strict=True)
    for first, last, (x_from, x_to, box_low) in zip(firsts, lasts, places, strict=True):
        begin, end = int(ink[first]), int(ink[last])
        # Three samples, so that an index at one end does not decide.
        samples = [int(ink[first + (last - first) * part // 4]) for part in (0, 2, 3)]
        place = fonts.place(samples)
        if place is None:
            continue
        baseline, size = place
        if baseline is None:
            baseline = box_low
        if size < _MIN_SIZE:
            # A Type 3 font has its own units; its ascenders show how large it is displayed.
            tops = sorted(top[first : last + 1].tolist())
            size = max(1.0, (tops[len(tops) * 9 // 10] - baseline) / _ASCENDER)
        piece = _readable(text[begin : end + 1])
        if piece:
            styles = fonts.styles(begin), fonts.styles(end)
            bold, monospaced = (all(style) for style in zip(*styles, strict=True))
            segments.append(_Segment(piece, x_from, x_to, baseline, size, bold, monospaced))
    return segments


def _displayed(
    edges: Floats, rotation: int, width: float, height: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return left, top, right and bottom of boxes as displayed on a page rotated by `rotation`."""
    left, top, right, bottom = edges.T
    if rotation == 90:
        return bottom, height - left, top, height - right
    if rotation == 180:
        return width - right, height - bottom, width - left, height - top
    if rotation == 270:
        return width - top, right, width - bottom, left
    return left, top, right, bottom


class _Fonts:
    """Type sizes and weights of the characters of one page."""

    def __init__(self, textpage: pdfium_c.FPDF_TEXTPAGE, rotation: int) -> None:
        self._textpage = textpage
        self._rotation = rotation
        self._matrix = pdfium_c.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._buffer = ctypes.create_string_buffer(96)
        self._styles: dict[bytes, tuple[bool, bool]] = {}

    def place(self, samples: list[int]) -> tuple[float | None, float] | None:
        """Return baseline and type size in points, or None where text is not set horizontally."""
        matrix, x, y = self._matrix, self._x, self._y
        best: tuple[float | None, float] = (None, 0.0)
        for index in samples:
            if not pdfium_c.FPDFText_GetMatrix(self._textpage, index, matrix):
                continue
            along, across = matrix.a, matrix.b
            if self._rotation % 180:
                along, across = across, along
            if abs(across) > abs(along):
                return None
            scale = math.hypot(matrix.c, matrix.d)
            size = float(pdfium_c.FPDFText_GetFontSize(self._textpage, index)) * scale
            # The largest counts: indices and small capitals are set smaller.
            if size > best[1]:
                upright = not self._rotation and pdfium_c.FPDFText_GetCharOrigin(
                    self._textpage, index, x, y
                )
                best = (float(y.value) if upright else None, size)
        return best

    def is_above(self, index: int, other: int) -> bool:
        """Return whether a character is set smaller and higher than another; True in doubt."""
        place, beside = self.place([index]), self.place([other])
        if place is None or beside is None:
            return False
        (baseline, size), (line, usual) = place, beside
        if baseline is None or line is None or min(size, usual) < _MIN_SIZE:
            return True  # rotated pages, and Type 3 fonts, which have their own units
        return size < 0.88 * usual and baseline > line + 0.08 * usual

    def styles(self, index: int) -> tuple[bool, bool]:
        """Return whether the font is bold, and whether it is monospaced, by its name."""
        pdfium_c.FPDFText_GetFontInfo(self._textpage, index, self._buffer, 96, None)
        name: bytes = self._buffer.value
        if name not in self._styles:
            font = name.decode("latin-1").rpartition("+")[2]
            self._styles[name] = bool(_BOLD.search(font)), bool(_MONOSPACED.search(font))
        return self._styles[name]


def _readable(piece: str) -> str:
    """Return the text of a segment with ligatures, accents and control characters corrected."""
    if _CONTROL.search(piece):
        piece = _TEX_LIGATURE.sub(lambda found: _TEX_LIGATURES[found[0]], piece)
    piece = piece.translate(_LIGATURES)
    piece = _CONTROL.sub("", piece)
    try:
        piece.encode("utf-8")
    except UnicodeEncodeError:  # halves of a character outside the basic plane
        piece = piece.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return " ".join(piece.split())


def _composed(found: regex.Match[str]) -> str:
    """Return accent and letter as one character, or unchanged if there is no such character."""
    accent = found[2] or found[3] or found[5]
    letter = (found[1] or found[4] or found[6]).replace("ı", "i")
    whole = unicodedata.normalize("NFC", letter + ACCENTS[accent])
    return whole if len(whole) == 1 else str(found[0])


def _columns(segments: list[_Segment], depth: int) -> list[list[_Segment]]:
    """Return groups of segments in reading order, each group within one column.

    Segments that cross the gutter cut the page into bands; in a band the left column comes first.
    """
    gutter = _gutter(segments) if depth < _MAX_DEPTH else None
    if gutter is None:
        return _lower_columns(segments, depth)
    spanning, rest = _across(segments, gutter)
    # Bands from the top: keys ascend as y falls.
    spanning.sort(key=lambda segment: -segment.y)
    cuts = [-segment.y for segment in spanning]
    bands: dict[int, tuple[list[_Segment], list[_Segment]]] = {}
    for segment in rest:
        sides = bands.setdefault(bisect_left(cuts, -segment.y), ([], []))
        sides[(segment.x0 + segment.x1) / 2 > gutter].append(segment)
    groups: list[list[_Segment]] = []
    taken = 0
    for band in sorted(bands):
        groups.append(spanning[taken:band])
        taken = band
        for side in bands[band]:
            groups += _columns(side, depth + 1)
    groups.append(spanning[taken:])
    return [group for group in groups if group]


def _lower_columns(segments: list[_Segment], depth: int) -> list[list[_Segment]]:
    """Separate columns below the last full line, such as those of a reference list."""
    if not segments:
        return []
    left, right = min(s.x0 for s in segments), max(s.x1 for s in segments)
    full = [s.y for s in segments if s.x1 - s.x0 > 0.7 * (right - left)]
    if depth or not full:
        return [segments]
    below = [s for s in segments if s.y < min(full) - 2]
    if _gutter(below) is None:
        return [segments]
    return [[s for s in segments if s.y >= min(full) - 2], *_columns(below, depth)]


def _gutter(segments: Sequence[_Segment]) -> float | None:
    """Return the position of a vertical line between columns that few segments cross."""
    if len(segments) < 2 * _MIN_COLUMN_LINES:
        return None
    x0 = np.array(_starts_with_labels(segments))
    x1 = np.array([segment.x1 for segment in segments])
    left, width = float(x0.min()), float(x1.max() - x0.min())
    if width < 150:
        return None
    # A damaged file may claim any width; the number of places stays bounded.
    count = min(_MAX_PLACES, int(0.6 * width) + 1)
    places = np.linspace(left + 0.2 * width, left + 0.8 * width, count)
    wide = x1 - x0 > 0.2 * width
    crossing = np.searchsorted(np.sort(x0), places - 1) - np.searchsorted(np.sort(x1), places + 1)
    before = np.searchsorted(np.sort(x1[wide]), places, side="right")
    behind = wide.sum() - np.searchsorted(np.sort(x0[wide]), places)
    columns = np.minimum(before, behind)
    possible = (columns >= _MIN_COLUMN_LINES) & (crossing <= 2 * columns)
    if not possible.any():
        return None
    fewest = int(crossing[possible].min())
    good = np.flatnonzero(possible & (crossing <= fewest))
    runs = np.split(good, np.flatnonzero(np.diff(good) > 1) + 1)
    widest = max(runs, key=len)
    return float(places[widest[len(widest) // 2]])


def _starts_with_labels(segments: Sequence[_Segment]) -> list[float]:
    """Return where each segment starts, including a hanging number before it.

    Otherwise the space after the numbers of a list in the second column would be the gutter.
    """
    starts = [segment.x0 for segment in segments]
    rows: defaultdict[int, list[int]] = defaultdict(list)
    for at, segment in enumerate(segments):
        rows[round(segment.y)].append(at)
    for row in rows.values():
        row.sort(key=starts.__getitem__)
        for at, following in pairwise(row):
            number, text = segments[at], segments[following]
            if text.x0 - number.x1 < _HANG * text.size and _HANGING.fullmatch(number.text):
                starts[following] = number.x0
    return starts


def _across(segments: list[_Segment], gutter: float) -> tuple[list[_Segment], list[_Segment]]:
    """Split the segments into those on a line that crosses the gutter and the others."""
    over = [s for s in segments if s.x0 < gutter - 6 and s.x1 > gutter + 6]
    if not over:
        return [], segments
    heights = sorted((segment.y, segment.size) for segment in over)
    spanning: list[_Segment] = []
    rest: list[_Segment] = []
    for segment in segments:
        at = bisect_left(heights, (segment.y, 0.0))
        near = any(
            abs(y - segment.y) < 0.45 * max(size, segment.size)
            for y, size in heights[max(0, at - 1) : at + 1]
        )
        (spanning if near else rest).append(segment)
    return _with_last_lines(spanning, rest, gutter)


def _with_last_lines(
    spanning: list[_Segment], rest: list[_Segment], gutter: float
) -> tuple[list[_Segment], list[_Segment]]:
    """Move the short last line of a paragraph that crosses the gutter to the lines above it.

    It is right below one, starts where that starts, and has nothing beside it.
    """
    beside = sorted(segment.y for segment in rest if segment.x0 > gutter)
    moved: set[int] = set()
    for segment in rest:
        if segment.x1 > gutter or not any(
            abs(above.x0 - segment.x0) < 2
            and 0.9 * segment.size < above.y - segment.y < 1.35 * segment.size
            and abs(above.size - segment.size) < 0.5
            for above in spanning
        ):
            continue
        at = bisect_left(beside, segment.y - 0.5 * segment.size)
        if at == len(beside) or beside[at] > segment.y + 0.5 * segment.size:
            moved.add(id(segment))
    return (
        spanning + [segment for segment in rest if id(segment) in moved],
        [segment for segment in rest if id(segment) not in moved],
    )


def _leaf_lines(segments: list[_Segment], number: int, column: int, height: float) -> list[Line]:
    """Combine the segments of one column into lines, from the top."""
    baselines: list[float] = []
    members: list[list[_Segment]] = []
    # The widest come first, so that indices and exponents join the line they belong to.
    for segment in sorted(segments, key=lambda item: item.x0 - item.x1):
        at = bisect_left(baselines, segment.y)
        best, distance = -1, 0.0
        for index in (at - 1, at):
            if 0 <= index < len(baselines):
                away = abs(baselines[index] - segment.y)
                reach = 0.5 * max(members[index][0].size, segment.size)
                if away < reach and (best < 0 or away < distance):
                    best, distance = index, away
        if best < 0:
            baselines.insert(at, segment.y)
            members.insert(at, [segment])
        else:
            members[best].append(segment)
    starts = sorted(item[0].x0 for item in members)
    ends = sorted(item[0].x1 for item in members)
    left = starts[len(starts) // 10]
    right = ends[min(len(ends) - 1, len(ends) * 9 // 10)]
    lines = []
    for y, parts in zip(reversed(baselines), reversed(members), strict=True):
        main = parts[0]
        text, cells = _joined(sorted(parts, key=lambda item: item.x0), main)
        lines.append(
            Line(
                page=number,
                text=text,
                x0=min(part.x0 for part in parts),
                x1=max(part.x1 for part in parts),
                y=y,
                size=main.size,
                bold=all(part.bold for part in parts),
                monospaced=all(part.monospaced for part in parts),
                cells=cells,
                left=left,
                right=right,
                column=column,
                depth=1 - y / height if height else 0.0,
            )
        )
    return lines


def _joined(parts: list[_Segment], main: _Segment) -> tuple[str, int]:
    """Return the text of the segments of a line, and the number of cells between wide gaps."""
    text, cells = "", 1
    for before, part in pairwise([parts[0], *parts]):
        gap = part.x0 - before.x1
        if gap > _CELL_GAP * main.size:
            cells += 1
        if _is_raised(part, main):
            text += part.text.translate(RAISED)
        elif text and gap > _SPACE_GAP * main.size:
            text += f" {part.text}"
        else:
            text += part.text
    return _LOOSE_ACCENT.sub(_composed, text), cells


def _is_raised(part: _Segment, main: _Segment) -> bool:
    """Return whether a part of a line is a raised number, such as the mark of a footnote."""
    return (
        len(part.text) <= 12
        and part.size < 0.85 * main.size
        and part.y > main.y + 0.1 * main.size
        and all(char in RAISABLE or char == " " for char in part.text)
        and any(char.isdigit() for char in part.text)
    )
