r"""The `file` field of an entry, in the forms that reference managers write.

JabRef: ``description:path:type``, several joined by ``;``, with ``\:``, ``\;`` and ``\\`` for the
characters themselves. Mendeley: the same with an empty description and a path without its first
slash. Zotero: ``title:path:application/pdf``. Better BibTeX: plain paths joined by ``;``.
"""

from __future__ import annotations

import re
from pathlib import Path

_UNESCAPED_SEMICOLON = re.compile(r"(?<!\\);")
_UNESCAPED_COLON = re.compile(r"(?<!\\):")
_ESCAPED = re.compile(r"\\([:;\\{}_&%#$ ])")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def named_files(value: str) -> list[str]:
    """Return the paths that a `file` field names, in order, as plain paths."""
    paths: list[str] = []
    for part in _UNESCAPED_SEMICOLON.split(value):
        part = part.strip().strip("{}").strip()
        if not part:
            continue
        paths.extend(path for path in _readings(part) if path and path not in paths)
    return paths


def missing_file(value: str, folder: Path) -> str | None:
    """Return the file that a `file` field names, if nothing it may mean is there.

    `folder` is the bibliography's, from which relative paths start.
    """
    names = named_files(value)
    if any((folder / as_path(name)).is_file() for name in names):
        return None
    return names[0] if names else None


def _readings(part: str) -> list[str]:
    """Return the possible paths of one file, the most likely first."""
    plain = _unescape(part)
    if _DRIVE.match(plain) or part.startswith(("/", "~", "./", "../")):
        # "/home/a/b.pdf:pdf" is written by some exporters.
        return [plain, plain.rsplit(":", 1)[0]] if ":" in plain[2:] else [plain]
    pieces = _UNESCAPED_COLON.split(part)
    if len(pieces) >= 3:
        middle = _unescape(":".join(pieces[1:-1]))
        # Mendeley drops the slash that begins an absolute path.
        return [middle, f"/{middle}", plain]
    if len(pieces) == 2:
        return [_unescape(pieces[0]), _unescape(pieces[1]), plain]
    return [plain]


def _unescape(path: str) -> str:
    return _ESCAPED.sub(r"\1", path).strip()


def as_path(name: str) -> Path:
    r"""Return a path as this system reads it: ``~`` expanded, ``\`` as a separator."""
    if "\\" in name and not Path(name).exists():
        name = name.replace("\\", "/")
    return Path(name).expanduser() if name.startswith("~") else Path(name)
