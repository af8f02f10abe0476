"""Changes to the author's files, as data: nothing is written before the author asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


def edit_between(earlier: Sequence[str], later: Sequence[str], path: Path) -> TextEdit | None:
    """Return an edit that makes of one text another, both in parts; it replaces whole parts.

    Parts are compared by identity: those that an editor's edit left alone are the same objects.
    None where the texts have no part in common. `path` is where the text belongs.
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
