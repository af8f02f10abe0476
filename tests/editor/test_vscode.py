"""A new profile of VS Code gets from nothing but the extension to its first suggestion."""

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
DIST = HERE.parents[1] / "dist"
VSCODE = os.environ.get("PINCITE_VSCODE")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not VSCODE, reason="make test-vscode sets up the editor"),
]


def test_a_new_profile_installs_the_server_and_suggests(tmp_path):
    (vsix,) = DIST.glob("*.vsix")
    script = HERE / "vscode" / "first_run.mjs"
    command = ["node", str(script), str(VSCODE), str(vsix), str(tmp_path)]
    session = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert session.returncode == 0, f"{session.stdout}\nScreenshots: {tmp_path}"
    # What the first suggestions are depends on how far the papers are read by then.
    assert "suggested again" in session.stdout
