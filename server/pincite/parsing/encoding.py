"""Text of files without a declared encoding."""

from __future__ import annotations

import codecs
import stat
from pathlib import Path

from ..model.problems import InputError

#: The largest bibliographies have some fifty megabytes.
_MOST_BYTES = 512 << 20


def decode(data: bytes) -> str:
    """Decode UTF-8 (a byte order mark is dropped), else cp1252, else latin-1; keep line ends."""
    data = without_mark(data)
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def without_mark(data: bytes) -> bytes:
    """Return UTF-8 without the byte order mark in front."""
    return data.removeprefix(codecs.BOM_UTF8)


def read_text(path: Path) -> str:
    """Read a text file; raise `InputError` when it is missing, a folder, unreadable or binary."""
    return decode(read_bytes(path))


def read_bytes(path: Path) -> bytes:
    """Read a text file before it is decoded; raise `InputError` as `read_text` does."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            # A pipe or a device would keep us waiting for ever.
            raise InputError(f"{path}: this is not a regular file")
        if status.st_size > _MOST_BYTES:
            size = status.st_size >> 20
            raise InputError(
                f"{path}: the file is too large for a draft or bibliography ({size} MB)"
            )
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a folder, not a file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    if data.startswith(b"%PDF-"):
        raise InputError(f"{path}: this is a PDF, not text")
    if b"\0" in data:
        raise InputError(f"{path}: this is a binary file, not text")
    return data
