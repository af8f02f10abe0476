"""Classify the lines of a PDF: running heads, page numbers, headings, captions, table rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from itertools import chain

import regex

from ..headings import KNOWN, NUMBERED, REFERENCES, is_known
from ..hyphenation import Join
from .legibility import LETTER
from .lines import Line

#: Running heads are in these outer parts of a page.
_MARGIN = 0.2
_MARGIN_LINES = 3
#: Printed numbers must be consecutive on this share of the pages with numbers, and of all pages.
_CONSISTENT, _NUMBERED = 0.6, 0.4
_MAX_HEADING_WORDS = 14

SENTENCE_END = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*[⁰¹²³⁴-⁹,⁻]*\Z")
CAPTION = re.compile(
    r"(?:Figure|Fig\.|FIG\.|FIGURE|Table|TABLE|Tab\.|Algorithm|Listing|Abbildung|Tabelle|Tableau)"
    r"\s*(?:\d+|[A-Z]\.?\d+|[IVX]+)\s*(?:[:.|–—-]|\s[A-Z(]|\Z)"
)
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
_OUTER_NUMBER = re.compile(
    r"\b(?:[Pp]age|PAGE|Seite)\s(?P<named>\d{1,5})\b|\A(?P<left>\d{1,5})\s|\s(?P<right>\d{1,5})\Z"
)
#: The title is set larger than its repetitions in the running heads.
_LARGER = 1.15
_DIGITS = re.compile(r"\d+")
_MATH_WORDS = frozenset(["max", "min", "arg", "log", "exp", "argmax", "argmin", "lim", "for"])
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}]{2,}")


def furniture(
    pages: Sequence[Sequence[Line]], by_form: Set[int]
) -> tuple[set[int], list[set[int]]]:
    """Return the `id`s of running heads, footers and page numbers, and each page's numbers.

    `by_form` are the `id`s of lines that look like references.

    A line in the margin is furniture if the same line, except for digits, is in the margin of
    another page, if it is a page number, or if it is a publisher's notice.
    """
    margins = [_margin_lines(page) for page in pages]
    seen = Counter(chain.from_iterable({_pattern(line) for line in margin} for margin in margins))
    heads = [pattern for pattern, pages_with in seen.items() if pages_with > 1]
    smallest: dict[str, float] = {}
    for line in chain.from_iterable(margins):
        pattern = _pattern(line)
        smallest[pattern] = min(line.size, smallest.get(pattern, line.size))
    dropped: set[int] = set()
    numbers: list[set[int]] = []
    in_references = False
    for page, margin in zip(pages, margins, strict=True):
        found: set[int] = set()
        for line in margin:
            pattern = _pattern(line)
            # A line right below a line of text is the next line of it, and one that runs on below
            # is text as well: a sentence may begin two pages.
            beside = (_above(page, line), _rest(page, line))
            is_text = any(other is not None and seen[_pattern(other)] < 2 for other in beside)
            number = None if is_text else _PAGE_NUMBER.fullmatch(line.text)
            letters = len(LETTER.findall(pattern))
            repeated = not is_text and (
                (seen[pattern] > 1 and letters >= 4 and line.size < _LARGER * smallest[pattern])
                # On a page with columns a head may be divided by the gutter.
                or (
                    page is not pages[0]
                    and letters >= 8
                    and any(head.startswith(pattern) or head.endswith(pattern) for head in heads)
                )
            )
            if number and number["number"].isdigit():
                found.add(int(number["number"]))
            elif (repeated or line is page[0]) and (outer := _OUTER_NUMBER.search(line.text)):
                # Heads of left and right pages differ: in a short paper each occurs once.
                found.add(int(outer[outer.lastgroup or 0]))
            if number or repeated:
                dropped.add(id(line))
        in_references = in_references or any(
            id(line) in by_form or REFERENCES.fullmatch(line.text) for line in page
        )
        if not in_references:
            # A reference list names proceedings and publishers as well.
            dropped.update(_notices(page))
        numbers.append(found)
    return dropped, numbers


def _margin_lines(page: Sequence[Line]) -> list[Line]:
    heights = sorted({round(line.y) for line in page})
    if not heights:
        return []
    low = heights[min(len(heights), _MARGIN_LINES) - 1]
    high = heights[-min(len(heights), _MARGIN_LINES)]
    return [
        line
        for line in page
        if (round(line.y) >= high and line.depth < _MARGIN)
        or (round(line.y) <= low and line.depth > 1 - _MARGIN)
    ]


def _above(page: Sequence[Line], line: Line) -> Line | None:
    """Return the line right above another one in its paragraph, None at the top of a paragraph."""
    near = (
        other
        for other in page
        if line.is_below(other, 1.5 * line.size)
        and abs(other.size - line.size) < 0.5
        and abs(other.x0 - line.x0) < 3 * line.size
    )
    return next(near, None)


def _rest(page: Sequence[Line], line: Line) -> Line | None:
    """Return the line in which the sentence of a full line goes on, double spacing included."""
    if line.is_short or line.cells > 1:
        return None
    near = (
        other
        for other in page
        if other.is_below(line, 2.2 * line.size)
        and abs(other.size - line.size) < 0.5
        and abs(other.x0 - line.x0) < 1
        and (other.text[0].islower() or (other.text[0].isdigit() and not other.is_short))
    )
    return next(near, None)


def _pattern(line: Line) -> str:
    return _DIGITS.sub("#", line.text).casefold()


def _notices(page: Sequence[Line]) -> Iterator[int]:
    """Yield the `id`s of a publisher's notice at the edge of a page, with its next lines."""
    notice: Line | None = None
    for line in page:
        at_edge = line.depth < 0.1 or line.depth > 0.8
        follows = (
            notice is not None
            and line.is_below(notice, 1.6 * notice.size)
            and abs(line.size - notice.size) < 0.3
        )
        if at_edge and (_BOILERPLATE.search(line.text) or follows):
            notice = line
            yield id(line)
        else:
            notice = None


