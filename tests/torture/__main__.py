"""Run the torture suite and print one table: what was tried, what failed.

    PYTHONPATH=tests python -m torture [--size ci|full|nightly] [--only PART,PART] [--seed N] [--jobs N]

`ci` takes at most four minutes on two cores, `full` fifteen, `nightly` a night. Each part runs in a
process of its own, as many at once as there are cores. The exit status is 1 where anything failed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import get_args

from torture import Row, Size, run_part

PARTS = ("answers", "memory", "faults", "hostile", "edits")
#: Of the parts that run at once, the last to start should be short.
_LONGEST_FIRST = ("hostile", "faults", "memory", "answers", "edits")
_FAILURES_SHOWN = 5


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", choices=get_args(Size), default="full")
    parser.add_argument("--only", default=",".join(PARTS), metavar="PART,PART")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    if arguments.seed is None:
        # What CI tries depends on the change alone; other sizes try something new each time.
        is_ci = arguments.size == "ci"
        arguments.seed = 1 if is_ci else random.SystemRandom().randrange(10**6)
    chosen = arguments.only.split(",")
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    print(f"size {arguments.size}, seed {arguments.seed}", file=sys.stderr)
    began = time.monotonic()
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(arguments.jobs, mp_context=spawn) as processes:
        running = {
            name: processes.submit(run_part, name, arguments.size, arguments.seed)
            for name in sorted(chosen, key=_LONGEST_FIRST.index)
        }
        rows = [(name, row) for name in chosen for row in running[name].result()]
    print(_table(rows))
    print(f"\n{time.monotonic() - began:.0f} s; again with --seed {arguments.seed}")
    return 1 if any(row.failures for _, row in rows) else 0


def _table(rows: list[tuple[str, Row]]) -> str:
    lines = ["| part | promise | tried | failed | |", "|---|---|---:|---:|---|"]
    for part, row in rows:
        failed = f"**{len(row.failures)}**" if row.failures else "0"
        lines.append(f"| {part} | {row.promise} | {row.tried:,} | {failed} | {row.note} |")
    for part, row in rows:
        lines += [f"- {part}, {row.promise}: {each}" for each in row.failures[:_FAILURES_SHOWN]]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
