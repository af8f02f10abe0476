"""Measure how fast Pincite is at the size of real libraries, against budgets and peers.

    python -m benchmarks.speed [--quick] [--only PART,PART] [--data DIR] [--output DIR] [--no-peers]

DIR of `--data` is the folder of shared data; without it all material is synthetic. The material is
generated once and cached in the output folder, as are peers' code and indexes that are cheap to
keep. Results are printed as Markdown tables and written to `speed.json` and `speed.md` there. A
budget applies to the median unless stated otherwise; the table says whether it is met. "Cold" is a
fresh `PINCITE_CACHE` in a new process, with the files warm in the system's cache.
"""

from __future__ import annotations

import argparse
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from . import bibliography, completion, keystrokes, memory, report, scale, startup
from .material import QUICK, Material, Sizes
from .own_process import ROOT
from .plan import Plan, say
from .report import Row

PARTS: dict[str, tuple[Callable[[Plan], Iterator[Row]], ...]] = {
    "startup": (startup.initialize, startup.small_project),
    "bibliography": (
        bibliography.lists,
        bibliography.lists_in_a_thesis,
        bibliography.edits,
        bibliography.readers,
    ),
    "completion": (completion.by_entries, completion.in_one_file, completion.by_full_texts),
    "typing": (keystrokes.typing, keystrokes.bursts),
    "memory": (memory.nothing_open, memory.thesis_open),
}
SCALE = "scale"
#: Time reserved for shutting down and writing the results.
_LEFT_OVER_SECONDS = 15.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="only show that everything works")
    parser.add_argument("--only", default=",".join((*PARTS, SCALE)), metavar="PART,PART")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "bench")
    parser.add_argument("--minutes", type=float, default=15.0, help="what the curve may use up")
    parser.add_argument("--no-peers", action="store_true", help="fetch nothing from registries")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",")
    if unknown := set(chosen) - {*PARTS, SCALE}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")

    began = time.monotonic()
    ends = began + 60 * arguments.minutes - _LEFT_OVER_SECONDS
    output = arguments.output.absolute()
    about = report.machine()
    plan = _plan(arguments, output, ends)
    notes = [] if plan.material.is_real else ["No shared data here: all material is invented."]
    if (about["load"] or 0.0) > (about["processors"] or 1) / 2:
        notes.append("The machine was busy: only processor times can be compared.")
    rows: list[Row] = []
    for name, measures in PARTS.items():
        for measure in measures if name in chosen else ():
            say(f"{name}, {measure.__name__}")
            rows += _rows(name, plan, measure)
            report.write(output, rows, about, notes)
    curves, missing = scale.measure(plan) if SCALE in chosen else ([], [])
    notes.append(f"All of it took {(time.monotonic() - began) / 60:.1f} minutes.")
    shown = report.write(
        output,
        rows,
        about,
        notes,
        scale.markdown(curves, missing) if curves else "",
        [curve.as_json() for curve in curves],
    )
    print(shown)


def _plan(arguments: argparse.Namespace, output: Path, ends: float) -> Plan:
    caches, peers = output / "caches", output / "peers"
    caches.mkdir(parents=True, exist_ok=True)
    peers.mkdir(exist_ok=True)
    # A smoke run shows that our own code works, wherever it runs: with nothing from elsewhere.
    data = None if arguments.quick else arguments.data
    material = Material(output / "material", QUICK if arguments.quick else Sizes(), data)
    fetches = not (arguments.quick or arguments.no_peers)
    return Plan(material, caches, peers if fetches else None, arguments.quick, ends)


def _rows(name: str, plan: Plan, measure: Callable[[Plan], Iterator[Row]]) -> Iterator[Row]:
    """Yield the rows of a part; a failure is reported as a row and does not stop other parts."""
    try:
        yield from measure(plan)
    except Exception as error:
        traceback.print_exc()
        what = f"{measure.__name__.replace('_', ' ')}: not measured"
        yield Row(name, what, "", note=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
