"""Write files as a whole: an interruption leaves a file as it was.

Whether a file that an author names can be written is checked before the work begins.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from filecmp import cmp
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, Final, Literal, TextIO

from .model.problems import InputError

#: How often a file is read that another program changes each time before it is replaced.
_MAX_ATTEMPTS: Final = 20


class ChangedError(Exception):
    """A file has changed since it was read."""


def atomic_write(path: Path, parts: Iterable[bytes]) -> None:
    """Replace a file unless it has this content; a new one and its folders are private."""
    make_private_folder(path.resolve().parent)
    with replacing(path, 0o600) as file:
        file.writelines(parts)


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Replace the content of a file (empty without one) by what `change` makes of it.

    If another program saves it meanwhile, `change` is called again, at last `OSError` raised.
    """
    make_private_folder(path.resolve().parent)
    for _ in range(_MAX_ATTEMPTS):
        before = _content(path)
        if (after := change(before)) == before:
            return
        with suppress(ChangedError):
            with replacing(path, 0o600, before) as file:
                file.write(after)
            return
    reason = "another program is writing it, so nothing was changed; try again"
    raise OSError(errno.EBUSY, reason, str(path))


def write_model(path: Path, parts: Iterable[bytes]) -> None:
    """Replace the model at a path, for all to read; raise `InputError` if that fails."""
    try:
        with replacing(path, 0o644) as file:
            file.writelines(parts)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def make_private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for their owner only."""
    if not folder.is_dir():
        make_private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def replacing(path: Path, mode: int, before: bytes | None = None) -> Iterator[BinaryIO]:
    """Open a file whose content replaces that of the one at `path` once it is complete.

    A new file gets this `mode`; of an existing one, owner, mode, attributes and hard links stay, as
    does its place if `path` is a link. Raises `ChangedError` if its content is no longer `before`,
    and `OSError` with its path.
    """
    real = path.resolve()
    part: Path | None = None
    try:
        number, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.")  # mode 0600
        part = Path(name)
        with open(number, "wb") as file:  # noqa: PTH123
            yield file
        is_alike = True
        if not real.is_file():
            part.chmod(mode)
        elif cmp(part, real, shallow=False):
            return
        else:
            is_alike = _made_alike(part, real)
        if before is not None and _content(real) != before:
            raise ChangedError
        if is_alike:
            part.replace(real)
        else:
            _overwrite(real, part)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        with suppress(OSError):
            if part is not None:
                part.unlink()


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
def replacing_text(path: Path) -> Iterator[TextIO]:
    """Open a text file that replaces the one at `path` once complete, or write to a device."""
    if path.exists() and not path.is_file():
        with writing(path) as file:
            yield file
        return
    mask = os.umask(0o077)
    os.umask(mask)
    try:
        with (
            replacing(path, 0o666 & ~mask) as data,
            TextIOWrapper(data, encoding="utf-8", errors="replace") as file,
        ):
            yield file
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error


def _made_alike(part: Path, path: Path) -> bool:
    """Give a file another's owner, mode and attributes; return whether it can replace that."""
    status, own = path.stat(), part.stat()
    try:
        if (status.st_uid, status.st_gid) != (own.st_uid, own.st_gid):
            os.chown(part, status.st_uid, status.st_gid)
        shutil.copystat(path, part)
        os.utime(part)
    except OSError:
        return False
    return status.st_nlink == 1 and _attributes(path) == _attributes(part)


def _attributes(path: Path) -> dict[str, bytes]:
    if not hasattr(os, "listxattr"):  # Linux only
        return {}
    try:
        return {name: os.getxattr(path, name) for name in os.listxattr(path)}
    except OSError:  # the file system has none
        return {}


def _overwrite(path: Path, part: Path) -> None:
    """Write the content of one file into another, which has its old content if that fails."""

    def write(content: bytes) -> None:
        with path.open("r+b") as file:
            file.write(content)
            file.truncate()

    before = path.read_bytes()
    try:
        write(part.read_bytes())
    except OSError:
        write(before)
        raise


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
