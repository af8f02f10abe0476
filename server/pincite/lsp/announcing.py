"""Keep diagnostics up to date: ask clients that pull them to refresh, publish to all others."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve
from lsprotocol import types

from ..cancellation import CancelledError, cancelled_by
from ..project.open_texts import is_bibliography
from .documents import Lines

if TYPE_CHECKING:
    from ..project.indexes import Reading
    from .language_server import PinciteServer
    from .session import Snapshot

logger = logging.getLogger(__name__)

#: How long the author must pause before anything is published.
_PAUSE_SECONDS = 0.3

#: Computes the diagnostics of a file that is not open.
DiagnoseClosed = Callable[["Snapshot", Path], list[types.Diagnostic]]
Diagnose = Callable[["Snapshot", Path, Lines, "int | None"], list[types.Diagnostic]]
#: Makes the slow judgements that `Diagnose` does not wait for; returns whether any is new.
Judge = Callable[["Snapshot", Path, Lines], bool]


@dataclass(frozen=True, slots=True)
class _Shows:
    """The properties of diagnostics that the client supports."""

    related: bool
    tags: bool
    versions: bool

    @classmethod
    def of(cls, client: types.TextDocumentClientCapabilities | None) -> _Shows:
        """Read a client's capabilities; one declared for push or pull applies to both."""
        pushed = client.publish_diagnostics if client else None
        pulled = client.diagnostic if client else None
        return cls(
            related=any(kind and kind.related_information for kind in (pushed, pulled)),
            tags=any(kind and kind.tag_support for kind in (pushed, pulled)),
            versions=bool(pushed and pushed.version_support),
        )

    def fitted(self, item: types.Diagnostic) -> types.Diagnostic:
        """Return a diagnostic without the properties that the client does not support."""
        return evolve(
            item,
            related_information=item.related_information if self.related else None,
            tags=item.tags if self.tags else None,
        )


