"""Look up files by names that authors type: odd, long or inaccessible names are not errors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

_OF_SYSTEM: Final = ("/dev/", "/proc/", "/sys/")
_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_MOST_ALTERNATIVES: Final = 100

#: Time of change in nanoseconds and size in bytes of a file; None where there is none.
Stamp = tuple[int, int] | None


def is_file(path: Path) -> bool:
    """Return whether a file exists; False if it cannot be looked up."""
    # pathlib's raises where a folder is locked
    return not is_of_system(path) and os.path.isfile(path)  # noqa: PTH113


def file_stamp(path: Path) -> Stamp:
    """Return what changes with a file or folder (time, size); None if it does not exist."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # no file can have such a name
        return None
    return status.st_mtime_ns, status.st_size


def is_of_system(path: Path | str) -> bool:
    r"""Return whether a path names a part of the system itself, or a server.

    A draft may name anything. Access to ``/proc/kmsg`` or a device may block or change something;
    access to ``\\server\share`` reveals the user's identity to that server.
    """
    name = os.path.normpath(os.fspath(path))
    if os.name == "nt":
        return name.startswith("\\\\") and not os.getcwd().startswith("\\\\")  # noqa: PTH109
    return name.startswith(_OF_SYSTEM)


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
    return islice(_alternatives(pattern), _MOST_ALTERNATIVES)


def _alternatives(pattern: str) -> Iterator[str]:
    waiting = [pattern]
    while waiting:
        each = waiting.pop()
        braces = _BRACES.search(each)
        if braces is None:
            yield each
            continue
        alternatives = (
            each[: braces.start()] + one + each[braces.end() :] for one in braces[1].split(",")
        )
        waiting.extend(islice(alternatives, _MOST_ALTERNATIVES))
        del waiting[_MOST_ALTERNATIVES:]