def page_labels(declared: Sequence[str], printed: Sequence[set[int]]) -> list[str | None]:
    """Return the number printed on every page; None if it is uncertain.

    Labels declared in the PDF are used if they agree with the printed numbers, or if no numbers are
    printed and the labels do more than count the pages of the file.
    """
    count = len(declared)
    if _are_sheets(printed):
        return [None] * count
    votes = Counter(number - index for index, numbers in enumerate(printed) for number in numbers)
    if votes and count > 1:
        offset, pages = votes.most_common(1)[0]
        numbered = sum(map(bool, printed))
        if pages >= max(2, _CONSISTENT * numbered, _NUMBERED * count):
            expected = [str(index + offset) for index in range(count)]
            agreeing = sum(map(str.__eq__, declared, expected))
            if 2 * agreeing >= count:
                # Front matter may have its own numerals.
                return [label or number for label, number in zip(declared, expected, strict=True)]
            return [number if int(number) > 0 else None for number in expected]
    counts_pages = all(label in ("", str(index + 1)) for index, label in enumerate(declared))
    if counts_pages or "0" in declared:
        return [None] * count
    times = Counter(declared)
    return [label if label and times[label] == 1 else None for label in declared]


def _are_sheets(printed: Sequence[set[int]]) -> bool:
    """Return whether two pages of the paper are on one page of the file: 1 2, 3 4, 5 6."""
    firsts = Counter(
        number - 2 * index
        for index, numbers in enumerate(printed)
        for number in numbers
        if number + 1 in numbers
    )
    sheets = max(firsts.values(), default=0)
    return sheets >= max(2, _CONSISTENT * sum(map(bool, printed)))


