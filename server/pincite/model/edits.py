"""Edits of the author's files, as data: nothing is written before the author asks for it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .spans import TextSpan, line_starts


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replaces `span` (code points) in the file at `path` with `text`; an empty span inserts."""

    path: Path
    span: TextSpan
    text: str


def applied(text: str, edits: Iterable[TextEdit]) -> str:
    """Return `text` after non-overlapping edits of its file."""
    parts, last = [], 0
    for edit in sorted(edits, key=lambda each: each.span):
        parts += [text[last : edit.span.start], edit.text]
        last = edit.span.end
    return "".join([*parts, text[last:]])


def hunks(text: str, edits: Iterable[TextEdit]) -> Iterator[str]:
    """Yield the lines of a unified diff of a text without context."""
    starts = [*line_starts(text), len(text)]
    #: The edits by the first and the last line that they change.
    changed: list[tuple[int, int, list[TextEdit]]] = []
    for edit in edits:
        first = bisect_right(starts, edit.span.start, hi=len(starts) - 1) - 1
        last = max(first, bisect_left(starts, edit.span.end) - 1)
        own = [edit]
        if changed and changed[-1][1] >= first:
            first, before, others = changed.pop()
            last, own = max(before, last), [*others, edit]
        changed.append((first, last, own))
    moved = 0
    for first, last, own in changed:
        start, end = starts[first], starts[last + 1]
        old = text[start:end]
        new = applied(old, (TextEdit(e.path, e.span.moved(-start), e.text) for e in own))
        olds, news = old.splitlines(), new.splitlines()
        at = first + 1 + moved - (not news)
        yield f"@@ -{first + 1},{len(olds)} +{at},{len(news)} @@"
        yield from (f"-{each}" for each in olds)
        yield from (f"+{each}" for each in news)
        moved += len(news) - len(olds)
