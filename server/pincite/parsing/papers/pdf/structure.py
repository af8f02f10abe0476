"""Classify the lines of a PDF: running heads, page numbers, headings, table rows, references."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence, Set
from itertools import chain, pairwise, takewhile

import regex

from ....model.papers import Reference
from ..hyphenation import Join
from ..paragraphs import KNOWN, NUMBERED, REFERENCES, is_known
from ..reference_lists import ENDED, ListLine, list_by_form
from ..references import read_list
from .legibility import LETTER
from .lines import CAPTION, Line

#: Running heads are in these outer parts of a page.
_MARGIN = 0.2
_MARGIN_LINES = 3
#: Printed numbers must be consecutive on this share of the pages with numbers, and of all pages.
_CONSISTENT, _NUMBERED = 0.6, 0.4
_MAX_HEADING_WORDS = 14

SENTENCE_END = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*[⁰¹²³⁴-⁹,⁻]*\Z")
APPENDIX = re.compile(
    r"(?:Appendi(?:x|ces)|APPENDI|Supplement|Annex|Anhang|[A-H](?:\.\d{1,2})*[.:]?\s+[A-Z][a-z])"
)
_APPENDIX_LINE = re.compile(r"(?:Appendi(?:x|ces)|APPENDI(?:X|CES)|Supplementary)\b")
_BOILERPLATE = re.compile(
    r"Proceedings of |Association for Computational Linguistics|©|\(c\)\s*\d{4}|Copyright"
    r"|Permission to |arXiv:|Preprint|Under review|All rights reserved|licensed under|\bISSN\b"
    r"|\bISBN\b|https?://(?:dx\.)?doi\.org",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(
    r"\W{0,3}(?:(?:page|p\.|seite)\s*)?(?P<number>\d{1,5}|[ivxlc]{1,6})"
    r"(?:\s*(?:of|/|von)\s*\d{1,4})?\W{0,3}",
    re.IGNORECASE,
)
_OUTER_NUMBER = regex.compile(
    r"(?|\b(?:[Pp]age|PAGE|Seite)\s(\d{1,5})\b|\A(\d{1,5})\s|\s(\d{1,5})\Z)"
)
#: The title is set larger than its repetitions in the running heads.
_LARGER = 1.15
_DIGITS = re.compile(r"\d+")
_MARKS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_MATH_WORDS = frozenset(["max", "min", "arg", "log", "exp", "argmax", "argmin", "lim", "for"])
#: A relation with its number, and the most names in it that look like words.
_EQUATION = re.compile(r"[=≈≤≥∝→⇒≡∼<>].*\s\((?:\d{1,3}[a-z]?|[A-Z]\.?\d{1,2})\)\Z")
_MAX_NAMES = 3
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}]{2,}")
#: Lines of a list that differ more than this from its usual size belong to a table or figure.
_OTHER_SIZE = 0.16
_SAME_EDGE = 2.0
#: Distances of a caption from its table, and of rows, in heights of type.
_TO_CAPTION, _TO_ROW = 3.5, 1.9
#: So many lines of a caption are above its table, and of a table beside it.
_MAX_CAPTION, _MAX_ROWS = 8, 80
#: So many full lines of one cell in sequence are text, and so is one at the end with more words.
_MAX_FULL, _MAX_CELL = 3, 6
BULLETS = tuple("•◦▪●‣")
#: Lines of one reference are closer to each other than this, in usual distances.
_PARAGRAPH = 1.4


def furniture(
    pages: Sequence[Sequence[Line]], listed: Set[Line]
) -> tuple[set[Line], list[set[int]]]:
    """Return the running heads, footers and page numbers, and the numbers of each page.

    A line in the margin is furniture if the same line, except for digits, is in the margin of
    another page, if it is a page number, or if it is a publisher's notice. `listed` are the lines
    that look like references.
    """
    margins = [_margin_lines(page) for page in pages]
    seen = Counter(chain.from_iterable({*map(_pattern, margin)} for margin in margins))
    heads = [pattern for pattern, pages_with in seen.items() if pages_with > 1]
    long_heads = tuple(head for head in heads if len(LETTER.findall(head)) >= 8)
    by_size = sorted(chain.from_iterable(margins), key=lambda line: -line.size)
    smallest = {_pattern(line): line.size for line in by_size}
    dropped: set[Line] = set()
    numbers: list[set[int]] = []
    in_references = False
    for page, margin in zip(pages, margins, strict=True):
        numbers.append(set())
        for line in margin:
            if any(seen[_pattern(other)] < 2 for other in _around(page, line)):
                continue
            pattern = _pattern(line)
            letters = len(LETTER.findall(pattern))
            repeated = (
                seen[pattern] > 1 and letters >= 4 and line.size < _LARGER * smallest[pattern]
            ) or (
                # On a page with columns a head may be divided by the gutter, elsewhere joined.
                page is not pages[0]
                and letters >= 8
                and (
                    any(head.startswith(pattern) or head.endswith(pattern) for head in heads)
                    or (pattern.startswith(long_heads) and pattern.endswith(long_heads))
                )
            )
            number = _PAGE_NUMBER.fullmatch(line.text)
            if number and number["number"].isdigit():
                numbers[-1].add(int(number["number"]))
            elif (repeated or line is page[0]) and (outer := _OUTER_NUMBER.search(line.text)):
                # Heads of left and right pages differ: in a short paper each occurs once.
                numbers[-1].add(int(outer[1]))
            if number or (repeated and not CAPTION.match(line.text)):
                dropped.add(line)
        # A reference list names proceedings and publishers as well.
        in_references = in_references or any(
            line in listed or REFERENCES.fullmatch(line.text) for line in page
        )
        notice: Line | None = None
        for line in () if in_references else page:
            goes_on = notice is not None and line.is_below(notice, 1.6 * notice.size)
            at_edge = line.depth < 0.1 or line.depth > 0.8
            notice = line if at_edge and (goes_on or _BOILERPLATE.search(line.text)) else None
            if notice:
                dropped.add(notice)
    return dropped, numbers


def _margin_lines(page: Sequence[Line]) -> list[Line]:
    heights = sorted({round(line.y) for line in page})
    low, high = heights[:_MARGIN_LINES], heights[-_MARGIN_LINES:]
    return [
        line
        for line in page
        if (line.depth < _MARGIN and round(line.y) in high)
        or (line.depth > 1 - _MARGIN and round(line.y) in low)
    ]


def _around(page: Sequence[Line], line: Line) -> list[Line]:
    """Return the lines above one in its paragraph, and those in which its sentence goes on."""
    return [
        other
        for other in page
        if abs(other.size - line.size) < 0.5
        and abs(other.x0 - line.x0) < 3 * line.size
        and (
            line.is_below(other, 1.5 * line.size)
            or (
                not line.is_short
                and line.cells == 1
                and other.is_below(line, 2.2 * line.size)
                and abs(other.x0 - line.x0) < 1
                and (other.text[0].islower() or (other.text[0].isdigit() and not other.is_short))
            )
        )
    ]


def _pattern(line: Line) -> str:
    return _DIGITS.sub("#", line.text).casefold()


def page_labels(declared: Sequence[str], printed: Sequence[set[int]]) -> list[str | None]:
    """Return the number on every page, as printed or else as the file declares; None in doubt."""
    numbered = sum(map(bool, printed))
    pairs = [(index, number) for index, numbers in enumerate(printed) for number in numbers]
    # Two pages of the paper may be on one page of the file: 1 2, 3 4, 5 6.
    sheets = Counter(n - 2 * index for index, n in pairs if n + 1 in printed[index])
    if max(sheets.values(), default=0) >= max(2, _CONSISTENT * numbered):
        return [None] * len(declared)
    [(offset, pages)] = Counter(n - index for index, n in pairs).most_common(1) or [(0, 0)]
    if pages >= max(2, _CONSISTENT * numbered, _NUMBERED * len(declared)):
        expected = [index + offset for index in range(len(declared))]
        if 2 * sum(map(str.__eq__, declared, map(str, expected))) >= len(declared):
            # Front matter may have its own numerals.
            return [label or str(n) for label, n in zip(declared, expected, strict=True)]
        return [str(n) if n > 0 else None for n in expected]
    if all(label in ("", str(index)) for index, label in enumerate(declared, 1)) or "0" in declared:
        return [None] * len(declared)
    times = Counter(declared)
    return [label if label and times[label] == 1 else None for label in declared]


def body_type(lines: Sequence[Line]) -> tuple[float, bool]:
    """Return the type size of most text, and whether most of that text is bold."""
    weights: Counter[float] = Counter()
    for line in lines:
        weights[round(line.size * 2) / 2] += len(line.text)
    bold = sum(len(line.text) for line in lines if line.bold)
    return weights.most_common(1)[0][0] if weights else 10.0, bold > 0.5 * weights.total()


def is_display(line: Line) -> bool:
    """Return whether a line is part of a displayed formula.

    It has no word and is not full, or is a relation of few words with its number at the margin.
    """
    words = sum(word.casefold() not in _MATH_WORDS for word in _WORD.findall(line.text))
    if words <= _MAX_NAMES * (line.cells > 1) and _EQUATION.search(line.text):
        return True
    if words:
        return False
    ends_paragraph = not line.is_indented and SENTENCE_END.search(line.text)
    return line.is_short and not ends_paragraph


def table_rows(lines: Sequence[Line], headings: Container[Line]) -> set[Line]:
    """Return the rows of tables: lines of three cells or more, and what is set like a table.

    That is the head above such lines, and what is right above or below a caption.
    """
    rows: set[Line] = set()
    for position, line in enumerate(lines):
        if CAPTION.match(line.text):
            above = lines[max(0, position - _MAX_ROWS) : position]
            rows.update(_rows_at(line, above[::-1], headings))
            if line.text[0] in "Tt":
                below = lines[position + 1 : position + _MAX_ROWS]
                caption = [line, *takewhile(lambda o: not _is_row(o), below[:_MAX_CAPTION])]
                rows.update(_rows_at(caption[-1], below[len(caption) - 1 :], headings))
        if line.cells < 3:
            continue
        words = len(_WORD.findall(line.text))
        near = lines[max(0, position - 1) : position + 2]
        # A full line may be prose, justified to the width of its column.
        beside = any(o is not line and o.cells > 1 and o.column == line.column for o in near)
        tokens = line.text.split()
        numbers = sum(any(map(str.isdigit, token)) for token in tokens)
        is_tabular = beside and (words < 4 or numbers > 0.25 * len(tokens))
        if is_tabular or line.is_short or line.x0 >= line.left + 2.5 * line.size:
            rows.add(line)
    # The head of a table has words only, and a wide first column leaves two cells.
    return rows | {
        line.before
        for line in rows
        if line.before
        and line.before not in headings
        and line.before.column == line.column
        and _is_row(line.before)
        and not SENTENCE_END.search(line.before.text)
    }


def _is_row(line: Line) -> bool:
    """Return whether a line has several cells of few words."""
    few = len(_WORD.findall(line.text)) <= 3 * line.cells
    return line.cells > 1 and few and line.text[0] not in BULLETS


def _rows_at(caption: Line, lines: Iterable[Line], headings: Container[Line]) -> list[Line]:
    """Return the lines of a table from its caption on, up to a gap; none if few are rows."""
    found: list[Line] = []
    last, full, is_cut = caption, 0, False
    for line in lines:
        upper, lower = sorted((last, line), key=lambda o: o.number)
        reach = _TO_ROW if found else _TO_CAPTION
        if not lower.is_below(upper, reach * max(line.size, last.size)):
            break
        full = 0 if line.is_short or _is_row(line) else full + 1
        is_other = found and abs(line.size - last.size) > _OTHER_SIZE * last.size
        is_text = full == _MAX_FULL or line in headings or CAPTION.match(line.text)
        if is_cut := bool(is_other or is_text):
            break
        found.append(line)
        last = line
    # Text, a note or another caption may have no gap to the table.
    ends = [*takewhile(lambda o: not _is_row(o), reversed(found))]
    if is_cut or any(len(_WORD.findall(line.text)) > _MAX_CELL for line in ends):
        found = found[: len(found) - len(ends)]
    return found if max(2, len(found) / 2) <= sum(map(_is_row, found)) else []


def find_headings(lines: Sequence[Line], size: float, join: Join) -> dict[Line, str]:
    """Return the text of every heading by its first line; `join` joins two lines."""
    found: dict[Line, str] = {}
    start: Line | None = None
    #: The last number, and the last letter, of a heading.
    last: dict[bool, tuple[int, ...]] = {False: (), True: ()}
    for line in lines:
        text = line.text.rstrip(_MARKS) or line.text
        if start is not None and _continues(line, size):
            found[start] = join(found[start], text)
            found[line] = ""
            continue
        numbered = NUMBERED.fullmatch(text)
        number = _number(numbered["number"]) if numbered else ()
        is_letter = numbered is not None and numbered["number"][0] in "ABCDEFGH"
        follows = _follows(last[is_letter], number)
        if _is_heading(line, text, size, start is not None, follows):
            start = line
            found[line] = text
            if numbered:
                last[is_letter] = number
        else:
            start = None
    return found


def ends_references(line: Line, name: str | None) -> bool:
    """Return whether a line ends a reference list: a heading of an appendix or a section."""
    if not name:
        return line.strong and _APPENDIX_LINE.match(line.text) is not None
    is_section = is_known(name) or NUMBERED.fullmatch(name) is not None
    return APPENDIX.match(name) is not None or (is_section and line.strong)


def _is_heading(line: Line, text: str, size: float, after_heading: bool, follows: bool) -> bool:
    """Return whether a line is a heading; `follows` indicates whether its number can come next."""
    word = _WORD.search(text)
    if len(text) > 120 or not word:
        return False
    if REFERENCES.fullmatch(text) or KNOWN.fullmatch(text.rstrip(".:")):
        return bool(word[0][0].isupper())
    if (
        line.size < 0.93 * size
        or len(text.split()) > _MAX_HEADING_WORDS
        or CAPTION.match(text)
        or text[-1] in ",;"
    ):
        return False
    above = line.before
    has_gap = above is None or not line.is_below(above, 1.3 * size)
    if numbered := NUMBERED.fullmatch(text):
        name = numbered["name"]
        if not (name[0].isupper() or line.strong) or line.cells > 3:
            return False
        if KNOWN.fullmatch(name.rstrip(".:")):
            return True
        if numbered["number"][0] in "ABCDEFGH":
            # "A" may be an article: letters are numbers only in sequence.
            return follows and line.strong
        return line.strong or (line.is_short and name[-1] not in ".!" and has_gap and follows)
    return (
        line.strong
        and line.cells == 1
        and line.is_short
        and text[0].isupper()
        and text[-1] not in ".!"
        and "@" not in text
        and has_gap
        and (after_heading or above is None or bool(SENTENCE_END.search(above.text)))
    )


def _continues(line: Line, size: float) -> bool:
    above = line.before
    return (
        above is not None
        and line.is_below(above, 1.5 * line.size)
        and line.bold == above.bold
        and abs(line.size - above.size) <= 0.05 * size
        and line.is_short
        and not NUMBERED.fullmatch(line.text)
        and line.text[-1] != "."
        and not KNOWN.fullmatch(above.text)
        and (line.strong or line.x0 > above.x0 + 0.8 * line.size)
    )


def _number(written: str) -> tuple[int, ...]:
    """Return "3.1" as (3, 1); letters and Roman numerals count too."""
    if re.fullmatch(r"[IVX]+", written):
        values = [{"I": 1, "V": 5, "X": 10}[sign] for sign in written]
        behind = [*values[1:], 0]
        return (sum(-v if v < after else v for v, after in zip(values, behind, strict=True)),)
    return tuple(int(part) if part.isdigit() else ord(part) - 64 for part in written.split("."))


def _follows(last: tuple[int, ...], number: tuple[int, ...]) -> bool:
    """Return whether a heading number can come next, as in 1, 1.1, 1.2, 2."""
    if not last:
        return number == (1,)
    depth = len(number)
    return number == (*last, 1) or (
        0 < depth <= len(last) and number == (*last[: depth - 1], last[depth - 1] + 1)
    )


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
    starts: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
    for line in lines:
        starts[line.place].append(line.x0)
    # Where a column has no indentation, although others of the list have, the words decide.
    edges = {place: min(column) for place, column in starts.items()}
    level = {place for place in edges if max(starts[place]) - edges[place] < _SAME_EDGE}
    unknown = level if len(level) < len(edges) else ()
    listed = [
        ListLine(
            line.text,
            None if line.place in unknown else (line.x0 - edges[line.place]) / line.size,
            None if above.place != line.place else (above.y - line.y) / distance,
        )
        for above, line in pairwise([*lines[-1:], *lines])
    ]
    return read_list(listed, join)


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