def body_type(lines: Sequence[Line]) -> tuple[float, bool]:
    """Return the type size of most text, and whether most of that text is bold."""
    weights: Counter[float] = Counter()
    bold = 0
    for line in lines:
        weights[round(line.size * 2) / 2] += len(line.text)
        bold += len(line.text) if line.bold else 0
    if not weights:
        return 10.0, False
    return weights.most_common(1)[0][0], bold > 0.5 * sum(weights.values())


def is_display(line: Line) -> bool:
    """Return whether a line is part of a displayed formula: it has no word and is not full."""
    if any(word.casefold() not in _MATH_WORDS for word in _WORD.findall(line.text)):
        return False
    ends_paragraph = not line.is_indented and bool(SENTENCE_END.search(line.text))
    return line.is_short and not ends_paragraph


def table_rows(lines: Sequence[Line]) -> set[int]:
    """Return the positions of table rows: lines of three cells or more.

    A line that fills its column is one only next to another line with cells, and if it has numbers
    or few words; else it is prose justified to the full width.
    """
    rows: set[int] = set()
    for position, line in enumerate(lines):
        if line.cells < 3:
            continue
        words = len(_WORD.findall(line.text))
        fills = not line.is_short and line.x0 < line.left + 2.5 * line.size
        beside = any(
            other.cells > 1 and other.column == line.column
            for other in (
                *lines[max(0, position - 1) : position],
                *lines[position + 1 : position + 2],
            )
        )
        tokens = line.text.split()
        numbers = sum(any(char.isdigit() for char in token) for token in tokens)
        looks_tabular = words < 4 or numbers > 0.25 * len(tokens)
        if (not fills or (beside and looks_tabular)) and words <= 5 * line.cells:
            rows.add(position)
    # The head of a table has words only, and a wide first column leaves two cells.
    heads = (
        position
        for position, line in enumerate(lines)
        if position + 1 in rows
        and line.cells > 1
        and line.column == lines[position + 1].column
        and len(_WORD.findall(line.text)) <= 3 * line.cells
        and not SENTENCE_END.search(line.text)
    )
    return rows.union(list(heads))


def _without_mark(text: str) -> str:
    """Return a heading without the mark of a footnote at its end."""
    return text.rstrip("⁰¹²³⁴⁵⁶⁷⁸⁹") or text


