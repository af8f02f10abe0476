"""The files below a folder, in a fixed order; a folder may be somebody's home."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from ..parsing.paths import is_file

_SKIPPED_FOLDERS: Final = frozenset(
    ("node_modules", "__pycache__", "venv", "_minted", "svg-inkscape")
)
_MOST_TEX_FILES: Final = 3_000
_MOST_FOLDERS: Final = 10_000
_MOST_BIB_FILES_BESIDE: Final = 50
#: What biblatex and REVTeX write when they run; no entry in it can be cited.
_WRITTEN_BY_TEX: Final = ("-blx.bib", "notes.bib")


def tex_files(top: Path) -> Iterator[Path]:
    """Yield the LaTeX files below a folder."""
    return islice(_files(top, (".tex", ".ltx")), _MOST_TEX_FILES)


def bib_files(top: Path) -> Iterator[Path]:
    """Yield the bibliographies below a folder."""
    return _files(top, (".bib",))


def bib_files_beside(main: Path) -> Sequence[Path]:
    """Return the bibliographies in the folder of a main file; none where it cannot be listed."""
    try:
        names = sorted(os.listdir(main.parent))  # noqa: PTH208 - with every letter typed
    except OSError:
        return ()
    written = {f"{main.stem}{ending}".lower() for ending in _WRITTEN_BY_TEX}
    found = (
        main.parent / name
        for name in names
        if name.lower().endswith(".bib") and name[0] != "." and name.lower() not in written
    )
    return tuple(islice(filter(is_file, found), _MOST_BIB_FILES_BESIDE))


def innermost(folders: Iterable[Path], path: Path) -> Path | None:
    """Return the innermost of some folders that holds a file; None where none does."""
    holding = [folder for folder in folders if path.is_relative_to(folder)]
    return max(holding, key=lambda folder: len(folder.parts), default=None)


def _files(top: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    for walked, (folder, subfolders, names) in enumerate(os.walk(top)):
        if walked >= _MOST_FOLDERS:
            return
        subfolders[:] = sorted(
            name for name in subfolders if name[0] != "." and name not in _SKIPPED_FOLDERS
        )
        for name in sorted(names):
            if name.lower().endswith(suffixes) and name[0] != ".":
                yield Path(folder, name)
