"""The Zotero libraries of this computer as bibliographies in the cache folder.

All works of a library are written anew when they change, and read like any other bibliography: in
linear time, an entry when it is used. A file beside it names the state of the database.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

from ..model.papers import BibEntry
from ..model.problems import InputError, Problem
from ..model.zotero import FILE_NAME
from .profiles import DataFolder, data_folders

# What reads them is imported where it is used: most authors' first list does not wait for it.

#: Zotero writes whenever its user does something: it is checked again after this time.
_LOOK_AGAIN_SECONDS: Final = 30.0
#: Increase this when the entries made from works change.
_VERSION: Final = 3
#: The folder of the bibliographies, beside the index.
FOLDER: Final = "zotero"
_STATE: Final = "state"
#: Go to Definition may open the file.
_REMARK: Final = "Made by Pincite from Zotero's database; changes made here are lost."


class ZoteroLibraries:
    """The bibliographies of all Zotero libraries, in the cache folder; for any thread."""

    def __init__(self) -> None:
        self._looked_at = -_LOOK_AGAIN_SECONDS
        #: What `bibliographies` returned last.
        self.known: tuple[Path, ...] = ()
        self.problems: list[Problem] = []

    def bibliographies(self) -> tuple[Path, ...]:
        """Return the bibliography of each data folder, written first if Zotero has changed."""
        if time.monotonic() - self._looked_at >= _LOOK_AGAIN_SECONDS:
            # Meanwhile, other threads get what was found before.
            self._looked_at = time.monotonic()
            self.known = tuple(self._up_to_date())
            self._looked_at = time.monotonic()
        return self.known

    def _up_to_date(self) -> Iterator[Path]:
        from ..library.index import default_index_path
        from .database import ChangedError

        for folder in data_folders():
            name = blake2b(os.fsencode(folder.path), digest_size=8).hexdigest()
            path = default_index_path().parent / FOLDER / name / FILE_NAME
            try:
                _bring_up_to_date(path, folder)
            except InputError as error:
                # A busy Zotero changes its database meanwhile: the earlier copy stays in use until
                # the next look.
                if not (isinstance(error, ChangedError) and path.is_file()):
                    self._add_problem(folder.database, str(error))
            except OSError as error:
                self._add_problem(path, f"cannot be written ({error.strerror or error})")
            if path.is_file():
                yield path

    def _add_problem(self, path: Path, message: str) -> None:
        problem = Problem(path, None, message.removeprefix(f"{path}: "))
        if problem not in self.problems:
            self.problems.append(problem)


def _bring_up_to_date(path: Path, folder: DataFolder) -> None:
    """Write the bibliography of a data folder, unless its works are the same as before."""
    from ..edits.bibtex_entries import written_bibliography
    from ..whole_files import atomic_write
    from .database import stamps

    what = repr((_VERSION, folder, stamps(folder.database)))
    state = blake2b(what.encode("utf-8", "replace"), digest_size=20).hexdigest()
    stored = path.with_name(_STATE)
    with suppress(OSError, UnicodeError):
        if path.is_file() and stored.read_text(encoding="ascii") == state:
            return
    # Zotero writes often, and seldom what is read here: then the file stays as it is, and nothing
    # needs to be read again.
    atomic_write(path, written_bibliography(_REMARK, _entries(path, folder)))
    stored.write_text(state, encoding="ascii")


def _entries(path: Path, folder: DataFolder) -> Iterator[BibEntry]:
    from ..edits.new_keys import free_key
    from .database import read_works
    from .entries import entry_of

    taken: set[str] = set()
    for work in read_works(folder.database):
        entry = entry_of(work, folder, path)
        key = entry.key
        # To BibTeX, keys that differ only in case are the same.
        if key.lower() in taken:
            key = free_key(key, lambda each: each.lower() in taken)
        taken.add(key.lower())
        if entry.fields.get("title"):
            yield replace(entry, key=key)
