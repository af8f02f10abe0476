"""When the lines of a bibliography were written, as git knows it: most entries note no time."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

#: Of a .bib with a hundred thousand lines and a long history.
_MAX_SECONDS: Final = 5.0
# Nothing that a repository configures is run.
_BLAME: Final = (
    *("git", "-c", "core.fsmonitor=false", "blame"),
    *("--no-textconv", "--porcelain", "--contents", "-", "--"),
)


@lru_cache(4)
def line_times(path: Path, text: str) -> Sequence[str]:
    """Return for each line of a file with this text when it was written.

    Times have the form of `BibEntry.added`. Lines that are not committed were written now. Nothing
    is known of a file that git does not have, or where there is no git.
    """
    try:
        done = subprocess.run(
            (*_BLAME, path.name),
            cwd=path.parent,
            input=text.encode("utf-8", "replace"),
            capture_output=True,
            timeout=_MAX_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    if done.returncode:
        return ()
    times: dict[str, str] = {}
    found: list[str] = []
    commit = ""
    # A line of the file comes behind a tab, what is said of it before.
    for line in done.stdout.decode("utf-8", "replace").split("\n"):
        if line.startswith("\t"):
            found.append(times.get(commit, ""))
            commit = ""
        elif not commit:
            commit = line.partition(" ")[0]
        elif line.startswith("author-time "):
            times[commit] = _written(line.partition(" ")[2])
    return found


def _written(seconds: str) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(int(seconds)))
    except (ValueError, OverflowError, OSError):
        return ""
