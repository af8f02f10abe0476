"""Follow the client's settings, and report which are invalid and when they are fixed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lsprotocol import types

from .configuration import (
    SECTION,
    Configuration,
    SettingProblem,
    Source,
    missing_paths,
    wrong_value,
)
from .jsonrpc import RequestError

if TYPE_CHECKING:
    from ..project.open_draft import Progress
    from .language_server import PinciteServer
    from .watching import Watching

logger = logging.getLogger(__name__)


class ClientSettings:
    """The settings as the client sends them; used by the event loop only.

    Besides values that are not allowed it reports paths that do not exist, and a system that cannot
    be had, which is known once papers are read. Clients that do not show the list itself get a
    message for each problem that is new.
    """

    def __init__(self, server: PinciteServer, watching: Watching) -> None:
        self._server = server
        self._watching = watching
        self._configuration = Configuration()
        #: Whether paths are being checked, and must be checked again.
        self._checking = self._outdated = False
        self._missing: tuple[SettingProblem, ...] = ()
        self._of_matcher: tuple[SettingProblem, ...] = ()
        self._reported: tuple[SettingProblem, ...] = ()

    async def begin(self) -> None:
        """Start following the client's configuration, once it is initialized."""
        if self._server.session.client.follows_configuration:
            # Some clients report changes only on registration.
            options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
            method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
            self._server.follow("pincite-settings", method, options)
        await self._ask()
        self.check()

    async def changed(self, params: types.DidChangeConfigurationParams) -> None:
        """Take what the client pushes, and ask it for what it has."""
        # Editors also send the settings of other servers: only our section matters.
        if isinstance(params.settings, Mapping) and SECTION in params.settings:
            self.configure("pushed", params.settings)
        await self._ask()

    async def _ask(self) -> None:
        if not self._server.session.client.returns_configuration:
            return
        params = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
        try:
            answers = await self._server.connection.request(types.WORKSPACE_CONFIGURATION, params)
        except RequestError as error:
            logger.info("the client did not return its configuration: %s", error)
            return
        self.configure("asked", answers[0] if isinstance(answers, list) and answers else None)

    def configure(self, source: Source, options: object) -> None:
        """Apply options of the client; each problem with them is reported once."""
        session = self._server.session
        home = session.documents.now.home
        settings, problems = self._configuration.take(source, options, home)
        wrong = "; ".join(problem.message for problem in problems if not problem.unknown)
        if wrong and not session.client.shows_wrong_settings:
            message = f"{wrong}. Defaults are used instead."
            self._server.show_message(message, types.MessageType.Warning)
        for problem in problems:
            if problem.unknown:
                logger.warning("%s", problem.message)
        if settings != session.settings:
            session.settings = settings
            if source != "initialize":
                self._watching.follow()
                self._server.report_change()
        if source != "initialize":
            self.check()

    # What cannot be used

    def papers_read(self, _draft: str, progress: Progress) -> None:
        """Check for a system that cannot be had once all papers are read."""
        if progress.ended:
            self._server.start(self._check_matcher())

    async def _check_matcher(self) -> None:
        problems = await asyncio.to_thread(self._server.session.matcher_problems)
        self._of_matcher = tuple(
            wrong_value(setting, value, f"cannot be used: {reason}")
            for setting, value, reason in problems
        )
        if not self._checking:
            self._report()

    def check(self, uri: str | None = None) -> None:
        """Check the settings, unless only the document with a URI has changed; report the rest."""
        self._outdated = self._outdated or uri is None
        if self._outdated and not self._checking:
            self._checking = True
            self._server.start(self._check_paths())

    async def _check_paths(self) -> None:
        """Check the paths off the event loop: a folder may be slow to answer."""
        while self._outdated:
            self._outdated = False
            settings = self._server.session.settings
            self._missing = tuple(await asyncio.to_thread(missing_paths, settings))
        self._checking = False
        self._report()

    def _report(self) -> None:
        """Report what is wrong, if that has changed."""
        invalid = (p for p in self._configuration.problems if p.setting)
        others = (*self._missing, *self._of_matcher)
        before, self._reported = self._reported, tuple(dict.fromkeys((*invalid, *others)))
        if self._reported == before:
            return
        if self._server.session.client.shows_wrong_settings:
            shown = [
                {"setting": p.setting, "value": p.value, "problem": p.wrong} for p in self._reported
            ]
            self._server.connection.notify("pincite/wrongSettings", {"settings": shown})
            return
        # Values that are not allowed are reported where they are read.
        for problem in dict.fromkeys(others):
            if problem not in before:
                self._server.show_message(f"{problem.message}.", types.MessageType.Warning)
