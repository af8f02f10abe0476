"""What the server knows of the open workspace, and the work it does in the background.

Requests are answered with what is known at that moment: first from titles and abstracts, then,
once a background thread has read the papers and the other drafts, from everything.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..baselines import make_matcher
from ..settings import (
    DEFAULT_SYSTEM,
    SYSTEM_NAMES,
    LibrarySettings,
    MatchingSettings,
    Settings,
)
from .documents import Documents, Lines, OpenTexts
from .indexes import Generation, Index, Ranks

if TYPE_CHECKING:
    from ..library.index import PaperIndex
    from ..model.drafts import Draft, TexFile
    from ..model.problems import Problem
    from ..workspace import DraftBibliography, Workspace

logger = logging.getLogger(__name__)

#: Called with the name of a draft and the fraction of its papers that is read; 1.0 ends it.
Report = Callable[[str, float], None]

#: How long papers are read before what is read is put to use for the first time.
_FIRST_PAPERS_SECONDS = 4.0
#: A draft by its main file and the library folders that serve it.
_IndexKey = tuple[Path, tuple[Path, ...]]
#: What an editor may send us and no draft is written in.
_NO_DRAFT = frozenset({".bib", ".bst", ".bbl", ".pdf", ".md", ".txt", ".json"})


class _StaleError(Exception):
    """The work under way is for a state that has passed."""


@dataclass(frozen=True, slots=True)
class ShowsMarkdown:
    """Where the client shows Markdown."""

    hover: bool = False
    documentation: bool = False


@dataclass(frozen=True, slots=True)
class ReadDraft:
    """A document with the draft it belongs to, at one moment; `workspace` read it."""

    workspace: Workspace
    draft: Draft
    file: TexFile
    bibliography: DraftBibliography


@dataclass(frozen=True, slots=True)
class OpenDraft(ReadDraft):
    """A draft with the best recommender there is by now; `complete` when no better will come."""

    recommender: Ranks
    complete: bool


class Session:
    """One editor session; all methods may be called from any thread."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.settings = Settings()
        self.folders: tuple[Path, ...] = ()
        self.shows_markdown = ShowsMarkdown()
        #: Set by the server, to show progress.
        self.report: Report = lambda _draft, _done: None
        self.stopped = False
        self._texts = OpenTexts(documents)
        self._papers: PaperIndex | None = None
        self._workspaces: dict[Path, Workspace] = {}
        self._indexes: dict[_IndexKey, Index] = {}
        # Reading drafts fills caches that are not made for two requests at once.
        self._reading = threading.RLock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="pincite-index")
        self._told: set[Problem] = set()

    def configure(self, options: Any) -> str | None:  # noqa: ANN401 - whatever the client sent
        """Take in the client's options; return what was wrong with them, defaults kept."""
        problems: list[str] = []
        options = _mapping("initializationOptions", options, problems)
        library = _mapping("library", options.get("library"), problems)
        self.settings = Settings(
            library=LibrarySettings(
                folders=_paths("library.folders", library.get("folders"), problems),
                base_folders=_paths("library.baseFolders", library.get("baseFolders"), problems),
                draft_folders=_paths("library.drafts", library.get("drafts"), problems),
            ),
            matching=MatchingSettings(
                _system(options.get("system"), problems),
                _file("vectors", options.get("vectors"), problems),
                next(iter(_paths("model", _listed(options.get("model")), problems)), None),
            ),
            bibliographies=_paths("bibliographies", options.get("bibliographies"), problems),
        )
        with self._reading:
            self._workspaces.clear()
            self._indexes.clear()
        return f"Pincite: {'; '.join(problems)}." if problems else None

    def changed_on_disk(self, paths: Iterable[Path]) -> None:
        """Note that files other than the open documents may have changed.

        What a draft is made of is looked at with every request; its own files, and the PDF that
        is made of it at every turn, are no reason to read all papers anew.
        """
        changed = frozenset(paths)
        for index in tuple(self._indexes.values()):
            others = changed - index.own_files
            if any(path.with_suffix(".tex") not in index.own_files for path in others):
                index.outdated = True

    def read_draft(self, path: Path, text: str | None = None) -> ReadDraft | None:
        """Return the draft of a document, without anything that takes long.

        `text` is the document as it was when the client asked; the author may have typed on. None
        where nothing can be cited, or where another text was read.
        """
        from ..model.problems import InputError

        if not path.is_absolute() or path.suffix.lower() in _NO_DRAFT:
            return None
        if text is not None and "\\" not in text:
            return None
        try:
            with self._reading, self._texts.pinned(path, text):
                workspace = self._workspace(path)
                draft = workspace.draft(path)
                file = draft.file(path)
                if file is None or text not in (None, file.text):
                    return None
                return ReadDraft(workspace, draft, file, workspace.bibliography(draft))
        except InputError as error:
            logger.info("%s", error)
            return None

    def open_draft(self, path: Path, text: str | None = None) -> OpenDraft | None:
        """Return the draft of a document with the best recommender there is by now.

        What is None, and what `text` is: as in `read_draft`.
        """
        with self._reading, self._texts.pinned(path, text):
            read = self.read_draft(path, text)
            if read is None:
                return None
            workspace, draft = read.workspace, read.draft
            key, index = self._index(workspace, draft, read.bibliography)
        # In this order: `done` without the full recommender would call a first list complete.
        done = index.done
        recommender = index.best(workspace, draft)
        # Only now: two threads at once would make the author wait twice as long for the first.
        self._submit(workspace, draft, key, index)
        return OpenDraft(workspace, draft, read.file, read.bibliography, recommender, done)

    def lines(self, path: Path) -> Lines | None:
        """Return the lines of a file as the editor has it, else as it is on disk; None for none."""
        from ..model.problems import InputError

        try:
            with self._reading:
                return Lines(self._workspace(path).read(path), self.documents.encoding)
        except InputError as error:
            logger.info("%s", error)
            return None

    def prepare(self, path: Path) -> None:
        """Read a draft that was just opened, so that the first request finds it read."""
        try:
            self.open_draft(path)
        except Exception:
            logger.exception("could not read %s", path)

    def wait_until_indexed(self, path: Path, timeout: float | None = None) -> bool:
        """Wait for the full recommender of a draft; for tests and for commands."""
        self.open_draft(path)
        self._worker.submit(lambda: None).result(timeout)
        opened = self.open_draft(path)
        return opened is not None and opened.complete

    def stop(self) -> None:
        """End the background work."""
        self.stopped = True
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _workspace(self, path: Path) -> Workspace:
        from ..library.index import PaperIndex
        from ..workspace import Workspace

        if self._papers is None:
            self._papers = PaperIndex()
        holding = [folder for folder in self.folders if path.is_relative_to(folder)]
        folder = max(holding, key=lambda f: len(f.parts), default=path.parent)
        workspace = self._workspaces.get(folder)
        if workspace is None:
            workspace = Workspace(folder, self.settings, self._papers, self._texts, make_matcher)
            self._workspaces[folder] = workspace
        return workspace

    def _index(
        self, workspace: Workspace, draft: Draft, bibliography: DraftBibliography
    ) -> tuple[_IndexKey, Index]:
        """Return a draft's index; what an earlier one knew serves until the new one is ready."""
        library = workspace.library_state(draft)
        # Two files of a draft may have different folders beside them.
        key = (draft.root, tuple(folder for folder, _ in library))
        generation = Generation(library, bibliography.entries)
        before = self._indexes.get(key)
        if before is None:
            index = Index(generation, draft.own_paths)
        elif (
            not before.outdated
            and before.generation.library == library
            and before.generation.same_entries(generation)
        ):
            return key, before
        else:
            index = before.succeeded_by(generation, draft.own_paths)
        self._indexes[key] = index
        return key, index

    def _submit(self, workspace: Workspace, draft: Draft, key: _IndexKey, index: Index) -> None:
        with index.lock:
            if index.submitted or self.stopped:
                return
            index.submitted = True
        with suppress(RuntimeError):  # stopped in this very moment
            self._worker.submit(self._build, workspace, draft, key, index)

    def _build(self, workspace: Workspace, draft: Draft, key: _IndexKey, index: Index) -> None:
        """Read the papers and the other drafts; stop when the bibliography is another by now.

        What has been read is put to use after a while, and again after longer ones: the first
        indexing of a large library takes minutes.
        """
        if self._indexes.get(key) is not index:
            return
        try:
            patience = _FIRST_PAPERS_SECONDS
            while not self._read_papers(workspace, draft, index, patience):
                patience *= 4
        except _StaleError:
            return
        except Exception:
            # Titles and abstracts go on to serve; trying again would fail again.
            logger.exception("could not index %s", draft.root)
        finally:
            index.done = True
            self.report(draft.root.name, 1.0)
        self._hand_on(key, index)

    def _read_papers(
        self, workspace: Workspace, draft: Draft, index: Index, seconds: float
    ) -> bool:
        """Read papers for some seconds and put them to use; tell whether all are read."""

        def progress(done: int, total: int) -> None:
            self.report(draft.root.name, done / (total + 1))

        def is_stale() -> bool:
            return self.stopped or index.stale

        ends = time.monotonic() + seconds
        complete = workspace.read_library(
            draft,
            progress=progress,
            # One processor is left to the editor and to the answers.
            jobs=max(1, (os.cpu_count() or 2) - 1),
            cancelled=lambda: is_stale() or time.monotonic() > ends,
        )
        if not is_stale():
            index.full = workspace.recommender(draft)
        if is_stale():
            raise _StaleError
        self._tell([*workspace.problems, *workspace.library(draft).problems])
        return complete

    def _hand_on(self, key: _IndexKey, index: Index) -> None:
        """Let a later index start from this one, which was finished behind its back."""
        later = self._indexes.get(key)
        if later is None or later is index or index.stale or index.full is None:
            return
        with later.lock:
            later.base = later.first = index.full

    def _tell(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            if problem not in self._told:
                self._told.add(problem)
                logger.warning("%s", problem)


def _mapping(name: str, value: object, problems: list[str]) -> Mapping[str, Any]:
    if value is None or isinstance(value, Mapping):
        return value or {}
    problems.append(f"{name} must be an object")
    return {}


def _system(value: object, problems: list[str]) -> str:
    if value in (None, "", *SYSTEM_NAMES):
        return str(value or DEFAULT_SYSTEM)
    problems.append(f"system must be one of {', '.join(SYSTEM_NAMES)}")
    return DEFAULT_SYSTEM


def _file(name: str, value: object, problems: list[str]) -> Path | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str) or not Path(value).expanduser().is_file():
        problems.append(f"{name} must name a file")
        return None
    return Path(value).expanduser().absolute()


def _paths(name: str, value: object, problems: list[str]) -> tuple[Path, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        problems.append(f"{name} must be a list of paths")
        return ()
    return tuple(_path(item) for item in value)


def _listed(value: object) -> object:
    return None if value in (None, "") else [value]


def _path(name: str) -> Path:
    # A home folder that is not known leaves the ~ as it stands.
    with suppress(RuntimeError):
        return Path(name).expanduser().absolute()
    return Path(name).absolute()
