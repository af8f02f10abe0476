"""What begins in a part of a LaTeX text and ends outside it, or the other way round."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .arguments import loose_delimiters
from .layout import SKIPPED_ENVIRONMENTS, TABLES

_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([^{}\r\n]*)\}")


@dataclass(frozen=True, slots=True)
class LooseEnds:
    """Unmatched delimiters that connect a region to others.

    `openings` are the offsets of the last of each kind that begins but does not end in the region,
    `closings` of the first that ends but does not begin in it. `unclosed` environments hide all
    text up to their end. `ends_document` says that LaTeX reads nothing further.
    """

    openings: Mapping[str, int] = field(default_factory=dict)
    closings: Mapping[str, int] = field(default_factory=dict)
    unclosed: tuple[str, ...] = ()
    ends_document: bool = False


def find_loose_ends(text: str, hidden: LooseEnds) -> LooseEnds:
    """Return the loose ends of a text without hidden parts, with those that are `hidden`."""
    openings, closings = loose_delimiters(text)
    unclosed: dict[str, None] = {}
    tables: list[int] = []
    for match in _ENVIRONMENT.finditer(text):
        kind, name = match.groups()
        if name.rstrip("*") in SKIPPED_ENVIRONMENTS:
            if kind == "begin":
                unclosed[name] = None
            else:
                unclosed.pop(name, None)
        elif name.rstrip("*") in TABLES:
            if kind == "begin":
                tables.append(match.start())
            elif tables:
                tables.pop()
            else:
                closings.setdefault("table", match.start())
    if tables:
        openings["table"] = tables[-1]
    return LooseEnds(
        {**openings, **hidden.openings},
        {**closings, **hidden.closings},
        (*hidden.unclosed, *unclosed),
        hidden.ends_document,
    )
