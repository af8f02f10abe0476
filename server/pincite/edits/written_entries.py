"""One entry as it is written in its file, and the edits that change some of its fields.

Every other byte of the file stays as it is, in BibTeX also the order of the fields; an item of CSL
is written again in its own form. Hayagriva is read only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from ..model.bibliographies import NAMING_FIELDS, BibliographyFile, FieldPlace, Place
from ..model.edits import TextEdit, applied
from ..model.papers import BibEntry
from ..model.problems import InputError
from ..model.spans import LINE_END, TextSpan, line_end_of, line_start
from ..parsing.bibliographies import ItemFile
from ..parsing.bibtex import parse_bibliography as parse_bibtex
from .bibtex_entries import VERBATIM, in_letters_of, require_letters
from .csl_items import by_hand, members_changed

#: Behind the key: its comma, and the indentation of the first field.
BEHIND_KEY: Final = re.compile(r"\s*,(?P<space>[ \t]*(?P<line>\r\n|\r|\n)?[ \t]*)")
_TYPE: Final = re.compile(r"@\s*([\w-]+)")
#: An anchor or an alias of YAML.
_ANCHOR: Final = re.compile(r"(?<!\S)[&*][\w-]+(?=[\s,\]}]|\Z)")


class ConflictError(InputError):
    """Entries cannot be one: `values` are the fields that differ, and what they are in each."""

    def __init__(self, why: str, values: Sequence[tuple[str, str, str]] = ()) -> None:
        """Take a reason that continues a sentence about the entries."""
        super().__init__(why)
        self.values = tuple(values)


@dataclass(frozen=True)
class WrittenEntry:
    """One entry of a file, in use or not: `position` counts all that are written there."""

    file: BibliographyFile
    position: int
    text: str
    strings: Mapping[str, str]

    @property
    def key(self) -> str:
        """Its key."""
        return self.file.keys[self.position]

    @property
    def path(self) -> Path:
        """The file."""
        return self.file.path

    @property
    def counts(self) -> bool:
        """Whether its file uses this one, of all its entries with this key."""
        return self.file.positions[self.key] == self.position

    @cached_property
    def place(self) -> Place:
        """Where it is."""
        return self.file.place_at(self.position)

    @cached_property
    def entry(self) -> BibEntry:
        """The entry with what it inherits, if it counts, else alone."""
        return self.file.all_entries[self.key] if self.counts else self.own

    @cached_property
    def own(self) -> BibEntry:
        """The entry with its own fields; raises `ConflictError` if it is broken."""
        if isinstance(self.file, ItemFile):
            return self.file.written_entries[self.position]
        read = parse_bibtex(self.place.span.of(self.text), self.path, self.strings)
        if any(fault.kind != "no macro" for fault in read.faults) or len(read.keys) != 1:
            raise ConflictError("it is broken")
        return read.all_entries[self.key]

    @property
    def raw(self) -> dict[str, Any]:
        """The variables of an item of CSL."""
        value = self.file.items[self.position].value if isinstance(self.file, ItemFile) else {}
        return value if isinstance(value, dict) else {}

    @cached_property
    def fields(self) -> Sequence[FieldPlace]:
        """The own fields of BibTeX."""
        return self.file.entry_place(self.position).fields


def bibtex_changed(
    entry: WrittenEntry,
    written: Mapping[str, str],
    encoding: str,
    kind: str = "",
    gone: Collection[str] = (),
) -> list[TextEdit]:
    """Return the edits that change fields of a BibTeX entry, `written` with their delimiters.

    New fields come first. `kind` is a new entry type; fields in `gone` are deleted.
    Raises `ConflictError` if nothing can be added, and `InputError` if it could not be read then.
    """
    edits = [*_bibtex_edits(entry, written, encoding, kind), *_deleted(entry, gone)]
    span = entry.place.span
    own = [TextEdit(each.path, each.span.moved(-span.start), each.text) for each in edits]
    text = span.of(entry.text)
    # It is read alone.
    before, after = (
        parse_bibtex(each, entry.path, entry.strings) for each in (text, applied(text, own))
    )
    if after.keys != before.keys or len(after.faults) > len(before.faults):
        raise InputError("it is too broken to be changed")
    return edits


def _bibtex_edits(
    entry: WrittenEntry, written: Mapping[str, str], encoding: str, kind: str
) -> Iterator[TextEdit]:
    path, span = entry.path, entry.place.span
    places = {field.name: field.value for field in entry.fields}
    old = _TYPE.match(entry.text, span.start)
    if kind and old is not None and old[1].lower() != kind:
        yield TextEdit(path, TextSpan(*old.span(1)), kind)
    behind = BEHIND_KEY.match(entry.text, entry.place.key_span.end, span.end)
    new = ""
    for name, value in written.items():
        if name not in VERBATIM | NAMING_FIELDS:
            value = in_letters_of(encoding, value)
        require_letters(value, encoding)
        value = LINE_END.sub(line_end_of(entry.text), value)
        if name in places:
            yield TextEdit(path, places[name], value)
        elif behind is None:
            raise ConflictError("the comma behind its key is missing")
        else:
            new += f"{behind['space'] if behind['line'] else ' '}{name} = {value},"
    if new and behind is not None:
        at = behind.start("space")
        yield TextEdit(path, TextSpan(at, at), new)


def _deleted(entry: WrittenEntry, gone: Collection[str]) -> Iterator[TextEdit]:
    """Yield the edits that delete fields, each with the space before it and the comma behind it."""
    text, start = entry.text, entry.place.span.start
    for field in entry.fields:
        head = re.compile(rf"\s*(?<![\w-]){re.escape(field.name)}\s*=\s*\Z", re.IGNORECASE)
        if field.name in gone and (found := head.search(text, start, field.value.start)):
            comma = re.compile(r"\s*,|").match(text, field.value.end)
            assert comma is not None  # it matches the empty string
            yield TextEdit(entry.path, TextSpan(found.start(), comma.end()), "")


def item_changed(
    entry: WrittenEntry, new: Mapping[str, Any], encoding: str, gone: Collection[str] = ()
) -> list[TextEdit]:
    """Return the edits of an item of CSL that gets other members, without those that are `gone`.

    Raises `InputError` if it, or another one that uses its anchors, could not be read then.
    """
    if not new and not gone:
        return []
    edits = members_changed(entry.path, entry.text, entry.place.span, new, gone)
    for each in edits:
        require_letters(each.text, encoding)
    if not _stays_otherwise(entry, edits, {*new, *gone}):
        raise by_hand([*new, *gone])
    return edits


def _stays_otherwise(
    entry: WrittenEntry, edits: Sequence[TextEdit], touched: Collection[str]
) -> bool:
    """Return whether an edited item can be read, and only the `touched` members have changed.

    It is read alone, unless it has anchors: what they are for may be in the rest of the file.
    """
    file, text, span = entry.file, entry.text, entry.place.span
    assert isinstance(file, ItemFile)
    changed = applied(text, edits)
    if file.format == "CSL YAML" and _ANCHOR.search(span.of(text)):
        old, at, faults = [item.value for item in file.items], entry.position, file.faults
    else:
        changed = _alone(changed, TextSpan(span.start, span.end + len(changed) - len(text)))
        old, at, faults = [entry.raw], 0, ()
    read = ItemFile(changed, file.path)
    now = [item.value for item in read.items]
    return _left(now, at, touched) == _left(old, at, touched) and len(read.faults) <= len(faults)


def _alone(text: str, span: TextSpan) -> str:
    """Return a list of one item only."""
    item = span.of(text)
    return f"[{item}]" if item.startswith("{") else text[line_start(text, span.start) : span.end]


def _left(items: Sequence[Any], at: int, touched: Collection[str]) -> list[Any]:
    """Return the items, the one at a position without its changed members."""
    return [
        {name: value for name, value in each.items() if name not in touched}
        if position == at and isinstance(each, dict)
        else each
        for position, each in enumerate(items)
    ]
