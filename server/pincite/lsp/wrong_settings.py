"""Tells the client which settings cannot be used, and when that is mended."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from . import wire
from .configuration import SettingProblem, missing_paths, wrong_value

if TYPE_CHECKING:
    from ..project.progress import Progress
    from .language_server import PinciteServer


class WrongSettingsReport:
    """Reports what is wrong with the settings whenever that changes; for the event loop only.

    Besides values that are not allowed these are paths that do not exist, and a system that cannot
    be had, which is known once papers are read. Clients that do not show the list itself get a
    message for each problem that is new.
    """

    def __init__(self, server: PinciteServer) -> None:
        self._server = server
        #: Whether paths are being checked, and must be checked again.
        self._checking = self._outdated = False
        self._missing: tuple[SettingProblem, ...] = ()
        self._of_matcher: tuple[SettingProblem, ...] = ()
        self._reported: tuple[SettingProblem, ...] = ()

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

    def refresh(self) -> None:
        """Check the settings; report what is wrong once that is known, if it has changed."""
        self._outdated = True
        if not self._checking:
            self._server.start(self._check_paths())

    async def _check_paths(self) -> None:
        """Check the paths off the event loop: a folder may be slow to answer."""
        self._checking = True
        while self._outdated:
            self._outdated = False
            settings = self._server.session.settings
            self._missing = tuple(await asyncio.to_thread(missing_paths, settings))
        self._checking = False
        self._report()

    def _report(self) -> None:
        invalid = (p for p in self._server.configuration.problems if p.setting)
        others = (*self._missing, *self._of_matcher)
        now = tuple(dict.fromkeys((*invalid, *others)))
        before, self._reported = self._reported, now
        if now == before:
            return
        if self._server.session.client.shows_wrong_settings:
            shown = tuple(wire.WrongSetting(p.setting, p.value, p.wrong) for p in now)
            self._server.protocol.notify(
                wire.WRONG_SETTINGS, wire.written(wire.WrongSettings(shown))
            )
            return
        # Values that are not allowed are reported where they are read.
        for problem in dict.fromkeys(others):
            if problem not in before:
                message = f"Pincite: {problem.message}."
                self._server.window_show_message(
                    types.ShowMessageParams(types.MessageType.Warning, message)
                )
