"""Fuzzes readers, each in a process of its own: ``python -m torture.hostile.fuzz READER SECONDS SEED FOLDER``.

Hypothesis changes small files of the format, with the number of lines of ours that run as its target.
The process prints a line of JSON for each new way in which its reader fails, and for the number of inputs.
"""

from __future__ import annotations

import faulthandler
import json
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

from torture import apart

_HANG_SECONDS = 20
_MAX_MEGABYTES = 1024
#: What a process may take beyond its time: to start, and to give up an input that hangs.
_PATIENCE = 3 * _HANG_SECONDS
_SHOWN_BYTES = 120


def fuzzed(seconds: float, seed: int) -> tuple[int, list[str]]:
    """Fuzz all readers, one after another, in this time; return the number of inputs, and failures."""
    from torture.hostile.readers import READERS

    executed, failures = 0, []
    end = time.monotonic() + seconds
    for number, reader in enumerate(READERS):
        # Those before it may have taken more than theirs: each has to start.
        share = max(1.0, (end - time.monotonic()) / (len(READERS) - number))
        with tempfile.TemporaryDirectory(prefix="pincite-fuzz-") as folder:
            inputs, found = _fuzzed_apart(reader.name, share, seed, folder)
        executed += inputs
        failures += (f"{reader.name}: {failure}" for failure in found)
    return executed, failures


def _fuzzed_apart(name: str, seconds: float, seed: int, folder: str) -> tuple[int, list[str]]:
    try:
        done = apart("hostile.fuzz", name, seconds, seed, folder, seconds=seconds + _PATIENCE)
    except subprocess.TimeoutExpired:
        return 0, [f"the fuzzer did not end; {_last_input(folder)}"]
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    failures = [each for each in printed if isinstance(each, str)]
    if done.returncode:
        complaint = done.stderr.strip().splitlines()
        why = next(
            (line for line in complaint if line.startswith("Timeout")), (complaint or [""])[-1]
        )
        failures.append(f"ended with {done.returncode} ({why[:200]}); {_last_input(folder)}")
    return sum(each for each in printed if isinstance(each, int)), failures


def _last_input(folder: str) -> str:
    path = max(Path(folder).glob("main.*"), key=lambda path: path.stat().st_mtime, default=None)
    return "no input" if path is None else _shown(path.read_bytes())


def _shown(content: bytes) -> str:
    return f"{len(content)} bytes: {content[:_SHOWN_BYTES]!r}"


def fuzz(name: str, seconds: float, seed: int, folder: Path) -> None:
    """Fuzz one reader, batch by batch, until the time is up."""
    import hypothesis
    from hypothesis import strategies

    from pincite.model.problems import InputError
    from torture.hostile.readers import BY_NAME

    reader, executed = BY_NAME[name], 0
    known: set[tuple[str, int, str]] = set()

    def read(data: bytes) -> None:
        try:
            reader.read_bytes(data, folder)
        except InputError:
            pass
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            place = Path(frame.filename).name, frame.lineno or 0, type(error).__name__
            if place not in known:
                known.add(place)
                what = f"{place[2]} in {place[0]}:{place[1]} ({error})"[:300]
                print(json.dumps(f"{what}; {_shown(data)}"), flush=True)

    for content in reader.seeds:  # everything is imported by then
        read(content)
    _limit_memory()
    end = time.monotonic() + seconds
    words = strategies.sampled_from([word.encode() for word in reader.words])
    #: Where, how much is taken out, what is put in, and how often.
    change = strategies.tuples(
        strategies.integers(0, 1 << 16),
        strategies.integers(0, 64),
        strategies.one_of(words, strategies.binary(max_size=8)),
        strategies.sampled_from((1, 1, 2, 50)),
    )

    @hypothesis.given(strategies.sampled_from(reader.seeds), strategies.lists(change, max_size=8))
    @hypothesis.settings(
        max_examples=100,
        deadline=None,
        database=None,
        phases=(hypothesis.Phase.generate, hypothesis.Phase.target),
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    def batch(start: bytes, changes: list[tuple[int, int, bytes, int]]) -> None:
        nonlocal executed
        if time.monotonic() > end:
            return
        data = start
        for at, length, piece, times in changes:
            place = at % (len(data) + 1)
            data = data[:place] + piece * times + data[place + length :]
        executed += 1
        faulthandler.dump_traceback_later(_HANG_SECONDS, exit=True)
        lines = _lines_run(lambda: read(data[: reader.longest]))
        faulthandler.cancel_dump_traceback_later()
        hypothesis.target(float(lines))

    while time.monotonic() < end:
        seed += 1
        hypothesis.seed(seed)(batch)()
    print(json.dumps(executed))


def _lines_run(call: Callable[[], None]) -> int:
    """Return the number of distinct lines of our code that a call runs."""
    lines: set[tuple[CodeType, int]] = set()

    def line(frame: FrameType, _event: str, _value: object) -> object:
        lines.add((frame.f_code, frame.f_lineno))
        return line

    def called(frame: FrameType, _event: str, _value: object) -> object:
        return line if "pincite" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        call()
    finally:
        sys.settrace(before)
    return len(lines)


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource

        largest = _MAX_MEGABYTES << 20
        resource.setrlimit(resource.RLIMIT_AS, (largest, resource.getrlimit(resource.RLIMIT_AS)[1]))


if __name__ == "__main__":
    fuzz(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
