"""Parse a Typst file in regions, with the names that it defines and refers to."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ...model.drafts import DraftFile, DraftRegion
from ..scanning import MAX_REGIONS, regions
from .functions import BUILT_IN, Shape
from .names import Names, merged
from .scanner import Scanner

#: The names of a file's labels, which cite nothing, and the functions that cite.
Dialect = tuple[frozenset[str], frozenset[tuple[str, Shape]]]
ALONE: Dialect = (frozenset(), frozenset(BUILT_IN.items()))


def parse_typst(path: Path, text: str, dialect: Dialect = ALONE) -> tuple[DraftFile, Names]:
    """Parse a file, whose names mean what the other files of its draft say."""
    found = [*regions(text, 0, "=+", lambda part: _read_region(part, dialect))]
    names = merged(names for _, names in found)
    return DraftFile(path, text, tuple(each for each, _ in found) or (DraftRegion(""),)), names


@lru_cache(maxsize=3 * MAX_REGIONS)  # in the dialects of `TypstDraftReader`
def _read_region(text: str, dialect: Dialect) -> tuple[tuple[DraftRegion, Names], bool]:
    labels, functions = dialect
    scanner = Scanner(text, labels, dict(functions))
    region = scanner.read()
    return (region, scanner.names), scanner.unclosed
