"""Ask git about a repository, which may come from somebody else: nothing that it names is run.

`line_times` are when the lines of a bibliography were written: most entries do not record it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

from ..model.problems import InputError

#: A repository may name programs that watch its files, and hooks. Of its own accord, git runs
#: neither filters nor programs that compare files as long as it reads no file outside of it: so use
#: only commands that look at revisions and at the index.
_OPTIONS: Final = (
    *("--no-optional-locks", "--literal-pathspecs"),
    *("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}"),
)
#: Objects that are missing are not fetched: a repository may name the program for that.
_ENVIRONMENT: Final = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
#: For the times of a .bib with a hundred thousand lines and a long history.
_MAX_SECONDS: Final = 5.0


def git(folder: Path, *arguments: str, seconds: float = 60.0) -> bytes:
    """Return what a command of git prints in a folder; raise `InputError` if it fails."""
    try:
        done = subprocess.run(
            (_program(), *_OPTIONS, *arguments),
            cwd=folder,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            env={**os.environ, **_ENVIRONMENT},
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise InputError(f"git cannot be run: {error}") from None
    if done.returncode:
        reasons = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(reasons[0] if reasons else "git has no such revision")
    return done.stdout


def _program() -> str:
    """Return the path of git; Windows would look in the current folder first."""
    name = "git.exe" if sys.platform == "win32" else "git"
    folders = (Path(folder) for folder in os.get_exec_path())
    found = (shutil.which(str(folder / name)) for folder in folders if folder.is_absolute())
    if (program := next(filter(None, found), None)) is None:
        raise InputError("git is not installed")
    return program


def line_times(path: Path) -> Mapping[str, str]:
    """Return when each line of a file, as committed, was written.

    Times have the form of `BibEntry.added`. Nothing is known of a file that git does not have, or
    where there is no git.
    """
    with suppress(InputError):
        head = git(path.parent, "rev-parse", "--verify", "HEAD", seconds=_MAX_SECONDS)
        return _committed(path, head.decode().strip())
    return {}


@lru_cache(2)
def _committed(path: Path, revision: str) -> Mapping[str, str]:
    # For the text in the editor, git would run the filters that the repository configures.
    options = ("--no-textconv", "--line-porcelain", revision, "--", path.name)
    found: dict[str, str] = {}
    written = ""
    with suppress(InputError):
        blamed = git(path.parent, "blame", *options, seconds=_MAX_SECONDS)
        # A line of the file follows a tab; the lines before it have its metadata.
        for line in blamed.decode("utf-8", "replace").split("\n"):
            if line.startswith("\t"):
                found[line.strip()] = written
            elif line.startswith("author-time "):
                written = ""
                with suppress(ValueError, OverflowError, OSError):
                    seconds = int(line.partition(" ")[2])
                    written = time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
    return found
