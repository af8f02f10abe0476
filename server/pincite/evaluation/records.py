"""What came out for each single citation, made when it is asked for: there may be a million."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: One citation in one row of the result, as a line of ``--records`` has it.
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a result, in the order of its rows; each iteration makes them again.

    `parts` are those that were finished one after the other.
    """

    parts: tuple[Callable[[], Iterator[Record]], ...] = ()

    def __iter__(self) -> Iterator[Record]:
        for part in self.parts:
            yield from part()
