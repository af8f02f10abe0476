"""Files by the names that authors type: no name is an error, however odd, long or out of reach."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def is_file(path: Path) -> bool:
    """Return whether a file is there; what cannot be looked up is not."""
    return os.path.isfile(path)  # noqa: PTH113 - pathlib's raises where a folder is locked


def is_folder(path: Path) -> bool:
    """Return whether a folder is there; what cannot be looked up is not."""
    return os.path.isdir(path)  # noqa: PTH112


def expanded(name: str) -> str:
    """Return a name with the home folder in place of ``~``; as it is where nobody has that home."""
    return os.path.expanduser(name)  # noqa: PTH111


def matching(folder: Path, pattern: str) -> list[Path]:
    """Return the files below a folder that a pattern with ``*`` fits, in order."""

    def found() -> Iterator[Path]:
        # Not every pattern is one, and not every folder can be listed.
        with suppress(ValueError, NotImplementedError, OSError):
            yield from folder.glob(pattern)

    return sorted(found())
