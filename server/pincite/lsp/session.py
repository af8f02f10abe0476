"""An editor's session: the client's capabilities, and the newest project with its documents."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lsprotocol import types

from ..cancellation import READING
from ..model.fetched import fetched_path
from ..parsing.markups import markup_of
from ..parsing.paths import is_virtual, status
from ..project import project
from ..project.background import Background
from ..project.disk import CachedDisk, VirtualDisk
from ..project.open_draft import OpenDraft as OpenDraft
from ..project.open_draft import Progress
from ..project.open_draft import ReadDraft as ReadDraft
from ..project.project import Shared
from ..settings import ENCODING_RANKER, MatchingSettings, Settings
from . import wire
from .documents import Documents, Lines, OpenDocuments

if TYPE_CHECKING:
    from ..model.spans import TextSpan
    from ..parsing.disk import Disk
    from ..parsing.encoding import Decoded
    from ..parsing.paths import Status


_ENCODINGS = ("utf-8", "utf-16", "utf-32")
_DOCUMENT = "textDocument"
_ITEM = f"{_DOCUMENT}.completion.completionItem"
_ACTION = f"{_DOCUMENT}.codeAction"
_WATCHED = "workspace.didChangeWatchedFiles"
# Declared for push or pull, properties of diagnostics apply to both.
_PUSHED, _PULLED = f"{_DOCUMENT}.publishDiagnostics", f"{_DOCUMENT}.diagnostic"
#: Files that no client reports are looked at when a request comes, but no more often than this, and
#: for no more than a hundredth of the time.
_LOOK_SECONDS: Final = 1.0
_LOOK_SHARE: Final = 0.01


def _has(*paths: str, default: bool = False, every: bool = False) -> bool:
    """Return a field: a client has any, or `every`, dotted path; its end may be in a list."""
    has: bool = field(default=default, metadata={"paths": paths, "of": all if every else any})
    return has


@dataclass(frozen=True, slots=True)
class Client:
    """What a client supports; the defaults hold until it sends its own."""

    #: How it counts positions: the first that it offers of those that we know.
    position_encoding: str = "utf-16"
    #: Where it shows Markdown.
    markdown_hovers: bool = _has(f"{_DOCUMENT}.hover.contentFormat.markdown")
    markdown_documentation: bool = _has(f"{_ITEM}.documentationFormat.markdown")
    #: Whether it shows label details, and resolves the documentation of completion items.
    label_details: bool = _has(f"{_ITEM}.labelDetailsSupport", default=True)
    resolves_documentation: bool = True
    #: Whether it accepts code actions; older clients accept only lists of commands.
    code_actions: bool = _has(f"{_ACTION}.codeActionLiteralSupport", default=True)
    resolves_edits: bool = _has(
        f"{_ACTION}.dataSupport", f"{_ACTION}.resolveSupport.properties.edit", every=True
    )
    disabled_actions: bool = _has(f"{_ACTION}.disabledSupport")
    definition_links: bool = _has(f"{_DOCUMENT}.definition.linkSupport")
    #: Whether it may ask where a rename is possible.
    prepares_rename: bool = _has(f"{_DOCUMENT}.rename.prepareSupport")
    #: Whether it applies edits at all, and edits to specified document versions only: it then
    #: refuses them if a document has changed.
    applies_edits: bool = _has("workspace.applyEdit")
    versioned_edits: bool = _has("workspace.workspaceEdit.documentChanges", default=True)
    creates_files: bool = _has("workspace.workspaceEdit.resourceOperations.create")
    #: Whether it pulls diagnostics, and the properties of them that it shows.
    pulls_diagnostics: bool = _has(_PULLED)
    related_information: bool = _has(
        f"{_PUSHED}.relatedInformation", f"{_PULLED}.relatedInformation"
    )
    diagnostic_tags: bool = _has(f"{_PUSHED}.tagSupport", f"{_PULLED}.tagSupport")
    diagnostic_versions: bool = _has(f"{_PUSHED}.versionSupport")
    #: What it shows anew on request.
    refreshes_diagnostics: bool = _has("workspace.diagnostics.refreshSupport")
    refreshes_inlay_hints: bool = _has("workspace.inlayHint.refreshSupport")
    #: Whether it returns its configuration, and reports changes of it once asked to.
    returns_configuration: bool = _has("workspace.configuration")
    follows_configuration: bool = _has("workspace.didChangeConfiguration.dynamicRegistration")
    #: Whether it watches files on request, also those outside the workspace.
    watches_files: bool = _has(f"{_WATCHED}.dynamicRegistration")
    watches_outside: bool = _has(
        f"{_WATCHED}.dynamicRegistration", f"{_WATCHED}.relativePatternSupport", every=True
    )
    shows_progress: bool = _has("window.workDoneProgress")
    opens_pdf: bool = _has("experimental.pinciteOpenPdf")
    shows_evidence: bool = _has("experimental.pinciteShowEvidence")
    suggests_here: bool = _has("experimental.pinciteSuggestHere")
    adds_works: bool = _has("experimental.pinciteAddWork")
    follows_status: bool = _has("experimental.pinciteStatus")
    shows_wrong_settings: bool = _has("experimental.pinciteWrongSettings")
    reads_files: bool = _has("experimental.pinciteReadFiles")
    announces_added_entries: bool = _has("experimental.pinciteEntryAdded")

    @classmethod
    def of(cls, capabilities: Mapping[str, Any]) -> Client:
        """Read the JSON of a client's capabilities."""

        def get(path: str) -> Any:  # noqa: ANN401 - of any type
            value: Any = capabilities
            for name in path.split("."):
                if isinstance(value, list):
                    value = name in value
                else:
                    value = value.get(name) if isinstance(value, dict) else None
            return value

        def has(path: str) -> bool:
            # An empty object is a capability, too.
            return get(path) not in (None, False)

        found: dict[str, Any] = {
            each.name: each.metadata["of"](map(has, each.metadata["paths"]))
            for each in fields(cls)
            if each.metadata
        }
        # All resolved documentation before there was a capability for it.
        resolve = f"{_ITEM}.resolveSupport"
        found["resolves_documentation"] = not has(resolve) or has(
            f"{resolve}.properties.documentation"
        )
        offered = get("general.positionEncodings")
        offered = offered if isinstance(offered, list) else []
        encoding = next((each for each in offered if each in _ENCODINGS), "utf-16")
        return cls(position_encoding=encoding, **found)


