"""The markup languages of drafts, by the names of their files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

MarkupName = Literal["latex", "markdown", "typst"]

#: Suffixes in lower case of the files of drafts that are looked for in folders.
DRAFT_SUFFIXES: Final[Mapping[MarkupName, tuple[str, ...]]] = {
    "latex": (".tex", ".ltx"),
    "markdown": (".md", ".markdown", ".qmd", ".rmd"),
    "typst": (".typ",),
}
ALL_DRAFT_SUFFIXES: Final = tuple(each for own in DRAFT_SUFFIXES.values() for each in own)
#: Suffixes that an editor's file may have besides.
_MORE: Final[Mapping[str, MarkupName]] = {
    ".mdown": "markdown",
    ".mkd": "markdown",
    ".mkdn": "markdown",
    ".pandoc": "markdown",
    ".rmarkdown": "markdown",
    ".myst": "markdown",
}
_BY_SUFFIX: Final[Mapping[str, MarkupName]] = {
    **{suffix: name for name, suffixes in DRAFT_SUFFIXES.items() for suffix in suffixes},
    **_MORE,
}


def markup_of(path: Path) -> MarkupName:
    """Return the markup of a file; LaTeX unless its name says otherwise."""
    return _BY_SUFFIX.get(path.suffix.lower(), "latex")
