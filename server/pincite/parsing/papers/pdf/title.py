"""Find the title of a paper: the largest text at the top of its first page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz

from ..hyphenation import Join, join_lines
from .extraction import Document
from .legibility import LETTER, WORD
from .lines import Line

_FILE_NAME = re.compile(
    r"\.(?:dvi|docx?|tex|pdf|e?ps|rtf|indd|qxd)\b|^/|^doi:|Microsoft Word|untitled|^Proceedings of",
    re.IGNORECASE,
)
#: "BMC Bioinformatics 2009, 10:313", "Materials 2012, 5 28", "Phys. Rev. Lett. 112, 061102"
_JOURNAL = re.compile(
    # A short number at the end is the page number, after the title of the paper.
    r"([A-Z][^\d;()]{3,80}?)[\s,.;(]+(?:[Vv]ol(?:ume|\.)\s*\d|(?!\d{1,3}\Z)\d)"
)
_MIN_JOURNAL = 5
_PAGES_WITH_HEADS = 4
#: The share of a page that its head takes, and its foot.
_HEAD = 0.1
_MAX_TITLE = 300
_MAX_LINES = 6
#: The least similarity of two forms of a title, in per cent: metadata lack accents, subtitles and
#: mathematics.
_SAME = 80.0
_NOTE_MARKS = "∗*†‡§⁰¹²³⁴⁵⁶⁷⁸⁹, "


def title_of(
    document: Document,
    lines: Sequence[Line],
    size: float,
    front_end: int,
    join: Join,
) -> tuple[str, set[int]]:
    """Return the title and the positions of its lines; "" where none is evident.

    `size` is that of the body, which begins at position `front_end` of the lines (0 if unknown).
    Among large texts, names of journals are skipped, and the title in the metadata is preferred.
    """
    top = [
        position
        for position, line in enumerate(lines[: front_end or 40])
        if line.page == 1 and line.depth < 0.5 and len(LETTER.findall(line.text)) >= 4
    ]
    declared = " ".join(document.title.split())
    if _FILE_NAME.search(declared) or len(WORD.findall(declared)) < 2:
        declared = ""
    journals = _journals(document.pages)
    found = [
        (title, positions)
        for title, positions in _large_texts(lines, top, size, join)
        if len(title) <= _MAX_TITLE and not _is_journal(title, journals)
    ]
    for title, positions in found:
        if declared and fuzz.ratio(_letters(title), _letters(declared)) > _SAME:
            return title, positions
    if found:
        return found[0]
    if declared:
        return declared, set()
    if front_end:
        return _first_of_size(lines, top, size, join)
    return "", set()


def _large_texts(
    lines: Sequence[Line], top: Sequence[int], size: float, join: Join
) -> Iterator[tuple[str, set[int]]]:
    """Yield texts that are larger than the body, the largest first, with their lines."""
    left = list(top)
    while left:
        largest = max(lines[position].size for position in left)
        if largest <= 1.12 * size:
            return
        first = next(position for position in left if lines[position].size > 0.96 * largest)
        chosen = [first]
        for position in range(first + 1, min(first + _MAX_LINES, len(lines))):
            line = lines[position]
            if line.page != 1 or abs(line.size - largest) > 0.04 * largest:
                break
            chosen.append(position)
        yield _title_on(lines, chosen, join), set(chosen)
        left = [position for position in left if position not in chosen]


def _first_of_size(
    lines: Sequence[Line], top: Sequence[int], size: float, join: Join
) -> tuple[str, set[int]]:
    """Return the title of a paper in one type size: its first line, and those like it."""
    found: list[int] = []
    for position in top:
        line = lines[position]
        if not found:
            if line.size > 0.95 * size:
                found.append(position)
            continue
        above = lines[found[-1]]
        alike = (line.bold and above.bold) or (line.text.isupper() and above.text.isupper())
        near = 0 < above.y - line.y < 1.6 * above.size
        if not (alike and near and abs(line.size - above.size) < 0.04 * above.size):
            break
        found.append(position)
    return _title_on(lines, found, join), set(found)


def _title_on(lines: Sequence[Line], positions: Sequence[int], join: Join) -> str:
    return join_lines((lines[position].text for position in positions), join).rstrip(_NOTE_MARKS)


def _is_journal(text: str, journals: frozenset[str]) -> bool:
    letters = _letters(text)
    return any(letters.startswith(name) and len(letters) < 2 * len(name) for name in journals)


def _journals(pages: Sequence[Sequence[Line]]) -> frozenset[str]:
    """Return the letters before a year or volume in heads and feet of pages."""
    edges = (
        line
        for page in pages[:_PAGES_WITH_HEADS]
        for line in page
        if line.depth < _HEAD or line.depth > 1 - _HEAD
    )
    names = (_letters(match[1]) for line in edges if (match := _JOURNAL.match(line.text)))
    return frozenset(name for name in names if len(name) >= _MIN_JOURNAL)


def _letters(text: str) -> str:
    return "".join(LETTER.findall(text)).casefold()
