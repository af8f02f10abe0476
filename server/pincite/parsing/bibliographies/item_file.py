"""A bibliography that is a list of items: CSL JSON, CSL YAML, Hayagriva."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from ...model.bibliographies import BibliographyFile, Fault, key_used
from ...model.papers import BibEntry
from ...model.places import Place
from ...model.problems import Problem
from ...model.programs import BIBER, Program
from ...model.spans import TextSpan, line_starts
from . import csl, hayagriva
from .description import EntryDescription, plain
from .items import Item, Scalar
from .json_items import read_json
from .yaml_items import is_csl, read_yaml

Format = Literal["CSL JSON", "CSL YAML", "Hayagriva"]
_JSON: Final = (".json",)
#: A header of a Markdown file may hold ``references:`` as well.
_YAML: Final = (".yaml", ".yml", ".md", ".markdown", ".qmd", ".rmd")


def has_items(path: Path) -> bool:
    """Return whether a bibliography is in one of these formats, by its name."""
    return path.suffix.lower() in (*_JSON, *_YAML)


def is_yaml(path: Path) -> bool:
    """Return whether a bibliography is in YAML, by its name."""
    return path.suffix.lower() in _YAML


class ItemFile(BibliographyFile):
    """The entries of a file with items, which inherit nothing and use no macros."""

    def __init__(
        self, text: str, path: Path, program: Program = BIBER, start: int = 0, line: int = 1
    ) -> None:
        """Read a text, which begins at offset `start` and in line `line` of the file at `path`.

        The `program` that reads it decides which of several items with one key counts.
        """
        self._text = text
        self.format: Format = "CSL JSON"
        if is_yaml(path):
            self.format = "CSL YAML" if is_csl(text) else "Hayagriva"
        read = read_yaml(text) if is_yaml(path) else read_json(text)
        #: The offset of the bracket that closes the list, if it is in JSON and has one.
        self.closing = read.closing
        self._complaints = read.complaints
        self._items = read.items
        described = [self._described(item) for item in read.items]
        super().__init__(path, program, start, line, [each.key for each in described])
        #: An entry for each item, those without a key included.
        self.made = [BibEntry(d.key, d.entry_type, d.fields, path, d.aliases) for d in described]
        self.all_entries = {key: self.made[at] for key, at in self.positions.items()}

    def _described(self, item: Item) -> EntryDescription:
        if self.format == "Hayagriva":
            return hayagriva.described(item.value)
        readable = csl.from_html if self.format == "CSL JSON" else csl.from_markdown
        return csl.described(item.value, readable)

    @property
    def text(self) -> str:
        """The text of the bibliography."""
        return self._text

    def spans(self) -> list[TextSpan]:
        """Return the spans of all items, those without a key included."""
        return [item.span.moved(self.start) for item in self._items]

    # Places

    def place_at(self, position: int) -> Place:
        """Return the place of the item with an index."""
        item = self._items[position]
        keys = self.keys(position)
        own = keys[0].content if keys else TextSpan(item.span.start, item.span.start)
        span = item.span.moved(self.start)
        return Place(self._line_at(item.span.start), span, own.moved(self.start))

    def keys(self, position: int) -> list[Scalar]:
        """Return the places of the keys of an item in the text, first the one that counts."""
        scalars, key = self._items[position].scalars(), self._keys[position]
        if self.format == "Hayagriva":
            return [each for each in scalars[:1] if key]
        found = {each.name: each for each in scalars if each.name in ("id", "citation-key")}
        named = [found[name] for name in ("id", "citation-key") if name in found]
        keys = [each for each in named if plain(each.value)]
        return [*keys[:1], *(each for each in keys[1:] if each.value == keys[0].value)]

    def fields(self, position: int) -> Iterator[Scalar]:
        """Yield the places of the fields of an item in the text, by their names in BibTeX."""
        keys = self.keys(position)
        for each in self._items[position].scalars():
            name = each.name.lower()
            if each in keys or not name or name == "id":
                continue
            name = "ids" if name == "citation-key" else name
            is_renamed = self.format != "Hayagriva"
            yield each._replace(name=csl.FIELDS.get(name, name) if is_renamed else name)

    def position_at(self, offset: int) -> int | None:
        """Return the index of the item around an offset of the text."""
        at = bisect_right(self._items, offset, key=lambda item: item.span.start) - 1
        # Between two items, a cursor is at the end of one and at the start of the next.
        near = (
            each for each in (at - 1, at) if each >= 0 and self._items[each].span.covers(offset)
        )
        return max(near, default=None)

    def positions_named(self, names: Collection[str]) -> Iterator[int]:
        """Yield the indices of all items that have one of some keys, which are in lower case."""
        aliases = {key for alias, key in self.folded_aliases.items() if alias in names}
        for at, key in enumerate(self._keys):
            if key and (key.lower() in names or key in aliases):
                yield at

    @cached_property
    def _starts_of_lines(self) -> tuple[int, ...]:
        return line_starts(self._text)

    def _line_at(self, offset: int) -> int:
        return self.line + bisect_right(self._starts_of_lines, offset) - 1

    # What is wrong

    def _repeated(self) -> Iterator[int]:
        for at, key in enumerate(self._keys):
            if key and self.positions[key] != at:
                yield at

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong, place by place, in order."""
        found = [Fault(message, at, TextSpan(at, at)) for message, at in self._complaints]
        needed = "a key and fields below it" if self.format == "Hayagriva" else "an id"
        for item, key in zip(self._items, self._keys, strict=True):
            found += [Fault(message, at, item.span) for message, at in item.complaints]
            if not (key or item.complaints):
                what = "this is no entry" if item.value == "" else f"an entry needs {needed}"
                found.append(Fault(what, item.span.start, item.span))
        found = [
            Fault(each.message, self.start + each.offset, each.entry.moved(self.start))
            for each in found
        ]
        for at in self._repeated():
            message = key_used(self.place(self._keys[at]).line, self.program)
            place = self.place_at(at)
            found.append(Fault(message, place.key_span.start, place.span, "key used"))
        return tuple(sorted(found, key=lambda fault: (fault.entry.start, fault.offset)))

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """The same as `faults`, each with its line."""
        keys = {span.start: key for span, key in zip(self.spans(), self._keys, strict=True)}
        found: list[Problem] = []
        for fault in sorted(self.faults, key=lambda fault: fault.offset):
            key = keys.get(fault.entry.start)
            message = f"{key}: {fault.message}" if key else fault.message
            found.append(Problem(self.path, self._line_at(fault.offset - self.start), message))
        return tuple(found)
