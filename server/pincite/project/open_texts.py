"""Texts that an editor holds."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, runtime_checkable


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


def parts_of(open_texts: Mapping[Path, str], path: Path) -> tuple[str, ...] | None:
    """Return a text that an editor holds, in parts; None if it does not hold it."""
    if isinstance(open_texts, InParts):
        return open_texts.parts(path)
    text = open_texts.get(path)
    return None if text is None else (text,)


def is_bibliography(path: Path) -> bool:
    """Tell whether a document is a .bib file."""
    return path.suffix.lower() == ".bib"
