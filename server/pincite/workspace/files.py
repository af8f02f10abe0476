"""The files below a folder, in a fixed order; a folder may be somebody's home."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

_SKIPPED_FOLDERS: Final = frozenset(
    ("node_modules", "__pycache__", "venv", "_minted", "svg-inkscape")
)
_MOST_TEX_FILES: Final = 3_000
_MOST_FOLDERS: Final = 10_000


def tex_files(top: Path) -> Iterator[Path]:
    """Yield the LaTeX files below a folder."""
    return islice(_files(top, (".tex", ".ltx")), _MOST_TEX_FILES)


def bib_files(top: Path) -> Iterator[Path]:
    """Yield the bibliographies below a folder."""
    return _files(top, (".bib",))


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
