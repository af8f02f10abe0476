"""LaTeX as a `parsing.markup.Markup`."""

from __future__ import annotations

from ...model.drafts import Draft
from ..drafts import ReaderInputs
from .conventions import LatexConventions, latex_conventions
from .draft import LatexDraftReader
from .syntax import LatexSyntax

SYNTAX = LatexSyntax()


def reader(inputs: ReaderInputs) -> LatexDraftReader:
    """Return a new reader of drafts."""
    return LatexDraftReader(inputs)


def conventions(*drafts: Draft) -> LatexConventions:
    """Return how drafts cite."""
    return latex_conventions(*drafts)
