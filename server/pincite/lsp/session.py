"""An editor's session: the newest project, with the client's documents and capabilities."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from ..parsing.markups import markup_of
from ..project import project, session
from ..project.open_draft import OpenDraft as OpenDraft
from ..project.open_draft import ReadDraft as ReadDraft
from ..settings import Settings
from .client import Client
from .documents import Documents, Lines, OpenDocuments

if TYPE_CHECKING:
    from ..model.spans import TextSpan
#: The lines of a text are counted once, in whichever state of the project it is.
_lines = lru_cache(8)(Lines)


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
        if (opened := self.documents.documents.get(path)) is not None:
            return opened.lines
        text = self.text(path)
        return None if text is None else _lines(text, self.documents.encoding)

    def location(self, path: Path, span: TextSpan) -> types.Location | None:
        """Return the location of a span of a file; None if the file cannot be read."""
        if (lines := self.lines(path)) is None:
            return None
        return types.Location(self.documents.uri(path), lines.range(span.start, span.end))


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
        documents, client = self.documents.now, self.client
        return Project(
            documents, self.settings, self.folders, lambda: self.shared, client, self.project
        )
