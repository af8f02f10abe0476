"""Record what authors get, or compare it with what was recorded.

    PYTHONPATH=tests:. python -m golden write|check FOLDER [--shared DIR] [--only TEXT] [--jobs N]

`write` puts the records into FOLDER and their hashes into `tests/golden/hashes.json`. `check` makes
all records again and compares: with the hashes, and where these differ with the records in FOLDER,
number by number. Without FOLDER's records a difference has a name, but no place. The exit status is
1 where anything differs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import islice
from pathlib import Path
from typing import Any

from golden import commands, records, session
from where import SHARED

_DIFFERENCES_SHOWN = 5


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("write", "check"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shared", type=Path, default=SHARED, metavar="DIR")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="records with this in their name"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    arguments = parser.parse_args()
    if not (arguments.shared / "data").is_dir():
        parser.error(f"{arguments.shared} has no folder `data` with drafts")
    began = time.monotonic()
    hashes, made, differing = records.read_hashes(), 0, 0
    new: dict[str, str] = {}
    for name, value in _records(arguments.shared.resolve(), arguments.only, arguments.jobs):
        made += 1
        new[name] = records.digest(value)
        if arguments.what == "write":
            records.write(arguments.folder, name, value)
        elif new[name] != hashes.get(name):
            shown = list(islice(_compared(arguments.folder, name, value), _DIFFERENCES_SHOWN + 1))
            differing += bool(shown)
            for line in shown[:_DIFFERENCES_SHOWN]:
                print(f"{name}{line}")
            if len(shown) > _DIFFERENCES_SHOWN:
                print(f"{name}: and more")
    if arguments.what == "write":
        projects = {name.rpartition("/")[0] for name in new}
        others = {
            name: each for name, each in hashes.items() if name.rpartition("/")[0] not in projects
        }
        records.write_hashes(others | new if arguments.only else new)
    else:
        for name in sorted(hashes.keys() - new.keys()):
            if arguments.only in name:
                differing += 1
                print(f"{name}: not made any more")
    print(f"{made} records, {differing} differ; {time.monotonic() - began:.0f} s")
    return 1 if differing else 0


def _compared(folder: Path, name: str, value: Any) -> Iterator[str]:
    before = records.read(folder, name)
    if before is None:
        yield f": differs; {folder} has no record of it to compare with"
    else:
        yield from records.differences(before, value)


def _records(shared: Path, only: str, jobs: int) -> Iterator[tuple[str, Any]]:
    """Make the records in processes of their own, several at once."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn) as processes:
        running = {
            processes.submit(session.records, name, project): f"server/{name}"
            for name, project in session.projects(shared).items()
            if only in f"server/{name}/session"
        }
        running |= {
            processes.submit(commands.records, draft, shared): name
            for name, draft in commands.drafts(shared).items()
            if only in name
        }
        for done in as_completed(running):
            print(running[done], file=sys.stderr)
            for part, value in done.result().items():
                yield f"{running[done]}/{part}", value


if __name__ == "__main__":
    sys.exit(main())
