"""What the readers of JSON and YAML find in a text: items with their places, and faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Union

from ...model.spans import TextSpan

#: A value without places: what is not a list or a mapping is text, as written.
Value = Union[str, "list[Value]", "dict[str, Value]"]
#: What is wrong, and the offset.
Complaint = tuple[str, int]

#: The names under which a list of items stands in an object (Pandoc; CSL's own test suite).
LISTS = ("items", "references")


class Scalar(NamedTuple):
    """A text in an item, by its name; `content` is its span without quotes."""

    name: str
    value: str
    span: TextSpan
    content: TextSpan


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list with its span; `scalars` returns the texts in it, with their places.

    In Hayagriva, the only key of its value is that of the entry.
    """

    value: Value
    span: TextSpan
    scalars: Callable[[], Sequence[Scalar]]
    complaints: Sequence[Complaint] = ()


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a text, and what is wrong around them.

    `closing` is the offset of the bracket that closes their list, if it is in JSON and has one.
    """

    items: Sequence[Item] = ()
    complaints: Sequence[Complaint] = ()
    closing: int | None = None
