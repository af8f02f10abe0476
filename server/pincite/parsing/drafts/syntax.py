"""The syntax of each markup language."""

from __future__ import annotations

from pathlib import Path

from ...model.markups import markup_of
from ..markup import Syntax


def syntax_of(path: Path) -> Syntax:
    """Return the syntax of the markup that a file is written in."""
    # Imported with the first draft of each.
    name = markup_of(path)
    if name == "markdown":
        from ..markdown.syntax import MarkdownSyntax

        return MarkdownSyntax()
    if name == "typst":
        from ..typst.syntax import TypstSyntax

        return TypstSyntax()
    from ..latex.syntax import LatexSyntax

    return LatexSyntax()
