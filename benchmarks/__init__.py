"""Measurements of accuracy and speed: `python -m benchmarks.NAME --help`, from the checkout."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The protocol's client and the peers' second opinions are the tests' own.
sys.path.append(str(ROOT / "tests"))
