"""The benchmark of speed: each budget is measured, on a little invented material."""

import subprocess
import sys

import pytest
from benchmarks.speed.__main__ import BUDGETS

from where import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's /proc"),
]


def test_every_budget_is_measured_beside_its_peers(tmp_path):
    command = [sys.executable, "-m", "benchmarks.speed", "--quick", "--output", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "all material is invented" in done.stdout
    rows = [line.split("|")[1:-1] for line in done.stdout.splitlines() if line.startswith("| ")]
    assert {name.strip(): met.strip(" *") in ("met", "not met") for name, *_, met in rows[1:]} == (
        dict.fromkeys(BUDGETS, True)
    )
    for peer in ("scikit-learn: ", "vectors fitted: ", "a loop over sentences: ", "bibtexparser "):
        assert peer in done.stdout
