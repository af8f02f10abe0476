"""A bibliography that is a list of items: what each says is found on access."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final

from ...model.bibliographies import BibliographyFile, Fault
from ...model.drafts import CitationKey
from ...model.edits import TextEdit, applied, narrowed
from ...model.papers import BibEntry
from ...model.places import Place
from ...model.problems import Problem
from ...model.programs import BIBER, Program
from ...model.spans import TextSpan, line_ends
from ..bibtex.commands import folded, in_use
from ..bibtex.faults import key_used
from ..encoding import ANY_TEXT, lines_before
from .choice import form_of
from .described import Described
from .forms import Form, Item, Parsed, Split

#: A line before an item that is longer than this is not copied.
_LONGEST_LINE: Final = 10_000


class ItemFile(BibliographyFile):
    """The entries of a file with items, which inherit nothing and use no macros.

    The text is stored in UTF-8: one smart quote would double the size of a string.
    """

    def __init__(
        self,
        text: str,
        path: Path,
        form: Form,
        start: int = 0,
        line: int = 1,
        split: Split | None = None,
        program: Program = BIBER,
    ) -> None:
        """Split a text, which begins at offset `start` and in line `line` of the file at `path`.

        `split` is how it is split, where that is known. The `program` that reads it decides which
        of several items with one key counts.
        """
        self.path = path
        self.form = form
        self.program = program
        self._start = start
        self._line = line
        split = split or form.split(text)
        self._complaints = split.complaints
        self._items = tuple(split.items)
        self._data = text.encode(*ANY_TEXT)
        #: The bytes at which each item starts and ends.
        self._begins, self._ends = _in_bytes(text, self._items)
        keys = [item.key for item in self._items]
        self.positions: Mapping[str, int] = in_use(keys, last_counts=program.last_counts)

    # Changes

    @property
    def text(self) -> str:
        """The whole text, decoded on every access."""
        return self._data.decode(*ANY_TEXT)

    def edited(self, edit: TextEdit) -> ItemFile:
        """Return the bibliography after an edit of its text; inside one item, only that is read."""
        old = self.text
        edit = narrowed(old, edit)
        new = applied(old, [edit])
        split = self._split_after(edit, new)
        if split is None:
            return self.updated(new)
        return self._with(new, self.form, self._start, self._line, split)

    def _split_after(self, edit: TextEdit, text: str) -> Split | None:
        """Return how a text is split after an edit, if the edit changes one item and no other."""
        start, end, by = edit.span.start, edit.span.end, len(edit.text) - len(edit.span)
        at = bisect_right(self._items, start, key=lambda item: item.start) - 1
        if at < 0:
            return None
        old = self._items[at]
        first = self.start(at) - self._start
        if not first < start or not end < old.end or old.described is not None:
            return None
        new = self.form.edited(text, old.start, old.end + by)
        if new is None or any(old.start <= place < old.end for _, place in self._complaints):
            return None
        behind = (Item(each.start + by, each.end + by, each.key) for each in self._items[at + 1 :])
        complaints = [
            (said, place + by if place >= old.end else place) for said, place in self._complaints
        ]
        return Split((*self._items[:at], new, *behind), complaints)

    def updated(self, text: str) -> ItemFile:
        """Return the bibliography with another text; the same object if the text is the same."""
        if text.encode(*ANY_TEXT) == self._data:
            return self
        form = form_of(self.path, text) or self.form
        return self._with(text, form, self._start, self._line)

    def moved(self, start: int, line: int) -> ItemFile:
        """Return the bibliography as embedded in another file, at this offset and line."""
        return self._with(self.text, self.form, start, line)

    def _with(
        self, text: str, form: Form, start: int, line: int, split: Split | None = None
    ) -> ItemFile:
        return ItemFile(text, self.path, form, start, line, split, self.program)

    def keys_in_changed_parts(self, earlier: BibliographyFile) -> Iterable[str]:
        """Return the keys of all entries that may differ from an earlier state."""
        if self is earlier:
            return ()
        if not isinstance(earlier, ItemFile) or self.path != earlier.path:
            return {**self.positions, **earlier.positions}
        return {key for key, _ in self._said.items() ^ earlier._said.items()}

    @cached_property
    def _said(self) -> Mapping[str, tuple[str, bytes, object]]:
        return {
            key: (self.form.name, self._written(at), _frozen(self._items[at].described))
            for key, at in self.positions.items()
        }

    def __len__(self) -> int:
        """Return the number of items, those without a key included."""
        return len(self._items)

    # Entries

    def entry(self, position: int) -> BibEntry:
        """Return the entry with this index; see `positions`."""
        item = self._items[position]
        fields = ItemFields(self.form, self._written(position), item.described)
        said = fields.described()
        return BibEntry(item.key, said.entry_type, fields, self.path, said.aliases)

    def find(self, name: str) -> BibEntry | None:
        """Return the entry with a key, in any case."""
        key = name if name in self.positions else self.folded.get(name.lower())
        return None if key is None else self.entry(self.positions[key])

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """The other keys of entries, with the entries' keys: ``citation-key`` beside ``id``."""
        found: dict[str, str] = {}
        for key, at in self.positions.items():
            if b"citation-key" in self._written(at):
                for alias in self.entry(at).aliases:
                    found.setdefault(alias, key)
        return found

    @cached_property
    def folded(self) -> Mapping[str, str]:
        """The keys by their lower-case form; of keys with the same form, the first one."""
        return folded(self.positions)

    @cached_property
    def folded_aliases(self) -> Mapping[str, str]:
        """The aliases in lower case, with the entries' keys."""
        return {alias.lower(): key for alias, key in reversed(tuple(self.aliases.items()))}

    def _text_of(self, position: int) -> str:
        return self._written(position).decode(*ANY_TEXT)

    def _written(self, position: int) -> bytes:
        return self._data[self._begins[position] : self._ends[position]]

    # Places

    def place(self, position: int) -> Place:
        """Return the place of the item with an index."""
        keys = self.parsed(position).keys
        start = self._items[position].start + self._start
        own = TextSpan(*keys[0].content).moved(start) if keys else TextSpan(start, start)
        return Place(self.line(position), self.span(position), own)

    def span(self, position: int) -> TextSpan:
        """Return the span of an item, without the space in front of it."""
        item = self._items[position]
        written = self._written(position)
        space = len(written) - len(written.lstrip())
        return TextSpan(item.start + space, item.end).moved(self._start)

    def start(self, position: int) -> int:
        """Return the offset at which an item starts, without the space in front of it."""
        return self.span(position).start

    def parsed(self, position: int) -> Parsed:
        """Return the places in an item, relative to its `offset`."""
        return self.form.parsed(self._text_of(position))

    def offset(self, position: int) -> int:
        """Return the offset of an item in the file."""
        return self._items[position].start + self._start

    def position_at(self, offset: int) -> int | None:
        """Return the index of the item around an offset of the file."""
        at = bisect_right(self._items, offset - self._start, key=lambda item: item.start) - 1
        # Between two items, a cursor is at the end of one and at the start of the next.
        near = (each for each in (at - 1, at) if each >= 0 and self.span(each).covers(offset))
        return max(near, default=None)

    def positions_named(self, names: Collection[str]) -> Iterator[int]:
        """Yield the indices of all items that have one of some keys, which are in lower case."""
        aliases = {key for alias, key in self.folded_aliases.items() if alias in names}
        for at, item in enumerate(self._items):
            if item.key and (item.key.lower() in names or item.key in aliases):
                yield at

    def line(self, position: int) -> int:
        """Return the 1-based line in which an entry starts."""
        return self._line + self._lines[position]

    @cached_property
    def _lines(self) -> array[int]:
        """The line ends before each item."""
        return lines_before(self._data, self._begins)

    def excerpt(self, entry: BibEntry) -> tuple[str, int] | None:
        """Return an entry's text from the beginning of its line, and the offset of that.

        None also if its line is very long.
        """
        position = self.positions.get(entry.key)
        if position is None:
            return None
        start = self._begins[position]
        line = max(self._data.rfind(b"\n", 0, start), self._data.rfind(b"\r", 0, start)) + 1
        if start - line > _LONGEST_LINE:
            return None
        text = self._data[line : self._ends[position]].decode(*ANY_TEXT)
        return text, self._items[position].end - len(text) + self._start

    @cached_property
    def repeated(self) -> tuple[CitationKey, ...]:
        """The keys of entries that are ignored, because an earlier one has the same key."""
        return tuple(
            CitationKey(self._items[at].key, self.place(at).key_span) for at in self._repeated()
        )

    def _repeated(self) -> Iterator[int]:
        for at, item in enumerate(self._items):
            if item.key and self.positions[item.key] != at:
                yield at

    # What is wrong

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong, place by place, in order; takes long in a large file."""
        found = [
            Fault(message, self._start + at, TextSpan(at, at).moved(self._start))
            for message, at in self._complaints
        ]
        for at, item in enumerate(self._items):
            if item.described is not None or self.form.is_sound(self._text_of(at)):
                continue
            span = self.span(at)
            found += (
                Fault(message, self.offset(at) + offset, span)
                for message, offset in self.parsed(at).complaints
            )
        for at in self._repeated():
            message = key_used(self.line(self.positions[self._items[at].key]), self.program)
            found.append(Fault(message, self.place(at).key_span.start, self.span(at), "key used"))
        return tuple(sorted(found, key=lambda fault: (fault.entry.start, fault.offset)))

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """The same as `faults`, each with its line."""
        starts = {self.span(at).start: item.key for at, item in enumerate(self._items)}
        found = []
        text, line, last = self.text, self._line, self._start
        for fault in sorted(self.faults, key=lambda fault: fault.offset):
            said = text[last - self._start : fault.offset - self._start]
            line += line_ends(said)
            last = fault.offset
            key = starts.get(fault.entry.start)
            message = f"{key}: {fault.message}" if key else fault.message
            found.append(Problem(self.path, line, message))
        return tuple(found)


class ItemFields(Mapping[str, str]):
    """The fields of an entry, parsed on access; can be pickled."""

    __slots__ = ("_described", "_form", "_written")

    def __init__(self, form: Form, written: bytes, described: Described | None) -> None:
        self._form = form
        self._written = written
        self._described = described

    def described(self) -> Described:
        """Return what the item says."""
        return self._described or self._form.described(self._written.decode(*ANY_TEXT))

    def _fields(self) -> Mapping[str, str]:
        return self.described().fields

    def __getitem__(self, name: str) -> str:
        return self._fields()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields())

    def __len__(self) -> int:
        return len(self._fields())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ItemFields) and self._described is other._described is None:
            same = (self._form.name, self._written) == (other._form.name, other._written)
            return same or self._fields() == other._fields()
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[type[dict[str, str]], tuple[dict[str, str]]]:
        return dict, (dict(self),)


def _in_bytes(text: str, items: Iterable[Item]) -> tuple[array[int], array[int]]:
    """Return the bytes at which items start and end in the encoded text."""
    begins, ends = array("q"), array("q")
    last = size = 0
    for item in items:
        size += len(text[last : item.start].encode(*ANY_TEXT))
        begins.append(size)
        size += len(text[item.start : item.end].encode(*ANY_TEXT))
        ends.append(size)
        last = item.end
    return begins, ends


def _frozen(described: Described | None) -> object:
    return described and (described.entry_type, tuple(described.fields.items()))
