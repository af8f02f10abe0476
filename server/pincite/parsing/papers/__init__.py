"""Files of papers → `ReferencePaper`, one reader per format, chosen by the file's suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...model.papers import ReferencePaper
from ...model.problems import InputError
from .pdf import read_pdf
from .plain import read_markdown, read_plain_text

_READERS: dict[str, Callable[[Path], ReferencePaper]] = {
    ".pdf": read_pdf,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_plain_text,
    ".text": read_plain_text,
}

#: Suffixes in lower case, with their full stop, that `read_paper` reads.
READABLE_SUFFIXES = frozenset(_READERS)

__all__ = ["READABLE_SUFFIXES", "read_paper"]


def read_paper(path: Path) -> ReferencePaper:
    """Read the paper in a file; raise `InputError` when nothing of it can be used.

    The message says what is wrong, without the path.
    """
    try:
        if path.is_dir():
            raise InputError("this is a folder, not a file")
        if not path.exists():
            raise InputError("there is no such file")
        reader = _READERS.get(path.suffix.lower())
        if reader is None:
            raise InputError(_unsupported(path))
        if path.stat().st_size == 0:
            raise InputError("the file is empty")
        return reader(path)
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror or error})") from None


def _unsupported(path: Path) -> str:
    readable = ", ".join(sorted(READABLE_SUFFIXES))
    if path.suffix:
        return f"files ending in {path.suffix} are not supported (supported: {readable})"
    return f"a file without a suffix is not supported (supported: {readable})"
