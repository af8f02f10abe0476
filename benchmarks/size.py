"""Print how many lines of Python there are, by package, beside their limits.

python -m benchmarks.size
"""

from pathlib import Path

from . import ROOT
from .shared import Given, measurement, table

LIMITS = {
    "server/pincite": 32_000,
    "server/pincite_evaluation": 11_000,
    "tests": 40_000,
    "benchmarks": 3_500,
}


def lines(path: Path) -> int:
    files = path.rglob("*.py") if path.is_dir() else [path]
    return sum(len(file.read_bytes().splitlines()) for file in files)


@measurement()
def main(_: Given) -> None:
    rows = []
    for name, limit in LIMITS.items():
        number = lines(ROOT / name)
        rows.append((name, f"{number:,}", f"{limit:,}", f"{number - limit:+,}"))
        if name == "server/pincite":
            parts = {path.name: lines(path) for path in (ROOT / name).iterdir()}
            largest = sorted(parts.items(), key=lambda part: -part[1])
            rows += [(f"– {part}", f"{number:,}", "", "") for part, number in largest if number]
    table(("", "lines", "limit", "beyond it"), rows)
