"""The unchanged language server on a slow file system: run instead of `pincite serve`.

`TORTURE_SLOW` names a folder in which each call of the file system takes 200 ms. A lock on the index
is waited for as long as it lasts.
"""

from __future__ import annotations

import builtins
import functools
import io
import math
import os
import time
from collections.abc import Callable
from typing import Any

from pincite.library import database
from pincite.lsp.server import serve

SLOW = "TORTURE_SLOW"
SERVER = ("-m", "torture.probe")
CALL_SECONDS = 0.2
_CALLS = (
    (os, "stat"),
    (os, "lstat"),
    (os, "scandir"),
    (os, "listdir"),
    (os, "open"),
    (builtins, "open"),
    (io, "open"),
)


def _slow_down(folder: str) -> None:
    for module, name in _CALLS:
        setattr(module, name, _slowed(getattr(module, name), folder))


def _slowed(call: Callable[..., Any], folder: str) -> Callable[..., Any]:
    @functools.wraps(call)
    def slowed(path: Any = ".", *arguments: Any, **named: Any) -> Any:
        if not isinstance(path, int) and str(os.fspath(path)).startswith(folder):
            time.sleep(CALL_SECONDS)
        return call(path, *arguments, **named)

    return slowed


if __name__ == "__main__":
    if folder := os.environ.get(SLOW):
        _slow_down(folder)
    for seconds in ("_OPEN_SECONDS", "_BUSY_SECONDS"):
        setattr(database, seconds, math.inf)
    serve()
