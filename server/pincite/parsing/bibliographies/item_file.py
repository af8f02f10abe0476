"""A bibliography that is a list of items, and places in the text of one in any format.

The suffix of a file gives its format; whether it is a bibliography at all, its first entry shows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from ...model.bibliographies import (
    BibliographyFile,
    EntryPlace,
    Fault,
    FieldPlace,
    Place,
    key_used,
    named_keys,
)
from ...model.papers import BibEntry
from ...model.problems import Problem
from ...model.programs import BIBER, Program
from ...model.spans import TextSpan, line_at
from . import csl, hayagriva
from .items import LISTS, plain
from .json_items import read_json
from .yaml_items import is_csl, read_yaml

#: How many bytes of a file show its format: they include its first entry.
HEAD: Final = 16_384
#: A header of a Markdown file may hold ``references:`` as well.
_YAML: Final = (".yaml", ".yml", ".md", ".markdown", ".qmd", ".rmd")
#: What is a text in YAML without quotes.
_PLAIN_IN_YAML: Final = re.compile(
    r"(?!(?:true|false|null|yes|no|on|off)\Z)[a-z_](?:[\w.:/+@-]*[\w./+@-])?", re.IGNORECASE
)
#: How a list in JSON begins: members with a text may stand before it.
_LIST: Final = re.compile(
    rf'[\s\ufeff]*(?:\[|\{{(?:\s*"[\w-]{{1,30}}"\s*:\s*"[^"]{{0,500}}"\s*,){{0,9}}'
    rf'\s*"(?:{"|".join(LISTS)})"\s*:\s*\[)\s*(?=\{{)'
)
_FIELD: Final = r"""^[ \t]*(?:-[ \t]+)?["']?%s["']?:"""
_TYPE: Final = re.compile(rf"""{_FIELD % "type"}[ \t]+["']?([\w-]+)""", re.MULTILINE)
_TITLE: Final = re.compile(_FIELD % "title", re.MULTILINE)


def has_items(path: Path) -> bool:
    """Return whether a bibliography is in one of these formats, by its name."""
    return path.suffix.lower() == ".json" or is_yaml(path)


def is_yaml(path: Path) -> bool:
    """Return whether a bibliography is in YAML, by its name."""
    return path.suffix.lower() in _YAML


def begins_as_bibliography(path: Path, head: str) -> bool:
    """Return whether the first entry of a file in CSL or Hayagriva is in the `HEAD` of a text."""
    if not is_yaml(path):
        item = has_items(path) and _LIST.match(head) and read_json(head).items[0].value
        return (
            isinstance(item, dict)
            and item.get("type") in csl.TYPES
            and not item.keys().isdisjoint(("id", "citation-key"))
            and not item.keys().isdisjoint(("title", "author", "issued", "container-title"))
        )
    # Most YAML is ruled out without being parsed.
    if _TITLE.search(head) is None or _TYPE.search(head) is None:
        return False
    items = read_yaml(head).items
    if not items or not (csl.key_of(items[0].value) or hayagriva.key_of(items[0].value)):
        return False
    first = items[0].span.of(head)
    kind, types = _TYPE.search(first), csl.TYPES if is_csl(head) else hayagriva.TYPES
    return kind is not None and kind[1].lower() in types and _TITLE.search(first) is not None


class ItemFile(BibliographyFile):
    """The entries of a file with items, which inherit nothing and use no macros."""

    text = ""

    def __init__(
        self, text: str, path: Path, program: Program = BIBER, start: int = 0, line: int = 1
    ) -> None:
        """Read a text as a `program` does, which begins at `start` and in `line` of its file."""
        self.text = text
        self.format: Literal["CSL JSON", "CSL YAML", "Hayagriva"] = "CSL JSON"
        if is_yaml(path):
            self.format = "CSL YAML" if is_csl(text) else "Hayagriva"
        read = read_yaml(text) if is_yaml(path) else read_json(text)
        #: The offset of the bracket that closes the list, if it is in JSON and has one.
        self.closing = read.closing
        self.items, self._complaints = read.items, read.complaints
        readable = csl.from_html if self.format == "CSL JSON" else csl.from_markdown
        #: An entry for each item, those without a key included.
        self.written_entries: Sequence[BibEntry] = [
            hayagriva.described(item.value, path)
            if self.format == "Hayagriva"
            else csl.described(item.value, readable, path)
            for item in read.items
        ]
        super().__init__(path, program, start, line, [each.key for each in self.written_entries])
        self.all_entries = {key: self.written_entries[at] for key, at in self.positions.items()}

    @cached_property
    def spans(self) -> list[TextSpan]:
        """The spans of all items, those without a key included."""
        return [item.span.moved(self.start) for item in self.items]

    def place_at(self, position: int) -> Place:
        """Return the place of the item with an index."""
        span, keys = self.items[position].span, self._key_places(position)
        own = (keys[0].content if keys else None) or TextSpan(span.start, span.start)
        return Place(self._line_at(span.start), span.moved(self.start), own.moved(self.start))

    def entry_place(self, position: int) -> EntryPlace:
        """Return the place of an item and of its fields, by their names in BibTeX."""
        keys = self._key_places(position)
        fields = [each._replace(name="ids") for each in keys[1:]]
        for each in self.items[position].scalars():
            name = each.name.lower()
            if each not in keys and name not in ("", "id"):
                name = "ids" if name == "citation-key" else name
                name = name if self.format == "Hayagriva" else csl.FIELDS.get(name, name)
                fields.append(each._replace(name=name))
        place, entry = self.place_at(position), self.written_entries[position]
        named = named_keys(fields, self.text, self.start)
        spans = place.span, place.key_span
        return EntryPlace(entry.entry_type, entry.key, *spans, fields, entry.fields, named)

    def _key_places(self, position: int) -> list[FieldPlace]:
        """Return the places of the keys of an item in the text, first the one that counts."""
        scalars, key = self.items[position].scalars(), self.keys[position]
        if self.format == "Hayagriva":
            return [each for each in scalars[:1] if key]
        found = {each.name: each for each in scalars}
        named = [found[name] for name in ("id", "citation-key") if name in found]
        keys = [each for each in named if plain(each.text)]
        return [*keys[:1], *(each for each in keys[1:] if each.text == keys[0].text)]

    def _line_at(self, offset: int) -> int:
        return self.line + line_at(self.text, offset) - 1

    def _find_faults(self) -> tuple[list[Fault], list[Problem]]:
        needed = "a key and fields below it" if self.format == "Hayagriva" else "an id"
        found = [Fault(*each, TextSpan(each[1], each[1])) for each in self._complaints]
        for position, (item, key) in enumerate(zip(self.items, self.keys, strict=True)):
            found += [Fault(*each, item.span) for each in item.complaints]
            if not (key or item.complaints):
                what = "this is not an entry" if item.value == "" else f"an entry needs {needed}"
                found.append(Fault(what, item.span.start, item.span))
            if key and self.positions[key] != position:
                what = key_used(self.place(key).line, self.program)
                at = self.place_at(position).key_span.start - self.start
                found.append(Fault(what, at, item.span, "key used"))
        found.sort(key=lambda fault: fault.offset)
        keys = {item.span.start: key for item, key in zip(self.items, self.keys, strict=True)}
        faults: list[Fault] = []
        problems: list[Problem] = []
        for each in found:
            own = keys.get(each.entry.start)
            message = f"{own}: {each.message}" if own else each.message
            problems.append(Problem(self.path, self._line_at(each.offset), message))
            span = each.entry.moved(self.start)
            faults.append(replace(each, offset=each.offset + self.start, entry=span))
        return faults, problems


def key_written(path: Path, text: str, start: int, key: str) -> str:
    """Return a key as it is written at `start`: in quotes where it would be no text without."""
    if not has_items(path) or text[start - 1 : start] in ("'", '"'):
        return key
    is_plain = is_yaml(path) and _PLAIN_IN_YAML.fullmatch(key) is not None
    return key if is_plain else f'"{key}"'
