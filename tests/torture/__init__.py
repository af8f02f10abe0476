"""Stress tests of the real product: attack each promise of docs/explanation/reliability.md many times.

``make torture`` runs all parts for less than a quarter of an hour and prints one table.
"""

import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Literal, NamedTuple

Size = Literal["ci", "full", "nightly"]


class Row(NamedTuple):
    """One line of the table: the attack, the number of trials, and the failures."""

    promise: str
    tried: int
    failures: Sequence[str] = ()
    note: str = ""


def run_part(name: str, size: Size, seed: int) -> list[Row]:
    """Run a part in this process, with a temporary folder of its own: what others leave is theirs."""
    rows, began = [], time.monotonic()
    part = importlib.import_module(f"torture.{name}")
    # The process runs other parts afterwards.
    before = tempfile.gettempdir()
    with tempfile.TemporaryDirectory(prefix=f"torture-{name}-") as folder:
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        try:
            for row in part.run(size, seed):
                rows.append(row)
                failed = f"{len(row.failures)} of {row.tried} failed"
                seconds = time.monotonic() - began
                print(f"{seconds:4.0f} s  {name}: {row.promise}: {failed}", file=sys.stderr)
        except Exception as error:  # it does not stop the others
            rows.append(Row("the part itself", 1, [f"{type(error).__name__}: {error}"]))
        tempfile.tempdir = os.environ["TMPDIR"] = before
    return rows


def apart(module: str, *arguments: object, seconds: float | None = None) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """Run a module of this suite in a process of its own, which sees what this one does."""
    command = [sys.executable, "-m", f"torture.{module}", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(
        command, env=environment, capture_output=True, timeout=seconds, check=False,
        encoding="utf-8", errors="replace",
    )  # fmt: skip
