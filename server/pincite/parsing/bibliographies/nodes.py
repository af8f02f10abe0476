"""The values of JSON and YAML with their places in the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias, Union

#: A value without places: what is not a list or a mapping is text, as written.
Value = Union[str, "list[Value]", "dict[str, Value]"]

#: Lists and mappings nested deeper than this are not read; CSL needs four levels.
MOST_NESTED: Final = 64
#: An entry that aliases make larger than this is cut.
MOST_NODES: Final = 5_000
#: The names under which a list of items stands in an object (Pandoc; CSL's own test suite).
LISTS: Final = ("items", "references")


@dataclass(slots=True)
class Scalar:
    """A text with its span; `content` is the span between its quotes."""

    value: str
    start: int
    end: int
    content: tuple[int, int]


@dataclass(slots=True)
class Sequence:
    """A list with its span."""

    start: int
    end: int
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Mapping:
    """Keys and values in order, with their span."""

    start: int
    end: int
    pairs: list[tuple[Scalar, Node]] = field(default_factory=list)

    def get(self, name: str) -> Node | None:
        """Return the value of a key; of repeated keys, the last one counts."""
        return next((node for key, node in reversed(self.pairs) if key.value == name), None)


Node: TypeAlias = Scalar | Sequence | Mapping

#: What is wrong, and the offset.
Complaint = tuple[str, int]


def items_of(root: Node | None) -> list[Node]:
    """Return the items of a list: of the value itself, or of the first of its `LISTS`."""
    if isinstance(root, Mapping):
        root = next((node for name in LISTS if (node := root.get(name)) is not None), None)
    return root.items if isinstance(root, Sequence) else []


def value_of(node: Node | None) -> Value:
    """Return a node's value, without a node ""; what is beyond the limits above is left out.

    A node may be its own descendant, and few nodes may stand for millions: YAML has aliases.
    """
    return "" if node is None else _Values().of(node, 0)


class _Values:
    def __init__(self) -> None:
        self.left = MOST_NODES

    def of(self, node: Node, depth: int) -> Value:
        self.left -= 1
        if isinstance(node, Scalar):
            return node.value
        if self.left < 0 or depth > MOST_NESTED:
            return ""
        if isinstance(node, Sequence):
            found: list[Value] = []
            for item in node.items:
                if self.left <= 0:
                    break
                found.append(self.of(item, depth + 1))
            return found
        pairs: dict[str, Value] = {}
        merged: dict[str, Value] = {}
        for key, child in node.pairs:
            if self.left <= 0:
                break
            value = self.of(child, depth + 1)
            if key.value == "<<":
                for each in value if isinstance(value, list) else [value]:
                    merged = {**(each if isinstance(each, dict) else {}), **merged}
            else:
                pairs[key.value] = value
        return {**merged, **pairs}
