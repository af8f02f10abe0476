"""lsprotocol's classes, with one ``__repr__`` for all of them.

attrs generates and compiles the methods of each class on import, and there are five hundred
classes: an editor waits for that before the first answer. Leaving out each ``__repr__``, which is
hardly ever used, saves a quarter of it.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module

import attrs


def load() -> None:
    """Import lsprotocol; where that has happened already, leave it as it is."""
    if "lsprotocol.types" in sys.modules:
        return
    define = attrs.define
    attrs.define = partial(define, repr=False)
    try:
        types = import_module("lsprotocol.types")
    finally:
        attrs.define = define
    for kind in vars(types).values():
        if isinstance(kind, type) and attrs.has(kind) and kind.__repr__ is object.__repr__:
            setattr(kind, "__repr__", _repr)  # noqa: B010 - mypy knows methods as they were


def _repr(self: attrs.AttrsInstance) -> str:
    values = (f"{each.name}={getattr(self, each.name)!r}" for each in attrs.fields(type(self)))
    return f"{type(self).__name__}({', '.join(values)})"
