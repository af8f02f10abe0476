"""Write a file as a whole: what interrupts it leaves the file as it was."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from filecmp import cmp
from pathlib import Path

from .model.problems import InputError


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Replace the file at a path, unless it has this content already.

    A new file, and the folders that it needs, can be read by their owner only; a file that is there
    keeps its mode, and its place if it is a link. Raises `OSError`.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _replace(path, parts, 0o600)


def write_model(path: Path, parts: Iterable[bytes]) -> None:
    """Replace the model at a path, in a folder that is there; raise `InputError` if that fails.

    A new one can be read by everybody.
    """
    try:
        _replace(path.resolve(), parts, 0o644)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def _replace(path: Path, parts: Iterable[bytes], mode: int) -> None:
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
    part = Path(name)
    try:
        with open(number, "wb") as file:  # noqa: PTH123
            file.writelines(parts)
        if path.is_file():
            if cmp(part, path, shallow=False):
                return
            shutil.copymode(path, part)
        else:
            part.chmod(mode)
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink()
