"""Tells the client which settings cannot be used, and when that is mended."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from . import wire
from .configuration import Configuration, SettingProblem, missing_paths, wrong_value

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

    from ..project.indexes import Reading
    from .session import Session


class WrongSettingsReport:
    """Tells what is wrong with the settings whenever that changes; used by the event loop only.

    Besides values that are not allowed these are paths that do not exist, and a system that cannot
    be had, which is known once papers are read. Clients that do not show the list itself get a
    message for each problem that is new.
    """

    def __init__(
        self,
        client: LanguageServer,
        session: Session,
        configuration: Configuration,
        on_loop: Callable[[Callable[[], None]], None],
        in_background: Callable[[Callable[[], None]], object],
    ) -> None:
        """Tell `client`; `on_loop` and `in_background` run work on the event loop and off it."""
        self._client = client
        self._session = session
        self._configuration = configuration
        self._on_loop = on_loop
        self._in_background = in_background
        #: Whether paths are being looked for, and must be looked for again.
        self._looking = self._outdated = False
        self._missing: tuple[SettingProblem, ...] = ()
        self._of_matcher: tuple[SettingProblem, ...] = ()
        self._told: tuple[SettingProblem, ...] = ()

    def papers_read(self, _draft: str, reading: Reading) -> None:
        """Look for a system that cannot be had once all papers are read."""

        def look() -> None:
            problems = tuple(
                wrong_value(setting, value, f"cannot be used: {reason}")
                for setting, value, reason in self._session.matcher_problems()
            )
            self._on_loop(partial(self._take, problems))

        if reading.ended:
            self._do_in_background(look)

    def refresh(self) -> None:
        """Look for what is wrong now; tell the client once that is known, if it has changed."""
        self._outdated = True
        if not self._looking:
            self._look()

    def _look(self) -> None:
        """Look for the paths off the event loop: a folder may be slow to answer."""
        self._looking, self._outdated = True, False
        settings = self._session.settings

        def look() -> None:
            missing = tuple(missing_paths(settings))
            self._on_loop(partial(self._found, missing))

        self._do_in_background(look)

    def _do_in_background(self, work: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the server ends
            self._in_background(work)

    def _found(self, missing: tuple[SettingProblem, ...]) -> None:
        self._looking, self._missing = False, missing
        if self._outdated:
            self._look()
        else:
            self._tell()

    def _tell(self) -> None:
        invalid = (p for p in self._configuration.problems if p.setting)
        others = (*self._missing, *self._of_matcher)
        now = tuple(dict.fromkeys((*invalid, *others)))
        before, self._told = self._told, now
        if now == before:
            return
        if self._session.client.shows_wrong_settings:
            shown = tuple(wire.WrongSetting(p.setting, p.value, p.wrong) for p in now)
            self._client.protocol.notify(
                wire.WRONG_SETTINGS, wire.written(wire.WrongSettings(shown))
            )
            return
        # Values that are not allowed are told where they are read.
        for problem in dict.fromkeys(others):
            if problem not in before:
                message = f"Pincite: {problem.message}."
                self._client.window_show_message(
                    types.ShowMessageParams(types.MessageType.Warning, message)
                )

    def _take(self, problems: tuple[SettingProblem, ...]) -> None:
        self._of_matcher = problems
        if not self._looking:
            self._tell()
