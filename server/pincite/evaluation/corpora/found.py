"""A paper of a collection as returned by a reader, with its location."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ...model.papers import ReferencePaper


class FoundPaper(NamedTuple):
    """A paper, under the id by which the others of its collection cite it.

    `links` has the id of the paper that each reference refers to, empty if not given. The paper
    begins in the 1-based `line` of the file `path`, or `path` is the folder of its sources.
    """

    id: str
    paper: ReferencePaper
    links: tuple[str, ...]
    path: Path
    line: int | None
