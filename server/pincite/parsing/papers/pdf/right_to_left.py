"""Put lines with Arabic or Hebrew letters into logical order.

PDFium guesses the order of each run, and mirrors brackets or not. Characters are therefore taken
in visual order, from left to right by their places, until a line is complete; then its order
follows from the rules of Unicode's bidirectional algorithm, in reverse.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections import defaultdict
from itertools import chain, groupby, pairwise

import regex

from .characters import Boxes

_SCRIPTS = r"[\p{Hebrew}\p{Arabic}\p{Syriac}\p{Thaana}\p{Nko}]"
#: A letter of a script that is written from right to left, and one of another.
RIGHT_TO_LEFT = regex.compile(rf"[{_SCRIPTS}&&\p{{L}}]", regex.VERSION1)
LEFT_TO_RIGHT = regex.compile(rf"[\p{{L}}--{_SCRIPTS}]", regex.VERSION1)
#: A gap wider than this part of the height of a letter is a space.
_SPACE_GAP = 0.12
_CLUSTER = regex.compile(r"(?s:.)\p{M}*+")
_PRESENTATION = regex.compile(r"[\uFB1D-\uFD3D\uFD50-\uFDFF\uFE70-\uFEFC]+")
#: Signs of direction, and the stroke that fills a line of Arabic.
_INVISIBLE = regex.compile(r"[\u0640\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
#: What is set from left to right in a line from right to left, by the bidirectional classes of its
#: characters (see `_kinds`): numbers with their separators and signs, words with what is between
#: them, and a number right after words.
_FORWARD = regex.compile(
    r"(?=[TNL])T*+(?:N(?:S?N)*+[TP]*+)?+(?:L(?:[^RB]{0,200}[LN])?[TP]*+)?+(?<=[LNTP])"
)
#: A run from right to left in a line from left to right.
_BACKWARD = regex.compile(r"R(?:[^LB]{0,200}R)?")
_CLASSES = {
    "L": "L", "R": "R", "AL": "R", "EN": "N", "AN": "N", "CS": "S", "ES": "S", "ET": "T",
}  # fmt: skip
_ARABIC = regex.compile(r"[\p{Arabic}&&\p{L}]", regex.VERSION1)
_MIRRORED = str.maketrans("()[]{}<>«»‹›≤≥", ")(][}{><»«›‹≥≤")
_MAX_BRACKETED = 200


def in_visual_order(text: str, boxes: Boxes) -> tuple[str, list[int]] | None:
    """Return the text of a page with such lines in visual order, and the former places; or None."""
    if not RIGHT_TO_LEFT.search(text):
        return None
    found: list[tuple[int, str]] = []
    start = 0
    for line in text.split("\n"):
        is_plain = not RIGHT_TO_LEFT.search(line)
        found += enumerate(line, start) if is_plain else _by_place(_unmirrored(line), start, boxes)
        start += len(line) + 1
        found.append((start - 1, "\n"))
    return "".join([char for _, char in found[:-1]]), [place for place, _ in found[:-1]]


def _unmirrored(line: str) -> str:
    """Return a line of PDFium with brackets as they look.

    PDFium mirrors them in runs from right to left, and where such a run is before them.
    """
    kinds = [_CLASSES.get(unicodedata.bidirectional(char), "S") for char in line]
    runs = [kind for kind, _ in groupby(kinds)]
    is_backward = runs.count("R") >= runs.count("L")
    seen = []
    for char, kind in zip(line, kinds, strict=True):
        if kind in "LR":
            is_backward = kind == "R"
        seen.append(char.translate(_MIRRORED) if is_backward else char)
    return "".join(seen)


def _by_place(line: str, start: int, boxes: Boxes) -> list[tuple[int, str]]:
    """Return the characters of a line from left to right, each with its former place."""
    end = start + len(line)
    x0, y0, x1, y1 = (edges[start:end].tolist() for edges in boxes)
    # A space that PDFium made has no width, and any place.
    ink = [at for at, c in enumerate(line) if not c.isspace() or (c == " " and x1[at] > x0[at])]
    letters = [at for at in ink if not unicodedata.combining(line[at])]
    # Letters of one glyph are in logical order, which is from right to left.
    letters.sort(key=lambda at: (x0[at], x1[at], -at if RIGHT_TO_LEFT.match(line[at]) else at))
    for place, (first, second) in enumerate(pairwise(letters)):
        # PDFium reverses the ligature of lam and alef if it has a code of its own.
        is_one_glyph = (x0[first], x1[first]) == (x0[second], x1[second])
        if is_one_glyph and line[first] == "ل" and line[second] in "اأإآ":
            letters[place : place + 2] = second, first
    lefts = [x0[at] for at in letters]
    marks: defaultdict[int, list[int]] = defaultdict(list)
    for mark in sorted(set(ink).difference(letters)):
        under = bisect_right(lefts, (x0[mark] + x1[mark]) / 2) - 1
        marks[letters[max(0, under)]].append(mark)
    found: list[tuple[int, str]] = []
    reached = lefts[0]
    for letter in letters:
        if x0[letter] - reached > _SPACE_GAP * (y1[letter] - y0[letter]):
            found.append((start + letter, " "))
        found += [(start + at, line[at]) for at in (letter, *marks[letter])]
        reached = max(reached, x1[letter])
    return found


def logical(line: str, *, backward: bool) -> str:
    """Return a line that is in visual order in logical order."""
    line = _INVISIBLE.sub("", line)
    if backward:
        line = _inverted(line)
    else:
        parts = _parts(line, _BACKWARD)
        parts[1::2] = map(_inverted, parts[1::2])
        line = "".join(parts)
    return _PRESENTATION.sub(lambda found: unicodedata.normalize("NFKC", found[0]).strip(), line)


def _inverted(line: str) -> str:
    """Return a line from right to left, given in visual order, in logical order."""
    parts = _parts(line, _FORWARD)
    parts[::2] = ["".join(_CLUSTER.findall(part)[::-1]).translate(_MIRRORED) for part in parts[::2]]
    return "".join(parts[::-1])


def _parts(line: str, pattern: regex.Pattern[str]) -> list[str]:
    """Return what is before the first run of a line whose classes match, that run, and so on."""
    runs = (run.span() for run in pattern.finditer(_kinds(line)))
    return [line[start:end] for start, end in pairwise([0, *chain(*runs), len(line)])]


def _kinds(line: str) -> str:
    """Return the class of each character; a mark has that of its letter."""
    kinds: list[str] = []
    opened: list[int] = []
    is_arabic = _ARABIC.search(line) is not None
    for at, char in enumerate(line):
        kind = unicodedata.bidirectional(char)
        if char in "%٪‰°":  # behind numbers
            kinds.append("P")
        elif kind == "NSM" and kinds:
            kinds.append(kinds[-1])
        elif kind == "ES" and is_arabic:
            kinds.append("O")  # "2001-2010" is seen as "2010-2001"
        else:
            kinds.append(_CLASSES.get(kind, "B" if char in "()[]{}" else "O"))
        if char in "([{":
            opened.append(at)
        elif char in ")]}" and opened:
            start = opened.pop()
            inside = kinds[start : start + _MAX_BRACKETED]
            # Brackets around words belong to words before them: "H2O (water)".
            is_word = at < start + _MAX_BRACKETED and "L" in inside and "R" not in inside
            if is_word and "L" in kinds[max(0, start - 2) : start]:
                kinds[start] = kinds[at] = "L"
    return "".join(kinds)