class Headings:
    """Finds the headings among the lines of a paper."""

    def __init__(self, lines: Sequence[Line], size: float, is_bold_body: bool) -> None:
        self.lines = lines
        self.size = size
        self.is_bold_body = is_bold_body
        self._last_number: tuple[int, ...] = ()
        self._last_letter: tuple[int, ...] = ()

    def find(self, join: Join) -> dict[int, str]:
        """Return the text of every heading by the position of its first line.

        Further lines of a heading have an empty text; `join` joins two lines.
        """
        found: dict[int, str] = {}
        start: int | None = None
        for position, line in enumerate(self.lines):
            if start is not None and self._continues(position):
                found[start] = join(found[start], _without_mark(line.text))
                found[position] = ""
            elif self._is_heading(position, start is not None):
                start = position
                found[position] = _without_mark(line.text)
                self._count(found[position])
            else:
                start = None
        return found

    def is_strong(self, line: Line) -> bool:
        """Return whether a line is set bolder or larger than the text."""
        return (line.bold and not self.is_bold_body) or line.size > 1.06 * self.size

    def ends_references(self, line: Line, name: str | None) -> bool:
        """Return whether a line ends a reference list: a heading of an appendix or a section.

        `name` is its text if it is known to be a heading.
        """
        if not name:
            return bool(_APPENDIX_LINE.match(line.text)) and self.is_strong(line)
        if APPENDIX.match(name):
            return True
        is_section = is_known(name) or NUMBERED.fullmatch(name) is not None
        return is_section and self.is_strong(line)

    def _is_heading(self, position: int, after_heading: bool) -> bool:
        line = self.lines[position]
        text = _without_mark(line.text)
        if len(text) > 120 or not _WORD.search(text):
            return False
        is_list = REFERENCES.fullmatch(text) is not None
        if is_list or KNOWN.fullmatch(text.rstrip(".:")):
            named = _WORD.search(text)
            return bool(named and named[0][0].isupper()) and (
                self.is_strong(line)
                or line.is_short
                # Over the gutter it is all that its column has.
                or (is_list and self._has_gap(position))
            )
        if (
            line.size < 0.93 * self.size
            or len(text.split()) > _MAX_HEADING_WORDS
            or CAPTION.match(text)
            or text[-1] in ",;"
        ):
            return False
        numbered = NUMBERED.fullmatch(text)
        if numbered:
            return self._is_numbered_heading(position, numbered)
        return (
            self.is_strong(line)
            and line.cells == 1
            and line.is_short
            and text[0].isupper()
            and text[-1] not in ".!"
            and "@" not in text
            and self._has_gap(position)
            and (after_heading or self._ended(position))
        )

    def _is_numbered_heading(self, position: int, numbered: re.Match[str]) -> bool:
        line = self.lines[position]
        name = numbered["name"]
        if not (name[0].isupper() or self.is_strong(line)) or line.cells > 3:
            return False
        if KNOWN.fullmatch(name.rstrip(".:")):
            return True
        number = _number(numbered["number"])
        if numbered["number"][0] in "ABCDEFGH":
            # "A" may be an article: letters are numbers only in sequence.
            following = _follows(self._last_letter, number)
            return following and name[0].isupper() and self.is_strong(line)
        if self.is_strong(line):
            return True
        return (
            line.is_short
            and name[-1] not in ".!"
            and self._has_gap(position)
            and _follows(self._last_number, number)
        )

    def _continues(self, position: int) -> bool:
        """Return whether a line continues the heading above it."""
        line, above = self.lines[position], self.lines[position - 1]
        if (
            not line.is_below(above, 1.5 * line.size)
            or line.bold != above.bold
            or abs(line.size - above.size) > 0.05 * self.size
            or not line.is_short
            or NUMBERED.fullmatch(line.text)
            or line.text[-1] == "."
        ):
            return False
        if KNOWN.fullmatch(above.text):
            return False
        return self.is_strong(line) or line.x0 > above.x0 + 0.8 * line.size

    def _has_gap(self, position: int) -> bool:
        if position == 0:
            return True
        line, above = self.lines[position], self.lines[position - 1]
        return line.place != above.place or not 0 <= above.y - line.y <= 1.3 * self.size

    def _ended(self, position: int) -> bool:
        return position == 0 or bool(SENTENCE_END.search(self.lines[position - 1].text))

    def _count(self, text: str) -> None:
        if numbered := NUMBERED.fullmatch(text):
            if numbered["number"][0] in "ABCDEFGH":
                self._last_letter = _number(numbered["number"])
            else:
                self._last_number = _number(numbered["number"])


def _number(written: str) -> tuple[int, ...]:
    """Return "3.1" as (3, 1); letters and Roman numerals count too."""
    if re.fullmatch(r"[IVX]+", written):
        values = {"I": 1, "V": 5, "X": 10}
        total = 0
        for sign, following in zip(written, [*written[1:], "I"], strict=True):
            total += values[sign] if values[sign] >= values[following] else -values[sign]
        return (total,)
    return tuple(
        int(part) if part.isdigit() else ord(part) - ord("A") + 1 for part in written.split(".")
    )


def _follows(last: tuple[int, ...], number: tuple[int, ...]) -> bool:
    """Return whether a heading number can come next, as in 1, 1.1, 1.2, 2."""
    if not last:
        return number == (1,)
    if number == (*last, 1):
        return True
    depth = len(number)
    return depth <= len(last) and number == (*last[: depth - 1], last[depth - 1] + 1)
