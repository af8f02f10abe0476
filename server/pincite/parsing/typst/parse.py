"""Parse a Typst file in regions, with the labels that it defines and the names it refers to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...model.drafts import DraftFile, DraftRegion
from ..regions import RegionCache
from .scanner import Scanner


@dataclass(frozen=True, slots=True)
class _Parsed:
    labels: frozenset[str]
    references: frozenset[str]
    region: DraftRegion


class TypstParser:
    """Parses one file; after an edit, only the changed regions."""

    def __init__(self, path: Path) -> None:
        """Prepare to parse the file at `path`."""
        self._path = path
        self._regions = RegionCache[_Parsed]("=+")
        self._dialect: frozenset[str] = frozenset()
        #: The labels that the file defines.
        self.labels: frozenset[str] = frozenset()
        #: The names that it refers to.
        self.references: frozenset[str] = frozenset()

    def read(self, text: str, labels: frozenset[str] = frozenset()) -> DraftFile:
        """Parse the file's text, in which references to some labels cite nothing."""
        if labels != self._dialect:
            self._regions.clear()
            self._dialect = labels
        parts = tuple(self._regions.parsed(text, 0, self._parse))
        self.labels = frozenset(label for part in parts for label in part.labels)
        self.references = frozenset(name for part in parts for name in part.references)
        regions = tuple(part.region for part in parts)
        return DraftFile(self._path, text, regions or (DraftRegion(""),))

    def _parse(self, text: str) -> tuple[_Parsed, bool]:
        scanner = Scanner(text, self._dialect)
        region = scanner.read()
        names = frozenset(scanner.labels), frozenset(scanner.references)
        return _Parsed(*names, region), scanner.unclosed
