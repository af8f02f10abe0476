"""Find the files of a LaTeX paper, and which one is the main file."""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import suppress
from itertools import chain, groupby, islice
from pathlib import Path

from ....model.problems import InputError
from ...disk import Disk
from ...drafts import ReaderInputs
from ...encoding import read_text
from ...latex.draft import LatexDraftReader
from ...paths import status

TEXTS = (".tex", ".ltx")
_SOURCES = (*TEXTS, ".bbl", ".bib")
_MAX_FILES = 2_000
_MAX_FOLDERS = 2_000
_MAX_BYTES = 32 * 1024 * 1024
#: Limits for examining a folder: entries listed, files opened, bytes read of each.
_MAX_LISTED = 500
_MAX_OPENED = 100
_BEGINNING = 8_192
_STARTS_DOCUMENT = re.compile(rb"^[^%\r\n]{0,200}?\\document(?:class|style)(?![A-Za-z])", re.M)
#: Names of main files; the folder's own is the fourth.
_MAIN_NAMES = ("main", "ms", "paper")
_CLASS = re.compile(r"\\document(?:class|style)(?![A-Za-z])")
#: Where the body of a document begins.
DOCUMENT = re.compile(r"\\begin\s*\{document\}")


def is_latex_folder(path: Path) -> bool:
    """Return whether a folder, or one directly below it, has the main file of a LaTeX document."""
    entries = _listed(path)
    below = (entry for folder in entries if folder.is_dir() for entry in _listed(folder))
    files = (e for e in chain(entries, below) if e.name.lower().endswith(TEXTS) and e.is_file())
    for file in islice(files, _MAX_OPENED):
        with suppress(OSError), Path(file).open("rb") as opened:
            if _STARTS_DOCUMENT.search(opened.read(_BEGINNING)):
                return True
    return False


def _listed(folder: os.PathLike[str]) -> list[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(folder) as entries:
        found = (entry for entry in islice(entries, _MAX_LISTED) if entry.name[0] != ".")
        return sorted(found, key=lambda entry: entry.name)
    return []


def latex_sources(path: Path) -> tuple[Path, ...]:
    """Return the files that a paper consists of, in a fixed order.

    For a folder, all .tex, .ltx, .bbl and .bib files below it (no more than 2,000); for a file,
    those that it includes, its bibliographies, and the .bbl beside it.
    """
    if path.is_dir():
        return tuple(_sources_below(path, _SOURCES))
    if not path.is_file():
        return ()
    main = Path(os.path.normpath(path.absolute()))
    files = {main, *LatexDraftReader(ReaderInputs(read_source, Disk())).inputs(main)}
    if (printed := main.with_suffix(".bbl")).is_file():
        files.add(printed)
    # Relative to `path` as given, if they are below its folder.
    return tuple(
        path.parent / os.path.relpath(file, main.parent)
        if file.is_relative_to(main.parent)
        else file
        for file in sorted(files)
        if file == main or file.suffix.lower() in _SOURCES
    )


def read_source(path: Path) -> str:
    """Read a file; raise `InputError` if that fails or it is too long for a source."""
    if (found := status(path)) is not None and found.size > _MAX_BYTES:
        raise InputError(f"{path}: the file is too long for a LaTeX source")
    return read_text(path)


def _sources_below(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    found: list[Path] = []
    for place, subfolders, names in islice(os.walk(folder), _MAX_FOLDERS):
        subfolders[:] = sorted(name for name in subfolders if name[0] != ".")
        paths = (Path(place, name) for name in sorted(names) if name[0] != ".")
        found += (p for p in paths if p.suffix.lower() in suffixes and p.is_file())
        if len(found) >= _MAX_FILES:
            break
    return sorted(found[:_MAX_FILES])


def main_file(reader: LatexDraftReader, folder: Path) -> Path:
    """Return the main file of a folder: of those nearest the top, the one with the most text."""
    candidates: dict[Path, frozenset[Path]] = {}
    by_depth = sorted(_sources_below(folder, TEXTS), key=lambda path: len(path.parts))
    for _, paths in groupby(by_depth, key=lambda path: len(path.parts)):
        for path in paths:
            with suppress(InputError):
                if reader.starts_document(path):
                    files = frozenset(reader.includes(path))
                    text = "\n".join(map(reader.visible, files))
                    if _CLASS.search(text) and DOCUMENT.search(text):
                        candidates[path] = files
        if candidates:
            break
    else:
        raise InputError("there is no LaTeX document in this folder")
    readers = Counter(file for files in candidates.values() for file in files)
    # If all are included by others, none is better than the others.
    free = [path for path in candidates if readers[path] == 1] or list(candidates)
    names = (*_MAIN_NAMES, folder.name.lower())

    def rank(path: Path) -> tuple[int, int, str]:
        amount = sum(len("".join(reader.visible(file).split())) for file in candidates[path])
        stem = path.stem.lower()
        return -amount, names.index(stem) if stem in names else len(names), path.name

    return min(free, key=rank)
