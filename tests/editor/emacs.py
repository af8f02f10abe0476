"""Emacs without a screen: a session of a user, written in Lisp, and the answers that it notes."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from editor.documented import environment, example_project


def answers_of(
    session: Path, configuration: str, package: str, folder: Path, programs: Path | None = None
) -> dict:
    """Return what a session noted; the test is skipped where Emacs has no such package.

    `programs` is a folder that stands first on the path.
    """
    emacs = shutil.which("emacs")
    if emacs is None or not has(emacs, package):
        pytest.skip(f"Emacs with {package} is not installed")
    init, answers = folder / "init.el", folder / "answers.jsonl"
    init.write_text(configuration)
    own = environment(folder)
    if programs is not None:
        own["PATH"] = os.pathsep.join((str(programs), own["PATH"]))
    done = subprocess.run(
        [emacs, "--batch", "-q", "-l", init, "-l", session],
        cwd=example_project(folder),
        env={**own, "ANSWERS": str(answers)},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = map(json.loads, answers.read_text("utf-8").splitlines())
    return {name: value for line in lines for name, value in line.items()}


def has(emacs: str, package: str) -> bool:
    command = [
        emacs,
        "--batch",
        "-q",
        "--eval",
        f"(kill-emacs (if (require '{package} nil t) 0 1))",
    ]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
