"""Write a file as a whole: what interrupts it leaves the file as it was."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from filecmp import cmp
from pathlib import Path


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Replace the file at a path, unless it has this content already.

    A new file, and the folders that it needs, can be read by their owner only; a file that is there
    keeps its mode, and its place if it is a link. Raises `OSError`.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
    try:
        with open(number, "wb") as file:  # noqa: PTH123
            file.writelines(parts)
        if path.is_file():
            if cmp(name, path, shallow=False):
                return
            shutil.copymode(path, name)
        os.replace(name, path)  # noqa: PTH105
    finally:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108
