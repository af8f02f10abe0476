"""One editor session: what is known of its workspace, and how the client shows it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..baselines import make_matcher
from ..project.session import OpenDraft as OpenDraft
from ..project.session import ProjectSession
from ..project.session import ReadDraft as ReadDraft
from .documents import Documents, Excerpt, Lines

if TYPE_CHECKING:
    from ..model.papers import BibEntry
    from ..project.bibliographies import DraftBibliography


@dataclass(frozen=True, slots=True)
class ShowsMarkdown:
    """Where the client shows Markdown."""

    hover: bool = False
    documentation: bool = False


class Session(ProjectSession):
    """One editor session; all methods may be called from any thread."""

    def __init__(self, documents: Documents) -> None:
        super().__init__(documents, make_matcher)
        self.documents = documents
        self.shows_markdown = ShowsMarkdown()
        #: Whether the client has the command `evidence.OPEN_PDF` for links in what it shows.
        self.opens_pdf = False

    def lines(self, path: Path) -> Lines | None:
        """Return the lines of a file as the editor has it, else as it is on disk; None for none."""
        text = self.text(path)
        return None if text is None else Lines(text, self.documents.encoding)

    def lines_of(self, bibliography: DraftBibliography, entry: BibEntry) -> Lines | Excerpt | None:
        """Return lines to tell where an entry of a bibliography, or a part of it, stands."""
        if (found := bibliography.excerpt(entry)) is None:
            return self.lines(entry.path)
        # A large file would have to be read, and its lines be counted.
        text, start, line = found
        return Excerpt(Lines(text, self.documents.encoding), start, line - 1)
