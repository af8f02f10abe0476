"""Bibliographies as the index keeps them: where entries stand, so that none need be found again.

A large bibliography takes a second to read. The text of the file is still needed: an entry without
faults is a part of it. What cannot be used (damaged, of another text) raises `ValueError`.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..model.drafts import CitationKey
from ..model.papers import BibEntry
from ..model.places import Places
from ..model.problems import Problem
from ..model.spans import TextSpan
from ..parsing.bibtex import Bibliography, Fault, in_pieces
from ..parsing.bibtex.fields import Fields, PlainFields

#: Raised when bibliographies are read in another way, or kept in another form.
_VERSION: Final = 1
#: Reading fewer characters takes no longer than looking them up.
WORTH_KEEPING: Final = 200_000


class PackedBibliography(NamedTuple):
    """A bibliography without its text.

    `keys` are those of all entries in the order of the text, a line each, `numbers` are those of
    `Places`; `others` is the rest as JSON.
    """

    keys: str
    numbers: bytes
    others: str


def version_with(strings: Mapping[str, str]) -> str:
    """Return a name for our way of reading a file, with the macros of files read before it."""
    macros = json.dumps(sorted(strings.items())).encode("utf-8", "replace")
    return f"{_VERSION}.{sys.byteorder}.{blake2b(macros, digest_size=8).hexdigest()}"


def pack(bibliography: Bibliography, text: str) -> PackedBibliography:
    """Return what `unpack` makes a bibliography of, which was read from `text`."""
    places = bibliography.places
    entries = {e.key: e for e in (*bibliography.entries, *bibliography.data_entries)}
    in_order = [entries[key] for key in places]
    types = sorted({entry.entry_type for entry in in_order})
    number_of = {name: number for number, name in enumerate(types)}
    others = {
        "length": len(text),
        "types": types,
        "type of each": [number_of[entry.entry_type] for entry in in_order],
        "not plain": [
            [at, dict(_written(entry.fields)), entry.aliases, entry.members]
            for at, entry in enumerate(in_order)
            if not isinstance(entry.fields, PlainFields)
        ],
        "strings": dict(bibliography.strings),
        "strings end": bibliography.strings_end,
        "inherits": bibliography.inherits,
        "problems": [[problem.line, problem.message] for problem in bibliography.problems],
        "repeated": [[again.key, *_ends(again.span)] for again in bibliography.repeated],
        "faults": [[f.message, f.offset, *_ends(f.entry), f.kind] for f in bibliography.faults],
    }
    return PackedBibliography("\n".join(places), places.numbers.tobytes(), json.dumps(others))


def unpack(packed: PackedBibliography, text: str, path: Path) -> Bibliography:
    """Return the bibliography that was packed, whose `text` stands at `path` now."""
    try:
        return _unpacked(packed, text, path)
    except (TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ValueError(f"no bibliography: {error}") from error


def _unpacked(packed: PackedBibliography, text: str, path: Path) -> Bibliography:
    others: dict[str, Any] = json.loads(packed.others)
    if others["length"] != len(text):
        raise ValueError("a bibliography of another text")
    keys = packed.keys.split("\n") if packed.keys else []
    numbers = array("q")
    numbers.frombytes(packed.numbers)
    places = Places.of(keys, numbers)
    types = [others["types"][number] for number in others["type of each"]]
    spans = zip(places.starts, places.ends, strict=True)
    texts = [text[start:end] for start, end in spans]
    entries = [
        BibEntry(key, entry_type, PlainFields(entry), path)
        for key, entry_type, entry in zip(keys, types, texts, strict=True)
    ]
    for at, written, aliases, members in others["not plain"]:
        fields = Fields(written)
        entries[at] = BibEntry(keys[at], types[at], fields, path, tuple(aliases), tuple(members))
    data_entries: list[BibEntry] = []
    if "xdata" in others["types"]:
        data_entries = [entry for entry in entries if entry.entry_type == "xdata"]
        entries = [entry for entry in entries if entry.entry_type != "xdata"]
    return Bibliography(
        tuple(entries),
        tuple(Problem(path, line, message) for line, message in others["problems"]),
        others["strings"],
        tuple(data_entries),
        tuple(CitationKey(key, TextSpan(*ends)) for key, *ends in others["repeated"]),
        tuple(
            Fault(message, offset, TextSpan(start, end), kind)
            for message, offset, start, end, kind in others["faults"]
        ),
        others["inherits"],
        others["strings end"],
        places,
        in_pieces(text, places, texts),
    )


def _written(fields: Mapping[str, str]) -> Mapping[str, str]:
    return fields.as_written() if isinstance(fields, Fields) else fields


def _ends(span: TextSpan) -> tuple[int, int]:
    return span.start, span.end
