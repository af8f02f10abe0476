"""Read text files in any encoding."""

from __future__ import annotations

import codecs
import re
import stat
from array import array
from collections.abc import Iterable
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Final

from ..model.problems import InputError
from .paths import leads_to_system

_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: Declarations by JabRef ("% Encoding: windows-1250"), TeX editors and Emacs in the first lines.
_DECLARED: Final = re.compile(
    rb"^[ \t]*%?[ \t]*(?:Encoding:|!TeX[ \t]+encoding[ \t]*=|.*?-\*-.*?coding:)[ \t]*([\w-]+)",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD_BYTES: Final = 1_000
#: To encode any text: an editor may send half of a surrogate pair, which strict UTF-8 cannot.
ANY_TEXT: Final = ("utf-8", "surrogatepass")
#: The largest bibliographies have some fifty megabytes.
_MOST_BYTES = 512 << 20


def decode(data: bytes) -> str:
    """Decode a text and keep its line ends; byte order marks are dropped.

    UTF-16 with its mark, UTF-8, what the first lines declare, cp1252 or latin-1: the first of these
    that the bytes are. A text that is UTF-8 is hardly ever anything else, whatever it declares.
    """
    if data.startswith(_UTF_16):
        return data.decode("utf-16", "replace")
    data = without_mark(data)
    for encoding in ("utf-8", _declared(data), "cp1252"):
        try:
            return data.decode(encoding)
        except (UnicodeError, LookupError):
            continue
    return data.decode("latin-1")


def _declared(data: bytes) -> str:
    found = _DECLARED.search(data, 0, _HEAD_BYTES)
    name = found[1].decode("ascii").lower() if found else ""
    # Pairs of any bytes are UTF-16; the other ones have been tried.
    return "" if name.startswith("utf") else name


def without_mark(data: bytes) -> bytes:
    """Return UTF-8 data without its byte order mark."""
    return data.removeprefix(codecs.BOM_UTF8)


def read_text(path: Path) -> str:
    """Read a text file; raise `InputError` if it is missing, a folder, unreadable or binary."""
    return decode(read_bytes(path))


def read_head(path: Path, size: int) -> str:
    """Return the beginning of a text, of `size` bytes; empty if it cannot be read."""
    if leads_to_system(path) or not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            data = file.read(size)
    except OSError:
        return ""
    if data.startswith(_UTF_16):
        return data.decode("utf-16", "replace")
    # The last character may be cut.
    return without_mark(data).decode("utf-8", "replace")


def read_bytes(path: Path) -> bytes:
    """Read a text file without decoding it; raise `InputError` as `read_text` does."""
    if leads_to_system(path):
        raise InputError(f"{path}: this belongs to the system and is not read")
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            # Reading a pipe or a device could block forever.
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
    if b"\0" in data and not data.startswith(_UTF_16):
        raise InputError(f"{path}: this is a binary file, not text")
    return data


def lines_before(data: bytes, offsets: Iterable[int]) -> array[int]:
    """Count the line ends before each of some offsets of encoded text, which are in order."""
    between = pairwise([0, *offsets])
    return array("q", accumulate(line_ends_between(data, *each) for each in between))


def line_ends_between(data: bytes, start: int, end: int) -> int:
    """Count the line ends between two offsets of encoded text: LF, CRLF, lone CR."""
    count = data.count(b"\n", start, end)
    if data.find(b"\r", start, end) >= 0:
        count += data.count(b"\r", start, end) - data.count(b"\r\n", start, end)
    return count
