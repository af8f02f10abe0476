"""Run one part of the suite, in a process of its own: such a process cannot import `__main__`."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import time

from torture import Row, Size


def run_part(name: str, size: Size, seed: int) -> list[Row]:
    """Run a part with a temporary folder of its own: what another part leaves there is not its fault."""
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
