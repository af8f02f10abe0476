"""The commands of a `.bib` file: their places, and the macros that are known there."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from operator import itemgetter
from pathlib import Path

from ...model.places import Place
from ...model.programs import BIBER, Program
from ...model.spans import TextSpan
from .macros import Macros, MacrosOfFile
from .parts import BareHead, Part, read


class Commands:
    """The commands of a file by their index: entries, macros and preambles."""

    def __init__(
        self,
        parts: tuple[Part, ...],
        path: Path,
        macros: MacrosOfFile,
        start: int = 0,
        line: int = 1,
        keys: Keys | None = None,
        program: Program = BIBER,
    ) -> None:
        """Store the text in parts, and the macros in it and before it.

        It begins at offset `start` and in line `line` of the file at `path`. `keys` are those of
        the parts. The `program` that reads the file decides which of several entries counts.
        """
        self.parts = parts
        self.path = path
        self.program = program
        self.macros = macros
        self._start = start
        self._line = line
        self._begins = list(accumulate((part.length for part in parts), initial=start))
        #: The number of commands before each part, and in all.
        self.numbers = list(accumulate(map(len, parts), initial=0))
        self._keys = keys or Keys(parts, last_counts=program.last_counts)
        #: The index of the command in use with each key, in file order.
        self.positions = self._keys.positions

    @property
    def text(self) -> str:
        """The whole text, joined on every access."""
        return "".join(part.text for part in self.parts)

    def part(self, position: int) -> tuple[Part, int]:
        """Return the part that contains a command, and its index there."""
        at = bisect_right(self.numbers, position) - 1
        return self.parts[at], position - self.numbers[at]

    def macros_at(self, position: int) -> Macros:
        """Return the macros that are known at a command."""
        return self.macros.behind(bisect_left(self.definitions, position))

    @cached_property
    def definitions(self) -> list[int]:
        """The indices of the ``@string`` commands."""
        bearing = ((at, part) for at, part in enumerate(self.parts) if part.strings)
        return [self.numbers[at] + index for at, part in bearing for index in part.strings]

    def place(self, position: int) -> Place:
        """Return the place of an entry by the index of its command; see `positions`."""
        part, index = self.part(position)
        start = self.start(position)
        found = read(part.written(index), self.macros_at(position).known)
        key = TextSpan(found.key_start, found.key_start + len(found.key)).moved(start)
        return Place(self.line(position), TextSpan(start, start + found.end), key)

    def start(self, position: int) -> int:
        """Return the offset at which a command starts."""
        at = bisect_right(self.numbers, position) - 1
        return self._begins[at] + self.parts[at].starts[position - self.numbers[at]]

    def line(self, position: int) -> int:
        """Return the 1-based line in which a command starts."""
        at = bisect_right(self.numbers, position) - 1
        return self._lines[at] + self.parts[at].lines_before(position - self.numbers[at])

    @cached_property
    def _lines(self) -> list[int]:
        return list(accumulate((part.lines for part in self.parts), initial=self._line))

    def bare_heads(self) -> Iterator[tuple[BareHead, int, int]]:
        """Yield text that only looks like the beginning of an entry, with its offset and line."""
        for part, begin, line in zip(self.parts, self._begins, self._lines, strict=False):
            for head in part.bare_heads:
                yield head, begin + head.start, line + head.lines_before

    @cached_property
    def repeated_positions(self) -> tuple[int, ...]:
        """The indices of entries that are ignored, as their keys are repeated."""
        keys = list(keys_of(self.parts))
        if len(keys) - keys.count("") == len(self.positions):
            return ()
        return tuple(at for at, key in enumerate(keys) if key and self.positions[key] != at)


class Keys:
    """The keys in parts of a file; most edits do not change them."""

    def __init__(self, parts: Iterable[Part], *, last_counts: bool) -> None:
        self.positions: Mapping[str, int] = in_use(keys_of(parts), last_counts=last_counts)

    @cached_property
    def folded(self) -> Mapping[str, str]:
        """The keys by their lower-case form; of keys with the same form, the first one."""
        return folded(self.positions)


def in_use(keys: Sequence[str], *, last_counts: bool) -> dict[str, int]:
    """Return the position of the first entry with each key, or of the last one, in order.

    An entry without a key has an empty one.
    """
    positions = dict(zip(keys, range(len(keys)), strict=True))
    if len(positions) < len(keys) or "" in positions:
        if last_counts:
            positions = dict(sorted(positions.items(), key=itemgetter(1)))
        else:
            positions = {}
            for position, key in enumerate(keys):
                positions.setdefault(key, position)
        positions.pop("", None)
    return positions


def folded(keys: Iterable[str]) -> dict[str, str]:
    """Return keys by their lower-case form; of keys with the same form, the first one."""
    backwards = tuple(keys)[::-1]
    # Most keys are in lower case, and a copy of each would take as much memory again.
    lower = (key if (low := key.lower()) == key else low for key in backwards)
    return dict(zip(lower, backwards, strict=True))


def keys_of(parts: Iterable[Part]) -> tuple[str, ...]:
    """Return the keys of all commands, empty for those that have none."""
    return tuple(chain.from_iterable(part.keys for part in parts))
