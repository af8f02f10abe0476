"""Fuzzes one reader: ``python -m torture.hostile.fuzz READER --seconds N --seed S``.

Runs in a process of its own. Prints a line of JSON for each failure, and libFuzzer's count of the
inputs at the end, to stderr. Without atheris, hypothesis makes the inputs, with the number of lines
of ours that run as its target.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib.util
import json
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

HANG_SECONDS = 20
MOST_MEGABYTES = 1024
EXECUTED = "stat::number_of_executed_units:"
FAILURE = "failure: "


class Target:
    """Reads inputs with one reader, and prints each new way in which that fails."""

    def __init__(self, name: str, folder: Path) -> None:
        from pincite.model.problems import InputError
        from torture.hostile.readers import BY_NAME

        self.reader = BY_NAME[name]
        self._folder = folder
        self._documented = InputError
        self._known: set[tuple[str, int, str]] = set()

    def __call__(self, data: bytes) -> None:
        """Read one input."""
        try:
            self.reader.read_bytes(data, self._folder)
        except self._documented:
            pass
        except Exception as error:
            self._report(error, data)

    def _report(self, error: Exception, data: bytes) -> None:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = Path(frame.filename).name, frame.lineno or 0, type(error).__name__
        if place not in self._known:
            self._known.add(place)
            what = f"{place[2]} in {place[0]}:{place[1]} ({error})"[:300]
            _say({"what": what, "input": data.hex()})


def _say(failure: dict[str, str]) -> None:
    os.write(2, f"{FAILURE}{json.dumps(failure)}\n".encode())


def with_atheris(name: str, seconds: float, seed: int, folder: Path) -> None:
    """Fuzz with libFuzzer, which exits the process at the end."""
    import atheris

    # What is imported here is instrumented, and no other library.
    with atheris.instrument_imports(include=["pincite"], enable_loader_override=False):
        target = _ready(name, folder)
    corpus, words = folder / "corpus", folder / "words"
    corpus.mkdir()
    for number, content in enumerate(target.reader.seeds):
        (corpus / str(number)).write_bytes(content)
    words.write_text("".join(f'"{_quoted(word)}"\n' for word in target.reader.words))
    options = {
        "max_total_time": max(1, round(seconds)),
        "seed": seed + 1,
        "timeout": HANG_SECONDS,
        # libFuzzer would count the memory of the process that started this one.
        "rss_limit_mb": 0,
        "max_len": target.reader.longest,
        "dict": words,
        "artifact_prefix": f"{folder}/",
        "print_final_stats": 1,
        "verbosity": 0,
    }
    arguments = [f"-{name}={value}" for name, value in options.items()]
    _limit_memory()
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], target)
    atheris.Fuzz()


def _quoted(word: str) -> str:
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}"
        for byte in word.encode()
    )


def with_hypothesis(name: str, seconds: float, seed: int, folder: Path) -> None:
    """Fuzz with hypothesis, batch by batch, until the time is up."""
    import hypothesis
    from hypothesis import strategies

    target = _ready(name, folder)
    _limit_memory()
    reader, end, executed = target.reader, time.monotonic() + seconds, 0
    pieces = strategies.one_of(
        strategies.sampled_from([word.encode() for word in reader.words]),
        strategies.binary(max_size=8),
    )
    #: Where, how much is taken out, what is put in, and how often.
    change = strategies.tuples(
        strategies.integers(0, 1 << 16),
        strategies.integers(0, 64),
        pieces,
        strategies.sampled_from((1, 1, 2, 50)),
    )

    def one(start: bytes, changes: list[tuple[int, int, bytes, int]]) -> None:
        nonlocal executed
        if time.monotonic() > end:
            return
        data = start
        for at, length, piece, times in changes:
            place = at % (len(data) + 1)
            data = data[:place] + piece * times + data[place + length :]
        executed += 1
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        lines = _lines_run(lambda: target(data[: reader.longest]))
        faulthandler.cancel_dump_traceback_later()
        hypothesis.target(float(lines))

    while time.monotonic() < end:
        seed += 1
        given = hypothesis.given(
            strategies.sampled_from(reader.seeds), strategies.lists(change, max_size=8)
        )
        settings = hypothesis.settings(
            max_examples=100,
            deadline=None,
            database=None,
            phases=(hypothesis.Phase.generate, hypothesis.Phase.target),
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        hypothesis.seed(seed)(settings(given(one)))()
    os.write(2, f"{EXECUTED} {executed}\n".encode())


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


def _ready(name: str, folder: Path) -> Target:
    """Return the target after reading the seeds, so that everything is imported."""
    target = Target(name, folder)
    for content in target.reader.seeds:
        target(content)
    return target


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource

        most = MOST_MEGABYTES << 20
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def main() -> None:
    """Fuzz the requested reader."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reader")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="where inputs and artefacts are kept")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="pincite-fuzz-"))
    has_atheris = importlib.util.find_spec("atheris") is not None
    fuzz = with_atheris if has_atheris else with_hypothesis
    fuzz(options.reader, options.seconds, options.seed, folder)


if __name__ == "__main__":
    main()
