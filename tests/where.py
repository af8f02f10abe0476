"""The locations of the files that tests read."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
#: Data that lies beside the checkout, and is not everywhere.
SHARED = ROOT.parent / "shared"
