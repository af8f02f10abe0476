"""Hayagriva's entries → BibTeX's types and fields.

Follows "The Hayagriva YAML File Format" (``docs/file-format.md`` of typst/hayagriva): persons are
written as in BibTeX or in parts, any text may be a mapping with its `value`, and what an entry is
part of is its `parent`, or one of several. Fields of a parent that say where the entry stands
(volume, issue, publisher, date, editor) count as the entry's; those that identify it do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from .description import EntryDescription, date_fields, joined, listed, name, one_word, plain
from .items import Value

_Entry = Mapping[str, Value]

#: Types, and of what type an entry's parent is where it does not say so.
TYPES: Final[Mapping[str, tuple[str, str]]] = {
    "anthology": ("collection", ""),
    "anthos": ("incollection", "anthology"),
    "article": ("article", "periodical"),
    "artwork": ("artwork", "exhibition"),
    "audio": ("audio", "audio"),
    "blog": ("online", ""),
    "book": ("book", ""),
    "case": ("jurisdiction", ""),
    "chapter": ("incollection", "book"),
    "conference": ("proceedings", ""),
    "entry": ("inreference", "reference"),
    "exhibition": ("misc", ""),
    "legislation": ("legislation", "anthology"),
    "manuscript": ("unpublished", ""),
    "misc": ("misc", ""),
    "newspaper": ("periodical", ""),
    "original": ("misc", "original"),
    "patent": ("patent", ""),
    "performance": ("performance", ""),
    "periodical": ("periodical", ""),
    "post": ("online", "post"),
    "proceedings": ("proceedings", ""),
    "reference": ("reference", ""),
    "report": ("techreport", ""),
    "repository": ("software", ""),
    "scene": ("video", "video"),
    "thesis": ("phdthesis", ""),
    "thread": ("online", ""),
    "tweet": ("online", "tweet"),
    "video": ("video", "video"),
    "web": ("online", "web"),
}
_PROCEEDINGS: Final = ("proceedings", "conference")
_BOOKS: Final = ("anthology", "book", "reference")
_FIELDS: Final[Mapping[str, str]] = {
    "edition": "edition",
    "volume": "volume",
    "volume-total": "volumes",
    "issue": "number",
    "page-range": "pages",
    "page-total": "pagetotal",
    "location": "address",
    "organization": "organization",
    "archive": "archive",
    "archive-location": "archivelocation",
    "call-number": "library",
    "language": "language",
    "note": "note",
    "abstract": "abstract",
    "genre": "type",
    "annote": "annote",
    "keywords": "keywords",
    "file": "file",
}
#: Fields of a parent that say where or when the entry stands.
_OF_PARENT: Final = ("volume", "issue", "location", "organization", "edition")
_NUMBERS: Final = ("doi", "isbn", "issn", "pmid", "pmcid")
#: An entry with none of these is something else.
KNOWN: Final = frozenset(("type", "title", "author", "parent", "date", "url", "editor"))
_MOST_PARENTS: Final = 8


def key_of(value: Value) -> str:
    """Return the key of an entry, which is a mapping with its fields under this key."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, fields),) = value.items()
        if isinstance(fields, dict) and not KNOWN.isdisjoint(map(str.lower, fields)):
            return plain(key)
    return ""


def described(value: Value) -> EntryDescription:
    """Return what an entry says; see `key_of`."""
    key = key_of(value)
    if not (key and isinstance(value, dict)):
        return EntryDescription("", "", {})
    entry = _lowered(next(iter(value.values())))
    kind = _text(entry.get("type")).lower() or "misc"
    entry_type, parents_type = TYPES.get(kind, (kind, ""))
    parents = list(_parents(entry))
    fields = {field: text for part, field in _FIELDS.items() if (text := _text(entry.get(part)))}
    fields.update(_title(entry.get("title")))
    for role in ("author", "editor"):
        if text := _persons(entry.get(role)):
            fields[role] = text
    fields.update(_affiliated(entry))
    fields.update(_published(entry, parents))
    fields.update(_numbered(entry))
    if address := entry.get("url"):
        at = _lowered(address) if isinstance(address, dict) else {"value": address}
        fields["url"] = plain(at.get("value"))
        fields["urldate"] = plain(at.get("date"))
    if parents:
        entry_type = _within(entry_type, parents, parents_type, fields)
    return EntryDescription(
        key, entry_type, {field: text for field, text in fields.items() if text}
    )


