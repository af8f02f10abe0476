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
from typing import NamedTuple
from unittest.mock import patch

from typer.testing import CliRunner

from pincite.cli.app import app
from pincite.library import indexing
from torture import projects
from torture.rows import Row, Size

TIMES = {"ci": 6, "full": 50, "nightly": 500}
_FULL_DISK = "1m"
_INDEX = "index.sqlite"


class _Said(NamedTuple):
    status: int
    output: str
    problems: str


def run(size: Size, seed: int) -> Iterator[Row]:
    """Break the inputs of `pincite index` and `pincite evidence`, and run them again."""
    number = TIMES[size]
    for what in (
        _killed,
        _truncated,
        _flipped,
        _emptied,
        _full_disk,
        _read_only,
        _locked,
        _two_versions,
        _replaced,
    ):
        with tempfile.TemporaryDirectory() as scratch:
            project = _Project(Path(scratch), random.Random(seed))
            yield what(project, number)


class _Project:
    """The examples with an index, and the expected results of an undisturbed run."""

    def __init__(self, scratch: Path, chance: random.Random) -> None:
        self.scratch, self.chance = scratch, chance
        self.draft = projects.examples(scratch)
        self.cache = scratch / "cache"
        self.index()
        self.quiet = self.evidence().output
        self.kept = scratch / "kept"
        shutil.copytree(self.cache, self.kept)
        with closing(sqlite3.connect(self.kept / _INDEX)) as index:
            index.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.failures: list[str] = []
        self.tried = 0

    def index(self) -> _Said:
        return self._run("index", str(self.draft))

    def evidence(self) -> _Said:
        return self._run("evidence", str(self.draft), "--format", "json")

    def _run(self, *arguments: str) -> _Said:
        environment = {"PINCITE_CACHE": str(self.cache)}
        done = CliRunner().invoke(app, arguments, env=environment)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            return _Said(-1, "", f"{type(done.exception).__name__}: {done.exception}")
        return _Said(done.exit_code, done.stdout, done.stderr)

    def as_it_was(self) -> None:
        """Restore the index of the undisturbed run."""
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.copytree(self.kept, self.cache)

    def expect_the_same(self, after: str) -> None:
        """Run again; record a failure if the results differ from the undisturbed run."""
        self.tried += 1
        said = self.evidence()
        if said.status or "Traceback" in said.problems:
            self.failures.append(f"{after}: status {said.status}, {said.problems[-300:]}")
        elif said.output != self.quiet:
            self.failures.append(f"{after}: other results")

    def row(self, promise: str, note: str = "") -> Row:
        return Row(promise, self.tried, len(self.failures), note, tuple(self.failures))


def _killed(project: _Project, number: int) -> Row:
    """Kill the indexing process at random moments, then let another one finish."""
    longest = _seconds(lambda: _indexed_apart(project).wait())
    for _ in range(number):
        shutil.rmtree(project.cache)
        process = _indexed_apart(project)
        seconds = project.chance.uniform(0.2, longest)
        time.sleep(seconds)
        process.kill()
        process.wait()
        project.expect_the_same(f"killed after {seconds:.2f} s")
    return project.row("kill -9 while papers are read: the same results")


def _indexed_apart(project: _Project) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "pincite", "index", str(project.draft)],
        env={**os.environ, "PINCITE_CACHE": str(project.cache)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _truncated(project: _Project, number: int) -> Row:
    size = (project.kept / _INDEX).stat().st_size
    pages = range(0, size, 4096)
    for at in sorted(project.chance.sample(pages, min(number, len(pages)))):
        project.as_it_was()
        os.truncate(project.cache / _INDEX, at)
        project.expect_the_same(f"truncated at {at}")
    return project.row("the index is truncated at a page", f"{len(pages)} pages")


def _flipped(project: _Project, number: int) -> Row:
    size = (project.kept / _INDEX).stat().st_size
    for _ in range(number):
        project.as_it_was()
        at = project.chance.randrange(size)
        with (project.cache / _INDEX).open("r+b") as file:
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ (1 << project.chance.randrange(8))]))
        project.tried += 1
        said = project.evidence()
        # A flipped bit within a text is text like any other; nothing may break.
        if said.status or "Traceback" in said.problems:
            project.failures.append(f"a bit at {at}: status {said.status}, {said.problems[-300:]}")
    return project.row("a bit of the index is flipped: no error")


def _emptied(project: _Project, number: int) -> Row:
    for file in (_INDEX, "everything"):
        project.as_it_was()
        if file == _INDEX:
            (project.cache / file).write_bytes(b"")
        else:
            shutil.rmtree(project.cache)
        project.expect_the_same(f"{file} emptied")
    return project.row("the index is emptied: it heals")


def _full_disk(project: _Project, number: int) -> Row:
    with _mounted(project.scratch / "small", _FULL_DISK) as folder:
        if folder is None:
            return project.row(
                "the disk is full: the same results", "not tried: nothing can be mounted"
            )
        (folder / "filler").write_bytes(b"x" * (3 * 1024 * 1024 // 4))
        project.cache = folder / "cache"
        for time_ in range(2):
            project.expect_the_same(f"full disk, time {time_ + 1}")
    return project.row("the disk is full: the same results")


def _read_only(project: _Project, number: int) -> Row:
    with _mounted(project.scratch / "fixed", "64m") as folder:
        if folder is None:
            return project.row(
                "the index is read-only: it is used", "not tried: nothing can be mounted"
            )
        shutil.copytree(project.kept, folder / "cache")
        project.cache = folder / "cache"
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        with patch.object(indexing, "ReadingProcess", None):  # nothing may be read again
            project.expect_the_same("read-only")
    return project.row("the index is read-only: it is used")


def _locked(project: _Project, number: int) -> Row:
    for _ in range(min(number, 5)):
        project.as_it_was()
        with closing(sqlite3.connect(project.cache / _INDEX, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            project.expect_the_same("locked")
        project.expect_the_same("locked before")
    return project.row("another process locks the index: the same results")


def _two_versions(project: _Project, number: int) -> Row:
    from pincite.library import index, stored

    project.as_it_was()
    for time_ in range(min(number, 10)):
        with patch.object(stored, "_SHARED_VERSION", 1_000 + time_ % 2):
            project.expect_the_same("another reader's version")
        with patch.object(index, "_SCHEMA_VERSION", 1_000):
            project.expect_the_same("another schema")
        project.expect_the_same("this version again")
    return project.row("two versions take turns on one index: the same results")


def _replaced(project: _Project, number: int) -> Row:
    """Replace papers while they are read; afterwards, the results are the expected ones."""
    papers = sorted((project.draft.parent / "papers").iterdir())
    for _ in range(min(number, 20)):
        shutil.rmtree(project.cache, ignore_errors=True)
        ends = threading.Event()
        thread = threading.Thread(target=_replace, args=(papers, ends, project.chance))
        thread.start()
        said = project.index()
        ends.set()
        thread.join()
        if said.status not in (0, 1) or "Traceback" in said.problems:
            project.failures.append(f"replaced: {said.status} {said.problems[-300:]}")
        project.expect_the_same("replaced while it was read")
    return project.row("files are replaced while they are read: the same results")


def _replace(papers: list[Path], ends: threading.Event, chance: random.Random) -> None:
    """Replace papers by half of them and back, until it ends; then all are whole.

    No content comes twice: blank lines at the end, which say nothing, tell them apart.
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


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
