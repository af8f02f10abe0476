"""The notebook of the examples runs, and what it shows is what it gives."""

import json
import os
import subprocess
import sys

import pytest

from where import EXAMPLES, ROOT


def _shown(notebook):
    """Return the outputs of all cells; of pictures, only that there are some."""
    return [
        [
            "".join(each.get("text", each.get("data", {}).get("text/plain", ["a picture"])))
            for each in cell["outputs"]
        ]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def test_the_notebook_gives_what_it_shows():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    path = EXAMPLES / "pincite.ipynb"
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "notebooks.py", path],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stderr
    given = _shown(json.loads(done.stdout))
    assert given == _shown(json.loads(path.read_text("utf-8")))
    assert ["a picture"] in given
