"""The commands, run as an author or a script runs them."""

import json
import sys

import pytest

from pincite.cli import main


@pytest.fixture(name="run")
def run_command(monkeypatch, capfd):
    """Run a command; return its exit status, stdout and stderr."""

    def run(*arguments: str):
        monkeypatch.setattr(sys, "argv", ["pincite", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            main()
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return done.value.code or 0, out, err

    return run


@pytest.fixture(name="run_json")
def run_json_command(run):
    """Run a command; return its exit status, its JSON and stderr."""

    def run_json(*arguments: str):
        status, out, err = run(*arguments, "--format", "json")
        return status, json.loads(out), err

    return run_json
