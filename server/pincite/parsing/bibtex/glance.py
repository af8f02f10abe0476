"""A bibliography at a glance: its keys, for the second that reading a large one takes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from ...model.papers import BibEntry
from .entry import NO_ENTRIES
from .fields import PlainFields

_BEGINNING: Final = re.compile(r"""@\s*([A-Za-z][\w-]*)\s*\{\s*([^\s"(),={}]+)\s*,""")
_NOT_CITED: Final = NO_ENTRIES | {"xdata"}
#: More of an entry is not looked at.
_LONGEST: Final = 4_000


class Glance(Mapping[str, BibEntry]):
    """The entries of some texts by key, made when they are looked at.

    What looks like the beginning of an entry in a line of its own is taken for one, and all before
    the next for its text. `bibtex.parse_bibliography` may find that some of it is none.
    """

    def __init__(self, texts: Iterable[tuple[str, Path]]) -> None:
        """Take texts with the paths at which they stand; the first of several keys counts."""
        self._found: dict[str, tuple[str, Path, str, int, int]] = {}
        for text, path in texts:
            beginnings: list[tuple[int, str, str]] = []
            for found in _BEGINNING.finditer(text):
                start = found.start()
                if not start or text[start - 1] in "\n\r \t":
                    beginnings.append((start, found[1].lower(), found[2]))
            ends = [start for start, _, _ in beginnings[1:]]
            for (start, kind, key), end in zip(beginnings, [*ends, len(text)], strict=False):
                if key not in self._found and kind not in _NOT_CITED:
                    self._found[key] = (kind, path, text, start, end)

    def __getitem__(self, key: str) -> BibEntry:
        kind, path, text, start, end = self._found[key]
        return BibEntry(key, kind, PlainFields(text[start : min(end, start + _LONGEST)]), path)

    def __contains__(self, key: object) -> bool:
        return key in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
