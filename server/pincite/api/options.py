"""What `open` and `index` are given, as settings."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from ..model.problems import InputError
from ..parsing.encoding import read_text
from ..settings import (
    DEFAULT_RANKER,
    DEFAULT_SYSTEM,
    RANKER_NAMES,
    SYSTEM_NAMES,
    LibrarySettings,
    MatchingSettings,
    RankingSettings,
    Settings,
    Zotero,
)
from .nouns import AnyPath, Paths, listed


def settings_for(
    bibliographies: Paths,
    library: Paths,
    base_folders: Paths,
    drafts: Paths,
    workspace: AnyPath | None,
    ranker: str = DEFAULT_RANKER,
    system: str = DEFAULT_SYSTEM,
    vectors: AnyPath | None = None,
    model: AnyPath | None = None,
    *,
    zotero: Zotero,
) -> Settings:
    """Return the settings; raises `PinciteError` for a missing file or folder, or a wrong name."""
    paths = [*map(listed, (library, base_folders, drafts, bibliographies))]
    for folder in (*paths[0], *paths[1], *paths[2], *([Path(workspace)] if workspace else [])):
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder")
    for path in paths[3]:
        read_text(path)
    if vectors is not None:
        from ..matching.vectors import WordVectors

        WordVectors.load(Path(vectors))
    if ranker not in RANKER_NAMES:
        raise InputError(f"unknown ranker {ranker!r}; choose from {', '.join(RANKER_NAMES)}")
    if system not in SYSTEM_NAMES:
        similar = get_close_matches(system, SYSTEM_NAMES)
        meant = f"; did you mean {' or '.join(similar)}?" if similar else ""
        raise InputError(
            f"unknown system {system!r}{meant or '; docs/explanation/evaluation.md lists them'}"
        )
    folders, bases, earlier, added = (tuple(p.absolute() for p in each) for each in paths)
    return Settings(
        library=LibrarySettings(folders=folders, base_folders=bases, draft_folders=earlier),
        ranking=RankingSettings(ranker),
        matching=MatchingSettings(
            system,
            None if vectors is None else Path(vectors),
            None if model is None else Path(model),
        ),
        bibliographies=added,
        zotero=zotero,
    )
