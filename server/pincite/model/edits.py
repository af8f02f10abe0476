"""Changes to the author's files, as data: nothing is written before the author asks for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .spans import TextSpan


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Puts `text` in place of `span` in the file at `path`; an empty span inserts.

    Offsets are code points into the file as it stood when the edit was made.
    """

    path: Path
    span: TextSpan
    text: str


def applied(text: str, edits: Iterable[TextEdit]) -> str:
    """Return `text` after edits of its own file that do not overlap."""
    parts, last = [], 0
    for edit in sorted(edits, key=lambda each: each.span):
        parts += [text[last : edit.span.start], edit.text]
        last = edit.span.end
    return "".join([*parts, text[last:]])
