"""The inputs of a snapshot, and what was read from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..settings import Settings

if TYPE_CHECKING:
    from .indexes import Index
    from .read_draft import ReadDraft


class HeldDocuments(Protocol):
    """The documents that an editor holds at one moment: immutable."""

    @property
    def texts(self) -> Mapping[Path, str]:
        """Their texts, by path."""

    def parts(self, path: Path) -> tuple[str, ...] | None:
        """Return a document's text in parts: an edit leaves most of them the same objects."""

    def may_cite(self, path: Path) -> bool:
        """Return whether a file may be a draft, by its name and what the editor calls it."""


@dataclass(eq=False, repr=False)
class Inputs:
    """Open documents, settings and folders at one moment; a later moment has a higher `revision`.

    They never change. `drafts` has what was read of them, by document, and `indexes` what ranks it:
    the reading thread alone adds to these.
    """

    revision: int
    held: HeldDocuments
    settings: Settings
    folders: tuple[Path, ...]
    drafts: dict[Path, ReadDraft | None] = field(default_factory=dict, init=False)
    indexes: dict[Path, Index] = field(default_factory=dict, init=False)


class ShownTexts(Mapping[Path, str]):
    """The open documents of the inputs that are being read, as a workspace reads them."""

    def __init__(self, documents: HeldDocuments) -> None:
        self._documents = documents

    def show(self, documents: HeldDocuments) -> None:
        """Show these documents from now on."""
        self._documents = documents

    def __getitem__(self, path: Path) -> str:
        return self._documents.texts[path]

    def __contains__(self, path: object) -> bool:
        return path in self._documents.texts

    def parts(self, path: Path) -> tuple[str, ...] | None:
        """Return a document's text in parts."""
        return self._documents.parts(path)

    def __iter__(self) -> Iterator[Path]:
        return iter(self._documents.texts)

    def __len__(self) -> int:
        return len(self._documents.texts)
