"""A finding at a place in one of the author's files."""

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
    "title-only",
    "unused-entry",
]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to report about the `span` of a file; `key` is the key concerned.

    The finding is withheld while the author types within `scope`, since the text there may be
    wrong only because it is half typed. `first` is the place of the first entry with a repeated
    key, the one that counts.
    """

    code: Code
    span: TextSpan
    message: str
    scope: TextSpan
    key: str = ""
    first: tuple[Path, TextSpan] | None = None
