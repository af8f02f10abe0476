"""The characters of a PDF page, cut into segments: runs on one baseline without a wide gap.

Text counts only if it is set in the direction of most of the page's text, which may be sideways:
stamps in the margin, axes of plots and watermarks are left out. All lengths are in points, with the
origin at the lower left of the page with its text upright.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from .characters import SPACED, Boxes, Floats, with_accents, with_ligatures, with_superscripts
from .right_to_left import in_visual_order

#: Gaps wider than these, in heights of characters, separate segments (a column gap is wider
#: still), and numbers from the text beside them: "1985 was" is text.
_SEGMENT_GAP, _NUMBER_GAP = 0.9, 0.27
_MIN_SIZE = 2.0
#: Height of an ascender in ems.
_ASCENDER = 0.69
#: By how many degrees text at an angle differs from the page, and a page may be scanned askew.
_SKEW, _ASKEW = 4.0, 15.0
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
#: "\r\n" is PDFium's own line end; a lone "\r" is TeX's "fl" in a font without a map.
_INK = re.compile(r"\S|[\x0b\x0c\r\x1c-\x1f](?!\n)")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "ĳ": "ij"}
    # PDFium marks a hyphen at the end of a line with U+0002 (U+FFFE in its own text).
    | {"\x02": "-", "\ufffe": "-", "\u00ad": "-", "\u00a0": " ", "\u200b": None, "\ufeff": None}
    | {sign: spaced for spaced, sign in SPACED.items()}
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_NUMBER_FIRST = re.compile(r"[\d⁰¹²³⁴-⁹]{1,5}(?=\s)")
_NUMBER_LAST = re.compile(r"(?<=\s)[\d⁰¹²³⁴-⁹]{1,5}\Z")


@dataclass(slots=True, eq=False)
class Segment:
    """A run of text on one baseline.

    A number at its end, which may be that of the line, is a segment by itself until line numbers
    are removed; then each of its parts is `after` the one before it.
    """

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    monospaced: bool
    after: Segment | None = None


@dataclass(slots=True)
class PageSegments:
    """The segments of a page, its size with the text upright, and the number of its glyphs."""

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
        type_ = _Type(textpage.raw)
        if not (text := type_.text):
            return PageSegments([], width, height)
        edges = type_.edges()
        turn, straight = type_.directions(edges[3])
        if turn % 2:
            width, height = height, width
        # Characters at an angle interrupt no segment.
        shown = zip(text, straight.tolist(), strict=True)
        text = "".join([char if is_shown or char == "\n" else "\x85" for char, is_shown in shown])
        left, top, right, bottom = np.nan_to_num(edges)
        turned = (
            (left, bottom, right, top),
            (bottom, height - right, top, height - left),
            (width - right, height - top, width - left, height - bottom),
            (width - top, left, width - bottom, right),
        )
        boxes = Boxes(*turned[turn])
        text = with_accents(with_ligatures(text, type_.is_unmapped, boxes), boxes)
        if order := in_visual_order(text, boxes):
            text, type_.order = order
            boxes = Boxes(*(edge[type_.order] for edge in boxes))
        segments = _without_stamps(_cut(text, boxes, type_, width, height))
        return PageSegments(segments, width, height, len("".join(type_.text.split())))


def _cut(text: str, boxes: Boxes, type_: _Type, width: float, height: float) -> list[Segment]:
    """Return the runs of characters on one baseline without a wide gap."""
    x0, y0, x1, y1 = boxes
    # Invisible, off the page: printers' marks, or coordinates of a damaged file.
    on_page = (x0 > -width) & (x1 < 2 * width) & (y0 > -height) & (y1 < 2 * height)
    ink = np.array([char.start() for char in _INK.finditer(text)], dtype=np.intp)
    ink = ink[on_page[ink]]
    if not ink.size:
        return []
    left, right, low, top = x0[ink], x1[ink], y0[ink], y1[ink]
    high = np.maximum(top - low, 0.1)
    newlines = np.cumsum(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4") == 10)
    tall = np.maximum(high[1:], high[:-1])
    gaps = (left[1:] - right[:-1]) / tall
    breaks = (
        (np.diff(newlines[ink]) != 0)
        | (gaps > _SEGMENT_GAP)
        | (left[1:] < left[:-1] - tall)
        | (np.abs(np.diff(low)) > 0.6 * tall)
    )
    firsts = np.concatenate(([0], np.flatnonzero(breaks) + 1))
    lengths = np.diff(firsts, append=ink.size)
    lows, highs = (np.add.reduceat(sizes, firsts) / lengths for sizes in (low, high))
    above = (low - np.repeat(lows, lengths)) / np.repeat(highs, lengths)
    raised = (high < 0.85 * np.repeat(highs, lengths)) & (above > 0.1)
    text = with_superscripts(text, ink[raised].tolist(), type_.is_above, boxes)
    ends = {*firsts.tolist(), ink.size}
    parts = set()
    for first, end in pairwise(sorted(ends)):
        piece = text[ink[first] : ink[end - 1] + 1]
        head, tail = _NUMBER_FIRST.match(piece), _NUMBER_LAST.search(piece, max(0, len(piece) - 6))
        numbers = [first + len(head[0])] if head else []
        numbers += [end - len(tail[0])] if tail else []
        parts |= {at for at in numbers if gaps[at - 1] > _NUMBER_GAP}
    segments: list[Segment] = []
    white: set[Segment] = set()
    for first, end in pairwise(sorted(ends | parts)):
        last = end - 1
        piece = _readable(text[ink[first] : ink[last] + 1])
        if not piece:
            continue
        # Three samples, so that an index at one end does not decide.
        samples = [int(ink[first + (last - first) * part // 4]) for part in (0, 2, 3)]
        baseline, size = type_.place(samples)
        if math.isnan(baseline):
            baseline = float(low[first:end].mean())
        if size < _MIN_SIZE:
            # A Type 3 font has its own units; its ascenders show how large it is displayed.
            tops = sorted(top[first:end].tolist())
            size = max(1.0, (tops[len(tops) * 9 // 10] - baseline) / _ASCENDER)
        styles = type_.style(int(ink[first])), type_.style(int(ink[last]))
        bold, monospaced = map(all, zip(*styles, strict=True))
        x_from, x_to = float(left[first:end].min()), float(right[first:end].max())
        after = segments[-1] if segments and first in parts else None
        segments.append(Segment(piece, x_from, x_to, baseline, size, bold, monospaced, after))
        if type_.is_white(int(ink[first])):
            white.add(segments[-1])
    return _without_hidden(segments, white)


class _Type:
    """The characters of one page in the order of the file, with their places and fonts."""

    def __init__(self, page: pdfium_c.FPDF_TEXTPAGE) -> None:
        self._page = page
        count = max(0, pdfium_c.FPDFText_CountChars(page))
        self.order: Sequence[int] = range(count)
        self.text = "".join([chr(pdfium_c.FPDFText_GetUnicode(page, at)) for at in range(count)])
        self._turn = 0
        self._matrix = pdfium_c.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._name = ctypes.create_string_buffer(96)
        self._colour = [ctypes.c_uint() for _ in range(4)]

    def edges(self) -> Floats:
        """Return left, top, right and bottom of the characters' boxes on the page as it is."""
        boxes = (pdfium_c.FS_RECTF * len(self.text))()
        for index, box in enumerate(boxes):
            pdfium_c.FPDFText_GetLooseCharBox(self._page, index, box)
        edges: Floats = np.frombuffer(boxes, dtype=np.float32).reshape(-1, 4).T.astype(np.float64)
        return edges

    def directions(self, bottoms: Floats) -> tuple[int, npt.NDArray[np.bool_]]:
        """Return the direction of most text, in quarters, and which characters are set in it."""
        count = len(self.text)
        moved = np.abs(np.diff(bottoms, prepend=np.inf)) > 0.1
        angles = np.zeros(count)
        for index in np.flatnonzero(moved).tolist():
            angles[index] = pdfium_c.FPDFText_GetCharAngle(self._page, index)
        if not angles.any():
            return 0, np.ones(count, dtype=np.bool_)
        angles = angles[np.maximum.accumulate(np.where(moved, np.arange(count), 0))]
        for index in np.flatnonzero(angles).tolist():
            # PDFium takes slanted letters for turned ones.
            if pdfium_c.FPDFText_GetMatrix(self._page, index, self._matrix):
                angles[index] = math.atan2(self._matrix.b, self._matrix.a)
        quarters = np.nan_to_num(angles) / (math.pi / 2)
        nearest = np.round(quarters)
        is_letter = np.array([char.isalnum() for char in self.text])
        skew = 90 * (quarters - nearest)
        usual = float(np.median(skew[is_letter])) if is_letter.any() else 0.0
        is_straight = np.abs(skew - (usual if abs(usual) < _ASKEW else 0.0)) < _SKEW
        if 5 * (is_straight & is_letter).sum() < is_letter.sum():
            is_straight[:] = True
        turns = (nearest % 4).astype(int)
        self._turn = int(np.bincount(turns[is_straight & is_letter], minlength=4).argmax())
        return self._turn, is_straight & (turns == self._turn)

    def is_unmapped(self, index: int) -> bool:
        """Return whether a font has no character for a glyph, so that its code is given."""
        if self.text[index] == "\x02":  # PDFium's mark of a hyphen at the end of a line
            return not pdfium_c.FPDFText_IsHyphen(self._page, index)
        return int(pdfium_c.FPDFText_HasUnicodeMapError(self._page, index)) == 1

    def place(self, samples: Sequence[int]) -> tuple[float, float]:
        """Return baseline (NaN if unknown) and size of the largest of some characters."""
        best = math.nan, 0.0
        for index in (self.order[sample] for sample in samples):
            if not pdfium_c.FPDFText_GetMatrix(self._page, index, self._matrix):
                continue
            scale = math.hypot(self._matrix.c, self._matrix.d)
            size = float(pdfium_c.FPDFText_GetFontSize(self._page, index)) * scale
            if size > best[1]:
                pdfium_c.FPDFText_GetCharOrigin(self._page, index, self._x, self._y)
                best = math.nan if self._turn else float(self._y.value), size
        return best

    def is_above(self, index: int, other: int) -> bool:
        """Return whether a character is set smaller and higher than another; True in doubt."""
        (baseline, size), (line, usual) = self.place([index]), self.place([other])
        if min(size, usual) < _MIN_SIZE:
            return True  # Type 3 fonts have their own units
        return size < 0.88 * usual and not baseline <= line + 0.08 * usual

    def is_white(self, index: int) -> bool:
        """Return whether a character is white."""
        pdfium_c.FPDFText_GetFillColor(self._page, self.order[index], *self._colour)
        return all(part.value == 255 for part in self._colour)

    def style(self, index: int) -> tuple[bool, bool]:
        """Return whether a character is bold, and whether it is monospaced."""
        pdfium_c.FPDFText_GetFontInfo(self._page, self.order[index], self._name, 96, None)
        return _style_of(self._name.value)


