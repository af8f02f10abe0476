"""The commands, run as an author or a script runs them."""

import json
import os
import subprocess
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


@pytest.fixture(name="process")
def command_in_a_process():
    """Run a command in a process of its own, by default as a module; return what it has done."""

    def process(*arguments: str, program=("-m", "pincite"), **environment: str):
        return subprocess.run(
            [sys.executable, *program, *map(str, arguments)],
            env={**os.environ, **environment},
            capture_output=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            check=False,
        )

    return process


#: Runs a command of ours, and reports what it does with sockets.
AUDITED = """
import sys

def report(event, arguments):
    if event.startswith("socket."):
        print(event, *(e for e in arguments if isinstance(e, (str, int, tuple))), file=sys.stderr)

sys.addaudithook(report)
sys.argv[0] = "pincite"
from pincite.cli.app import main
main()
"""


@pytest.fixture(name="sockets")
def audited_command(process):
    """Run a command without a terminal; return what it does with sockets, and its exit status."""

    def sockets(*arguments: str):
        done = process(*arguments, program=("-c", AUDITED))
        used = [line for line in done.stderr.splitlines() if line.startswith("socket.")]
        return used, done.returncode

    return sockets


@pytest.fixture(name="project")
def draft_of_module(request, tmp_path, monkeypatch):
    """Write the DRAFT and the BIB of the module into a folder, which is then the current one."""
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "draft"
    folder.mkdir()
    (folder / "main.tex").write_text(request.module.DRAFT)
    (folder / "refs.bib").write_text(request.module.BIB)
    monkeypatch.chdir(folder)
    return folder
