"""Keeps what was fetched, as a bibliography that lends to every draft that cites the same work."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Final

from ..edits.bibtex_entries import written_bibliography
from ..model.fetched import (
    ABSTRACT_FROM,
    CITED_BY,
    CITING,
    CITING_FROM,
    OPEN_ACCESS,
    written_citing,
)
from ..model.papers import BibEntry
from ..parsing.bibtex import parse_bibliography
from ..parsing.encoding import decode
from ..whole_files import rewrite
from .enrich import Fetched

#: Go to Definition may open the file.
_REMARK: Final = "Fetched by Pincite from the network; what is changed here may be lost."
#: What tells works apart, of an entry of the author's.
_OF_THE_WORK: Final = ("author", "editor", "title", "subtitle", "year", "date", "doi")


def keep(path: Path, fetched: Iterable[Fetched]) -> None:
    """Add works to the bibliography at a path; what is newer replaces what was known of a work.

    Raises `OSError` if it cannot be written; then it is as before.
    """
    entries = [_entry(each, path) for each in fetched]

    def with_entries(data: bytes) -> bytes:
        # It is a cache: of a damaged one, what can be read stays.
        known = dict(parse_bibliography(decode(data), path).entries.items())
        for entry in entries:
            before = known.get(entry.key)
            fields = {**(before.fields if before else {}), **entry.fields}
            known[entry.key] = BibEntry(entry.key, "misc", fields, path)
        # In one order, whatever was fetched first.
        return b"".join(written_bibliography(_REMARK, (known[key] for key in sorted(known))))

    rewrite(path, with_entries)


def _entry(fetched: Fetched, path: Path) -> BibEntry:
    own = fetched.entry
    fields = {name: own.fields[name] for name in _OF_THE_WORK if own.fields.get(name)}
    said = {
        "doi": fetched.doi,
        "abstract": fetched.abstract,
        ABSTRACT_FROM: fetched.abstract_from,
        CITING: written_citing((each.title, each.sentences) for each in fetched.citing),
        CITING_FROM: fetched.citing_from,
        OPEN_ACCESS: fetched.open_access,
        CITED_BY: "" if fetched.cited_by is None else str(fetched.cited_by),
    }
    # Two letters to the editor may differ in their DOIs alone.
    told = repr((own.title.casefold(), own.surnames, own.year, fetched.doi or own.doi))
    key = f"w{blake2b(told.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"
    return BibEntry(key, "misc", fields | {name: v for name, v in said.items() if v}, path)
