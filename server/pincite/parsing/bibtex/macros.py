"""The ``@string`` macros of a bibliography: the value of each at a place of the file."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from .entry import MONTHS
from .parts import Part, read


class Macros:
    """Macros by their lower-cased names; equal only to itself."""

    __slots__ = ("known",)

    def __init__(self, known: Mapping[str, str]) -> None:
        self.known = known


class MacrosOfFile:
    """The macros that a file defines, and those of files that BibTeX would read before it.

    A macro is defined after its definition. Places are indices of commands in file order.
    """

    def __init__(self, parts: Sequence[Part], before: Mapping[str, str]) -> None:
        """Store the parts of the file, and the macros `before` it."""
        self.before = before
        self.parts = tuple(part for part in parts if part.strings)
        self._latest: tuple[int, Macros] | None = None

    def after(self, parts: Sequence[Part]) -> MacrosOfFile:
        """Return the macros after an edit: the same object if no ``@string`` changed."""
        found = MacrosOfFile(parts, self.before)
        return self if found.parts == self.parts else found

    @cached_property
    def defined(self) -> tuple[Mapping[str, str], ...]:
        """What each ``@string`` defines, in order."""
        known = {**MONTHS, **self.before}
        found: list[Mapping[str, str]] = []
        for part in self.parts:
            for index in part.strings:
                found.append(read(part.written(index), known).body.fields)
                known.update(found[-1])
        return tuple(found)

    @cached_property
    def strings(self) -> Mapping[str, str]:
        """The values of the file's macros at its end."""
        return {name: value for each in self.defined for name, value in each.items()}

    @cached_property
    def at_end(self) -> Macros:
        """All macros at the end of the file."""
        return Macros({**MONTHS, **self.before, **self.strings})

    @cached_property
    def _values(self) -> Mapping[str, _Values]:
        """The values of each macro, and the definitions after which it has them."""
        found: dict[str, _Values] = {}
        for number, each in enumerate(({**MONTHS, **self.before}, *self.defined), -1):
            for name, value in each.items():
                values = found.setdefault(name, _Values([], []))
                values.numbers.append(number)
                values.values.append(value)
        return found

    def behind(self, number: int) -> Macros:
        """Return the macros that are known after the first `number` definitions."""
        if number == len(self.defined):
            return self.at_end
        latest = self._latest
        if latest is None or latest[0] != number:
            # Cached: parsing entries in order needs the same macros each time.
            latest = self._latest = number, Macros(_Behind(self._values, number))
        return latest[1]


class _Values(NamedTuple):
    """The values of a macro with the numbers of their definitions, in order; -1 is before all."""

    numbers: list[int]
    values: list[str]


class _Behind(Mapping[str, str]):
    """The macros after the first `number` definitions, without copying them."""

    def __init__(self, values: Mapping[str, _Values], number: int) -> None:
        self._values, self._number = values, number

    def __getitem__(self, name: str) -> str:
        numbers, values = self._values[name]
        latest = bisect_left(numbers, self._number) - 1
        if latest < 0:
            raise KeyError(name)
        return values[latest]

    def __iter__(self) -> Iterator[str]:
        return (name for name, (numbers, _) in self._values.items() if numbers[0] < self._number)

    def __len__(self) -> int:
        return sum(1 for _ in self)
