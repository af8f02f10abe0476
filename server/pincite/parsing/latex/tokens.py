"""The tokens of LaTeX that matter for prose; the text between them is plain words."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: Replaces characters of a comment: TeX ignores them and the blanks that follow.
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
#: First characters of tokens: searching for characters is much faster than for whole tokens.
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
        # A comment in a false branch has no blanks left to mark.
        parts += (text[last:start], text[start:end].replace(" ", _COMMENTED))
        last = end
    parts.append(text[last:])
    return "".join(parts)
