"""Find places in the text of a bibliography in any format: an entry, its fields, its keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from ..bibtex import entry_places as bibtex
from ..bibtex.entry_places import NAMING_FIELDS, EntryPlace
from .item_file import ItemFile, has_items, is_yaml

#: What is a text in YAML without quotes.
_PLAIN_IN_YAML: Final = re.compile(
    r"(?!(?:true|false|null|yes|no|on|off)\Z)[a-z_](?:[\w.:/+@-]*[\w./+@-])?", re.IGNORECASE
)


def entry_at(path: Path, text: str, offset: int, *, comments: bool = True) -> EntryPlace | None:
    """Return the entry around `offset` in the text of the bibliography at `path`.

    With `comments`, what % comments out in BibTeX is no entry: see `Program`.
    """
    if not has_items(path):
        return bibtex.entry_at(text, offset, comments=comments)
    file = _parsed(path, text)
    position = file.position_at(offset)
    return None if position is None else file.entry_place(position, NAMING_FIELDS.__contains__)


def entry_places(path: Path, text: str, wanted: Callable[[str], bool]) -> Iterator[EntryPlace]:
    """Yield the entries of a bibliography in order.

    `wanted` says whether the place of a field is requested, by its name in BibTeX. In BibTeX, what
    % comments out is an entry, too.
    """
    if not has_items(path):
        return bibtex.entry_places(text, wanted, comments=False)
    file = _parsed(path, text)
    return (file.entry_place(position, wanted) for position in range(len(file.spans())))


def entries_named(path: Path, text: str, keys: Collection[str]) -> Iterator[EntryPlace]:
    """Yield the entries of a bibliography of items that may have one of some keys, in any case."""
    file = _parsed(path, text)
    for position in file.positions_named({key.lower() for key in keys}):
        yield file.entry_place(position, NAMING_FIELDS.__contains__)


def key_written(path: Path, text: str, start: int, key: str) -> str:
    """Return a key as it is written in place of the one that begins at `start`.

    In JSON and YAML it gets quotes where it would not be a text without them: the one before it
    may be a number.
    """
    if not has_items(path) or text[start - 1 : start] in ("'", '"'):
        return key
    is_plain = is_yaml(path) and _PLAIN_IN_YAML.fullmatch(key) is not None
    return key if is_plain else f'"{key}"'


@lru_cache(maxsize=4)
def _parsed(path: Path, text: str) -> ItemFile:
    return ItemFile(text, path)
