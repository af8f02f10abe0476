"""Typst as a `parsing.markup.Markup`."""

from __future__ import annotations

from ...model.drafts import Draft
from ..drafts import ReaderInputs
from .conventions import TypstConventions, typst_conventions
from .reader import TypstDraftReader
from .syntax import TypstSyntax

SYNTAX = TypstSyntax()


def reader(inputs: ReaderInputs) -> TypstDraftReader:
    """Return a new reader of drafts."""
    return TypstDraftReader(inputs)


def conventions(*drafts: Draft) -> TypstConventions:
    """Return how drafts cite."""
    return typst_conventions(*drafts)
