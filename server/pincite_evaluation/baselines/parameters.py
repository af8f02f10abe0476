"""The ranges of the numbers that matchers and recipes take, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from math import inf
from typing import Any

from pincite.model.problems import InputError


def _at_least_1(value: Any) -> bool:  # noqa: ANN401
    return value is None or value >= 1


_RANGES: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("k", "candidates"), (_at_least_1, "1 sentence or more")),
    **dict.fromkeys(("epochs", "batch", "dimensions", "negatives"), (_at_least_1, "1 or more")),
    "n": (_at_least_1, "1 word or more"),
    "m": (_at_least_1, "1 component or more"),
    "truncation": (_at_least_1, "1 or more, or none"),
    "fields": (lambda value: value != (), "1 field or more"),
    "seed": (lambda value: value >= 0, "0 or more"),
    **dict.fromkeys(("d", "clip"), (lambda value: value > 0.0, "a number above 0")),
    **dict.fromkeys(
        ("alpha", "boost", "margin", "rate"), (lambda value: 0.0 < value < inf, "a number above 0")
    ),
    **dict.fromkeys(("k1", "decay"), (lambda value: 0.0 <= value < inf, "a number from 0")),
    **dict.fromkeys(
        ("b", "boosted", "mix", "gamma"),
        (lambda value: 0.0 <= value <= 1.0, "a number from 0 to 1"),
    ),
}


def check(owner: Any) -> None:  # noqa: ANN401
    """Raise `InputError` for the first number of a matcher or recipe that is out of range."""
    for name in (field.name for field in fields(owner) if field.name in _RANGES):
        value, (is_in_range, expected) = getattr(owner, name), _RANGES[name]
        if not is_in_range(value):
            raise InputError(f"{name}={value}: expected {expected}")


class Checked:
    """A matcher or recipe that no number out of range can make."""

    __slots__ = ()

    def __post_init__(self) -> None:
        check(self)