@lru_cache(256)
def _style_of(name: bytes) -> tuple[bool, bool]:
    font = name.decode("latin-1").rpartition("+")[2]
    return bool(_BOLD.search(font)), bool(_MONOSPACED.search(font))


def _readable(piece: str) -> str:
    """Return the text of a segment with ligatures, accents and control characters corrected."""
    if _CONTROL.search(piece):
        piece = _TEX_LIGATURE.sub(lambda found: _TEX_LIGATURES[found[0]], piece)
    piece = _CONTROL.sub("", piece.translate(_LIGATURES))
    # Halves of a character outside the basic plane become that character.
    piece = piece.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return " ".join(piece.split())


def _without_hidden(segments: list[Segment], white: Set[Segment]) -> list[Segment]:
    """Return the segments without white text on a line that has other text over it."""
    if not white or len(white) == len(segments):
        return segments
    seen = [(s.x0, s.x1, s.y) for s in segments if s not in white]
    x0, x1, y = np.array(seen).T
    hidden = np.array(
        [
            each.y
            for each in white
            if ((np.abs(y - each.y) < 1) & (each.x0 < x1) & (x0 < each.x1)).any()
        ]
    )
    return [s for s in segments if s not in white or not (np.abs(hidden - s.y) < 1).any()]


def _without_stamps(segments: list[Segment]) -> list[Segment]:
    """Return the segments without words that are set over smaller text, as a watermark is."""
    if not segments:
        return []
    x0, x1, y, size = np.array([(s.x0, s.x1, s.y, s.size) for s in segments]).T
    large = _STAMP * np.median(size)
    return [
        segment
        for segment in segments
        if segment.size <= large
        or sum(map(str.isalpha, segment.text)) < 3
        or not (
            (np.minimum(x1, segment.x1) - np.maximum(x0, segment.x0) > size)
            & (y + 0.4 * size > segment.y)
            & (y < segment.y + 0.5 * segment.size)
            & (size * _STAMP < segment.size)
        ).any()
    ]
