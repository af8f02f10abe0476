"""Texts that an editor holds open."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

_BIBLIOGRAPHIES: Final = (".bib", ".json", ".yaml", ".yml")


@runtime_checkable
class InParts(Protocol):
    """Open texts that are kept in parts."""

    def parts(self, path: Path) -> tuple[str, ...] | None:
        """Return a text in parts; an edit leaves untouched parts as the same objects."""


def parts_of(open_texts: Mapping[Path, str], path: Path) -> tuple[str, ...] | None:
    """Return a text that an editor holds, in parts; None if it does not hold it."""
    if isinstance(open_texts, InParts):
        return open_texts.parts(path)
    text = open_texts.get(path)
    return None if text is None else (text,)


def is_bibliography(path: Path) -> bool:
    """Return whether a document may be a bibliography: JSON and YAML have other uses."""
    return path.suffix.lower() in _BIBLIOGRAPHIES
