"""Texts that an editor holds open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

_BIBLIOGRAPHIES: Final = (".bib", ".json", ".yaml", ".yml")


def parts_of(open_texts: Mapping[Path, str], path: Path) -> tuple[str, ...] | None:
    """Return a text that an editor holds, in parts; None if it does not hold it.

    Texts that are kept in parts have a method `parts`: an edit leaves untouched ones as the same
    objects.
    """
    # `isinstance` with a protocol takes longer than everything else here.
    kept: Callable[[Path], tuple[str, ...] | None] | None = getattr(open_texts, "parts", None)
    if kept is not None:
        return kept(path)
    text = open_texts.get(path)
    return None if text is None else (text,)


def is_bibliography(path: Path) -> bool:
    """Return whether a document may be a bibliography: JSON and YAML have other uses."""
    return path.suffix.lower() in _BIBLIOGRAPHIES
