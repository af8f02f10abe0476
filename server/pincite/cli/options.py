"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..settings import DEFAULT_RANKER, DEFAULT_SYSTEM, Zotero


@dataclass(frozen=True, slots=True)
class DraftOptions:
    """The command-line options that apply to a draft."""

    bibliographies: tuple[Path, ...] = ()
    libraries: tuple[Path, ...] = ()
    base_folders: tuple[Path, ...] = ()
    draft_folders: tuple[Path, ...] = ()
    workspace: Path | None = None
    vectors: Path | None = None
    system: str = DEFAULT_SYSTEM
    model: Path | None = None
    ranker: str = DEFAULT_RANKER
    zotero: Zotero = "off"
