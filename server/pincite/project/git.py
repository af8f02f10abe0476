"""Ask git about a repository, which may come from somebody else: nothing that it names is run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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
        raise InputError(reasons[0] if reasons else "git does not know it")
    return done.stdout


def _program() -> str:
    """Return the path of git; Windows would look in the current folder first."""
    name = "git.exe" if sys.platform == "win32" else "git"
    folders = (Path(folder) for folder in os.get_exec_path())
    found = (shutil.which(str(folder / name)) for folder in folders if folder.is_absolute())
    if (program := next(filter(None, found), None)) is None:
        raise InputError("git is not installed")
    return program
