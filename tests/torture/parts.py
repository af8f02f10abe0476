"""Run one part of the suite, in a process of its own: such a process cannot import `__main__`."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator

from torture.rows import Row, Size


def run_part(name: str, size: Size, seed: int) -> list[Row]:
    """Run a part with a temporary folder of its own: what another part leaves there is not its fault."""
    rows, began = [], time.monotonic()
    # The process runs other parts afterwards.
    before = tempfile.gettempdir()
    with tempfile.TemporaryDirectory(prefix=f"torture-{name}-") as folder:
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        for row in _rows(name, size, seed):
            seconds = time.monotonic() - began
            print(
                f"{seconds:4.0f} s  {name}: {row.promise}: {row.failed} of {row.tried} failed",
                file=sys.stderr,
            )
            rows.append(row)
        tempfile.tempdir = os.environ["TMPDIR"] = before
    return rows


def _rows(name: str, size: Size, seed: int) -> Iterator[Row]:
    """Yield the rows of a part; an error in the part itself is a failure and does not stop the others."""
    try:
        yield from importlib.import_module(f"torture.{name}").run(size, seed)
    except Exception as error:
        if isinstance(error, ImportError) and error.name == f"torture.{name}":
            raise
        yield Row("the part itself", 1, 1, failures=(f"{type(error).__name__}: {error}",))
