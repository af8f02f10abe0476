"""Runs the fuzzers, each in its own process, and counts their inputs."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from torture.hostile.fuzz import EXECUTED, FAILURE, HANG_SECONDS
from torture.hostile.readers import READERS

#: Coverage-guided fuzzing of Python; there are wheels for some systems and versions only.
ATHERIS = "atheris==3.0.0"
_INSTALL_SECONDS = 120
#: What a process may take beyond its time: to start, and to give up an input that hangs.
_PATIENCE = 3 * HANG_SECONDS
_EXECUTED = re.compile(rf"{EXECUTED}\s*(\d+)")
_SHOWN_BYTES = 120
#: The exit status of libFuzzer for an input that hangs.
_HANG = 70
_MOST_STARTS = 5


@dataclass
class Fuzzed:
    """The number of inputs that the fuzzers tried, and the failures.

    `run_again` are the readers whose fuzzer did not end the first time.
    """

    executed: int = 0
    failures: list[str] = field(default_factory=list)
    run_again: list[str] = field(default_factory=list)


def atheris_folder(folder: Path) -> Path | None:
    """Return a folder from which atheris can be imported; None if it cannot be installed.

    It is installed below `folder` if necessary.
    """
    if (spec := importlib.util.find_spec("atheris")) is not None and spec.origin:
        return Path(spec.origin).parent.parent
    place = folder / "atheris"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--only-binary", ":all:", "--target", str(place), ATHERIS]
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(command, check=True, capture_output=True, timeout=_INSTALL_SECONDS)
        return place
    return None


def fuzzed(seconds: float, seed: int, atheris: Path | None, names: Sequence[str] = ()) -> Fuzzed:
    """Fuzz all readers, or those named, one after another, in this total number of seconds."""
    found = Fuzzed()
    chosen = names or [reader.name for reader in READERS]
    end = time.monotonic() + seconds
    for number, name in enumerate(chosen):
        # Those before it may have taken more than theirs: each has to start.
        share = max(0.0, end - time.monotonic()) / (len(chosen) - number)
        _fuzz(name, share, seed, atheris, found)
    return found


def _fuzz(name: str, seconds: float, seed: int, atheris: Path | None, found: Fuzzed) -> None:
    """Fuzz one reader; again with another seed where an input ended the process."""
    end = time.monotonic() + seconds
    # Starting takes a part of the time.
    starting = 2.0
    for start in range(_MOST_STARTS):
        left = end - time.monotonic()
        if start and left < starting + 1:
            return
        with tempfile.TemporaryDirectory(prefix="pincite-fuzz-") as folder:
            command = [sys.executable, "-m", "torture.hostile.fuzz", name]
            command += ["--seconds", str(max(1.0, left - starting)), "--seed", str(seed + start)]
            if _ended_well(name, [*command, "--folder", folder], left, atheris, found):
                return


def _ended_well(
    name: str,
    command: Sequence[str],
    seconds: float,
    atheris: Path | None,
    found: Fuzzed,
    *,
    again: bool = False,
) -> bool:
    """Run a fuzzer and record its results; return whether it finished.

    An input that takes too long ends it. If it does not end at all, it is run once more with the
    same seed: what an input does, it does again.
    """
    paths = [*sys.path, *([str(atheris)] if atheris else [])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    try:
        done = subprocess.run(
            command,
            env=environment,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            timeout=seconds + _PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        if again:
            found.failures.append(f"{name}: the fuzzer did not end, twice")
            return False
        found.run_again.append(name)
        shutil.rmtree(command[-1])
        Path(command[-1]).mkdir()
        return _ended_well(name, command, seconds, atheris, found, again=True)
    said = done.stderr.decode(errors="replace")
    found.executed += sum(int(number) for number in _EXECUTED.findall(said))
    for line in said.splitlines():
        if line.startswith(FAILURE):
            failure = json.loads(line.removeprefix(FAILURE))
            found.failures.append(f"{name}: {failure['what']}; {_shown(failure['input'])}")
    if done.returncode:
        found.failures.append(f"{name}: {_why(done.returncode, said)}; {_kept(command[-1])}")
    return done.returncode == 0


def _why(status: int, said: str) -> str:
    if status == _HANG:
        return f"an input takes more than {HANG_SECONDS} s"
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "")
    return f"the fuzzer ended with {status} ({last[:200]})"


def _kept(folder: str) -> str:
    """Return the failing input that libFuzzer saved, formatted."""
    names = ("timeout-", "crash-", "leak-")
    kept = [path for path in Path(folder).iterdir() if path.name.startswith(names)]
    return "; ".join(_shown(path.read_bytes().hex()) for path in kept) or "input unknown"


def _shown(data: str) -> str:
    """Format an input as hexadecimal digits, truncated, with its length."""
    content = bytes.fromhex(data)
    return f"{len(content)} bytes: {content[:_SHOWN_BYTES]!r}"
