"""Measure time and memory of each stage, from a thousand entries to a million.

Each size is measured in a process of its own, as a server would work: a `Session` and the functions
behind its requests, without the protocol.
"""

from __future__ import annotations

import math
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .own_process import Clock, Outcome, resident, run
from .plan import Plan, say
from .report import number

SIZES = (1_000, 5_000, 20_000, 50_000, 200_000, 1_000_000)
#: How long one size may take, cold and warm together.
_MOST_SECONDS = 150.0
ABOVE_IMPORTS = "memory above imports"
MEASURES = ("cpu", "seconds", ABOVE_IMPORTS)
_ONCE_FROM = 200_000
#: Of the memory that is free.
_MEMORY_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Curve:
    """One stage by number of entries: seconds, processor seconds, and memory (MB) after it."""

    stage: str
    points: Mapping[int, Mapping[str, float]]

    def exponent(self, what: str) -> float | None:
        """Return the slope of the fit through the logarithms, None for fewer than two sizes."""
        return _slope([(n, point[what]) for n, point in self.points.items()])

    def last_exponent(self, what: str) -> float | None:
        """Return the slope between the last two sizes, which differs where a stage bends."""
        return _slope([(n, point[what]) for n, point in self.points.items()][-2:])

    def as_json(self) -> dict[str, Any]:
        return {
            "stage": self.stage,
            "points": dict(self.points),
            "exponents": {what: self.exponent(what) for what in MEASURES},
            "last_exponents": {what: self.last_exponent(what) for what in MEASURES},
        }


def _slope(points: Sequence[tuple[int, float]]) -> float | None:
    """Return the exponent of a power law through points, by least squares of logarithms."""
    logarithms = [(math.log(x), math.log(y)) for x, y in points if y > 0.0]
    if len(logarithms) < 2:
        return None
    xs, ys = zip(*logarithms, strict=True)
    return statistics.linear_regression(xs, ys).slope


def measure(plan: Plan) -> tuple[list[Curve], list[str]]:
    """Return a curve for each stage, and what could not be measured."""
    found: dict[str, dict[int, dict[str, float]]] = {}
    notes = []
    for size in (100, 400) if plan.quick else SIZES:
        say(f"{size:,} entries")
        project = plan.material.project(f"scale-{size}", plan.material.bibliography_of(size))
        with tempfile.TemporaryDirectory() as cache:
            for state in ("cold", "warm"):
                seconds = min(_MOST_SECONDS, plan.left())
                outcome = _run(project, state, size, Path(cache), max(seconds, 1.0))
                for each in outcome.found:
                    found.setdefault(each.pop("stage"), {})[size] = each
                if outcome.error:
                    notes.append(f"{size:,} entries, {state}: {outcome.error}.")
                    break
    return [Curve(stage, points) for stage, points in found.items()], notes


def _run(project: Path, state: str, size: int, cache: Path, seconds: float) -> Outcome:
    arguments = {"project": str(project.absolute()), "state": state, "few": size >= _ONCE_FROM}
    return run(
        "scale",
        "stages",
        arguments,
        seconds=seconds,
        memory=_memory(),
        environment={"PINCITE_CACHE": str(cache)},
    )


def _memory() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    return int(free * 1024 * _MEMORY_SHARE)


def stages(project: str, state: str, few: bool) -> Iterator[dict[str, Any]]:
    """Yield what each stage takes; runs in a process of its own.

    A second process, with what the first has left on disk, is `warm`.
    """
    import numpy as np  # noqa: F401 - loaded before anything is measured

    from pincite.lsp.documents import Documents, Lines
    from pincite.lsp.features.completion import complete
    from pincite.lsp.session import Session

    folder = Path(project)
    draft, bibliography = folder / "main.tex", folder / "refs.bib"
    documents = Documents()
    session = Session(documents)
    session.folders = (folder,)
    base = resident()

    def stage(name: str, work: Callable[[], object], runs: int = 1) -> dict[str, Any]:
        before, taken = resident(), []
        for _ in range(runs):
            clock = Clock()
            work()
            taken.append(clock.read())
        return {
            "stage": name,
            "runs": runs,
            "seconds": statistics.median(each["seconds"] for each in taken),
            "cpu": statistics.median(each["cpu"] for each in taken),
            "worst": max(each["seconds"] for each in taken),
            "memory": resident(),
            "grown": resident() - before,
            ABOVE_IMPORTS: resident() - base,
            "most": resident("self", "VmHWM"),
        }

    def list_at(line: int, typed: str) -> list[str]:
        lines = source[:]
        lines[line] = f"{lines[line]} \\cite{{{typed}}}"
        text = "\n".join(lines)
        documents.open(draft.as_uri(), text)
        at = Lines(text, documents.now.encoding)
        offset = sum(len(each) + 1 for each in lines[:line]) + len(lines[line]) - 1
        found = complete(session.project(), draft, at, at.position(offset))
        return [] if found is None else [item.label for item in found.items]

    source = draft.read_text("utf-8").split("\n")
    prose = [n for n, line in enumerate(source) if "\\cite" in line]
    chosen = random.Random(9)
    runs = 5 if few else 30
    yield stage(f"read the .bib, {state}", lambda: session.project().read_draft(draft))
    yield stage(f"first key list, {state}", lambda: list_at(prose[0], ""))
    yield stage(f"ranked, {state}", lambda: session.wait_until_built(draft))
    if state == "warm":
        return
    list_at(prose[0], "")
    yield stage("completion, nothing typed", lambda: list_at(chosen.choice(prose), ""), runs)
    yield stage("completion, a name typed", lambda: list_at(chosen.choice(prose), "smi"), runs)

    original = bibliography.read_bytes()
    # Another one each time: a process that is ended leaves its own behind.
    key = f"edited{time.time_ns()}"
    entry = original.index(b"\n@", len(original) // 2)
    start = original.index(b"{", entry) + 1
    end = original.index(b",", start)

    def edit() -> None:
        while key not in list_at(prose[0], key):
            time.sleep(0.01)

    try:
        bibliography.write_bytes(original[:start] + key.encode() + original[end:])
        later = time.time_ns() + 10**9
        os.utime(bibliography, ns=(later, later))
        session.changed_on_disk([bibliography])
        yield stage("one entry edited, until it is listed", edit)
    finally:
        bibliography.write_bytes(original)


def markdown(curves: Sequence[Curve], notes: Sequence[str]) -> str:
    """Return a table of processor time, and one of memory."""
    sizes = sorted({size for curve in curves for size in curve.points})
    parts = ["### Scale"]
    for what, title, unit in (
        ("cpu", "Processor seconds", "s"),
        ("seconds", "Seconds", "s"),
        (ABOVE_IMPORTS, "Memory after it, above imports", "MB"),
    ):
        head = " | ".join(f"{size:,}" for size in sizes)
        lines = [
            f"| {title} | {head} | exponent | between the last two |",
            f"|---|{'---:|' * (len(sizes) + 2)}",
        ]
        for curve in curves:
            found = {size: point[what] for size, point in curve.points.items()}
            cells = [f"{number(found[size])} {unit}" if size in found else "–" for size in sizes]
            slopes = (curve.exponent(what), curve.last_exponent(what))
            cells += ["–" if slope is None else f"{slope:.2f}" for slope in slopes]
            lines.append(f"| {curve.stage} | {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    return "\n\n".join((*parts, *notes)) + "\n"
