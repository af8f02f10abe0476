"""Rows of measurements with budgets and peers, as JSON and as Markdown tables."""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from typing import Any


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that `percent` of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement with all its values.

    `budget` gives the most that its "median", "p99" or "worst" may be, or its "ratio" to the
    median of what was measured `beside` it in the same run. `cpu` and `beside_cpu` are processor
    time of one run, all threads together. Without values the row says in its `note` why.
    """

    group: str
    name: str
    unit: str
    values: Sequence[float] = ()
    budget: Mapping[str, float] = field(default_factory=dict)
    beside: str = ""
    beside_values: Sequence[float] = ()
    cpu: float | None = None
    note: str = ""
    beside_cpu: float | None = None

    @property
    def figures(self) -> dict[str, float]:
        """The median, p99 and worst of the values, and the ratio to the peer."""
        if not self.values:
            return {}
        figures = {
            "median": statistics.median(self.values),
            "p99": percentile(self.values, 99),
            "worst": max(self.values),
        }
        if self.beside_values and (beside := statistics.median(self.beside_values)) > 0.0:
            figures["ratio"] = figures["median"] / beside
        return figures

    @property
    def met(self) -> bool | None:
        """Whether the budget is met; None without a budget or values."""
        figures = self.figures
        if not self.budget or not self.budget.keys() <= figures.keys():
            return None
        return all(figures[name] <= most for name, most in self.budget.items())

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "figures": self.figures, "met": self.met}


def machine() -> dict[str, Any]:
    """Return the properties of the machine that figures depend on."""
    packages = "pygls lsprotocol numpy scipy scikit-learn bibtexparser bm25s maxsim-cpu".split()
    return {
        "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "processor": _processor(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "packages": {name: found for name in packages if (found := _version(name))},
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def markdown(rows: Iterable[Row], about: Mapping[str, Any], notes: Sequence[str] = ()) -> str:
    """Return tables, one for each group of rows, in their order."""
    parts = [
        f"Python {about['python']}, {about['processors']} processors ({about['processor']}), "
        f"load {about['load'] or 0.0:.1f} at the start. Times are wall-clock, cpu is processor "
        "time of all threads; p99 of fewer than 100 runs is their worst.",
        *notes,
    ]
    for group, some in groupby(rows, key=lambda row: row.group):
        lines = [
            f"### {group}",
            "",
            "| | budget | median | p99 | runs | cpu | beside it | ratio | met |",
            "|---|---|---:|---:|---:|---:|---|---:|---|",
            *map(_line, some),
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _line(row: Row) -> str:
    figures, unit = row.figures, row.unit
    beside = row.beside
    if row.beside_values:
        beside += f": {number(statistics.median(row.beside_values))} {unit}"
    if row.beside_cpu is not None:
        beside += f", cpu {number(row.beside_cpu)} {unit}"
    cells = [
        f"{row.name} ({row.note})" if row.note else row.name,
        ", ".join(_limit(name, most, unit) for name, most in row.budget.items()),
        *(f"{number(figures[name])} {unit}" if figures else "–" for name in ("median", "p99")),
        str(len(row.values)),
        f"{number(row.cpu)} {unit}" if row.cpu is not None else "",
        beside,
        f"{figures['ratio']:.2f}" if "ratio" in figures else "",
        {True: "yes", False: "**no**", None: "–" if row.budget else ""}[row.met],
    ]
    return f"| {' | '.join(cell.strip().replace('|', '/') for cell in cells)} |"


def _limit(name: str, most: float, unit: str) -> str:
    return f"{name} ≤ {most:g}" + (f" {unit}" if name != "ratio" else "")


def number(value: float) -> str:
    """Format a number with three significant digits."""
    if value == 0.0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def write(
    folder: Path,
    rows: Sequence[Row],
    about: Mapping[str, Any],
    notes: Sequence[str],
    scale: str = "",
    curves: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Write `speed.json` and `speed.md` into a folder; return the latter."""
    folder.mkdir(parents=True, exist_ok=True)
    shown = "\n".join(filter(None, (markdown(rows, about, notes), scale)))
    data = {
        "machine": about,
        "notes": notes,
        "rows": [row.as_json() for row in rows],
        "scale": curves,
    }
    (folder / "speed.json").write_text(json.dumps(data, indent=1, ensure_ascii=False), "utf-8")
    (folder / "speed.md").write_text(shown, "utf-8")
    return shown
