"""Open brackets of Markdown: what is in them is known only at their end."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...model.drafts import CitationKey, KeyList
from ...model.spans import TextSpan
from ..prose_writer import ProseMark


@dataclass(slots=True)
class ReadKey:
    """A key in the text after an ``@``; `start` is the offset of the sign or its hyphen."""

    start: int
    key: CitationKey | None
    span: TextSpan

    @property
    def listed(self) -> KeyList:
        """The key as a list of its own."""
        return KeyList(self.span, (self.key,) if self.key is not None else ())


@dataclass(slots=True)
class Bracket:
    """An open bracket, and what has been found since.

    `said` marks the prose before it, `textual` is the citation that it may belong to.
    """

    start: int
    said: ProseMark
    textual: int | None = None
    #: Whether it is that of a note in place, ``^[…]``.
    is_note: bool = False
    keys: list[ReadKey] = field(default_factory=list)
    #: Whether a part between semicolons has no key.
    keyless: bool = False
