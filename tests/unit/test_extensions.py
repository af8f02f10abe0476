"""The research package is found by entry points, and missed politely."""

import json
import subprocess
import sys
import zipfile
from importlib import util

import pytest

from where import ROOT

# As in the VS Code extension's environment, whose wheel registers the package and lacks it.
WITHOUT_RESEARCH = """
import sys

class Missing:
    def find_spec(name, path=None, target=None):
        if name == "pincite_evaluation":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing)
import pincite.cli
pincite.cli.main()
"""


def _run(*arguments):
    command = [sys.executable, "-c", WITHOUT_RESEARCH, *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8")


@pytest.mark.parametrize("command", ["evaluate", "train", "vectors"])
def test_a_research_command_reports_what_to_install(command):
    done = _run(command, "--help")
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"pincite: pincite {command} needs the package pincite_evaluation"
    )
    assert "pip install pincite" in done.stderr


def test_a_research_matcher_reports_what_to_install():
    done = _run("evidence", str(ROOT / "examples" / "survey.tex"), "--system", "citret")
    assert done.returncode == 2
    assert "the system citret needs the package pincite_evaluation" in done.stderr


def test_authors_need_no_research():
    done = _run("evidence", str(ROOT / "examples" / "survey.tex"), "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["citations"]


def test_help_lists_what_is_there():
    assert "evaluate" not in _run("--help").stdout
    done = subprocess.run(
        [sys.executable, "-m", "pincite", "--help"], capture_output=True, encoding="utf-8"
    )
    assert "evaluate" in done.stdout


def test_the_wheel_for_editors_leaves_research_out(tmp_path):
    script = ROOT / "client-vscode" / "server_wheel.py"
    if not script.exists():
        pytest.skip("client-vscode is not here")
    spec = util.spec_from_file_location("server_wheel", script)
    server_wheel = util.module_from_spec(spec)
    spec.loader.exec_module(server_wheel)
    names = ["pincite/__init__.py", "pincite_evaluation/__init__.py", "p-1.dist-info/RECORD"]
    (tmp_path / "to").mkdir()
    with zipfile.ZipFile(tmp_path / "p-1.whl", "w") as wheel:
        for name in names[:2]:
            wheel.writestr(name, f"# {name}")
        wheel.writestr(names[2], "".join(f"{name},,\n" for name in names))
    with zipfile.ZipFile(
        server_wheel.copy_for_editors(tmp_path / "p-1.whl", tmp_path / "to")
    ) as it:
        assert it.namelist() == [names[0], names[2]]
        assert it.read(names[2]).decode() == f"{names[0]},,\n{names[2]},,\n"
