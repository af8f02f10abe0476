"""Records of the outcome of each citation, generated lazily: there may be a million."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: One citation in one row of the result, as in a line of ``--records``.
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a result, in the order of its rows; each iteration generates them again.

    `parts` are the records of the rows in the order in which they finished.
    """

    parts: tuple[Callable[[], Iterator[Record]], ...] = ()

    def __iter__(self) -> Iterator[Record]:
        for part in self.parts:
            yield from part()
