"""Find the files of the bibliographies that a draft names."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from .disk import Disk
from .paths import expanded, is_pattern


def bibliography_files(
    name: str, folders: Iterable[Path], within: Collection[Path], disk: Disk
) -> Iterator[Path]:
    """Yield the file with a name, from the first of `folders` that has it.

    The suffix may be left out. Of a pattern, all files are meant; they are searched only `within`
    some folders.
    """
    name = expanded(name)
    for folder in folders:
        for file in (name if name.lower().endswith(".bib") else f"{name}.bib", name):
            path = Path(os.path.normpath(folder / file))
            if disk.is_file(path):
                yield path
                return
            fits = is_pattern(file) and not Path(file).is_absolute()
            if fits and (matches := disk.matching(folder, file, within)):
                yield from matches
                return
