"""What is wrong with the settings, found while the event loop goes on."""

from pathlib import Path
from types import SimpleNamespace

from pincite.lsp.configuration import Configuration
from pincite.lsp.documents import Documents
from pincite.lsp.session import Session
from pincite.lsp.wrong_settings import WrongSettingsReport
from pincite.settings import LibrarySettings, Settings


def test_paths_are_looked_for_in_the_background_and_once_more_after_a_change():
    shown, waiting = [], []
    client = SimpleNamespace(
        window_show_message=lambda params: shown.append(params.message),
    )
    session = Session(Documents())
    report = WrongSettingsReport(
        client, session, Configuration(), lambda work: work(), waiting.append
    )
    session.settings = Settings(library=LibrarySettings(folders=(Path("/gone/first"),)))
    report.refresh()
    session.settings = Settings(library=LibrarySettings(folders=(Path("/gone/second"),)))
    report.refresh()
    assert (shown, len(waiting)) == ([], 1)
    waiting.pop()()
    assert (shown, len(waiting)) == ([], 1)
    waiting.pop()()
    assert shown == ["Pincite: pincite.library.folders: /gone/second does not exist."]
    session.stop()
