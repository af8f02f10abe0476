"""Texts that an editor holds, and what an edit changed in one, without a look at the rest."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
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


class Documents(Protocol):
    """The documents that an editor holds open."""

    @property
    def texts(self) -> Mapping[Path, str]:
        """Their texts, by path."""

    def parts(self, path: Path, text: str | None = None) -> tuple[str, ...] | None:
        """Return a document's text in parts: those that an edit leaves alone stay the same.

        `text` is what a request has of the document, which may be another by now.
        """

    def may_cite(self, path: Path) -> bool:
        """Tell whether a file is written in LaTeX, by its name and what the editor calls it."""


class OpenTexts(Mapping[Path, str]):
    """The open documents as a workspace reads them.

    The author types on while a request is worked at: its thread sees the document it is about as
    it was when the request came, because the request's position belongs to that text.
    """

    def __init__(self, documents: Documents) -> None:
        """Read the documents that an editor holds."""
        self._documents = documents
        self._of_thread = threading.local()

    @contextmanager
    def pinned(self, path: Path, text: str | None) -> Iterator[None]:
        """Let this thread see a document with this text; None leaves it as it is."""
        before = getattr(self._of_thread, "pinned", None)
        if text is not None:
            self._of_thread.pinned = (path, text)
        try:
            yield
        finally:
            self._of_thread.pinned = before

    def __getitem__(self, path: Path) -> str:
        pinned = self._pinned(path)
        return pinned if pinned is not None else self._documents.texts[path]

    def parts(self, path: Path) -> tuple[str, ...] | None:
        """Return a document's text in parts, as this thread sees it."""
        return self._documents.parts(path, self._pinned(path))

    def _pinned(self, path: Path) -> str | None:
        pinned: tuple[Path, str] | None = getattr(self._of_thread, "pinned", None)
        return pinned[1] if pinned is not None and pinned[0] == path else None

    def __iter__(self) -> Iterator[Path]:
        return iter(tuple(self._documents.texts))

    def __len__(self) -> int:
        return len(self._documents.texts)


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
