"""Edits of the author's files, as data: nothing is written before the author asks for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .spans import TextSpan


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
