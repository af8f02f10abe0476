"""What our bibliography of the author's Zotero library has that others lack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from .packed import unpacked

#: The name of the bibliography in the cache folder.
FILE_NAME: Final = "zotero.sqlite.bib"
#: The field with what the author highlighted in the files of a work.
HIGHLIGHTS: Final = "zotero-highlights"
#: The field with the address of the items in the library of the work, as Zotero opens them.
ITEMS: Final = "zotero-items"
#: The field with the time when the work was added to Zotero, as BibDesk names it.
DATE_ADDED: Final = "date-added"
#: Fields that stay here when an entry is copied: they are long, name files of this computer, or are
#: about the entry there.
NOT_COPIED: Final = frozenset(("abstract", "annote", "file", HIGHLIGHTS, ITEMS, DATE_ADDED))
_ITEM_KEY: Final = re.compile(r"[A-Z0-9]{8}")


class Highlight(NamedTuple):
    """What the author highlighted in a file, with a comment and the page's printed label.

    `key` is that of the annotation in Zotero.
    """

    text: str
    comment: str = ""
    page_label: str = ""
    key: str = ""


def is_from_zotero(path: Path) -> bool:
    """Return whether a bibliography is one that we made from a Zotero library."""
    return path.name == FILE_NAME


def attachment_address(file: Path, entries: Iterable[Mapping[str, str]]) -> str:
    """Return the address at which Zotero opens a PDF of its storage; "" for any other file.

    `entries` are the fields of those of the work, of which one may be Zotero's.
    """
    key = file.parent.name
    is_stored = file.parent.parent.name == "storage" and _ITEM_KEY.fullmatch(key)
    if not is_stored or file.suffix.lower() != ".pdf":
        return ""
    own = (each.get(ITEMS, "") for each in entries if key in each.get("file", ""))
    items = next(filter(None, own), "")
    return f"{items}/{key}" if items else ""


def read_highlights(value: str) -> list[Highlight]:
    """Return the highlights, as `packed`, in the value of a field, in the order of the file."""
    return [Highlight(*parts[:4]) for parts in unpacked(value) if parts[0]]
