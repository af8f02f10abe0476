"""Bibliographies in every format → entries: BibTeX, CSL JSON, CSL YAML, Hayagriva.

BibTeX has a package of its own (`..bibtex`); the others are lists of items, and `item_file` is a
parsed one. `json_items` and `yaml_items` find the items of a text with their places (`items`);
`csl` and `hayagriva` give their meaning in BibTeX's terms.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from ...model.bibliographies import BibliographyFile, EntryPlace
from ...model.papers import BibEntry
from ...model.programs import BIBER, Program
from .. import bibtex
from ..bibtex.file import PARENTS, keys_named_by, with_inheritance
from .item_file import ItemFile, has_items

__all__ = [
    "OTHER_FORMATS",
    "ItemFile",
    "entry_at",
    "has_items",
    "merged",
    "parse_bibliography",
    "parsed",
]

#: Formats that are not read as the bibliography of a draft; Pandoc reads the first.
OTHER_FORMATS = (".ris", ".enl", ".enw", ".nbib", ".xml")


def parse_bibliography(
    text: str,
    path: Path,
    strings: Mapping[str, str] | None = None,
    program: Program = BIBER,
    start: int = 0,
    line: int = 1,
    earlier: BibliographyFile | None = None,
) -> BibliographyFile:
    """Parse the text of the bibliography at `path` as a program does; any text gives a result.

    `strings` are macros of BibTeX files that are read before this one. The text may be in another
    file, where it begins at offset `start` and in line `line`. Entries that are as they were in an
    `earlier` version of the file are the same objects.
    """
    if has_items(path):
        return ItemFile(text, path, program, start, line)
    return bibtex.parse_bibliography(text, path, strings, program, start, line, earlier)


# One file as both programs read it: a large one takes as much memory for each version.
@lru_cache(maxsize=2)
def parsed(path: Path, text: str, program: Program = BIBER) -> BibliographyFile:
    """Return the bibliography at `path`, parsed once: several requests need the same."""
    return parse_bibliography(text, path, program=program)


def entry_at(path: Path, text: str, offset: int, *, comments: bool = True) -> EntryPlace | None:
    """Return the entry around an offset of a bibliography; for `comments` see `Program`."""
    if not has_items(path):
        return bibtex.file.entry_at(text, offset, comments=comments)
    file = parsed(path, text)
    assert isinstance(file, ItemFile)
    at = bisect_right(file.spans, offset, key=lambda span: span.start) - 1
    # Between two items, a cursor is at the end of one and at the start of the next.
    near = (each for each in (at, at - 1) if each >= 0 and file.spans[each].covers(offset))
    return next((file.entry_place(each) for each in near), None)


def merged(
    files: Sequence[BibliographyFile],
    others: Mapping[str, BibEntry] = MappingProxyType({}),
    by_precedence: Sequence[BibliographyFile] | None = None,
) -> dict[str, BibEntry]:
    """Return the citable entries of bibliographies, and `others`, which are in none, by key.

    Of several with the same key, the first one is used, or that of the first file of those in order
    of precedence. Parents may be in another file.
    """
    ranked = tuple(files if by_precedence is None else by_precedence)
    counting: dict[str, BibEntry] = {}
    for file in reversed(ranked):
        counting.update(file.entries)
    ordered = files if ranked == tuple(files) else ranked[::-1]
    every = chain.from_iterable(file.entries.items() for file in ordered)
    found = {key: entry for key, entry in every if counting[key] is entry}

    def find(name: str) -> BibEntry | None:
        """Return the entry for a parent's name: with its exact key if any file has that."""
        exact = (file for file in ranked if name in file.all_entries)
        named = (file.find(name) for file in (*exact, *ranked))
        return next((entry for entry in named if entry is not None), None)

    heirs: list[BibEntry] = []
    for file in files if len(files) > 1 else ():
        own = (file.all_entries[key] for key in file.heirs)
        for entry in (entry for entry in own if found.get(entry.key) is entry):
            elsewhere = {*map(str.lower, keys_named_by(entry, PARENTS))} - file.names.folded.keys()
            if not all(map(elsewhere.isdisjoint, (other.names.folded for other in files))):
                heirs.append(entry)
    found.update(with_inheritance(heirs, find))
    return {**found, **others, **found}
