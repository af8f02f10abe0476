"""The ranges of the numbers that matchers and recipes take, by name."""

from __future__ import annotations

import sys
from dataclasses import fields
from math import inf
from typing import Any, Final

from pincite.model.problems import InputError

_WHOLE: Final = ("k", "candidates", "n", "m", "truncation")
_OF_TRAINING: Final = ("epochs", "batch", "dimensions", "negatives", "min_count")
_POSITIVE: Final = ("d", "clip", "alpha", "boost", "margin", "rate")
#: The least and the greatest value, and what is expected.
_RANGES: Final[dict[str, tuple[float, float, str]]] = {
    **dict.fromkeys((*_WHOLE, *_OF_TRAINING), (1, inf, "1 or more")),
    **dict.fromkeys(("seed", "k1", "decay"), (0, inf, "0 or more")),
    **dict.fromkeys(_POSITIVE, (sys.float_info.min, inf, "a number above 0")),
    **dict.fromkeys(("b", "boosted", "mix", "gamma"), (0, 1, "a number from 0 to 1")),
}


def check(owner: Any) -> None:  # noqa: ANN401
    """Raise `InputError` for the first number of a matcher or recipe that is out of range."""
    for name in (field.name for field in fields(owner) if field.name in _RANGES):
        value, (least, most, expected) = getattr(owner, name), _RANGES[name]
        if value is not None and not least <= value <= most:
            raise InputError(f"{name}={value}: expected {expected}")


class Checked:
    """A matcher or recipe that no number out of range can make."""

    __slots__ = ()

    def __post_init__(self) -> None:
        check(self)
