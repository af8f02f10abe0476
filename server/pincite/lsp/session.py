"""An editor session: the state of its workspace, and the client's capabilities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..model.markups import markup_of
from ..project import snapshot as project
from ..project.read_draft import ReadDraft as ReadDraft
from ..project.session import ProjectSession
from ..project.snapshot import OpenDraft as OpenDraft
from ..settings import Settings
from .client import Client
from .documents import Documents, Excerpt, Lines, OpenDocuments

if TYPE_CHECKING:
    from ..model.papers import BibEntry
    from ..project.bibliographies import DraftBibliography


class Snapshot(project.Snapshot):
    """A snapshot of the author's project, with positions in the client's units."""

    def __init__(
        self,
        sources: project.Sources,
        revision: int,
        documents: OpenDocuments,
        settings: Settings,
        folders: tuple[Path, ...],
        client: Client,
    ) -> None:
        super().__init__(sources, revision, documents, settings, folders)
        self.documents = documents
        self.client = client

    def newest(self) -> Snapshot:
        """Return a current snapshot: documents may have changed since this one."""
        newest = self._sources.newest()
        return newest if isinstance(newest, Snapshot) else self

    def does(self, feature: str, path: Path) -> bool:
        """Return whether a feature of `EditorSettings` is on in a document.

        Bibliographies are served as LaTeX is.
        """
        return self.settings.editor.does(feature, markup_of(path))

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


class Session(ProjectSession[Snapshot]):
    """An editor session; only the event loop changes it, any thread may take a `snapshot`."""

    def __init__(self, documents: Documents) -> None:
        super().__init__(documents)
        self.documents = documents
        self.client = Client()

    def _take(self, sources: project.Sources, revision: int) -> Snapshot:
        return Snapshot(
            sources,
            revision,
            self.documents.now,
            self.settings,
            self.folders,
            self.client,
        )
