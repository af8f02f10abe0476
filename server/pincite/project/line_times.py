"""When the lines of a bibliography were written, according to git: most entries do not say."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from ..model.problems import InputError
from .git import git

#: Of a .bib with a hundred thousand lines and a long history.
_MAX_SECONDS: Final = 5.0


def line_times(path: Path) -> Mapping[str, str]:
    """Return when each line of a file, as committed, was written.

    Times have the form of `BibEntry.added`. Nothing is known of a file that git does not have, or
    where there is no git.
    """
    head = _git(path.parent, "rev-parse", "--verify", "--quiet", "HEAD").strip()
    return _committed(path, head) if head else {}


@lru_cache(2)
def _committed(path: Path, revision: str) -> Mapping[str, str]:
    # For the text in the editor, git would run the filters that the repository configures.
    options = ("--no-textconv", "--line-porcelain")
    blamed = _git(path.parent, "blame", *options, revision, "--", path.name)
    found: dict[str, str] = {}
    written = ""
    # A line of the file follows a tab; the lines before it have its metadata.
    for line in blamed.split("\n"):
        if line.startswith("\t"):
            found[line.strip()] = written
        elif line.startswith("author-time "):
            written = _written(line.partition(" ")[2])
    return found


def _git(folder: Path, *arguments: str) -> str:
    """Return what git prints, "" if it fails."""
    try:
        return git(folder, *arguments, seconds=_MAX_SECONDS).decode("utf-8", "replace")
    except InputError:
        return ""


def _written(seconds: str) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(int(seconds)))
    except (ValueError, OverflowError, OSError):
        return ""
