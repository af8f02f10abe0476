"""Edits of the author's files, as data: nothing is written before the author asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .spans import TextSpan


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replaces `span` in the file at `path` with `text`; an empty span inserts.

    Offsets are code points into the text for which the edit was made.
    """

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


def narrowed(text: str, edit: TextEdit) -> TextEdit:
    """Return an edit of a text without what it replaces by the same at its beginning and end."""
    old, new = edit.span.of(text), edit.text
    front = _common(old, new)
    back = _common(old[front:][::-1], new[front:][::-1])
    span = TextSpan(edit.span.start + front, edit.span.end - back)
    return TextEdit(edit.path, span, new[front : len(new) - back])


def _common(one: str, other: str) -> int:
    """Return how many characters are the same at the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def edit_between(earlier: Sequence[str], later: Sequence[str], path: Path) -> TextEdit | None:
    """Return an edit that turns one text into another, both in parts; it replaces whole parts.

    Parts are compared by identity: unedited parts remain the same objects. None if the texts have
    no part in common. `path` is that of the text's file.
    """
    most = min(len(earlier), len(later))
    front = next((at for at in range(most) if earlier[at] is not later[at]), most)
    most -= front
    back = next((at for at in range(most) if earlier[~at] is not later[~at]), most)
    if not front + back:
        return None
    start = sum(map(len, earlier[:front]))
    end = start + sum(map(len, earlier[front : len(earlier) - back]))
    return TextEdit(path, TextSpan(start, end), "".join(later[front : len(later) - back]))
