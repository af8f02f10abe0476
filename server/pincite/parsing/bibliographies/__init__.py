"""Bibliographies in every format → entries: BibTeX, CSL JSON, CSL YAML, Hayagriva.

BibTeX has a package of its own (`..bibtex`); the others are lists of items, and `item_file` is a
parsed one. `json_items` and `yaml_items` find the items of a text with their places (`items`);
`csl` and `hayagriva` give their meaning in BibTeX's terms. `merging` makes one of several files.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...model.bibliographies import BibliographyFile
from ...model.programs import BIBER, Program
from .. import bibtex
from .item_file import ItemFile, has_items

__all__ = ["ItemFile", "has_items", "parse_bibliography"]


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
