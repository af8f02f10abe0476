"""Keep diagnostics up to date: ask clients that pull them to refresh, publish to all others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve
from lsprotocol import types

from ..cancellation import CancelledError, cancelled_by
from ..project.project import is_bibliography
from .documents import Lines

if TYPE_CHECKING:
    from ..project.progress import Progress
    from .language_server import PinciteServer
    from .session import Project

#: How long the author must pause before anything is published.
_PAUSE_SECONDS = 0.3

#: Computes the diagnostics of a file that is not open.
DiagnoseClosed = Callable[["Project", Path], list[types.Diagnostic]]
Diagnose = Callable[["Project", Path, Lines, "int | None"], list[types.Diagnostic]]
#: Makes the slow judgements that `Diagnose` does not wait for; returns whether any is new.
Judge = Callable[["Project", Path, Lines], bool]


class _Soon:
    """Does some work once it has not been asked for again during a pause."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._work = work
        self._timer: asyncio.TimerHandle | None = None
        self._running: asyncio.Task[None] | None = None

    def ask(self) -> None:
        """Do the work after a pause; earlier work that has not ended by then is cancelled."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_PAUSE_SECONDS, self._begin)

    def _begin(self) -> None:
        if self._running is not None:
            self._running.cancel()
        self._running = asyncio.get_running_loop().create_task(self._work())


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
        self._publishing_closed = _Soon(self._publish_closed)
        self._diagnose = diagnose
        self._judge = judge
        self._announcing = _Soon(self._announce)
        self._published: dict[str, list[types.Diagnostic]] = {}
        self._judged: dict[Path, Lines] = {}

    async def diagnostics_of(self, uri: str) -> list[types.Diagnostic] | None:
        """Return the diagnostics of the current text of a document, None if checking it failed."""
        documents = self._server.session.documents
        if (lines := documents.now.lines(uri)) is None:
            return []
        path = documents.now.path(uri)
        edited = documents.last_edits.get(path)
        found = await self._server.answer_unasked(self._diagnose, path, lines, edited)
        self._begin_to_judge(path, lines)
        return None if found is None else self._fitted(found)

    def _fitted(self, found: Iterable[types.Diagnostic]) -> list[types.Diagnostic]:
        """Return diagnostics without the properties that the client does not support."""
        client = self._server.session.client
        return [
            evolve(
                item,
                related_information=item.related_information
                if client.related_information
                else None,
                tags=item.tags if client.diagnostic_tags else None,
            )
            for item in found
        ]

    def changed(self, uri: str | None) -> None:
        """Note that a document has changed; with None, that something else has."""
        # A client that pulls does so for the edited document by itself, and other changes are
        # announced at once. But an edit of a bibliography affects other documents, and an edit of
        # a draft affects bibliographies that show unused entries.
        session = self._server.session
        path = session.documents.now.path(uri) if uri is not None else None
        affects_others = session.settings.editor.unused_entries or (path and is_bibliography(path))
        if not session.client.pulls_diagnostics or (path is not None and affects_others):
            self._announcing.ask()
        if path is None or path not in session.documents.now.texts or is_bibliography(path):
            self._publishing_closed.ask()

    def saved(self, uri: str) -> None:
        """Note that a document was saved: its text is no longer taken for half typed."""
        documents = self._server.session.documents
        if documents.last_edits.pop(documents.now.path(uri), None) is not None:
            self._announcing.ask()

    async def _announce(self) -> None:
        client = self._server.session.client
        if not client.pulls_diagnostics:
            await self._publish_all()
        elif client.refreshes_diagnostics:
            self._server.workspace_diagnostic_refresh(None)

    async def _publish_closed(self) -> None:
        """Publish what is wrong with the drafts' bibliographies that are not open."""
        # No client asks for files that are not open: they are published to all.
        session = self._server.session
        opened = session.documents.now
        paths = session.draft_bibliographies() - opened.texts.keys()
        uris = {opened.uri(path): path for path in sorted(paths)}
        for uri in self._closed - uris.keys():
            self._closed.discard(uri)
            # A client that is published to has just been told of a file that is open.
            if session.client.pulls_diagnostics or opened.path(uri) not in opened.texts:
                self._publish(uri, None, [])
        for uri, path in uris.items():
            found = await self._server.answer_unasked(self._diagnose_closed, path)
            if found is None or path in session.documents.now.texts:
                continue
            if found:
                self._closed.add(uri)
            self._publish(uri, None, self._fitted(found))

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
        """Judge a document's citations in the background; an edit of the document ends this."""
        session = self._server.session
        if session.settings.editor.weak_support and self._judged.get(path) is not lines:
            self._judged[path] = lines
            session.background.do(("judge", path), partial(self._judge_all, path, lines))

    def _judge_all(self, path: Path, lines: Lines) -> None:
        """Judge a document's citations; other work in the background goes first."""
        session = self._server.session

        def is_outdated() -> bool:
            return session.stopped or self._judged.get(path) is not lines

        # Also after a cancellation: judgements made before it have not been announced.
        has_changed = True
        try:
            with cancelled_by(lambda: is_outdated() or session.background.is_waited_for()):
                has_changed = self._judge(session.project(), path, lines)
        except CancelledError:
            if not is_outdated():
                again = partial(self._judge_all, path, lines)
                session.background.do(("judge", path), again)
                return
        self._server.on_loop(partial(self._end_judging, path, lines, has_changed))

    def _end_judging(self, path: Path, lines: Lines, has_changed: bool) -> None:
        if self._judged.get(path) is lines:
            del self._judged[path]
        if has_changed:
            self._announcing.ask()

    def papers_read(self, _draft: str, progress: Progress) -> None:
        """Announce diagnostics again once all papers have been read."""
        if progress.ended:
            self._publishing_closed.ask()
            if self._server.session.settings.editor.weak_support:
                self._announcing.ask()

    def _publish(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        if found == self._published.get(uri, []):
            return
        if found:
            self._published[uri] = found
        else:
            self._published.pop(uri, None)
        shown_version = version if self._server.session.client.diagnostic_versions else None
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, found, shown_version)
        )
