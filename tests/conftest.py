from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No test judges time: the machine may be busy.
settings.register_profile(
    "unhurried", settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
)
settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real papers and drafts beside the repository, where there is one."""
    folder = Path(__file__).resolve().parents[1].parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs the shared data beside the repository, which is not published with it")
    return folder


@pytest.fixture
def interruptible():
    """Let a test interrupt what it starts, even where SIGINT is ignored: a child inherits that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory):
    """Keep the tests out of the user's cache folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PINCITE_CACHE", str(tmp_path_factory.mktemp("cache")))
        # And away from the user's Zotero.
        patch.setenv("PINCITE_ZOTERO", str(tmp_path_factory.mktemp("no-zotero")))
        yield
