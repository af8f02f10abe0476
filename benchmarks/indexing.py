"""Time `pincite index` over a folder of papers: cold, with one process and with several, and warm.

Usage: python benchmarks/indexing.py LIBRARY [--jobs N] [--runs N]

LIBRARY is a folder with `library.bib`. Whole processes are timed, start-up included; medians of
the runs are printed, and their ratios to the run with one process.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def timed(command: list[str], cache: Path) -> tuple[float, dict]:
    """Return the seconds that a command takes, and what it prints."""
    start = time.perf_counter()
    done = subprocess.run(
        command,
        env={**os.environ, "PINCITE_CACHE": str(cache)},
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    return time.perf_counter() - start, json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    command = [sys.executable, "-m", "pincite", "index", str(arguments.library / "library.bib")]
    command += ["--format", "json", "--jobs"]
    seconds: dict[str, list[float]] = {}
    for _ in range(arguments.runs):
        for name, jobs in (("one process", 1), (f"{arguments.jobs} processes", arguments.jobs)):
            with tempfile.TemporaryDirectory() as folder:
                took, printed = timed([*command, str(jobs)], Path(folder))
                seconds.setdefault(f"cold, {name}", []).append(took)
                took, _ = timed([*command, str(jobs)], Path(folder))
                seconds.setdefault("nothing changed", []).append(took)
    papers = printed["full_text"] + len(printed["problems"])
    alone = statistics.median(seconds["cold, one process"])
    for name, all_seconds in seconds.items():
        median = statistics.median(all_seconds)
        rate = f"{papers / median:7.1f} papers a second" if name != "nothing changed" else ""
        print(f"{name:20} {median:7.2f} s  {median / alone:5.2f} of one process  {rate}".rstrip())


if __name__ == "__main__":
    main()
