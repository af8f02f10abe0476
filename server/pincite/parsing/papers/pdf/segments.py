"""Read the characters of a PDF page and cut them into segments: runs without a wide gap.

Characters count only if they are set in the direction of the page's text, which need not be that
of the page: a wide table or a landscape page is often set sideways on an upright page. Text at
another angle is left out: stamps in the margin, axes of plots, watermarks.
All lengths are in points, with the origin at the lower left of the page with its text upright.
"""

from __future__ import annotations

import ctypes
import math
import re
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from .characters import Floats, with_accents, with_superscripts
from .ligatures import SPACED, with_ligatures
from .right_to_left import in_visual_order

#: A gap wider than this part of the type size separates segments (a column gap is wider still).
_SEGMENT_GAP = 0.9
_MIN_SIZE = 2.0
#: Height of an ascender in ems.
_ASCENDER = 0.69
#: Text whose direction differs by more than this from that of the page, in degrees, is at an angle.
_SKEW = 4.0
#: By how much a page may be scanned askew.
_ASKEW = 15.0
_LEVEL = 0.1
#: A stamp is set larger by this factor than the text it covers.
_STAMP = 1.5

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
    | {sign: spaced for spaced, sign in SPACED.items()}
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_NUMBER_FIRST = re.compile(r"[\d⁰¹²³⁴-⁹]{1,5}(?=\s)")
_NUMBER_LAST = re.compile(r"(?<=\s)[\d⁰¹²³⁴-⁹]{1,5}\Z")


@dataclass(slots=True)
class Segment:
    """A run of text on one baseline.

    `head` is the length of a number at its start, where that ends and where the rest starts;
    `tail` the length of a number at its end, where that starts and where the rest ends.
    """

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    monospaced: bool
    head: tuple[int, float, float] | None = None
    tail: tuple[int, float, float] | None = None


@dataclass(slots=True)
class PageSegments:
    """The segments of a page, its width and height with the text upright.

    `glyphs` counts the signs on the page, whether they can be read or not.
    """

    segments: list[Segment]
    width: float
    height: float
    glyphs: int = 0


def page_segments(page: pdfium.PdfPage) -> PageSegments:
    """Return the segments of a pypdfium2 page, in the order of the file."""
    width, height = page.get_size()
    if page.get_rotation() % 180:
        width, height = height, width
    with closing(page.get_textpage()) as textpage:
        return _segments(textpage.raw, width, height)


