"""Bibliographies in every format → entries: BibTeX, CSL JSON, CSL YAML, Hayagriva.

`choice` says which form a file has. BibTeX has a package of its own (`..bibtex`); the others are
lists of items, and `item_file` is a parsed one. `json_items` and `yaml_items` split a text into
items and read one with its places (`nodes`); `csl` and `hayagriva` say what it means in BibTeX's
terms (`described`); `json_form` and `yaml_forms` put these together (`forms`). Large files are
scanned for keys, and an item is read on access. `places` finds the entry at a cursor;
`sight` tells bibliographies from other JSON and YAML.

    entry = parse_bibliography(text, Path("refs.json")).entries["knuth1984"]
    entry.fields["title"]
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...model.bibliographies import BibliographyFile
from ...model.programs import BIBER, Program
from .. import bibtex
from .choice import form_of, has_items
from .item_file import ItemFile

__all__ = ["ItemFile", "has_items", "parse_bibliography"]


def parse_bibliography(
    text: str,
    path: Path,
    strings: Mapping[str, str] | None = None,
    program: Program = BIBER,
) -> BibliographyFile:
    """Parse the text of the bibliography at `path` as a program does; any text gives a result.

    `strings` are macros of BibTeX files that are read before this one.
    """
    form = form_of(path, text)
    if form is None:
        return bibtex.parse_bibliography(text, path, strings, program)
    return ItemFile(text, path, form, program=program)
