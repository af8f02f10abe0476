"""Run a function in a separate process, to measure its time and memory alone.

    python -m benchmarks.speed.own_process MODULE FUNCTION ARGUMENTS

MODULE is one of this package, ARGUMENTS is a JSON object. The function yields its results one by
one: if a process takes too long or too much memory, the results so far are kept.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of a process, and the reason if it was stopped or failed."""

    found: list[dict[str, Any]]
    error: str = ""


def run(
    module: str,
    function: str,
    arguments: Mapping[str, Any],
    *,
    seconds: float,
    memory: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Outcome:
    """Run a function of a module of this package with at most so many seconds and bytes."""
    limits = json.dumps({"memory": memory})
    name = f"{__package__}.{module}"
    command = [sys.executable, "-m", f"{__package__}.own_process", name, function]
    process = subprocess.Popen(
        [*command, json.dumps(arguments), limits],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    error = ""
    try:
        printed, complaint = process.communicate(timeout=seconds)
        if process.returncode:
            error = (complaint.strip().splitlines() or [f"exit status {process.returncode}"])[-1]
    except subprocess.TimeoutExpired:
        process.kill()
        printed, _ = process.communicate()
        error = f"not done after {seconds:.0f} s"
    found = []
    for line in printed.splitlines():
        with suppress(ValueError):  # the last line of a process that was ended
            found.append(json.loads(line))
    return Outcome([each for each in found if isinstance(each, dict)], error)


def resident(pid: int | str = "self", what: str = "VmRSS") -> float:
    """Return the memory (MB) that a process has resident, or had at most (`VmHWM`)."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{what}:"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def processor_seconds(pid: int) -> float:
    """Return the processor time that a process has used so far, including ended threads."""
    # What clock_getcpuclockid(3) of Linux gives; Python does not have it.
    return time.clock_gettime((~pid << 3) | 2)


class Clock:
    """Wall-clock and processor seconds of this process since the clock was created."""

    def __init__(self) -> None:
        self._began = time.perf_counter(), time.process_time()

    def read(self) -> dict[str, float]:
        wall, cpu = self._began
        return {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def main() -> None:
    module, function, arguments, limits = sys.argv[1:]
    if memory := json.loads(limits)["memory"]:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    for found in getattr(importlib.import_module(module), function)(**json.loads(arguments)):
        print(json.dumps(found), flush=True)
    # What is left of threads and caches is of no interest.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
