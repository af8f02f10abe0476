"""What a form of bibliographies is: CSL JSON, CSL YAML and Hayagriva are some.

A form splits a text into items, and says what one item says and where.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from . import csl
from .described import Described, plain
from .nodes import Complaint, Mapping, Node, Scalar

#: Cache size: iterating over all entries uses several fields of each.
READ_KEPT: Final = 1024


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a file: its span in code points, and its key, which is empty if it has none.

    `described` is what it says, if that depends on other items.
    """

    start: int
    end: int
    key: str
    described: Described | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """The items of a text, and what is wrong around them."""

    items: Sequence[Item] = ()
    complaints: Sequence[Complaint] = ()


@dataclass(frozen=True, slots=True)
class Parsed:
    """One item with places: of its keys, and of its fields, by their names in BibTeX.

    All are relative to the item. `keys` begin with the one that counts; the `content` of a scalar
    is what a new key replaces.
    """

    keys: Sequence[Scalar] = ()
    fields: Sequence[tuple[str, Scalar]] = ()
    complaints: Sequence[Complaint] = ()


class Form(ABC):
    """A form of bibliographies."""

    #: What the form is called.
    name: str
    #: Whether entries can be inserted.
    writable = True

    @abstractmethod
    def split(self, text: str) -> Split:
        """Return the items of a text."""

    @abstractmethod
    def edited(self, text: str, start: int, end: int) -> Item | None:
        """Return the item between two offsets of a text, after an edit inside it.

        None unless it is certain that all other items are as they were.
        """

    @staticmethod
    @abstractmethod
    def described(written: str) -> Described:
        """Return what an item says."""

    @abstractmethod
    def parsed(self, written: str) -> Parsed:
        """Return the places in an item, and what is wrong with it."""

    def is_sound(self, written: str) -> bool:
        """Return True, quickly, for most items with which nothing is wrong."""
        return False


def csl_places(node: Node | None, complaints: list[Complaint]) -> Parsed:
    """Return the places of an item in CSL."""
    if not isinstance(node, Mapping):
        return Parsed(complaints=complaints or [("this is no entry", 0)])
    ids = (node.get("id"), node.get("citation-key"))
    keys = [key for key in ids if isinstance(key, Scalar) and plain(key.value)]
    if not keys:
        complaints.append(("an entry needs an id", node.start))
    same = [key for key in keys[1:] if key.value == keys[0].value]
    fields = [("ids", key) for key in keys[1:] if key not in same]
    for name, child in node.pairs:
        variable = name.value.lower()
        if isinstance(child, Scalar) and variable not in ("id", "citation-key"):
            fields.append((csl.FIELDS.get(variable, variable), child))
    return Parsed([*keys[:1], *same], fields, complaints)
