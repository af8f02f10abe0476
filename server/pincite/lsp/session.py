"""An editor's session: the client's capabilities, and the newest project with its documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ..parsing.markups import markup_of
from ..parsing.paths import is_virtual
from ..project import project, session
from ..project.open_draft import OpenDraft as OpenDraft
from ..project.open_draft import ReadDraft as ReadDraft
from ..project.virtual import VirtualDisk
from . import wire
from .documents import Documents, Lines, OpenDocuments

if TYPE_CHECKING:
    from ..model.spans import TextSpan
    from ..parsing.disk import Disk
    from ..parsing.encoding import Decoded
    from ..settings import Settings


_ENCODINGS = ("utf-8", "utf-16", "utf-32")
_DOCUMENT = "textDocument"
_ITEM = f"{_DOCUMENT}.completion.completionItem"
_ACTION = f"{_DOCUMENT}.codeAction"
_WATCHED = "workspace.didChangeWatchedFiles"
# Declared for push or pull, properties of diagnostics apply to both.
_PUSHED, _PULLED = f"{_DOCUMENT}.publishDiagnostics", f"{_DOCUMENT}.diagnostic"


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

    def __init__(
        self,
        buffers: OpenDocuments,
        settings: Settings,
        folders: tuple[Path, ...],
        shared: Callable[[], project.Shared],
    ) -> None:
        super().__init__(buffers, settings, folders, shared)
        #: Of the files that were asked for and are not open.
        self._lines: dict[Path, Lines | None] = {}

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


class Session(session.Session[Project]):
    """An editor's session; only the event loop changes it."""

    def __init__(self, documents: Documents) -> None:
        super().__init__()
        self.documents = documents
        self.client = Client()
        #: Set by the server.
        self.want: Callable[[Path, bool], None] = lambda _path, _is_folder: None

    @property
    def buffers(self) -> OpenDocuments:
        """The documents that the editor holds."""
        return self.documents.now

    def _new_project(self) -> Project:
        new = Project(self.documents.now, self.settings, self.folders, lambda: self.shared)
        new.client, new.newest, new.want = self.client, self.project, self.want
        return new
