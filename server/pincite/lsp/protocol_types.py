"""lsprotocol's classes, with one ``__repr__`` for all of them.

On import, attrs generates and compiles the methods of five hundred classes, and the editor waits
for that before the first answer. Leaving out every ``__repr__``, which is hardly ever used, saves a
quarter of the time.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module

import attrs


def load() -> None:
    """Import lsprotocol; if it has already been imported, leave it unchanged."""
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
