"""The tokens of LaTeX that mean something to its prose; all between them is plain words."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: Stands for a character of a comment: TeX reads neither it nor the blanks that follow it.
_COMMENTED = "\0"
_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z@]+)\*?"
    r"|\\(?P<symbol>.)"
    r"|(?P<blank>(?:\r\n|\n|\r(?!\n)|\0)[ \t\0]*(?:\r\n|\n|\r(?!\n))[\s\0]*)"
    r"|(?P<comment>\0+[ \t]*)"
    r"|(?P<mark>[{}~&$^_#]|``|''|---?)"
    r"|(?P<shorthand>\"(?:---?[~*]?|.))",
    re.DOTALL,
)
#: What tokens begin with: to find one of some characters is much faster than one of some forms.
_FIRST = re.compile(r"""[\\\r\n\0{}~&$^_#`'"-]""")


def next_token(text: str, position: int, end: int) -> re.Match[str] | None:
    """Return the first token at or after `position`; its `lastgroup` is its kind."""
    while (first := _FIRST.search(text, position, end)) is not None:
        position = first.start()
        if (match := _TOKEN.match(text, position, end)) is not None:
            return match
        position += 1
    return None


def mark_comments(text: str, comments: Sequence[tuple[int, int]]) -> str:
    """Return a text with the blanks of its comments marked, as `next_token` expects it."""
    parts: list[str] = []
    last = 0
    for start, end in comments:
        # Of a comment in a branch that is not read, nothing is left to mark.
        parts += (text[last:start], text[start:end].replace(" ", _COMMENTED))
        last = end
    parts.append(text[last:])
    return "".join(parts)
