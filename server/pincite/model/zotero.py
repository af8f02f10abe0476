"""What our bibliography of the author's Zotero library has that others lack."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from .packed import packed, unpacked

#: The name of the bibliography in the cache folder.
FILE_NAME: Final = "zotero.sqlite.bib"
#: The field with what the author highlighted in the files of a work.
HIGHLIGHTS: Final = "zotero-highlights"
#: The field with the time when the work was added to Zotero, as BibDesk names it.
DATE_ADDED: Final = "date-added"
#: Fields that stay here when an entry is copied: they are long, name files of this computer, or are
#: about the entry there.
NOT_COPIED: Final = frozenset(("abstract", "annote", "file", HIGHLIGHTS, DATE_ADDED))


class Highlight(NamedTuple):
    """What the author highlighted in a file, with a comment and the page's printed label."""

    text: str
    comment: str = ""
    page_label: str = ""


def is_from_zotero(path: Path) -> bool:
    """Return whether a bibliography is ours of a Zotero library."""
    return path.name == FILE_NAME


def written_highlights(highlights: Iterable[Highlight]) -> str:
    """Return highlights as the value of a field."""
    return packed(highlights)


def read_highlights(value: str) -> list[Highlight]:
    """Return the highlights in the value of a field, in the order of the file."""
    found: list[Highlight] = []
    for written in unpacked(value):
        text, comment, label, *_ = (*written, "", "")
        if text:
            found.append(Highlight(text, comment, label))
    return found
