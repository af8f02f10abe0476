"""An editor's session: the newest project, with the client's documents and capabilities."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..parsing.markups import markup_of
from ..project import project, session
from ..project.open_draft import OpenDraft as OpenDraft
from ..project.open_draft import ReadDraft as ReadDraft
from ..settings import Settings
from .client import Client
from .documents import Documents, Excerpt, Lines, OpenDocuments

if TYPE_CHECKING:
    from ..model.papers import BibEntry
    from ..project.bibliographies import DraftBibliography


class Project(project.Project):
    """The author's project in one state, with positions in the client's units."""

    def __init__(
        self,
        documents: OpenDocuments,
        settings: Settings,
        folders: tuple[Path, ...],
        shared: Callable[[], project.Shared],
        client: Client,
        newest: Callable[[], Project],
    ) -> None:
        super().__init__(documents, settings, folders, shared)
        self.documents = documents
        self.client = client
        #: Returns the project as it is now: documents may have changed since this one.
        self.newest = newest

    def does(self, feature: str, path: Path) -> bool:
        """Return whether a feature of `EditorSettings` is on in a document.

        Bibliographies are served as LaTeX is.
        """
        return self.settings.editor.does(feature, markup_of(path).name)

    def lines(self, path: Path) -> Lines | None:
        """Return the lines of a file from the editor, else from disk; None if there is none."""
        if (held := self.documents.documents.get(path)) is not None:
            return held.lines
        text = self.text(path)
        return None if text is None else Lines(text, self.documents.encoding)

    def lines_of(self, bibliography: DraftBibliography, entry: BibEntry) -> Lines | Excerpt | None:
        """Return lines that convert offsets in an entry of a bibliography to positions."""
        if (found := bibliography.excerpt(entry)) is None:
            return self.lines(entry.path)
        # The excerpt avoids reading a large file and counting its lines.
        text, start, line = found
        return Excerpt(Lines(text, self.documents.encoding), start, line - 1)


class Session(session.Session[Project]):
    """An editor's session; only the event loop changes it."""

    def __init__(self, documents: Documents) -> None:
        super().__init__()
        self.documents = documents
        self.client = Client()

    @property
    def buffers(self) -> OpenDocuments:
        """The documents that the editor holds."""
        return self.documents.now

    def _new_project(self) -> Project:
        return Project(
            self.documents.now,
            self.settings,
            self.folders,
            lambda: self.shared,
            self.client,
            self.project,
        )
