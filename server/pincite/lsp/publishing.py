"""Keep diagnostics up to date: answer clients that pull them, publish to all others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve
from lsprotocol import types

from ..cancellation import CancelledError, cancelled_by
from ..project.project import is_bibliography
from .documents import Lines
from .language_server import function_of

if TYPE_CHECKING:
    from ..project.open_draft import Progress
    from .language_server import PinciteServer

#: How long the author must pause before anything is published.
_PAUSE_SECONDS = 0.3
_Report = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport


class Publisher:
    """Sends changed diagnostics to the client; used by the event loop only.

    No client asks for files that are not open: what is wrong with the drafts' bibliographies that
    are closed is published to all.
    """

    def __init__(self, server: PinciteServer) -> None:
        self._server = server
        self._published: dict[str, list[types.Diagnostic]] = {}
        #: The closed files that something was published of.
        self._closed: set[str] = set()
        self._judged: dict[Path, Lines] = {}
        #: What is to be published after the pause: "open" documents, "closed" files.
        self._due: set[str] = set()
        self._doing: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._running: asyncio.Task[None] | None = None

    async def pull(self, params: types.DocumentDiagnosticParams) -> _Report:
        """Answer ``textDocument/diagnostic``."""
        found = await self._diagnostics_of(params.text_document.uri)
        shown = params.previous_result_id
        result_id = blake2b(repr(found).encode(), digest_size=8).hexdigest()
        # After a failed check, the client keeps what it shows.
        if shown is not None and (found is None or result_id == shown):
            return types.RelatedUnchangedDocumentDiagnosticReport(shown)
        return types.RelatedFullDocumentDiagnosticReport(found or [], result_id=result_id)

    def changed(self, uri: str | None) -> None:
        """Note that a document has changed; with None, that something else has."""
        # A client that pulls does so for the edited document by itself, and other changes are
        # announced at once. But an edit of a bibliography affects other documents, and an edit of
        # a draft affects bibliographies that show unused entries.
        session = self._server.session
        path = session.documents.now.path(uri) if uri is not None else None
        affects_others = session.settings.editor.unused_entries or (path and is_bibliography(path))
        if not session.client.pulls_diagnostics or (path is not None and affects_others):
            self._ask("open")
        if path is None or path not in session.documents.now.texts or is_bibliography(path):
            self._ask("closed")

    def saved(self, params: types.DidSaveTextDocumentParams) -> None:
        """Note that a document was saved: its text is no longer taken for half typed."""
        documents = self._server.session.documents
        path = documents.now.path(params.text_document.uri)
        if documents.last_edits.pop(path, None) is not None:
            self._ask("open")

    def papers_read(self, _draft: str, progress: Progress) -> None:
        """Publish again once all papers have been read."""
        if progress.ended:
            self._ask("closed")
            if self._server.session.settings.editor.weak_support:
                self._ask("open")

    def _ask(self, what: str) -> None:
        """Publish after a pause; earlier work that has not ended by then is cancelled."""
        self._due.add(what)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_PAUSE_SECONDS, self._begin)

    def _begin(self) -> None:
        if self._running is not None and not self._running.done():
            self._running.cancel()
            self._due |= self._doing
        self._doing, self._due = self._due, set()
        self._running = asyncio.get_running_loop().create_task(self._publish_all(self._doing))

    async def _publish_all(self, due: set[str]) -> None:
        client = self._server.session.client
        if "closed" in due:
            await self._publish_closed()
        if "open" in due:
            if not client.pulls_diagnostics:
                await self._publish_open()
            elif client.refreshes_diagnostics:
                self._server.connection.request(types.WORKSPACE_DIAGNOSTIC_REFRESH)

    async def _publish_open(self) -> None:
        documents = self._server.session.documents
        opened = documents.now
        open_uris = [opened.uri(path) for path in opened.texts]
        for uri in self._published.keys() - set(open_uris) - self._closed:
            self._publish(uri, None, [])
        for uri in open_uris:
            path, version = opened.path(uri), documents.now.version(opened.path(uri))
            found = await self._diagnostics_of(uri)
            # If the text has changed since, the next run publishes.
            if found is not None and version is not None and documents.now.version(path) == version:
                self._publish(uri, version, found)

    async def _publish_closed(self) -> None:
        session = self._server.session
        opened = session.documents.now
        paths = session.draft_bibliographies() - opened.texts.keys()
        uris = {opened.uri(path): path for path in sorted(paths)}
        for uri in self._closed - uris.keys():
            self._closed.discard(uri)
            # To other clients, what is wrong with the open file is published next.
            if session.client.pulls_diagnostics or opened.path(uri) not in opened.texts:
                self._publish(uri, None, [])
        for uri, path in uris.items():
            found = await self._server.answer_unasked("diagnostics.closed_diagnostics", path)
            if found is None or path in session.documents.now.texts:
                continue
            if found:
                self._closed.add(uri)
            self._publish(uri, None, self._fitted(found))

    def _publish(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        if found == self._published.get(uri, []):
            return
        if found:
            self._published[uri] = found
        else:
            self._published.pop(uri, None)
        shown_version = version if self._server.session.client.diagnostic_versions else None
        params = types.PublishDiagnosticsParams(uri, found, shown_version)
        self._server.connection.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    async def _diagnostics_of(self, uri: str) -> list[types.Diagnostic] | None:
        """Return the diagnostics of the current text of a document, None if checking it failed."""
        documents = self._server.session.documents
        if (lines := documents.now.lines(uri)) is None:
            return []
        path = documents.now.path(uri)
        edited = documents.last_edits.get(path)
        work = "diagnostics.diagnostics"
        found = await self._server.answer_unasked(work, path, lines, edited)
        if (
            self._server.session.settings.editor.weak_support
            and self._judged.get(path) is not lines
        ):
            self._judged[path] = lines
            self._judge_soon(path, lines)
        return None if found is None else self._fitted(found)

    def _fitted(self, found: Iterable[types.Diagnostic]) -> list[types.Diagnostic]:
        """Return diagnostics without the properties that the client does not support."""
        client = self._server.session.client
        shown = {"related_information": client.related_information, "tags": client.diagnostic_tags}
        unknown: dict[str, Any] = {name: None for name, is_shown in shown.items() if not is_shown}
        return [evolve(item, **unknown) for item in found]

    # How well citations are supported is judged in the background, until the document is edited.

    def _judge_soon(self, path: Path, lines: Lines) -> None:
        work = partial(self._judge, path, lines)
        self._server.session.background.do(("judge", path), work)

    def _judge(self, path: Path, lines: Lines) -> None:
        """Judge a document's citations; other work in the background goes first."""
        session = self._server.session

        def is_outdated() -> bool:
            return session.stopped or self._judged.get(path) is not lines

        # Also after a cancellation: judgements made before it have not been published.
        has_changed = True
        try:
            with cancelled_by(lambda: is_outdated() or session.background.is_waited_for()):
                judge = function_of("diagnostics.judge_support")
                has_changed = judge(session.project(), path, lines)
        except CancelledError:
            if not is_outdated():
                self._judge_soon(path, lines)
                return
        self._server.on_loop(partial(self._end_judging, path, lines, has_changed))

    def _end_judging(self, path: Path, lines: Lines, has_changed: bool) -> None:
        if self._judged.get(path) is lines:
            del self._judged[path]
        if has_changed:
            self._ask("open")
