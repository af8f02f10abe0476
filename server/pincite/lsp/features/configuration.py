"""``workspace/didChangeConfiguration``, and requests for the client's configuration."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lsprotocol import types

from ..configuration import SECTION, Source
from ..wrong_settings import WrongSettingsReport

if TYPE_CHECKING:
    from ..language_server import PinciteServer

logger = logging.getLogger(__name__)


def register(server: PinciteServer) -> None:
    """Follow ``workspace/didChangeConfiguration``, and report settings that cannot be used."""
    report = WrongSettingsReport(server)
    server.check_settings = report.refresh
    server.when_changed.append(lambda uri: report.refresh() if uri is None else None)
    server.when_read.append(report.papers_read)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(
        ls: PinciteServer, params: types.DidChangeConfigurationParams
    ) -> None:
        # Editors also send the settings of other servers: only our section matters.
        if isinstance(params.settings, Mapping) and SECTION in params.settings:
            configure(ls, "pushed", params.settings)
        await ask(ls)


def configure(ls: PinciteServer, source: Source, options: object) -> None:
    """Apply options of the client; each problem with them is reported once."""
    settings, problems = ls.configuration.take(source, options, ls.session.documents.now.home)
    if not ls.session.client.shows_wrong_settings and (
        wrong := "; ".join(problem.message for problem in problems if not problem.unknown)
    ):
        message = f"Pincite: {wrong}. Defaults are used instead."
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))
    for problem in problems:
        if problem.unknown:
            logger.warning("%s", problem.message)
    if settings != ls.session.settings:
        ls.session.settings = settings
        if source != "initialize":
            ls.watching.follow()
            ls.report_change()
    if source != "initialize":
        ls.check_settings()


async def ask(ls: PinciteServer) -> None:
    """Ask the client for our section of its configuration, if it supports that."""
    if not ls.session.client.returns_configuration:
        return
    params = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
    try:
        answers = await ls.workspace_configuration_async(params)
    except Exception as error:
        logger.info("the client did not return its configuration: %s", error)
        return
    configure(ls, "asked", answers[0] if isinstance(answers, list | tuple) and answers else None)


async def follow(ls: PinciteServer) -> None:
    """Start following the client's configuration, once it is initialized."""
    if ls.session.client.follows_configuration:
        # Some clients report changes only on registration.
        options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        registration = types.Registration("pincite-settings", method, options)
        ls.client_register_capability(types.RegistrationParams([registration]))
    await ask(ls)
    ls.check_settings()
