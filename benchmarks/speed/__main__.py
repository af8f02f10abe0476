"""Measure how fast Pincite is at the size of real libraries, against budgets and peers.

    python -m benchmarks.speed [--quick] [--only ROW,ROW] [--data DIR] [--output DIR]

Prints a table with a row for each budget. All is measured in a server process over stdio, as an
editor waits for it. DIR of `--data` is the folder of shared data; without it all material is
synthetic. The material is made once and cached in the output folder, as are the peers.
"""

import math
import os
import platform
import statistics
import sys
import time
import traceback
from functools import partial
from typing import NamedTuple

from .. import ROOT
from ..shared import DATA, Given, measurement, rounded, table
from . import measures
from .material import Material
from .measures import Bench, Measured


class Budget(NamedTuple):
    """The largest median, and where it is limited, too, the largest 99th percentile."""

    what: str
    median: float
    unit: str
    p99: float = math.inf


BUDGETS = {
    "letter": Budget("a letter typed in a file of 20,000 lines", 10, "ms", 25),
    "list-5000": Budget("a list, learned ranker, over 5,000 entries", 15, "ms", 100),
    "list-50000": Budget("– over 50,000", 30, "ms", 100),
    "discovered-5000": Budget("– over 5,000 works around 1,000 entries", 15, "ms", 100),
    "hover-first": Budget("hover with evidence, the first time for a work", 60, "ms"),
    "hover-again": Budget("– then", 10, "ms"),
    "start-small": Budget("first ranked list from process start, small project", 1, "s"),
    "start-50000": Budget("– over 50,000 entries", 2.5, "s"),
    "ranked-5000": Budget("everything ranked in the background, 5,000 entries", 2, "s"),
    "ranked-50000": Budget("– 50,000", 10, "s"),
    "edit-5000": Budget("an edited entry in the list, of 5,000", 0.5, "s"),
    "edit-50000": Budget("– of 50,000", 2, "s"),
    "memory": Budget("memory with 50,000 entries and 2,000 papers", 350, "MB"),
}
#: The rows that each gives.
MEASURES = (
    (("letter",), measures.letter),
    (("list-5000",), partial(measures.lists, 5_000)),
    (("list-50000",), partial(measures.lists, 50_000)),
    (("discovered-5000",), measures.discovered),
    (("hover-first", "hover-again"), measures.hover),
    (("start-small",), measures.start_small),
    (("ranked-5000",), partial(measures.start, 5_000)),
    (("start-50000", "ranked-50000"), partial(measures.start, 50_000)),
    (("edit-5000",), partial(measures.edit, 5_000)),
    (("edit-50000",), partial(measures.edit, 50_000)),
    (("memory",), measures.memory),
)
_SCALE = {"ms": 1e3, "s": 1.0, "MB": 1.0}


def _cells(name: str, measured: Measured | None) -> tuple[object, ...]:
    what, most, unit, most_p99 = BUDGETS[name]
    limit = f"{most:g} {unit}" + (f" (p99 {most_p99:g})" if most_p99 < math.inf else "")
    if measured is None:
        return name, what, limit, "–", "–", 0, "", "not measured"
    scale = _SCALE[unit]
    values = sorted(scale * value for value in measured.values)
    median, p99 = statistics.median(values), values[math.ceil(0.99 * len(values)) - 1]
    met = "met" if median <= most and p99 <= most_p99 else "**not met**"
    others = {peer: scale * statistics.median(taken) for peer, taken in measured.peers.items()}
    beside = (f"{peer}: {rounded(o)} {unit} ({median / o:.2f})" for peer, o in others.items())
    figures = (f"{rounded(median)} {unit}", f"{rounded(p99)} {unit}", len(values))
    return name, what, limit, *figures, "; ".join(beside), met


@measurement(quick=False, only=",".join(BUDGETS), data=DATA, output=ROOT / "build/bench")
def main(given: Given) -> None:
    chosen = given.only.split(",")
    if unknown := set(chosen) - set(BUDGETS):
        sys.exit(f"no such row: {', '.join(sorted(unknown))}; there are {', '.join(BUDGETS)}")
    # A run that shows that our own code works needs nothing from elsewhere.
    data, fetched = (None, None) if given.quick else (given.data, given.output / "peers")
    material = Material(given.output / "material", data, quick=given.quick)
    bench = Bench(material, fetched, given.quick)
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    about = f"Python {platform.python_version()}, {os.cpu_count()} processors{load}"
    found: dict[str, Measured] = {}
    for rows, measure in MEASURES:
        if set(rows) & set(chosen):
            print(f"{time.strftime('%H:%M:%S')} {', '.join(rows)}", file=sys.stderr, flush=True)
            try:
                found.update(measure(bench))
            except Exception:  # the others are measured all the same
                traceback.print_exc()
    invented = "" if material.data else "; all material is invented"
    print(f"{about}{invented}. The p99 of fewer than 100 runs is their worst.\n")
    head = ("row", "", "budget", "median", "p99", "runs", "in the same run (ratio)", "met")
    table(head, (_cells(name, found.get(name)) for name in BUDGETS if name in chosen))
