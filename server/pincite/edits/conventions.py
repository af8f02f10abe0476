"""How a draft cites, in whatever markup: what is inserted follows the author."""

from __future__ import annotations

from typing import Protocol

from ..model.drafts import Citation, CitationKey, CitationPlaceholder, Draft, DraftFile
from ..model.edits import TextEdit
from ..model.markups import markup_of
from .latex.conventions import latex_conventions
from .markdown import markdown_conventions
from .typst import typst_conventions


class Conventions(Protocol):
    """How a draft cites, and the edits of a citation in its markup.

    `before` is the text in front of a citation in parentheses, and `behind_stop` says whether that
    follows the full stop.
    """

    @property
    def before(self) -> str:
        """The text in front of a citation."""

    @property
    def behind_stop(self) -> bool:
        """Whether a citation follows the full stop."""

    def citation(self, key: str, before: str) -> str:
        """Return a new citation of a key; `before` is the text of the file in front of it."""

    def filled(self, file: DraftFile, gap: CitationPlaceholder, key: str) -> TextEdit | None:
        """Return the edit that fills a special placeholder; None for one in words."""

    def extended(
        self, file: DraftFile, citation: Citation, key: str, offset: int
    ) -> tuple[TextEdit, ...]:
        """Return the edits that add another key to a closed citation, near `offset`."""

    def pinned(
        self, file: DraftFile, citation: Citation, key: CitationKey, page: str
    ) -> tuple[TextEdit, ...]:
        """Return the edits that put a page into the note after a key.

        There are none if the page is already there, or could not be printed as intended.
        """


def conventions(*drafts: Draft) -> Conventions:
    """Return how drafts cite; pass a part of a draft together with the whole."""
    markup = markup_of(drafts[0].path) if drafts else "latex"
    if markup == "markdown":
        return markdown_conventions(*drafts)
    if markup == "typst":
        return typst_conventions(*drafts)
    return latex_conventions(*drafts)
