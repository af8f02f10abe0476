"""What the server knows of the open workspace, and the work it does in the background.

Requests are answered with what is known at that moment: first from titles and abstracts, then,
once a background thread has read the papers and the other drafts, from everything.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..settings import LibrarySettings, Settings
from .documents import Documents

if TYPE_CHECKING:
    from ..model.drafts import Draft, TexFile
    from ..model.papers import BibEntry
    from ..model.problems import Problem
    from ..recommend import Recommender
    from ..workspace import DraftBibliography, Workspace

logger = logging.getLogger(__name__)

#: Called with the name of a draft and the fraction of its papers that is read; 1.0 ends it.
Report = Callable[[str, float], None]


class _StaleError(Exception):
    """The work under way is for a state that has passed."""


@dataclass(frozen=True, slots=True)
class _Generation:
    """The state of the files that an index was made from."""

    changes: int
    library: tuple[tuple[Path, object], ...]
    entries: tuple[BibEntry, ...]

    def same(self, other: _Generation) -> bool:
        """Compare by the identity of entries, as they are never changed."""
        return (self.changes, self.library) == (
            other.changes,
            other.library,
        ) and self.same_entries(other)

    def same_entries(self, other: _Generation) -> bool:
        """Tell whether the bibliography is the same."""
        return len(self.entries) == len(other.entries) and all(
            a is b for a, b in zip(self.entries, other.entries, strict=True)
        )


@dataclass(slots=True)
class _Index:
    """The recommenders of one draft: a first one at once, a full one when it is ready."""

    generation: _Generation
    first: Recommender | None = None
    full: Recommender | None = None


@dataclass(frozen=True, slots=True)
class ShowsMarkdown:
    """Where the client shows Markdown."""

    hover: bool = False
    documentation: bool = False


@dataclass(frozen=True, slots=True)
class OpenDraft:
    """A document with the draft it belongs to, at one moment."""

    draft: Draft
    file: TexFile
    bibliography: DraftBibliography
    recommender: Recommender
    complete: bool


class Session:
    """One editor session; all methods may be called from any thread."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.settings = Settings()
        self.folders: tuple[Path, ...] = ()
        self._workspaces: dict[Path, Workspace] = {}
        self._indexes: dict[Path, _Index] = {}
        self._changes = 0
        # Reading drafts fills caches that are not made for two threads at once.
        self._reading = threading.RLock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="pincite-index")
        self._stopped = False
        self._told: set[Problem] = set()
        self.shows_markdown = ShowsMarkdown()
        #: Set by the server, to show progress.
        self.report: Report = lambda _draft, _done: None

    def configure(self, options: Any) -> list[str]:  # noqa: ANN401 - whatever the client sent
        """Take in the client's options; return what was wrong with them, defaults kept."""
        problems: list[str] = []
        options = options if isinstance(options, Mapping) else {}
        library = options.get("library", {})
        folders = library.get("folders", []) if isinstance(library, Mapping) else []
        self.settings = Settings(
            library=LibrarySettings(folders=_paths("library.folders", folders, problems)),
            bibliographies=_paths("bibliographies", options.get("bibliographies", []), problems),
        )
        with self._reading:
            self._workspaces.clear()
            self._indexes.clear()
        return problems

    def changed_on_disk(self) -> None:
        """Note that files other than the open documents may have changed."""
        self._changes += 1

    def open_draft(self, path: Path) -> OpenDraft | None:
        """Return the draft of a document with the best recommender there is by now."""
        from ..model.problems import InputError

        try:
            with self._reading:
                workspace = self._workspace(path)
                draft = workspace.draft(path)
                bibliography = workspace.bibliography(draft)
                index = self._index(workspace, draft, bibliography)
                file = draft.file(path)
                if file is None:
                    return None
                recommender = index.full or index.first
                if recommender is None:
                    recommender = index.first = workspace.recommender(draft, full_texts=False)
        except InputError as error:
            logger.info("%s", error)
            return None
        return OpenDraft(draft, file, bibliography, recommender, index.full is not None)

    def wait_until_indexed(self, path: Path, timeout: float | None = None) -> bool:
        """Wait for the full recommender of a draft; for tests and for commands."""
        self.open_draft(path)
        self._worker.submit(lambda: None).result(timeout)
        opened = self.open_draft(path)
        return opened is not None and opened.complete

    def stop(self) -> None:
        """End the background work."""
        self._stopped = True
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _workspace(self, path: Path) -> Workspace:
        from ..library.index import PaperIndex
        from ..workspace import Workspace

        holding = [folder for folder in self.folders if path.is_relative_to(folder)]
        folder = max(holding, key=lambda f: len(f.parts), default=path.parent)
        workspace = self._workspaces.get(folder)
        if workspace is None:
            workspace = Workspace(folder, self.settings, PaperIndex(), self.documents.texts)
            self._workspaces[folder] = workspace
        return workspace

    def _index(self, workspace: Workspace, draft: Draft, bibliography: DraftBibliography) -> _Index:
        """Return a draft's index; one that is out of date serves until the new one is ready."""
        generation = _Generation(
            self._changes, workspace.library_state(draft), tuple(bibliography.entries.values())
        )
        index_before = self._indexes.get(draft.root)
        if index_before is not None and index_before.generation.same(generation):
            return index_before
        index = _Index(generation)
        if index_before is not None and index_before.generation.same_entries(generation):
            # Only papers or other drafts changed: what is known of them still serves.
            index.first = index_before.full or index_before.first
        self._indexes[draft.root] = index
        if not self._stopped:
            self._worker.submit(self._build, workspace, draft, index)
        return index

    def _build(self, workspace: Workspace, draft: Draft, index: _Index) -> None:
        """Read the papers and the other drafts; stop when something newer was asked for."""

        def progress(done: int, total: int) -> None:
            if self._stopped or self._indexes.get(draft.root) is not index:
                raise _StaleError
            self.report(draft.root.name, done / max(total, 1))

        try:
            index.full = workspace.recommender(draft, progress=progress)
            for problem in workspace.library(draft).problems:
                if problem not in self._told:
                    self._told.add(problem)
                    logger.warning("%s", problem)
        except _StaleError:
            pass
        except Exception:
            logger.exception("could not index %s", draft.root)
        finally:
            self.report(draft.root.name, 1.0)


def _paths(name: str, value: object, problems: list[str]) -> tuple[Path, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        problems.append(f"the setting {name} must be a list of paths")
        return ()
    return tuple(Path(item).expanduser().absolute() for item in value)
