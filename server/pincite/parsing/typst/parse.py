"""Parse a Typst file in regions, with the names that it defines and refers to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ...model.drafts import DraftFile, DraftRegion
from ..regions import RegionCache
from .functions import BUILT_IN, Shape
from .names import Names
from .scanner import Scanner


@dataclass(frozen=True, slots=True)
class Dialect:
    """What the other files of a draft say of the names in one: see `Scanner`."""

    labels: frozenset[str] = frozenset()
    functions: Mapping[str, Shape] = field(default_factory=lambda: BUILT_IN)


_ALONE: Final = Dialect()


class TypstParser:
    """Parses one file; after an edit, only the changed regions."""

    def __init__(self, path: Path) -> None:
        """Prepare to parse the file at `path`."""
        self._path = path
        self._regions = RegionCache[tuple[Names, DraftRegion]]("=+")
        self._dialect = Dialect()
        #: The names in the file.
        self.names = Names()

    def read(self, text: str, dialect: Dialect = _ALONE) -> DraftFile:
        """Parse the file's text."""
        if dialect != self._dialect:
            self._regions.clear()
            self._dialect = dialect
        parts = tuple(self._regions.parsed(text, 0, self._parse))
        self.names = Names()
        for names, _ in parts:
            self.names.add(names)
        regions = tuple(region for _, region in parts)
        return DraftFile(self._path, text, regions or (DraftRegion(""),))

    def _parse(self, text: str) -> tuple[tuple[Names, DraftRegion], bool]:
        scanner = Scanner(text, self._dialect.labels, self._dialect.functions)
        region = scanner.read()
        return (scanner.names, region), scanner.unclosed
