"""Read text files in any encoding."""

from __future__ import annotations

import codecs
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from ..model.problems import InputError
from .paths import is_file, leads_to_system

_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: Declarations by JabRef ("% Encoding: windows-1250"), TeX editors and Emacs in the first lines.
_DECLARED: Final = re.compile(
    rb"^[ \t]*%?[ \t]*(?:Encoding:|!TeX[ \t]+encoding[ \t]*=|.*?-\*-.*?coding:)[ \t]*([\w-]+)",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD_BYTES: Final = 1_000
#: Of a text that is neither Unicode nor what it declares; latin-1 is whatever cannot be cp1252.
GUESSED: Final = ("cp1252", "latin-1")
#: What every editor reads as UTF-8.
UNICODE: Final = ("utf-8", "ascii")
#: The largest bibliographies have some fifty megabytes.
_MAX_BYTES = 512 << 20


class Decoded(NamedTuple):
    """A text with the encoding in which letters may be added to its file."""

    text: str
    encoding: str


def decoded(data: bytes) -> Decoded:
    """Decode a text and keep its line ends; byte order marks are dropped.

    UTF-16 with its mark, UTF-8, what the first lines declare, cp1252 or latin-1: the first of these
    that the bytes are. A text that is UTF-8 is hardly ever anything else, whatever it declares.
    """
    if data.startswith(_UTF_16):
        return Decoded(data.decode("utf-16", "replace"), "utf-16")
    has_mark, data = data.startswith(codecs.BOM_UTF8), data.removeprefix(codecs.BOM_UTF8)
    declared = _declared(data)
    plain = ("ascii",) if declared and not has_mark else ()
    for encoding in (*plain, "utf-8", declared, *GUESSED):
        with suppress(UnicodeError, LookupError):
            return Decoded(data.decode(encoding), encoding)
    raise AssertionError("latin-1 decodes any bytes")


def encoded_as(data: bytes, text: str, encoding: str) -> bytes:
    """Return a text in the encoding of a file with some content, and with its mark."""
    return codecs.BOM_UTF8 * data.startswith(codecs.BOM_UTF8) + text.encode(encoding)


def _declared(data: bytes) -> str:
    found = _DECLARED.search(data, 0, _HEAD_BYTES)
    name = found[1].decode("ascii").lower() if found else ""
    try:
        "".encode(name)  # base64 is a codec, but not of texts
    except LookupError:
        return ""
    # Pairs of any bytes are UTF-16; the other ones have been tried.
    return "" if name.startswith("utf") else name


def read_text(path: Path) -> str:
    """Read a text file; raise `InputError` if it is missing, a folder, unreadable or binary."""
    return decoded(read_bytes(path)).text


def read_head(path: Path, size: int) -> str:
    """Return the beginning of a text, of `size` bytes; empty if it cannot be read."""
    if leads_to_system(path) or not is_file(path):
        return ""
    try:
        with path.open("rb") as file:
            data = file.read(size)
    except OSError:
        return ""
    if data.startswith(_UTF_16):
        return data.decode("utf-16", "replace")
    # The last character may be cut.
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")


def read_bytes(path: Path) -> bytes:
    """Read a text file without decoding it; raise `InputError` as `read_text` does."""
    if leads_to_system(path):
        raise InputError(f"{path}: this is a system file, and system files are not read")
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            # Reading a pipe or a device could block forever.
            raise InputError(f"{path}: this is not a regular file")
        if status.st_size > _MAX_BYTES:
            what = "the file is too large for a draft or bibliography"
            raise InputError(f"{path}: {what} ({status.st_size >> 20} MB)")
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a folder, not a file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    require_text(data, path)
    return data


def require_text(data: bytes, path: Path) -> None:
    """Raise `InputError` for the content of a file that is not text."""
    if data.startswith(b"%PDF-"):
        raise InputError(f"{path}: this is a PDF, not text")
    if b"\0" in data and not data.startswith(_UTF_16):
        raise InputError(f"{path}: this is a binary file, not text")
