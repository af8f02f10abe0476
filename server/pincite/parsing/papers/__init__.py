"""Files of papers → `ReferencePaper`, one reader per format, chosen by the file's suffix."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import cast

from ...model.papers import ReferencePaper
from ...model.problems import InputError

#: The reader of each format, imported when the first file of it is read.
_READERS: dict[str, tuple[str, str]] = {
    ".pdf": ("pdf", "read_pdf"),
    ".md": ("plain", "read_markdown"),
    ".markdown": ("plain", "read_markdown"),
    ".txt": ("plain", "read_plain_text"),
    ".text": ("plain", "read_plain_text"),
    ".xml": ("xml", "read_xml"),
    ".tei": ("xml", "read_xml"),
    ".nxml": ("xml", "read_xml"),
    ".json": ("s2orc", "read_s2orc"),
    ".tex": ("latex", "read_latex"),
    ".ltx": ("latex", "read_latex"),
}

#: Suffixes in lower case, with their dot, that `read_paper` reads.
READABLE_SUFFIXES = frozenset(_READERS)
#: The kind of a folder that holds the LaTeX sources of a paper.
_FOLDER = ".tex"
#: Suffixes that converters add before the suffix of the format.
_INNER_SUFFIXES = (".tei", ".grobid", ".s2orc")


def read_paper(path: Path) -> ReferencePaper:
    """Read the paper in a file or a folder of LaTeX sources.

    Raises `InputError` if nothing in it can be used, `NoTextError` if it is valid but has no text,
    `NotAPaperError` if it is something else. The message says what is wrong, without the path.
    """
    try:
        if not path.exists():
            raise InputError("there is no such file")
        reader = _READERS.get(kind(path))
        if reader is None:
            suffix = path.suffix
            what = f"files ending in {suffix} are" if suffix else "a file without a suffix is"
            readable = ", ".join(sorted(READABLE_SUFFIXES))
            raise InputError(f"{what} not supported (supported: {readable})")
        if not path.is_file() and not path.is_dir():
            # Reading a pipe or a device could block forever.
            raise InputError("this is not a file")
        if path.is_file() and path.stat().st_size == 0:
            raise InputError("the file is empty")
        module = import_module(f".{reader[0]}", __name__)
        return cast(ReferencePaper, getattr(module, reader[1])(path))
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror or error})") from None


def kind(path: Path) -> str:
    """Return the lower-case suffix that identifies the format of a file or folder."""
    return _FOLDER if path.is_dir() else path.suffix.lower()


def stem(path: Path) -> str:
    """Return the name of a paper's file or folder without the suffixes of its format."""
    if path.is_dir():
        return path.name
    name = path.stem
    for inner in _INNER_SUFFIXES:
        if name.lower().endswith(inner):
            return name[: -len(inner)]
    return name