class Project(project.Project):
    """The author's project in one state, with positions in the client's units."""

    buffers: OpenDocuments
    client: Client
    #: Returns the project as it is now: documents may have changed since this one.
    newest: Callable[[], Project]
    #: Has the client read a file, or list a folder, of those that are on no disk.
    want: Callable[[Path, bool], None]

    @cached_property
    def _lines(self) -> dict[Path, Lines | None]:
        """The lines of the files that were asked for and are not open."""
        return {}

    def lines(self, path: Path) -> Lines | None:
        """Return the lines of a file from the editor, else from disk; None if there is none."""
        if (opened := self.buffers.documents.get(path)) is not None:
            return opened.lines
        if path not in self._lines:
            text = self.text(path)
            self._lines[path] = None if text is None else Lines(text, self.buffers.encoding)
        return self._lines[path]

    def on_disk(self, path: Path) -> Decoded | None:
        """Return a file's text as it is where it is stored, with its encoding; None for none."""
        return self.buffers.read.get(path) if is_virtual(path) else super().on_disk(path)

    def _disk(self, folder: Path) -> Disk:
        disk = super()._disk(folder)
        if not is_virtual(folder):
            return disk
        buffers = self.buffers
        return VirtualDisk(disk, folder, buffers.texts, buffers.listed, self.want)

    def location(self, path: Path, span: TextSpan) -> types.Location | None:
        """Return the location of a span of a file; None if the file cannot be read."""
        if (lines := self.lines(path)) is None:
            return None
        return types.Location(self.buffers.uri(path), lines.range(span))


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a project, with its lines as a request found them."""

    project: Project
    path: Path
    lines: Lines

    @property
    def text(self) -> str:
        """The text of the document."""
        return self.lines.text

    def read(self) -> ReadDraft | None:
        """Return the draft of the document; None where nothing can be cited."""
        return self.project.read_draft(self.path)

    def opened(self) -> OpenDraft | None:
        """Return its draft with its best recommender so far."""
        return self.project.open_draft(self.path)

    def does(self, feature: str) -> bool:
        """Return whether a feature of `EditorSettings` is on; bibliographies are as LaTeX."""
        return self.project.settings.editor.does(feature, markup_of(self.path).name)


class Made(NamedTuple):
    """An edit for the client to make, its name in the undo history, and what is answered then."""

    label: str
    edit: types.WorkspaceEdit
    answer: object = True
    #: What the author should know of it.
    remark: str | None = None


def function_of(name: str) -> Callable[..., Any]:
    """Return a function of ``features/``, which is imported in the thread that calls it first."""
    module, _, function = name.partition(".")
    found: Callable[..., Any] = getattr(import_module(f".features.{module}", __package__), function)
    return found


def on_document(
    work: str, path: Path, lines: Lines, sent: object = None, **more: object
) -> Callable[[Project], Any]:
    """Return a function of a project: the named one, of a document in it.

    It gets what a client has `sent`, and `more`.
    """

    def function(project: Project) -> Any:  # noqa: ANN401
        named = function_of(work)
        given = {} if sent is None else wire.arguments(named, sent, lines)
        return named(Document(project, path, lines), **given, **more)

    return function


class Session:
    """An editor's session; only the event loop's thread changes settings, folders, documents."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.client = Client()
        #: They may be set at any time; the next project has them.
        self.settings = Settings()
        self.folders: tuple[Path, ...] = ()
        #: Set by the server; called in the background when files have changed that the client did
        #: not report, when papers are read, and for files that are on no disk.
        self.on_change: Callable[[], None] = lambda: None
        self.report: Callable[[str, Progress], None] = lambda _draft, _progress: None
        self.want: Callable[[Path, bool], None] = lambda _path, _is_folder: None
        self.background = Background()
        self.disk = CachedDisk()
        self.stopped = False
        self._owner = threading.get_ident()
        self._shared: Shared | None = None
        self._newest: tuple[tuple[object, ...], Project] | None = None
        self._look_after = 0.0
        #: Bibliographies made of Zotero's libraries, with their states, once they were looked at.
        self._of_zotero: dict[Path, Status | None] | None = None

    def project(self) -> Project:
        """Return everything as it stands; only the session's own thread makes it the newest."""
        state = (self.documents.now, self.settings, self.folders, self.disk.state)
        newest = self._newest
        if newest is not None and newest[0] == state:
            return newest[1]
        project = Project(self.documents.now, self.settings, self.folders, lambda: self.shared)
        project.client, project.newest, project.want = self.client, self.project, self.want
        if threading.get_ident() == self._owner:
            self._newest = state, project
            if newest is not None and newest[1].folders != self.folders and self._shared:
                self._shared.builder.folders_changed(newest[1].folders, self.folders)
        return project

    @property
    def shared(self) -> Shared:
        """What all projects share; made by the first request, for which its modules are loaded."""
        if self._shared is None:
            from ..library.index import PaperIndex
            from ..project.builder import Builder
            from ..project.caches import Caches
            from ..project.global_library import GlobalLibrary

            with READING:
                if self._shared is None:
                    caches, background = Caches(PaperIndex(), self.disk), self.background
                    builder = Builder(background, caches, lambda *given: self.report(*given))
                    library = GlobalLibrary(
                        lambda: self.settings, lambda: self.documents.now.texts, caches, background
                    )
                    self._shared = Shared(caches, builder, library)
        return self._shared

    # What changes

    def changed_on_disk(self, paths: Iterable[Path]) -> None:
        """Note that files other than the open documents may have changed."""
        changed = frozenset(paths)
        if self._shared is None:
            self.disk.forget(changed)
        else:
            self._shared.caches.forget(changed)
            self._shared.builder.changed(changed)

    def look(self) -> None:
        """Look in the background for changes that no client reports, unless that was just done."""
        now = time.monotonic()
        if now > self._look_after and self._shared is not None:
            self._look_after = now + _LOOK_SECONDS
            self.background.do("look", self.look_now)
        if self.disk.unwalked or (self._shared is not None and self._shared.caches.unsearched):
            self.background.do("search", self._search_on)

    def look_now(self) -> None:
        """Take in what other programs have changed."""
        from ..library.index import default_index_path

        began = time.monotonic()
        # Another process may fetch; no request looks at what it writes.
        self.disk.status(fetched_path(default_index_path()))
        changed = self.disk.changed_files() | self.disk.changed_folders() | self._changed_zotero()
        has_changed_libraries = self.shared.caches.check_libraries()
        if changed or has_changed_libraries:
            self.changed_on_disk(changed)
            self.on_change()
        if has_changed_libraries:
            for root in self.shared.builder.open_roots(self.documents.now.texts):
                self.project().open_draft(root)
        took = time.monotonic() - began
        self._look_after = max(self._look_after, time.monotonic() + took / _LOOK_SHARE)

    def _changed_zotero(self) -> set[Path]:
        """Bring the bibliographies made of Zotero's libraries up to date; return the changed."""
        if self.settings.zotero == "off":
            return set()
        zotero = self.shared.caches.zotero
        # What others have read so far; nothing if this is the first look of all.
        read = {path: status(path) for path in zotero.known} or None
        before = read if self._of_zotero is None else self._of_zotero
        self._of_zotero = now = {path: status(path) for path in zotero.bibliographies()}
        if before is None:
            return set()
        return {path for path in before.keys() | now.keys() if now.get(path) != before.get(path)}

    def _search_on(self) -> None:
        """Walk the folders and find the main files that requests had no time for."""
        found = self.disk.walk_unwalked()
        caches = self.shared.caches
        for key in tuple(caches.unsearched):
            caches.unsearched.discard(key)
            caches.roots.pop(key, None)
            found |= self.project().search_on(key[1])
        if found:
            self.changed_on_disk(())
            self.on_change()

    # For the server

    def bibliographies(self) -> frozenset[Path]:
        """Return the bibliographies of the drafts that were read, and those of the settings."""
        settings = self.settings
        named = (*settings.bibliographies, *settings.global_bibliographies)
        return self.draft_bibliographies().union(named)

    def draft_bibliographies(self) -> frozenset[Path]:
        """Return the bibliographies of the drafts that were read."""
        return frozenset() if self._shared is None else self._shared.builder.bibliographies()

    def prepare(self, project: Project, path: Path) -> None:
        """Read a draft that was just opened, so that the first request finds it read."""
        opened = project.open_draft(path)
        if opened is not None:
            # A ranking reads all that the draft cites, and the words around it.
            opened.recommender.rank(opened.context(0))
        project.global_library.recommender()

    def unavailable_systems(self) -> tuple[tuple[str, str, str], ...]:
        """Return settings that name an unavailable system, their values, and the reasons."""
        found: list[tuple[str, str, str]] = []
        if self._shared is not None and self.settings.ranking.encodes:
            self._shared.caches.vectors()
            problems = self._shared.caches.vector_problems
            found += (("ranker", ENCODING_RANKER, each.message) for each in problems)
        if self._shared is not None and self.settings.matching != MatchingSettings():
            matcher = self._shared.caches.matcher(self.settings.matching)
            matcher()
            found += matcher.wrong
        return tuple(dict.fromkeys(found))

    def evict(self) -> None:
        """Remove the least recently used papers of an index that is too large."""
        self.shared.caches.index.evict(self.settings.library.index_megabytes << 20)

    def stop(self) -> None:
        """End the background work."""
        self.stopped = True
        self.background.stop()
