"""The unchanged language server on a slow file system: run instead of `pincite serve`.

`TORTURE_SLOW` names a folder in which each call of the file system takes 200 ms.
"""

from __future__ import annotations

import builtins
import functools
import io
import os
import time
from collections.abc import Callable
from typing import Any

from pincite.lsp.server import serve

SLOW = "TORTURE_SLOW"
SERVER = ("-m", "torture.probe")
_SECONDS = 0.2
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
            time.sleep(_SECONDS)
        return call(path, *arguments, **named)

    return slowed


if __name__ == "__main__":
    if folder := os.environ.get(SLOW):
        _slow_down(folder)
    serve()
