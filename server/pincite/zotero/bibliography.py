"""All works of Zotero in a bibliography in the cache folder, written anew when they change.

So they are read like any other bibliography: in linear time, an entry when it is used. A file
beside it names the state of the database that it was made of.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

from ..edits.bibtex_entries import written_bibliography
from ..model.papers import BibEntry
from ..model.zotero import FILE_NAME
from ..whole_files import write_whole
from .database import ChangedError, read_works, stamps
from .entries import entry_of
from .profiles import DataFolder

#: Increase this when works become other entries.
_VERSION: Final = 1
_FOLDER: Final = "zotero"
_STATE: Final = "state"
_MOST_ATTEMPTS: Final = 3
#: Go to Definition may open the file.
_REMARK: Final = "Made by Pincite from Zotero's database; what is changed here is lost."


def place_of(folder: DataFolder, cache: Path) -> Path:
    """Return the path of the bibliography of a data folder below a cache folder."""
    name = blake2b(os.fsencode(folder.path), digest_size=8).hexdigest()
    return cache / _FOLDER / name / FILE_NAME


def remove_kept(index: Path) -> None:
    """Remove what is kept beside an index."""
    shutil.rmtree(index.parent / _FOLDER, ignore_errors=True)


def bring_up_to_date(path: Path, folder: DataFolder) -> None:
    """Write the bibliography of a data folder, unless its works are the same as before.

    Raises `InputError` for a database that cannot be read, and `OSError` if nothing can be written.
    """
    for attempt in range(_MOST_ATTEMPTS):
        state = _state(folder)
        if path.is_file() and _kept_state(path) == state:
            return
        try:
            # Zotero writes often, and seldom what is read here: then the file stays as it is, and
            # nothing needs to be read again.
            write_whole(path, written_bibliography(_REMARK, _entries(path, folder)))
        except ChangedError:
            if attempt + 1 == _MOST_ATTEMPTS:
                raise
        else:
            path.with_name(_STATE).write_text(state, encoding="ascii")
            return


def _state(folder: DataFolder) -> str:
    said = repr((_VERSION, folder, stamps(folder.database)))
    return blake2b(said.encode("utf-8", "replace"), digest_size=20).hexdigest()


def _kept_state(path: Path) -> str:
    try:
        return path.with_name(_STATE).read_text(encoding="ascii")
    except (OSError, UnicodeError):
        return ""


def _entries(path: Path, folder: DataFolder) -> Iterator[BibEntry]:
    taken: dict[str, int] = {}
    for work in read_works(folder.database):
        entry = entry_of(work, folder, path)
        # BibTeX takes keys that differ in case for the same.
        key, number = entry.key, taken.get(entry.key.lower(), 0)
        while key.lower() in taken:
            number += 1
            key = f"{entry.key}{_letters(number)}"
        taken[entry.key.lower()] = number
        taken.setdefault(key.lower(), 0)
        entry = replace(entry, key=key)
        if entry.fields.get("title"):
            yield entry


def _letters(number: int) -> str:
    """Return ``a`` for 1, ``z`` for 26, ``aa`` for 27."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters
