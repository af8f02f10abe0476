"""Open parts of a text in Typst: content, code and statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from ...model.drafts import KeyList
from .functions import Shape

#: Content in brackets, code in parentheses and braces, a statement up to the end of its line, and a
#: formula.
Kind = Literal["content", "parentheses", "braces", "statement", "formula"]
#: What a sign opens, and what one closes.
OPENED: Final[Mapping[str, Kind]] = {"[": "content", "(": "parentheses", "{": "braces"}
CLOSED: Final[Mapping[str, Kind]] = {"]": "content", ")": "parentheses", "}": "braces"}


@dataclass(slots=True)
class Frame:
    """A part that is open; the text itself is content that is never closed.

    `name` is the function or keyword that it belongs to, `start` where that begins, and `argument`
    the name of the current argument. `embedded` parts stand in markup themselves.
    """

    kind: Kind
    name: str = ""
    start: int = 0
    embedded: bool = False
    #: Whether its text is no prose.
    silent: bool = False
    #: Whether its text is a paragraph of its own.
    apart: bool = False
    argument: str = ""
    #: How many arguments without a name are before the current one.
    place: int = 0
    #: Where it begins after its sign.
    inside: int = 0
    #: Brackets in content that are text.
    brackets: int = 0
    #: Of a call that may cite.
    shape: Shape | None = None
    keys: list[KeyList] = field(default_factory=list)
    listed_only: bool = False
