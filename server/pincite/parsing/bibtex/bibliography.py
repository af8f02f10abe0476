"""What a `.bib` file holds, as it was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from sys import intern

from ...model.drafts import CitationKey
from ...model.papers import BibEntry
from ...model.places import Places
from ...model.problems import Problem
from ...model.spans import TextSpan
from .entry import FaultKind


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at one place of an entry: `offset` in the text, `entry` where all of it stands.

    A fault of the kind "key used" is an entry that does not count.
    """

    message: str
    offset: int
    entry: TextSpan
    kind: FaultKind = "other"

    def moved(self, by: int) -> Fault:
        """Return the fault `by` code points later."""
        return replace(self, offset=self.offset + by, entry=self.entry.moved(by))


@dataclass(frozen=True, slots=True)
class Bibliography:
    """What a `.bib` file holds: entries in order, what was wrong, its `@string` macros as written.

    `strings` maps lower-cased macro names; pass it on to read a file that uses them.
    """

    entries: tuple[BibEntry, ...]
    problems: tuple[Problem, ...]
    strings: Mapping[str, str] = field(default_factory=dict)
    #: The `@xdata` entries: not citable, but inherited from.
    data_entries: tuple[BibEntry, ...] = ()
    #: The keys of entries that do not count, because an earlier one has the same key.
    repeated: tuple[CitationKey, ...] = ()
    #: The same as `problems`, place by place.
    faults: tuple[Fault, ...] = ()
    #: Whether any entry names another to take fields from.
    inherits: bool = False
    #: Where the last `@string` ends.
    strings_end: int = 0
    #: Where the entries stand, also the `@xdata` ones.
    places: Places = field(default_factory=Places)
    #: The text that all this was read from: a gap, an entry, a gap, and so on up to a gap.
    pieces: tuple[str, ...] = ("",)

    def excerpt(self, entry: BibEntry) -> tuple[str, int] | None:
        """Return an entry's text from the beginning of its line, and where that begins.

        None where it is not known, or where another entry stands before it.
        """
        if entry.key not in self.places:
            return None
        at = 2 * self.places.position(entry.key)
        before, text = self.pieces[at : at + 2]
        start = max(before.rfind("\n"), before.rfind("\r")) + 1
        place = self.places[entry.key]
        if not start and len(before) < place.span.start:
            return None
        return before[start:] + text, place.span.start - len(before) + start


def in_pieces(text: str, places: Places, entries: Sequence[str]) -> tuple[str, ...]:
    """Return a text as `Bibliography.pieces` has it, whose entries stand at some places."""
    spans = zip((0, *places.ends), (*places.starts, len(text)), strict=True)
    gaps = (text[start:end] for start, end in spans)
    pieces = [""] * (2 * len(entries) + 1)
    # Nearly all are the same few line ends.
    pieces[::2] = [intern(gap) if len(gap) < 8 else gap for gap in gaps]
    pieces[1::2] = entries
    return tuple(pieces)
