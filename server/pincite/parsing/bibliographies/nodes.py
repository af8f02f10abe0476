"""The values of JSON and YAML with their places in the text."""

from __future__ import annotations

from collections.abc import Mapping as Words
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeAlias, Union

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


def value_of(
    node: Node | None, most: int = MOST_NODES, words: Words[str, bool | None] = MappingProxyType({})
) -> Any:  # noqa: ANN401 - a `Value`, with those of `words`
    """Return a node's value, without a node ""; beyond so many nodes and levels it is cut.

    A node may be its own descendant, and few nodes may stand for millions: YAML has aliases.
    `words` are the values of words that are not in quotes; other values are text.
    """
    return "" if node is None else _Values(most, words).of(node, 0)


class _Values:
    def __init__(self, most: int, words: Words[str, bool | None]) -> None:
        self.left = most
        self._words = words

    def of(self, node: Node, depth: int) -> Any:  # noqa: ANN401 - as above
        self.left -= 1
        if isinstance(node, Scalar):
            is_bare = node.content[0] == node.start
            return self._words.get(node.value, node.value) if is_bare else node.value
        if self.left < 0 or depth > MOST_NESTED:
            return ""
        if isinstance(node, Sequence):
            found: list[Any] = []
            for item in node.items:
                if self.left <= 0:
                    break
                found.append(self.of(item, depth + 1))
            return found
        pairs: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key, child in node.pairs:
            if self.left <= 0:
                break
            value = self.of(child, depth + 1)
            if key.value == "<<":
                for each in value if isinstance(value, list) else [value]:
                    for name, own in each.items() if isinstance(each, dict) else ():
                        merged.setdefault(name, own)
            else:
                pairs[key.value] = value
        return {**merged, **pairs}
