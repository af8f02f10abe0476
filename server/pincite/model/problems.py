"""Problems with inputs, stored as data and reported once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .spans import TextSpan


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be used; `line` is 1-based, None if no line applies.

    `broken` marks a file that could not be read at all, which a command's exit status reports.
    """

    path: Path | None
    line: int | None
    message: str
    broken: bool = False

    def __str__(self) -> str:
        place = "" if self.path is None else f"{self.path}:"
        place += "" if self.line is None else f"{self.line}:"
        return f"{place} {self.message}".strip()


@dataclass(frozen=True, slots=True)
class MissingBibliography(Problem):
    """A bibliography that a draft names at `span` and that is missing, or not on this machine."""

    name: str = ""
    span: TextSpan | None = None
    remote: bool = False


@dataclass(frozen=True, slots=True)
class UnnamedBibliography(Problem):
    """A draft that cites but names no bibliography; `span` is where its main file begins."""

    span: TextSpan | None = None


class PinciteError(Exception):
    """What Pincite raises; its message explains what happened, where, and what to do."""


class InputError(PinciteError):
    """An input that cannot be used at all; its message is shown to the author."""


class NoTextError(InputError):
    """A valid file that contains no text, such as a scanned PDF."""


class ProtectedError(InputError):
    """A file that cannot be read without a password."""


class NotAPaperError(InputError):
    """A valid file that is not a paper, such as XML of another kind."""
