"""What is wrong with the settings, found while the event loop goes on."""

import asyncio
from pathlib import Path

from pincite.lsp import configuration
from pincite.lsp.server import Server
from pincite.settings import LibrarySettings, Settings


async def test_paths_are_checked_off_the_loop_and_once_more_after_a_change(monkeypatch):
    server, shown, asked = Server(), [], []
    goes_on = asyncio.Event()

    async def in_a_thread(work, settings):
        asked.append(settings)
        await goes_on.wait()
        return work(settings)

    monkeypatch.setattr(configuration.asyncio, "to_thread", in_a_thread)
    server.show_message = lambda message, _kind: shown.append(message)
    settings = server.settings.check
    for name in ("first", "second"):
        folder = Path("/gone") / name
        server.session.settings = Settings(library=LibrarySettings(folders=(folder,)))
        settings()
        await asyncio.sleep(0)
    assert (shown, len(asked)) == ([], 1)
    goes_on.set()
    while not shown:
        await asyncio.sleep(0)
    assert shown == ["pincite.library.folders: /gone/second does not exist."]
    assert len(asked) == 2
    server.session.stop()
