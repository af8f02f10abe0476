"""Hayagriva's entries → BibTeX's types and fields.

Follows "The Hayagriva YAML File Format" (``docs/file-format.md`` of typst/hayagriva): persons are
written as in BibTeX or in parts, any text may be a mapping with its `value`, and what an entry is
part of is its `parent`, or one of several. Fields of a parent that locate the entry (volume,
issue, publisher, date, editor) count as the entry's; those that identify the parent do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from ...model.papers import BibEntry
from .items import Value, date_fields, joined, listed, lowered, name, one_word, plain

TYPES: Final[Mapping[str, str]] = {
    kind: entry_type
    for entry_type, kinds in {
        "article": "article",
        "artwork": "artwork",
        "audio": "audio",
        "book": "book",
        "collection": "anthology",
        "incollection": "anthos chapter",
        "inreference": "entry",
        "jurisdiction": "case",
        "legislation": "legislation",
        "misc": "exhibition misc original",
        "online": "blog post thread tweet web",
        "patent": "patent",
        "performance": "performance",
        "periodical": "newspaper periodical",
        "phdthesis": "thesis",
        "proceedings": "conference proceedings",
        "reference": "reference",
        "software": "repository",
        "techreport": "report",
        "unpublished": "manuscript",
        "video": "scene video",
    }.items()
    for kind in kinds.split()
}
#: The type of a parent that states none, by the type of the entry.
_PARENTS_TYPES: Final = {
    **dict.fromkeys(("anthos", "legislation"), "anthology"),
    **dict.fromkeys(("scene", "video"), "video"),
    **{kind: kind for kind in ("audio", "original", "post", "tweet", "web")},
    "article": "periodical",
    "artwork": "exhibition",
    "chapter": "book",
    "entry": "reference",
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
    "genre": "type",
    **{e: e for e in ("language", "note", "abstract", "annote", "keywords", "file", "title")},
}
#: Fields of a parent that locate the entry.
_OF_PARENT: Final = ("volume", "issue", "location", "organization", "edition")
#: An entry with none of these is something else.
_KNOWN: Final = frozenset(("type", "title", "author", "parent", "date", "url", "editor"))
_MAX_PARENTS: Final = 8


def key_of(value: Value) -> str:
    """Return the key of an entry, which is a mapping with its fields under this key."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, fields),) = value.items()
        if not _KNOWN.isdisjoint(lowered(fields)):
            return plain(key)
    return ""


def described(value: Value, path: Path) -> BibEntry:
    """Return the entry of an item; see `key_of`."""
    key = key_of(value)
    if not (key and isinstance(value, dict)):
        return BibEntry("", "", {}, path)
    entry = lowered(next(iter(value.values())))
    parents, titles, address = _parents(entry), lowered(entry.get("title")), entry.get("url")
    at = lowered(address) if isinstance(address, dict) else {"value": address or ""}
    found = [(field, _text(entry.get(part))) for part, field in _FIELDS.items()]
    found.append(("shorttitle", _text(titles.get("shorthand") or titles.get("short"))))
    found += [(role, _persons(entry.get(role))) for role in ("author", "editor")]
    for each in map(lowered, listed(entry.get("affiliated"))):
        if (role := _text(each.get("role")).lower()) in ("translator", "director", "illustrator"):
            found.append((role, _persons(each.get("names"))))
    found += [*_published((entry, *parents)).items(), *_numbered(entry)]
    found += [("url", plain(at.get("value"))), ("urldate", plain(at.get("date")))]
    fields = {field: text for field, text in found if text}
    kind = _text(entry.get("type")).lower() or "misc"
    entry_type = TYPES.get(kind, kind)
    if parents:
        within = _text(parents[0].get("type")).lower() or _PARENTS_TYPES.get(kind, "")
        if within in _PROCEEDINGS and entry_type in ("article", "incollection", "misc"):
            entry_type = "inproceedings"
        elif within in _BOOKS and entry_type in ("article", "misc"):
            entry_type = "incollection"
        parent, in_book = parents[0], within in (*_PROCEEDINGS, *_BOOKS)
        fields["booktitle" if in_book else "journal"] = _text(parent.get("title"))
        for part in _OF_PARENT:
            fields.setdefault(_FIELDS[part], _text(parent.get(part)))
        for series in _parents(parent)[:1]:
            fields["series"] = _text(series.get("title"))
        if entry_type.startswith("in"):
            fields.setdefault("editor", _persons(parent.get("editor")))
    return BibEntry(key, entry_type, {name: text for name, text in fields.items() if text}, path)


def _parents(entry: Mapping[str, Value]) -> list[dict[str, Value]]:
    parents = listed(entry.get("parent"))[:_MAX_PARENTS]
    return [lowered(parent) for parent in parents if isinstance(parent, dict)]


def _text(value: Value | None) -> str:
    """Return a text, or that of a formattable string; without the braces that protect case."""
    if isinstance(value, dict):
        value = lowered(value).get("value")
    return plain(value).replace("{", "").replace("}", "")


def _persons(value: Value | None) -> str:
    return joined(map(_person, listed(value)))


def _person(value: Value) -> str:
    if isinstance(value, dict):
        parts = {key: plain(each) for key, each in lowered(value).items()}
        family = " ".join(filter(None, (parts.get("prefix"), parts.get("name"))))
        return name(family, parts.get("given-name", ""), parts.get("suffix", ""))
    # Family, given, suffix: BibTeX has the suffix in the middle.
    family, *rest = (part.strip() for part in plain(value).split(","))
    return name(family, *rest[:2]) if rest else one_word(family)


def _published(entries: Iterable[Mapping[str, Value]]) -> dict[str, str]:
    """Return publisher and date: an entry's own, else the first that a parent has."""
    found: dict[str, str] = {}
    for each in entries:
        publisher = each.get("publisher")
        if isinstance(publisher, dict) and "name" in publisher:
            parts = lowered(publisher)
            found.setdefault("address", _text(parts.get("location")))
            publisher = parts.get("name")
        if text := _text(publisher):
            found.setdefault("publisher", text)
        if "date" not in found:
            found.update(date_fields(_text(each.get("date"))))
    return found


def _numbered(entry: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    serial = entry.get("serial-number")
    numbers = lowered(serial) if isinstance(serial, dict) else {"serial": serial or ""}
    for each in ("doi", "isbn", "issn", "pmid", "pmcid"):
        yield each, _text(numbers.get(each)) or _text(entry.get(each))
    if text := _text(numbers.get("arxiv")):
        yield from (("eprint", text.removeprefix("arXiv:")), ("eprinttype", "arxiv"))
    yield "serialnumber", _text(numbers.get("serial"))
