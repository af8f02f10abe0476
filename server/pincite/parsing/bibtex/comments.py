"""What stands outside of entries and hides them: behind ``%``, or in the braces of ``@comment``.

For all programs but BibTeX and those like it; see `Program.comments`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final, NamedTuple

from .entry import BRACES, CLOSING, ENTRY_START, starts_line

_COMMENT: Final = re.compile(r"@\s*comment\s*\{", re.IGNORECASE)
_DELIMITERS: Final = re.compile(r'[{}"()]')
_TO_LINE_END: Final = re.compile(r"[^\r\n]*")


class Hidden(NamedTuple):
    """Where the comments of a text begin and end that lines start with ``@comment{``.

    `is_open` says whether one is not closed: it hides nothing.
    """

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    is_open: bool = False

    def covers(self, offset: int) -> bool:
        """Return whether an offset is in a comment, behind its beginning."""
        at = bisect_left(self.starts, offset) - 1
        return at >= 0 and offset < self.ends[at]

    def end(self, start: int) -> int | None:
        """Return the end of the comment that begins at an offset, if one does."""
        at = bisect_left(self.starts, start)
        return self.ends[at] if at < len(self.starts) and self.starts[at] == start else None


def hidden_in(text: str, *, comments: bool = True) -> Hidden:
    """Return what ``@comment{...}`` hides of a text, nothing without `comments`."""
    starts: list[int] = []
    ends: list[int] = []
    closed: dict[int, int] = {}
    is_open, end = False, 0
    while comments and (head := _COMMENT.search(text, end)) is not None:
        brace, end = head.end() - 1, head.end()
        if not starts_line(text, head.start()):
            continue
        if not is_open:  # else all braces up to the end of the text are known
            closed = _closed_braces(text, brace)
            is_open = brace not in closed
        if brace in closed:
            end = closed[brace]
            starts.append(head.start())
            ends.append(end)
    return Hidden(tuple(starts), tuple(ends), is_open)


def _closed_braces(text: str, start: int) -> dict[int, int]:
    """Return the offsets behind braces by those that they close, until that at `start` is."""
    closed: dict[int, int] = {}
    opened: list[int] = []
    for brace in BRACES.finditer(text, start):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            closed[opened.pop()] = brace.end()
            if start in closed:
                break
    return closed


def comment_end(text: str, start: int, offset: int) -> int | None:
    """Return the end of the line if a % from `start` on, in the line of `offset`, comments it out.

    `start` is outside of entries.
    """
    line = max(text.rfind("\n", start, offset), text.rfind("\r", start, offset), start)
    if text.find("%", line, offset) < 0:
        return None
    return _TO_LINE_END.match(text, offset).end()  # type: ignore[union-attr]


def first_unclosed(text: str, *, comments: bool) -> int | None:
    """Return where the first command that is not closed begins, with what precedes it in its line.

    BibTeX and biber count braces to the end of the file: they read no entry behind it.
    """
    end = 0
    while (start := ENTRY_START.search(text, end)) is not None:
        at = start.start()
        closed = comment_end(text, end, at) if comments else None
        if closed is None and (closed := _end_by_count(text, start)) is None:
            line = max(text.rfind("\n", end, at), text.rfind("\r", end, at)) + 1
            return line if line or not end else at
        end = closed
    return None


def _end_by_count(text: str, start: re.Match[str]) -> int | None:
    """Return the offset after a command, by its delimiters alone."""
    closing, depth, in_quotes = CLOSING[start[2]], 0, False
    for mark in _DELIMITERS.finditer(text, start.end()):
        sign = mark[0]
        if sign == closing and depth == 0 and not (in_quotes and sign == ")"):
            return None if in_quotes else mark.end()
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth = max(depth - 1, 0)
        elif sign == '"' and depth == 0 and start[1].lower() != "comment":
            in_quotes = not in_quotes
    return None
