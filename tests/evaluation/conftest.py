import sys

import pytest

from pincite.cli import main
from pincite_evaluation import ranker_training


@pytest.fixture(name="trainer")
def _trainer(monkeypatch):
    try:
        import lightgbm  # noqa: F401
    except (ImportError, OSError) as error:
        pytest.skip(f"needs LightGBM to train ({error})")
    # As few lists as there are here still have something to split.
    monkeypatch.setitem(ranker_training.PARAMETERS, "min_data_in_leaf", 3)


@pytest.fixture(name="pincite")
def run_pincite(monkeypatch, capfd):
    """Run a command in this process; return its status and what it printed."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pincite", *map(str, arguments)])
        status = 0
        try:
            main()
        except SystemExit as done:
            status = done.code or 0
        printed = capfd.readouterr()
        assert "Traceback" not in printed.err
        assert "internal error" not in printed.err
        return status, printed

    return run
