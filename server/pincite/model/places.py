"""Where the entries of a bibliography stand in its text."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .spans import TextSpan

#: Numbers that tell where an entry stands.
_EACH = 5


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands: its line (from 1), from the ``@`` to after its end, and its key."""

    line: int
    span: TextSpan
    key_span: TextSpan


class Places(Mapping[str, Place]):
    """The places of entries by key, in the order of the text.

    They are apart from the entries, because each letter that an author types moves all after it.
    """

    __slots__ = ("_numbers", "_position")

    def __init__(self) -> None:
        self._position: dict[str, int] = {}
        #: Of each entry line, start, end, start of the key and end of the key.
        self._numbers = array("q")

    @classmethod
    def of(cls, keys: Sequence[str], numbers: array[int]) -> Places:
        """Return the places of some entries, from what `numbers` gave; raise `ValueError` if not.

        The keys are in the order of the text, and no two are the same.
        """
        places = cls()
        places._position = dict(zip(keys, range(len(keys)), strict=True))
        places._numbers = numbers
        if len(numbers) != _EACH * len(places):
            raise ValueError("there are not as many places as keys")
        return places

    def add(self, key: str, line: int, span: tuple[int, int], key_span: tuple[int, int]) -> None:
        """Add an entry, which stands after all others."""
        self._position[key] = len(self._position)
        self._numbers.extend((line, *span, *key_span))

    @property
    def numbers(self) -> array[int]:
        """Line, start, end, start of the key and end of the key of one entry after the other."""
        return self._numbers

    @property
    def ends(self) -> Sequence[int]:
        """Where the entries end, in order."""
        return self._numbers[2::_EACH]

    @property
    def starts(self) -> Sequence[int]:
        """Where the entries start, in order."""
        return self._numbers[1::_EACH]

    def position(self, key: str) -> int:
        """Return which of the entries, in order, has a key."""
        return self._position[key]

    def line(self, position: int) -> int:
        """Return the line of the entry at a position in the order."""
        return self._numbers[position * _EACH]

    def __getitem__(self, key: str) -> Place:
        first = self._position[key] * _EACH
        line, start, end, key_start, key_end = self._numbers[first : first + _EACH]
        return Place(line, TextSpan(start, end), TextSpan(key_start, key_end))

    def __contains__(self, key: object) -> bool:
        return key in self._position

    def __iter__(self) -> Iterator[str]:
        return iter(self._position)

    def __len__(self) -> int:
        return len(self._position)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Places):
            return NotImplemented
        return (self._position, self._numbers) == (other._position, other._numbers)

    __hash__ = None  # type: ignore[assignment]

    def moved(self, lines: int, characters: int) -> Places:
        """Return the same entries, standing later by this much."""
        return self.spliced(0, 0, Places(), lines, characters)

    def spliced(self, low: int, high: int, between: Places, lines: int, characters: int) -> Places:
        """Return the entries before the one at `low`, others, and those from `high` on.

        The last ones stand later by this much.
        """
        places = Places()
        behind = self._numbers[high * _EACH :]
        for column, by in enumerate((lines, *[characters] * (_EACH - 1))):
            if by:
                moved = [number + by for number in behind[column::_EACH]]
                behind[column::_EACH] = array("q", moved)
        places._numbers = self._numbers[: low * _EACH] + between._numbers + behind
        keys = tuple(self)
        if keys[low:high] == tuple(between):
            places._position = self._position
        else:
            keys = (*keys[:low], *between, *keys[high:])
            places._position = dict(zip(keys, range(len(keys)), strict=True))
        return places
