"""The syntax of each markup language."""

from __future__ import annotations

from pathlib import Path

from ...model.markups import markup_of
from ..markup import Syntax


def syntax_of(path: Path) -> Syntax:
    """Return the syntax of the markup that a file is written in."""
    # Imported with the first draft of each.
    if markup_of(path) == "markdown":
        from ..markdown.syntax import MarkdownSyntax

        return MarkdownSyntax()
    from ..latex.syntax import LatexSyntax

    return LatexSyntax()
