"""The Zotero libraries of this computer, which a session looks at again and again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..model.problems import InputError, Problem

# What reads them is imported where it is used: most authors' first list does not wait for it.

#: Zotero writes whenever its user does something: it is looked at again after this time.
_LOOK_AGAIN_SECONDS: Final = 30.0


class ZoteroLibraries:
    """The Zotero libraries of this computer; may be used by any thread.

    `problems` says, once each, which of them cannot be read. These give what they gave before.
    """

    def __init__(self, cache: Path | None = None) -> None:
        """Keep bibliographies below a folder, by default in that of the user's index."""
        self._cache = cache
        self._looked_at = -_LOOK_AGAIN_SECONDS
        self._found: tuple[Path, ...] = ()
        self.problems: list[Problem] = []

    def bibliographies(self) -> tuple[Path, ...]:
        """Return the bibliographies, one for each data folder of Zotero.

        They are written first if Zotero has changed, which takes seconds for a large library.
        """
        if time.monotonic() - self._looked_at >= _LOOK_AGAIN_SECONDS:
            # Another thread gets meanwhile what was found before.
            self._looked_at = time.monotonic()
            self._found = tuple(self._up_to_date())
            self._looked_at = time.monotonic()
        return self._found

    @property
    def known(self) -> tuple[Path, ...]:
        """What `bibliographies` returned last; this never waits."""
        return self._found

    def _up_to_date(self) -> Iterator[Path]:
        from ..library.index import default_index_path
        from .bibliography import bring_up_to_date, place_of
        from .database import ChangedError
        from .profiles import data_folders

        cache = self._cache or default_index_path().parent
        for folder in data_folders():
            path = place_of(folder, cache)
            try:
                bring_up_to_date(path, folder)
            except ChangedError as error:
                # Zotero is busy. What was read before serves until the next look.
                if not path.is_file():
                    self._tell(folder.database, str(error))
            except InputError as error:
                self._tell(folder.database, str(error))
            except OSError as error:
                self._tell(path, f"cannot be written ({error.strerror or error})")
            if path.is_file():
                yield path

    def _tell(self, path: Path, message: str) -> None:
        problem = Problem(path, None, message.removeprefix(f"{path}: "))
        if problem not in self.problems:
            self.problems.append(problem)