class Announcer:
    """Sends changed diagnostics to the client; used by the event loop only."""

    def __init__(
        self,
        server: PinciteServer,
        diagnose: Diagnose,
        judge: Judge,
        diagnose_closed: DiagnoseClosed,
    ) -> None:
        self._server = server
        self._diagnose_closed = diagnose_closed
        self._closed: set[str] = set()
        self._closed_timer: asyncio.TimerHandle | None = None
        self._publishing_closed: asyncio.Task[None] | None = None
        self._diagnose = diagnose
        self._judge = judge
        self._timer: asyncio.TimerHandle | None = None
        self._publishing: asyncio.Task[None] | None = None
        self._published: dict[str, list[types.Diagnostic]] = {}
        # A thread of its own: matching many citations takes long.
        self._judging = ThreadPoolExecutor(1, thread_name_prefix="pincite-judge")
        self._judged: dict[Path, tuple[Lines, threading.Event]] = {}
        self._follow_index()

    async def diagnostics_of(self, uri: str) -> list[types.Diagnostic] | None:
        """Return the diagnostics of the current text of a document, None if checking it failed."""
        documents = self._server.session.documents
        if (lines := documents.now.lines(uri)) is None:
            return []
        path = documents.now.path(uri)
        edited = documents.last_edits.get(path)
        found = await self._server.answer_about(self._diagnose, uri, edited)
        self._begin_to_judge(path, lines)
        if found is None:
            return None
        shows = _Shows.of(self._server.client_capabilities.text_document)
        return [shows.fitted(item) for item in found]

    def changed(self, uri: str | None) -> None:
        """Note that a document has changed; with None, that something else has."""
        # A client that pulls does so for the edited document by itself, and other changes are
        # announced at once. But an edit of a bibliography affects other documents, and an edit of
        # a draft affects bibliographies that show unused entries.
        session = self._server.session
        path = session.documents.now.path(uri) if uri is not None else None
        affects_others = session.settings.editor.unused_entries or (path and is_bibliography(path))
        if not self._is_asked or (path is not None and affects_others):
            self._announce_soon()
        if path is None or path not in session.documents.now.texts or is_bibliography(path):
            self.publish_closed_soon()

    def saved(self, uri: str) -> None:
        """Note that a document was saved: its text is no longer taken for half typed."""
        documents = self._server.session.documents
        if documents.last_edits.pop(documents.now.path(uri), None) is not None:
            self._announce_soon()

    @property
    def _is_asked(self) -> bool:
        client = self._server.client_capabilities.text_document
        return client is not None and client.diagnostic is not None

    def _announce_soon(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_PAUSE_SECONDS, self._announce)

    def _announce(self) -> None:
        if self._is_asked:
            workspace = self._server.client_capabilities.workspace
            if workspace and workspace.diagnostics and workspace.diagnostics.refresh_support:
                self._server.workspace_diagnostic_refresh(None)
            return
        if self._publishing is not None:
            self._publishing.cancel()
        self._publishing = asyncio.get_running_loop().create_task(self._publish_all())

    def publish_closed_soon(self) -> None:
        """Publish what is wrong with the drafts' bibliographies that are not open."""
        if self._closed_timer is not None:
            self._closed_timer.cancel()
        loop = asyncio.get_running_loop()
        self._closed_timer = loop.call_later(_PAUSE_SECONDS, self._publish_closed)

    def _publish_closed(self) -> None:
        if self._publishing_closed is not None:
            self._publishing_closed.cancel()
        task = self._publish_closed_files()
        self._publishing_closed = asyncio.get_running_loop().create_task(task)

    async def _publish_closed_files(self) -> None:
        # No client asks for files that are not open: they are published to all.
        session = self._server.session
        opened = session.documents.now
        paths = session.draft_bibliographies() - opened.texts.keys()
        uris = {opened.uri(path): path for path in sorted(paths)}
        for uri in self._closed - uris.keys():
            self._closed.discard(uri)
            # A client that is published to has just been told of a file that is open.
            if self._is_asked or opened.path(uri) not in opened.texts:
                self._publish(uri, None, [])
        for uri, path in uris.items():
            found = await self._server.answer_apart(self._diagnose_closed, path)
            if found is None or path in session.documents.now.texts:
                continue
            if found:
                self._closed.add(uri)
            shows = _Shows.of(self._server.client_capabilities.text_document)
            self._publish(uri, None, [shows.fitted(item) for item in found])

    async def _publish_all(self) -> None:
        documents = self._server.session.documents
        opened = documents.now
        open_uris = [opened.uri(path) for path in opened.texts]
        for uri in self._published.keys() - set(open_uris) - self._closed:
            self._publish(uri, None, [])
        for uri in open_uris:
            path, version = opened.path(uri), documents.now.version(opened.path(uri))
            found = await self.diagnostics_of(uri)
            # If the text has changed since, the next run publishes.
            if found is not None and version is not None and documents.now.version(path) == version:
                self._publish(uri, version, found)

    def _begin_to_judge(self, path: Path, lines: Lines) -> None:
        """Judge a document's citations in the background; an edit of the document cancels this."""
        snapshot = self._server.session.snapshot()
        if not snapshot.settings.editor.weak_support:
            return
        if (running := self._judged.get(path)) is not None:
            if running[0] is lines:
                return
            running[1].set()
        cancelled = threading.Event()
        self._judged[path] = (lines, cancelled)
        loop = asyncio.get_running_loop()

        def judge() -> None:
            # Also after a cancellation: judgements made before it have not been announced.
            has_changed = True
            try:
                with cancelled_by(cancelled.is_set):
                    has_changed = self._judge(snapshot, path, lines)
            except CancelledError:
                pass
            except Exception:
                logger.exception("could not judge the citations of %s", path)
                has_changed = False
            with suppress(RuntimeError):  # the loop is closed: the client is gone
                loop.call_soon_threadsafe(self._end_judging, path, cancelled, has_changed)

        self._judging.submit(judge)

    def _end_judging(self, path: Path, cancelled: threading.Event, has_changed: bool) -> None:
        running = self._judged.get(path)
        if running is not None and running[1] is cancelled:
            del self._judged[path]
        if has_changed:
            self._announce_soon()

    def _follow_index(self) -> None:
        """Announce diagnostics again once all papers have been read."""
        server, report = self._server, self._server.session.report

        def reported(draft: str, reading: Reading) -> None:
            report(draft, reading)
            if reading.ended and server.loop:
                with suppress(RuntimeError):  # as above
                    server.loop.call_soon_threadsafe(self.publish_closed_soon)
            if reading.ended and server.loop and server.session.settings.editor.weak_support:
                with suppress(RuntimeError):  # as above
                    server.loop.call_soon_threadsafe(self._announce_soon)

        server.session.report = reported

    def _publish(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        if found == self._published.get(uri, []):
            return
        if found:
            self._published[uri] = found
        else:
            self._published.pop(uri, None)
        shows = _Shows.of(self._server.client_capabilities.text_document)
        shown_version = version if shows.versions else None
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, found, shown_version)
        )
