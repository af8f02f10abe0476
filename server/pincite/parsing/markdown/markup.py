"""Markdown as a `parsing.markup.Markup`."""

from __future__ import annotations

from ...model.drafts import Draft
from ..drafts import ReaderInputs
from .conventions import MarkdownConventions, markdown_conventions
from .reader import MarkdownDraftReader
from .syntax import MarkdownSyntax

SYNTAX = MarkdownSyntax()


def reader(inputs: ReaderInputs) -> MarkdownDraftReader:
    """Return a new reader of drafts."""
    return MarkdownDraftReader(inputs)


def conventions(*drafts: Draft) -> MarkdownConventions:
    """Return how drafts cite."""
    return markdown_conventions(*drafts)
