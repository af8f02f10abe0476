"""Files of papers → `ReferencePaper`, one reader per format, chosen by the file's suffix."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, cast

from ...model.papers import ReferencePaper
from ...model.problems import InputError


class Format(NamedTuple):
    """A format of papers, read by the function `reader` of `module`, imported when it is needed.

    Increase `version` when its result for a file changes: files of this format are then read again.
    """

    suffixes: tuple[str, ...]
    module: str
    reader: str
    version: int
    megabytes: int


FORMATS = (
    Format((".pdf",), "pdf.reader", "read_pdf", 9, 500),
    Format((".md", ".markdown"), "plain", "read_markdown", 6, 20),
    Format((".txt", ".text"), "plain", "read_plain_text", 6, 20),
    Format((".xml", ".tei", ".nxml"), "xml", "read_xml", 6, 67),
    Format((".json",), "s2orc", "read_s2orc", 1, 67),
    Format((".tex", ".ltx"), "latex", "read_latex", 8, 500),
)
#: The format of each suffix in lower case, with its dot.
BY_SUFFIX = {suffix: each for each in FORMATS for suffix in each.suffixes}
READABLE_SUFFIXES = frozenset(BY_SUFFIX)
#: Suffixes that converters add before the suffix of the format.
_INNER_SUFFIX = re.compile(r"\.(?:tei|grobid|s2orc)\Z", re.IGNORECASE)


def read_paper(path: Path) -> ReferencePaper:
    """Read the paper in a file or a folder of LaTeX sources.

    Raises `InputError`, `NoTextError` or `NotAPaperError`, whose messages do not name the path.
    """
    try:
        if not path.exists():
            raise InputError("there is no such file")
        if (found := BY_SUFFIX.get(kind(path))) is None:
            suffix = path.suffix
            what = f"files ending in {suffix} are" if suffix else "a file without a suffix is"
            readable = ", ".join(sorted(READABLE_SUFFIXES))
            raise InputError(f"{what} not supported (supported: {readable})")
        if not path.is_file() and not path.is_dir():
            # Reading a pipe or a device could block forever.
            raise InputError("this is not a file")
        size = path.stat().st_size
        if path.is_file() and size == 0:
            raise InputError("the file is empty")
        if size > found.megabytes * 1_000_000:
            raise InputError(
                f"the file is too large for a paper ({size // 1_000_000} MB;"
                f" at most {found.megabytes} MB are read)"
            )
        module = import_module(f".{found.module}", __name__)
        return cast(ReferencePaper, getattr(module, found.reader)(path))
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror or error})") from None


def kind(path: Path) -> str:
    """Return the lower-case suffix that identifies the format of a file or LaTeX folder."""
    return ".tex" if path.is_dir() else path.suffix.lower()


def stem(path: Path) -> str:
    """Return the name of a paper's file or folder without the suffixes of its format."""
    return path.name if path.is_dir() else _INNER_SUFFIX.sub("", path.stem)
