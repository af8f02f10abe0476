"""Where entries stand in the text of a bibliography."""

from __future__ import annotations

from dataclasses import dataclass

from .spans import TextSpan


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands: its line (from 1), from the ``@`` to after its end, and its key."""

    line: int
    span: TextSpan
    key_span: TextSpan
