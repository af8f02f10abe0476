"""Files that commands write; whether they can be written is checked before the work begins."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Literal, TextIO

from .. import whole_files
from ..model.problems import InputError


def require_writable(path: Path) -> None:
    """Raise `InputError` where a file cannot be written."""
    folder = path.absolute().parent
    place = path if path.exists() else folder
    if path.is_dir() or not folder.is_dir() or not os.access(place, os.W_OK):
        raise InputError(f"{path}: cannot be written")


@contextmanager
def writing(path: Path, mode: Literal["w", "a"] = "w") -> Iterator[TextIO]:
    """Open a text file; raise `InputError` when it cannot be written completely."""
    try:
        # The name of a folder may contain bytes that are not UTF-8.
        with path.open(mode, encoding="utf-8", errors="replace") as file:
            yield file
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Open a text file that replaces the one at `path` once it is complete.

    What is not a file, such as /dev/stdout, is written to. Raises `InputError` as `writing` does.
    """
    if path.exists() and not path.is_file():
        with writing(path) as file:
            yield file
        return
    mask = os.umask(0o077)
    os.umask(mask)
    try:
        with (
            whole_files.replacing(path, 0o666 & ~mask) as data,
            TextIOWrapper(data, encoding="utf-8", errors="replace") as file,
        ):
            yield file
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error
