"""A text that cites, in reading order: a draft of several files, or a paper of a collection."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """A citation at the offset `start` of the text, where its `CITATION_MARK` stands.

    Markers in direct succession are places of their own; `keys` are never empty.
    """

    start: int
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextHeading:
    """A heading at the offsets ``[start, end)`` of the text; a smaller `level` is a larger part."""

    start: int
    end: int
    level: int


@dataclass(frozen=True, slots=True)
class CitingText:
    r"""Prose with a `CITATION_MARK` for each citation, its paragraphs parted by ``"\n\n"``.

    `places` and `headings` are in reading order.
    """

    text: str
    places: tuple[CitedPlace, ...] = ()
    headings: tuple[TextHeading, ...] = ()
