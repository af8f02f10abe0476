"""What the client shows beside answers: diagnostics, pulled or pushed, and the progress of work."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve
from lsprotocol import types

from ..cancellation import CancelledError, cancelled_by
from ..project.project import is_bibliography
from .documents import Lines, is_earlier
from .jsonrpc import RequestError
from .session import on_document

if TYPE_CHECKING:
    from ..project.open_draft import Progress
    from .client_files import ClientFiles
    from .language_server import PinciteServer

#: How often at most progress is reported.
STEPS = 50
#: How long the author must pause before anything is published.
_PAUSE_SECONDS = 0.3
#: Shorter work shows no progress: flicker at each change would only distract.
_DELAY_SECONDS = 0.4
_Report = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport


class Publisher:
    """Sends changed diagnostics to the client; used by the event loop only.

    No client asks for files that are not open: what is wrong with the drafts' bibliographies that
    are closed is published to all.
    """

    def __init__(self, server: PinciteServer, client_files: ClientFiles) -> None:
        self._server = server
        self._client_files = client_files
        self._published: dict[str, list[types.Diagnostic]] = {}
        #: The open documents whose citations are to be judged, by URI.
        self._unjudged: dict[str, Lines] = {}
        #: What is to be published after the pause: "open" documents, "closed" files.
        self._due: set[str] = set()
        self._publishing: asyncio.Task[None] | None = None

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

    def saved(self, path: Path) -> None:
        """Note that a document was saved: its text no longer counts as half typed."""
        if self._server.session.documents.last_edits.pop(path, None) is not None:
            self._ask("open")

    def papers_read(self) -> None:
        """Publish again once all papers have been read."""
        self._ask("closed")
        if self._server.session.settings.editor.weak_support:
            self._ask("open")

    def _ask(self, what: str) -> None:
        """Publish after a pause; earlier work that has not ended is begun anew then."""
        self._due.add(what)
        if self._publishing is not None:
            self._publishing.cancel()
        self._publishing = asyncio.get_running_loop().create_task(self._publish_due())

    async def _publish_due(self) -> None:
        await asyncio.sleep(_PAUSE_SECONDS)
        session = self._server.session
        now, pulls = session.documents.now, session.client.pulls_diagnostics
        opened = {} if pulls else {now.uri(path): path for path in now.texts}
        closed = {now.uri(p): p for p in sorted(session.draft_bibliographies() - now.texts.keys())}
        for uri in self._published.keys() - opened.keys() - closed.keys():
            self._publish(uri, None, [])
        for uri, path in closed.items() if "closed" in self._due else ():
            found = await self._server.answer_unasked("diagnostics.closed_diagnostics", path)
            if found is not None and path not in session.documents.now.texts:
                self._publish(uri, None, self._fitted(found))
        for uri, path in opened.items() if "open" in self._due else ():
            version = session.documents.now.version(path)
            found = await self._diagnostics_of(uri)
            # If the text has changed since, the next run publishes.
            is_same = version is not None and session.documents.now.version(path) == version
            if found is not None and is_same:
                self._publish(uri, version, found)
        if "open" in self._due and pulls and session.client.refreshes_diagnostics:
            self._server.connection.request(types.WORKSPACE_DIAGNOSTIC_REFRESH)
        self._due.clear()

    def _publish(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        if found == self._published.get(uri, []):
            return
        self._published[uri] = found
        if not found:
            del self._published[uri]
        shown_version = version if self._server.session.client.diagnostic_versions else None
        params = types.PublishDiagnosticsParams(uri, found, shown_version)
        self._server.connection.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    async def _diagnostics_of(self, uri: str) -> list[types.Diagnostic] | None:
        """Return the diagnostics of the current text of a document, None if checking it failed."""
        session = self._server.session
        documents = session.documents.now
        path = documents.path(uri)
        if (lines := documents.lines(uri)) is None or is_earlier(path):
            return []
        edited = session.documents.last_edits.get(path)
        work = on_document("diagnostics.diagnostics", path, lines, edited=edited)
        found = await self._server.answer_unasked(work)
        if session.settings.editor.weak_support:
            self._judge_soon(uri, lines)
        if documents.may_cite(path) and self._client_files.hide_problems(path):
            return None
        return None if found is None else self._fitted(found)

    def _fitted(self, found: list[types.Diagnostic]) -> list[types.Diagnostic]:
        """Return diagnostics without the properties that the client does not support."""
        client = self._server.session.client
        shown = {"related_information": client.related_information, "tags": client.diagnostic_tags}
        unknown: dict[str, Any] = {name: None for name, is_shown in shown.items() if not is_shown}
        return [evolve(item, **unknown) for item in found]

    # How well citations are supported is judged in the background, until the document is edited.

    def _judge_soon(self, uri: str, lines: Lines) -> None:
        self._unjudged[uri] = lines
        # One job for all documents: each would make way for the next, and none would get on.
        self._server.session.background.do("judge", self._judge)

    def _judge(self) -> None:
        """Judge the citations of documents; other work in the background goes first."""
        while self._unjudged:
            uri, lines = self._unjudged.popitem()
            if not self._is_judged(uri, lines):
                self._unjudged.setdefault(uri, lines)
                self._server.session.background.do("judge", self._judge)
                return

    def _is_judged(self, uri: str, lines: Lines) -> bool:
        """Judge the citations of a document; return whether there is nothing left to judge."""
        session = self._server.session
        path = session.documents.now.path(uri)
        judge = on_document("diagnostics.judge_support", path, lines)
        has_news = False

        def is_outdated() -> bool:
            return session.stopped or session.documents.now.lines(uri) is not lines

        try:
            with cancelled_by(lambda: is_outdated() or session.background.is_waited_for()):
                for is_weak in judge(session.project()):
                    has_news = has_news or is_weak
        except CancelledError:
            return is_outdated()
        finally:
            # Also of judgements before a cancellation: the next run will not find them new.
            if has_news:
                self._server.on_loop(partial(self._ask, "open"))
        return True


class RequestProgress:
    """Reports the progress of one request for its token from any thread; silent without one."""

    def __init__(self, server: PinciteServer, token: int | str | None, title: str) -> None:
        self._server, self._token, self._title = server, token, title
        self._step = 0

    def __call__(self, done: int, total: int) -> None:
        """Report how much is done."""
        step = STEPS * done // max(total, 1)
        if step != self._step:
            self._step = step
            report = types.WorkDoneProgressReport(percentage=100 * step // STEPS)
            self._server.on_loop(lambda: self._server.show_progress(self._token, report))

    def __enter__(self) -> RequestProgress:
        begun = types.WorkDoneProgressBegin(self._title, percentage=0)
        self._server.show_progress(self._token, begun)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.show_progress(self._token, types.WorkDoneProgressEnd())
        # What a cancelled request reports late is left out.
        self._token = None


class IndexProgress:
    """Shows how many papers have been read, if the client can; used by the event loop only."""

    def __init__(self, server: PinciteServer) -> None:
        self._server = server
        self._known: dict[str, Any] = {}
        self._beginning: asyncio.Task[None] | None = None
        #: Once the client has accepted it.
        self._token: str | None = None

    def report(self, draft: str, progress: Progress) -> None:
        """Report how many of a draft's papers are read; that it has ended ends the report."""
        if not self._server.session.client.shows_progress:
            return
        if progress.ended:
            if self._beginning is not None:
                self._beginning.cancel()
                self._server.show_progress(self._token, types.WorkDoneProgressEnd())
                self._beginning = self._token = None
            return
        message = f"{draft}, {progress.read} of {progress.papers}"
        self._known = {"message": message, "percentage": int(progress.done * 100)}
        if self._beginning is not None:
            report = types.WorkDoneProgressReport(**self._known)
            self._server.show_progress(self._token, report)
        elif progress.papers:
            self._beginning = asyncio.get_running_loop().create_task(self._begin())

    def cancel(self, params: types.WorkDoneProgressCancelParams) -> None:
        """Read no more papers, if the author cancels their progress."""
        if params.token == self._token:
            self._server.session.shared.builder.stop_reading()

    async def _begin(self) -> None:
        await asyncio.sleep(_DELAY_SECONDS)
        token, title = f"pincite-{uuid.uuid4()}", "Pincite: reading papers"
        params = types.WorkDoneProgressCreateParams(token)
        with suppress(RequestError):
            await self._server.connection.request(types.WINDOW_WORK_DONE_PROGRESS_CREATE, params)
            self._token = token
            begun = types.WorkDoneProgressBegin(title, cancellable=True, **self._known)
            self._server.show_progress(token, begun)
