"""Faults: kill, full disk, lock, damage, replacement; results equal those of an undisturbed run."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from unittest.mock import patch

from click.testing import Result
from typer.testing import CliRunner

from pincite.cli.app import app
from pincite.library import indexing
from torture import Row, Size, projects

TIMES = {"ci": 6, "full": 50, "nightly": 500}
_FULL_DISK = "1m"
_INDEX = "index.sqlite"


def run(size: Size, seed: int) -> Iterator[Row]:
    """Break the inputs of `pincite index` and `pincite evidence`, and run them again."""
    for promise, attack in ATTACKS.items():
        with tempfile.TemporaryDirectory() as scratch:
            project = _Project(Path(scratch), random.Random(seed))
            note = attack(project, TIMES[size]) or ""
            yield Row(promise, project.tried, project.failures, note)


class _Project:
    """The examples with an index, and the expected results of an undisturbed run."""

    def __init__(self, scratch: Path, chance: random.Random) -> None:
        self.scratch, self.chance = scratch, chance
        self.draft = projects.examples(scratch)
        self.cache = scratch / "cache"
        self.index()
        self.quiet = self.evidence().stdout
        self.whole = scratch / "whole"
        shutil.copytree(self.cache, self.whole)
        with closing(sqlite3.connect(self.whole / _INDEX)) as index:
            index.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.failures: list[str] = []
        self.tried = 0

    def index(self) -> Result:
        return self._run("index", str(self.draft))

    def evidence(self) -> Result:
        return self._run("evidence", str(self.draft), "--format", "json")

    def _run(self, *arguments: str) -> Result:
        return CliRunner().invoke(app, arguments, env={"PINCITE_CACHE": str(self.cache)})

    def as_it_was(self) -> Path:
        """Restore the index of the undisturbed run; return its path."""
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.copytree(self.whole, self.cache)
        return self.cache / _INDEX

    def expect(self, done: Result, after: str, statuses: tuple[int, ...] = (0,)) -> bool:
        """Record a failure if a run ended in another way."""
        error = "" if isinstance(done.exception, SystemExit) else done.exception or ""
        is_well = not error and done.exit_code in statuses and "Traceback" not in done.stderr
        if not is_well:
            what = f"status {done.exit_code}, {error!r} {done.stderr[-300:]}"
            self.failures.append(f"{after}: {what}")
        return is_well

    def expect_the_same(self, after: str) -> None:
        """Run again; record a failure if the results differ from the undisturbed run."""
        self.tried += 1
        done = self.evidence()
        if self.expect(done, after) and done.stdout != self.quiet:
            self.failures.append(f"{after}: other results")


def _killed(project: _Project, number: int) -> None:
    """Kill the indexing process at random moments, then let another one finish."""
    began = time.perf_counter()
    _indexed_apart(project).wait()
    longest = time.perf_counter() - began
    for _ in range(number):
        shutil.rmtree(project.cache)
        process = _indexed_apart(project)
        seconds = project.chance.uniform(0.2, longest)
        time.sleep(seconds)
        process.kill()
        process.wait()
        project.expect_the_same(f"killed after {seconds:.2f} s")


def _indexed_apart(project: _Project) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "pincite", "index", str(project.draft)],
        env={**os.environ, "PINCITE_CACHE": str(project.cache)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _truncated(project: _Project, number: int) -> str:
    pages = range(0, (project.whole / _INDEX).stat().st_size, 4096)
    for at in sorted(project.chance.sample(pages, min(number, len(pages)))):
        os.truncate(project.as_it_was(), at)
        project.expect_the_same(f"truncated at {at}")
    return f"{len(pages)} pages"


def _flipped(project: _Project, number: int) -> None:
    size = (project.whole / _INDEX).stat().st_size
    for _ in range(number):
        at = project.chance.randrange(size)
        with project.as_it_was().open("r+b") as file:
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ (1 << project.chance.randrange(8))]))
        project.tried += 1
        # A flipped bit within a text is text like any other; nothing may break.
        project.expect(project.evidence(), f"a bit at {at}")


def _emptied(project: _Project, _number: int) -> None:
    project.as_it_was().write_bytes(b"")
    project.expect_the_same("the index emptied")
    shutil.rmtree(project.cache)
    project.expect_the_same("everything removed")


def _full_disk(project: _Project, _number: int) -> str | None:
    with _mounted(project.scratch / "small", _FULL_DISK) as folder:
        if folder is None:
            return "not tried: nothing can be mounted"
        (folder / "filler").write_bytes(b"x" * (3 * 1024 * 1024 // 4))
        project.cache = folder / "cache"
        for time_ in range(2):
            project.expect_the_same(f"full disk, time {time_ + 1}")
    return None


def _read_only(project: _Project, _number: int) -> str | None:
    with _mounted(project.scratch / "fixed", "64m") as folder:
        if folder is None:
            return "not tried: nothing can be mounted"
        shutil.copytree(project.whole, folder / "cache")
        project.cache = folder / "cache"
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        with patch.object(indexing, "ReadingProcess", None):  # nothing may be read again
            project.expect_the_same("read-only")
    return None


def _locked(project: _Project, number: int) -> None:
    for _ in range(min(number, 5)):
        with closing(sqlite3.connect(project.as_it_was(), isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            project.expect_the_same("locked")
        project.expect_the_same("locked before")


def _two_versions(project: _Project, number: int) -> None:
    from pincite.library import index, stored

    project.as_it_was()
    for time_ in range(min(number, 10)):
        with patch.object(stored, "_SHARED_VERSION", 1_000 + time_ % 2):
            project.expect_the_same("another reader's version")
        with patch.object(index, "_SCHEMA_VERSION", 1_000):
            project.expect_the_same("another schema")
        project.expect_the_same("this version again")


def _replaced(project: _Project, number: int) -> None:
    """Replace papers while they are read; afterwards, the results are the expected ones."""
    papers = sorted((project.draft.parent / "papers").iterdir())
    for _ in range(min(number, 20)):
        shutil.rmtree(project.cache, ignore_errors=True)
        ends = threading.Event()
        thread = threading.Thread(target=_replace, args=(papers, ends, project.chance))
        thread.start()
        done = project.index()
        ends.set()
        thread.join()
        project.expect(done, "replaced", statuses=(0, 1))
        project.expect_the_same("replaced while it was read")


def _replace(papers: list[Path], ends: threading.Event, chance: random.Random) -> None:
    """Replace papers by half of them and back, until it ends; then all are whole.

    No content comes twice: the number of blank lines at the end differs.
    """
    whole = {path: path.read_bytes() for path in papers}
    versions = count(1)
    while not ends.is_set():
        path = chance.choice(papers)
        path.write_bytes(whole[path][: len(whole[path]) // 2] + b"\n" * next(versions))
        ends.wait(0.01)
        path.write_bytes(whole[path] + b"\n" * next(versions))
    for path, content in whole.items():
        path.write_bytes(content + b"\n" * next(versions))


@contextmanager
def _mounted(folder: Path, size: str) -> Iterator[Path | None]:
    """Mount a temporary file system in memory; None if this user may not."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True)


ATTACKS: dict[str, Callable[[_Project, int], str | None]] = {
    "kill -9 while papers are read: the same results": _killed,
    "the index is truncated at a page": _truncated,
    "a bit of the index is flipped: no error": _flipped,
    "the index is emptied: it heals": _emptied,
    "the disk is full: the same results": _full_disk,
    "the index is read-only: it is used": _read_only,
    "another process locks the index: the same results": _locked,
    "two versions take turns on one index: the same results": _two_versions,
    "files are replaced while they are read: the same results": _replaced,
}
