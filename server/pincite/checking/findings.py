"""What was found at a place in one of the author's files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..model.spans import TextSpan

Code = Literal[
    "undefined-key",
    "duplicate-key",
    "placeholder",
    "broken-entry",
    "missing-bibliography",
    "unnamed-bibliography",
    "weak-support",
    "missing-citation",
    "unused-entry",
]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to tell the author about the `span` of a file; `key` is the key it is about.

    `scope` is the piece of text that has to be finished first: while the author types in it, it
    may be wrong only because it is half typed. `first` is where the key stands that counts.
    """

    code: Code
    span: TextSpan
    message: str
    scope: TextSpan
    key: str = ""
    first: tuple[Path, TextSpan] | None = None
