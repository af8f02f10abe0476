"""Numbers that show how healthy a draft's library is; clients get them as they are here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LibraryCounts:
    """Entries by what is known of them, and by what is wrong; `cited` are those the draft cites.

    `named_files` are entries that name files, `missing_files` those of them without any file and
    without another full text. `scanned`, `encrypted` and `unreadable` count files, `duplicates`
    entries of the same work as an earlier one, `repeated_keys` entries that are ignored.
    `from_zotero` are entries whose full text or abstract is Zotero's.
    """

    entries: int
    cited: int
    full_text: int
    abstract: int
    title: int
    named_files: int
    missing_files: int
    scanned: int
    encrypted: int
    unreadable: int
    duplicates: int
    repeated_keys: int
    without_year: int
    broken: int
    from_zotero: int


@dataclass(frozen=True, slots=True)
class CommonFolder:
    """The folder, as the entries name it, in which `shared` of the missing files lie."""

    folder: str
    shared: int


@dataclass(frozen=True, slots=True)
class FromService:
    """What serves of a service on the network: abstracts of entries, and citing sentences."""

    service: str
    abstracts: int
    sentences: int