def _segments(textpage: pdfium_c.FPDF_TEXTPAGE, width: float, height: float) -> PageSegments:
    """Cut the characters of a page into runs on one baseline without a wide gap.

    `width` and `height` are those of the page before it is rotated.
    """
    count = pdfium_c.FPDFText_CountChars(textpage)
    if count <= 0:
        return PageSegments([], width, height)
    boxes = (pdfium_c.FS_RECTF * count)()
    read_box, read_code = pdfium_c.FPDFText_GetLooseCharBox, pdfium_c.FPDFText_GetUnicode
    for index, box in enumerate(boxes):
        read_box(textpage, index, box)
    text = "".join([chr(read_code(textpage, index)) for index in range(count)])
    glyphs = len("".join(text.split()))
    edges = np.frombuffer(boxes, dtype=np.float32).reshape(count, 4).astype(np.float64)
    fonts = _Fonts(textpage)
    turn, straight = fonts.directions(text, edges[:, 3])
    if turn % 2:
        width, height = height, width
    fonts.turn = turn
    if not straight.all():
        # Characters at an angle interrupt no segment.
        text = "".join(
            [
                char if is_straight or char == "\n" else "\x85"
                for char, is_straight in zip(text, straight.tolist(), strict=True)
            ]
        )
    x0, y1, x1, y0 = _upright(np.nan_to_num(edges), turn, width, height)
    text = with_ligatures(text, fonts.is_unmapped, x0, x1, y1 - y0)
    text = with_accents(text, x0, x1, y0, y1)
    if order := in_visual_order(text, x0, x1, y1 - y0):
        text, fonts.order = order
        x0, y1, x1, y0 = (edge[fonts.order] for edge in (x0, y1, x1, y0))

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
        return PageSegments([], width, height, glyphs)
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
    text = with_superscripts(text, ink[raised].tolist(), fonts.is_above, x0, x1)
    segments = []
    places = zip(lefts.tolist(), rights.tolist(), lows.tolist(), strict=True)
    for first, last, (x_from, x_to, box_low) in zip(firsts, lasts, places, strict=True):
        begin, end = int(ink[first]), int(ink[last])
        # Three samples, so that an index at one end does not decide.
        samples = [int(ink[first + (last - first) * part // 4]) for part in (0, 2, 3)]
        baseline, size = fonts.place(samples)
        if baseline is None:
            baseline = box_low
        if size < _MIN_SIZE:
            # A Type 3 font has its own units; its ascenders show how large it is displayed.
            tops = sorted(top[first : last + 1].tolist())
            size = max(1.0, (tops[len(tops) * 9 // 10] - baseline) / _ASCENDER)
        piece = _readable(text[begin : end + 1])
        if not piece:
            continue
        styles = fonts.styles(begin), fonts.styles(end)
        bold, monospaced = (all(style) for style in zip(*styles, strict=True))
        segment = Segment(piece, x_from, x_to, baseline, size, bold, monospaced)
        if number := _NUMBER_FIRST.match(piece):
            at = first + number.end()
            segment.head = number.end(), float(right[at - 1]), float(left[at])
        if number := _NUMBER_LAST.search(piece, max(0, len(piece) - 6)):
            at = last + 1 - len(number[0])
            segment.tail = len(number[0]), float(left[at]), float(right[at - 1])
        segments.append(segment)
    return PageSegments(_without_stamps(segments), width, height, glyphs)


def _upright(
    edges: Floats, turn: int, width: float, height: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return left, top, right and bottom of boxes on a page turned until its text is upright.

    The text is set at `turn` quarters of a circle, anticlockwise; width and height are those of the
    turned page.
    """
    left, top, right, bottom = edges.T
    if turn == 1:
        return bottom, height - left, top, height - right
    if turn == 2:
        return width - right, height - bottom, width - left, height - top
    if turn == 3:
        return width - top, right, width - bottom, left
    return left, top, right, bottom


class _Fonts:
    """Directions, type sizes and weights of the characters of one page.

    `turn` is the direction of the text, and `order` has the index of each character in PDFium.
    """

    def __init__(self, textpage: pdfium_c.FPDF_TEXTPAGE) -> None:
        self.turn = 0
        self.order: list[int] | range = range(pdfium_c.FPDFText_CountChars(textpage))
        self._textpage = textpage
        self._matrix = pdfium_c.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._buffer = ctypes.create_string_buffer(96)
        self._styles: dict[bytes, tuple[bool, bool]] = {}

    def directions(self, text: str, bottoms: Floats) -> tuple[int, npt.NDArray[np.bool_]]:
        """Return the direction of most text, in quarters, and which characters are set in it.

        `bottoms` are the lower edges of the boxes: at the same height a direction goes on.
        """
        matrix, read_angle = self._matrix, pdfium_c.FPDFText_GetCharAngle
        moved = np.abs(np.diff(bottoms, prepend=np.inf)) > _LEVEL
        angles = np.zeros(len(text))
        for index in np.flatnonzero(moved).tolist():
            angles[index] = read_angle(self._textpage, index)
        if not angles.any():
            return 0, np.ones(len(text), dtype=np.bool_)
        angles = angles[np.maximum.accumulate(np.where(moved, np.arange(len(text)), 0))]
        for index in np.flatnonzero(angles).tolist():
            # PDFium takes slanted letters for turned ones.
            if pdfium_c.FPDFText_GetMatrix(self._textpage, index, matrix):
                angles[index] = math.atan2(matrix.b, matrix.a)
        quarters = np.nan_to_num(angles) / (math.pi / 2)
        nearest = np.round(quarters)
        is_letter = np.array([char.isalnum() for char in text])
        skew = 90 * (quarters - nearest)
        usual = float(np.median(skew[is_letter])) if is_letter.any() else 0.0
        is_straight = np.abs(skew - (usual if abs(usual) < _ASKEW else 0.0)) < _SKEW
        if 5 * (is_straight & is_letter).sum() < is_letter.sum():
            is_straight[:] = True
        turns = (nearest % 4).astype(int)
        turn = int(np.bincount(turns[is_straight & is_letter], minlength=4).argmax())
        return turn, is_straight & (turns == turn)

    def is_unmapped(self, index: int) -> bool:
        """Return whether a font has no character for a glyph, so that its code is given."""
        if pdfium_c.FPDFText_GetUnicode(self._textpage, index) == 2:
            # PDFium's mark of a hyphen at the end of a line.
            return int(pdfium_c.FPDFText_IsHyphen(self._textpage, index)) == 0
        return int(pdfium_c.FPDFText_HasUnicodeMapError(self._textpage, index)) == 1

    def place(self, samples: list[int]) -> tuple[float | None, float]:
        """Return baseline and type size in points."""
        matrix, x, y = self._matrix, self._x, self._y
        best: tuple[float | None, float] = (None, 0.0)
        for index in (self.order[sample] for sample in samples):
            if not pdfium_c.FPDFText_GetMatrix(self._textpage, index, matrix):
                continue
            scale = math.hypot(matrix.c, matrix.d)
            size = float(pdfium_c.FPDFText_GetFontSize(self._textpage, index)) * scale
            # The largest counts: indices and small capitals are set smaller.
            if size > best[1]:
                upright = not self.turn and pdfium_c.FPDFText_GetCharOrigin(
                    self._textpage, index, x, y
                )
                best = (float(y.value) if upright else None, size)
        return best

    def is_above(self, index: int, other: int) -> bool:
        """Return whether a character is set smaller and higher than another; True in doubt."""
        (baseline, size), (line, usual) = self.place([index]), self.place([other])
        if baseline is None or line is None or min(size, usual) < _MIN_SIZE:
            return True  # turned text, and Type 3 fonts, which have their own units
        return size < 0.88 * usual and baseline > line + 0.08 * usual

    def styles(self, index: int) -> tuple[bool, bool]:
        """Return whether the font is bold, and whether it is monospaced, by its name."""
        index = self.order[index]
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


def _without_stamps(segments: list[Segment]) -> list[Segment]:
    """Return the segments without words that are set over smaller text, as a watermark is."""
    usual = np.median([segment.size for segment in segments]) if segments else 0.0
    large = [
        segment
        for segment in segments
        if segment.size > _STAMP * usual and sum(map(str.isalpha, segment.text)) > 2
    ]
    if not large:
        return segments
    x0, x1, y, size = np.array([(s.x0, s.x1, s.y, s.size) for s in segments]).T
    stamps: set[int] = set()
    for stamp in large:
        covered = (
            (np.minimum(x1, stamp.x1) - np.maximum(x0, stamp.x0) > size)
            & (y + 0.4 * size > stamp.y)
            & (y < stamp.y + 0.5 * stamp.size)
            & (size * _STAMP < stamp.size)
        )
        if covered.any():
            stamps.add(id(stamp))
    return [segment for segment in segments if id(segment) not in stamps]
