"""Texts that an editor holds, and what an edit changed in one, without a look at the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from ..model.edits import TextEdit
from ..model.spans import TextSpan


@runtime_checkable
class InParts(Protocol):
    """Open texts that are kept in parts."""

    def parts(self, path: Path) -> tuple[str, ...] | None:
        """Return a text in parts: those that an edit leaves alone stay the same objects."""


@dataclass(frozen=True, slots=True)
class HeldText:
    """A text in the parts in which an editor holds it; in other parts it is not equal to this."""

    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole text, put together anew each time."""
        return "".join(self.parts)

    def edit_of(self, earlier: HeldText, path: Path) -> TextEdit | None:
        """Return an edit that makes this text of an earlier one: some parts in place of others.

        `path` is where the text belongs. None where both have no part, the same object, in common.
        """
        old, new = earlier.parts, self.parts
        most = min(len(old), len(new))
        front = min(most, _same_at_first(old, new))
        back = min(most - front, _same_at_first(reversed(old), reversed(new)))
        if not front + back:
            return None
        start = sum(map(len, old[:front]))
        end = start + sum(map(len, old[front : len(old) - back]))
        return TextEdit(path, TextSpan(start, end), "".join(new[front : len(new) - back]))


def held_text(open_texts: Mapping[Path, str], path: Path) -> HeldText | None:
    """Return a text that an editor holds; None if it does not."""
    if isinstance(open_texts, InParts):
        parts = open_texts.parts(path)
        return None if parts is None else HeldText(parts)
    text = open_texts.get(path)
    return None if text is None else HeldText((text,))


def _same_at_first(one: Iterable[str], other: Iterable[str]) -> int:
    """Return how many objects are the same in both, up to the first that is not."""
    same = 0
    for a, b in zip(one, other, strict=False):
        if a is not b:
            break
        same += 1
    return same


def is_bibliography(path: Path) -> bool:
    """Tell whether a document is a .bib file."""
    return path.suffix.lower() == ".bib"