def _within(
    entry_type: str, parents: list[_Entry], parents_type: str, fields: dict[str, str]
) -> str:
    """Add what the parents say to an entry's fields; return the type that they make of it."""
    parent = parents[0]
    kind = _text(parent.get("type")).lower() or parents_type
    if kind in _PROCEEDINGS and entry_type in ("article", "incollection", "misc"):
        entry_type = "inproceedings"
    elif kind in _BOOKS and entry_type in ("article", "misc"):
        entry_type = "incollection"
    title = _title(parent.get("title")).get("title", "")
    fields["booktitle" if kind in (*_PROCEEDINGS, *_BOOKS) else "journal"] = title
    for each in parents:
        for part in _OF_PARENT:
            fields.setdefault(_FIELDS[part], _text(each.get(part)))
    series = next(_parents(parent), None)
    if series is not None:
        fields["series"] = _title(series.get("title")).get("title", "")
    if entry_type.startswith("in"):
        fields.setdefault("editor", _persons(parent.get("editor")))
    return entry_type


def _parents(entry: _Entry) -> Iterator[_Entry]:
    for parent in listed(entry.get("parent"))[:_MOST_PARENTS]:
        if isinstance(parent, dict):
            yield _lowered(parent)


def _lowered(value: Value) -> _Entry:
    return {key.lower(): each for key, each in value.items()} if isinstance(value, dict) else {}


def _text(value: Value | None) -> str:
    """Return a text, or that of a formattable string; without the braces that protect case."""
    if isinstance(value, dict):
        value = _lowered(value).get("value")
    return plain(value).replace("{", "").replace("}", "")


def _title(value: Value | None) -> dict[str, str]:
    found = {"title": _text(value)}
    if isinstance(value, dict):
        parts = _lowered(value)
        found["shorttitle"] = _text(parts.get("shorthand") or parts.get("short"))
    return found


def _persons(value: Value | None) -> str:
    return joined(map(_person, listed(value)))


def _person(value: Value) -> str:
    if isinstance(value, dict):
        parts = {key: plain(each) for key, each in _lowered(value).items()}
        family = " ".join(filter(None, (parts.get("prefix"), parts.get("name"))))
        return name(family, parts.get("given-name", ""), parts.get("suffix", ""))
    # Family, given, suffix: BibTeX has the suffix in the middle.
    family, *rest = (part.strip() for part in plain(value).split(","))
    return name(family, *rest[:2]) if rest else one_word(family)


def _affiliated(entry: _Entry) -> Iterator[tuple[str, str]]:
    for each in listed(entry.get("affiliated")):
        parts = _lowered(each)
        role = _text(parts.get("role")).lower()
        if role in ("translator", "director", "illustrator") and (
            text := _persons(parts.get("names"))
        ):
            yield role, text


def _published(entry: _Entry, parents: list[_Entry]) -> dict[str, str]:
    """Return publisher and date: the entry's own, else the first that a parent has."""
    found: dict[str, str] = {}
    for each in (entry, *parents):
        publisher = each.get("publisher")
        if isinstance(publisher, dict) and "name" in publisher:
            parts = _lowered(publisher)
            found.setdefault("address", _text(parts.get("location")))
            publisher = parts.get("name")
        if text := _text(publisher):
            found.setdefault("publisher", text)
        if "date" not in found:
            found.update(date_fields(_text(each.get("date"))))
    return found


def _numbered(entry: _Entry) -> Iterator[tuple[str, str]]:
    """Yield the numbers that identify an entry."""
    serial = entry.get("serial-number")
    numbers = _lowered(serial) if isinstance(serial, dict) else {"serial": serial or ""}
    for each in _NUMBERS:
        if text := _text(numbers.get(each)) or _text(entry.get(each)):
            yield each, text
    if text := _text(numbers.get("arxiv")):
        yield "eprint", text.removeprefix("arXiv:")
        yield "eprinttype", "arxiv"
    if text := _text(numbers.get("serial")):
        yield "serialnumber", text
