"""The places of entries in the text of a bibliography."""

from __future__ import annotations

from dataclasses import dataclass

from .spans import TextSpan


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an entry: its 1-based line, its span from the ``@`` on, and its key's span."""

    line: int
    span: TextSpan
    key_span: TextSpan
