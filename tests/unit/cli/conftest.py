"""The commands, run as an author or a script runs them."""

import json
import sys

import pytest

from pincite.cli import main


@pytest.fixture(name="run_json")
def run_json_command(monkeypatch, capfd):
    """Run a command; return its exit status, its JSON and what it reports."""

    def run(*arguments: str):
        monkeypatch.setattr(sys, "argv", ["pincite", *arguments, "--format", "json"])
        with pytest.raises(SystemExit) as done:
            main()
        out, err = capfd.readouterr()
        return done.value.code or 0, json.loads(out), err

    return run
