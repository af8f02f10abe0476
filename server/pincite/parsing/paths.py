"""Look up files by names that authors type: odd, long or inaccessible names are not errors."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

_OF_SYSTEM: Final = ("/dev/", "/proc/", "/sys/")
_ON_WINDOWS: Final = os.name == "nt"
#: The beginning of a path on a server, with slashes of either kind.
_SERVER: Final = re.compile(r"[\\/]{2}|[\\/]\?\?[\\/]")
#: Documents that are not files have their paths below it; these are never looked up on disk.
VIRTUAL: Final = Path(os.path.abspath(os.sep), "pincite:")  # noqa: PTH100
_VIRTUAL: Final = (f"{VIRTUAL}{os.sep}", os.fspath(VIRTUAL))
_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_MAX_ALTERNATIVES: Final = 100

#: Time of change in nanoseconds and size in bytes of a file; None where there is none.
Stamp = tuple[int, int] | None


class Status(NamedTuple):
    """What changes with a file or folder: time in nanoseconds, size in bytes."""

    is_file: bool
    is_folder: bool
    changed: int
    size: int


def status(path: Path | str) -> Status | None:
    """Return the state of a file or folder; None if there is none, or it is not looked up."""
    try:
        found = None if is_of_system(path) else os.stat(path)  # noqa: PTH116 - every letter typed
    except (OSError, ValueError):  # no file can have such a name
        found = None
    if found is None:
        return None
    mode = found.st_mode
    return Status(stat.S_ISREG(mode), stat.S_ISDIR(mode), found.st_mtime_ns, found.st_size)


def is_file(path: Path) -> bool:
    """Return whether a file exists; False if it cannot be looked up."""
    found = status(path)
    return found is not None and found.is_file


def file_stamp(path: Path) -> Stamp:
    """Return what changes with a file or folder (time, size); None if it does not exist."""
    found = status(path)
    return None if found is None else (found.changed, found.size)


def normal(path: Path) -> Path:
    """Return the normal, absolute form of a path, by which files are identified."""
    return Path(os.path.normpath(path.absolute()))


def relative(path: Path, folder: Path | None = None) -> str:
    """Return a path from a folder, the current one by default, with slashes.

    On Windows, a path on another drive stays whole.
    """
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.as_posix()


def is_virtual(path: Path | str) -> bool:
    """Return whether a path is that of a document that is not a file."""
    name = os.fspath(path)
    return name.startswith(_VIRTUAL[0]) or name == _VIRTUAL[1]


def is_of_system(path: Path | str) -> bool:
    r"""Return whether a path names a part of the system itself, or a server.

    A draft may name anything: access to ``/proc/kmsg`` or a device may block or change something,
    and to ``\\server\share`` it reveals the user's identity to that server. Nor is what is virtual
    looked up on disk.
    """
    name = os.path.normpath(os.fspath(path))
    if is_virtual(name):
        return True
    if _ON_WINDOWS:
        return bool(_SERVER.match(name)) and not _SERVER.match(os.getcwd())  # noqa: PTH109
    # Two slashes are one, but stay two.
    return f"/{name.lstrip('/')}".startswith(_OF_SYSTEM) and name.startswith("/")


def leads_to_system(path: Path) -> bool:
    """Return whether a path is a system path as in `is_of_system`, or a link to one."""
    return is_of_system(path) or is_of_system(os.path.realpath(path))


def expanded(name: str) -> str:
    """Return a name with ``~`` replaced by the home folder; unchanged if there is none."""
    return os.path.expanduser(name)  # noqa: PTH111


def is_pattern(name: str) -> bool:
    """Return whether biber treats a name as a pattern: ``*``, ``?``, ``[12]``, ``{a,b}``."""
    return any(sign in name for sign in "*?[{")


def without_braces(pattern: str) -> Iterator[str]:
    """Yield the expansions of ``{a,b}``, innermost braces first, at most a hundred."""
    waiting, found = [pattern], 0
    while waiting and found < _MAX_ALTERNATIVES:
        each = waiting.pop()
        braces = _BRACES.search(each)
        if braces is None:
            found += 1
            yield each
            continue
        before, after = each[: braces.start()], each[braces.end() :]
        alternatives = islice(braces[1].split(","), _MAX_ALTERNATIVES)
        waiting.extend(before + one + after for one in alternatives)
        del waiting[_MAX_ALTERNATIVES:]
