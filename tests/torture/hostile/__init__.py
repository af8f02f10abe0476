"""Hostile input: readers end with text or a reason, in time, and open nothing else."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from torture import Row, Size
from torture.hostile.audit import others_opened
from torture.hostile.bombs import BOMBS, exploded
from torture.hostile.fuzz import fuzzed
from torture.hostile.growth import MAX_GROWTH, chosen, grown
from torture.hostile.papers import hostile_papers, wrong_outcomes
from torture.hostile.readers import READERS

_FUZZING_SECONDS = {"ci": 10, "full": 150, "nightly": 4 * 3600}
_CONSTRUCTS = {"ci": 10, "full": 250, "nightly": None}
_BOMB_BYTES = {"ci": 20_000, "full": 200_000, "nightly": 800_000}
#: Of so many papers one is read, and one is read under audit.
_PAPERS, _AUDITED = {"ci": 2, "full": 1, "nightly": 1}, {"ci": 4, "full": 1, "nightly": 1}
#: Processor seconds from which growth is judged: below, other things count more.
_FLOOR = 0.02


def run(size: Size, seed: int) -> Iterator[Row]:
    """Read what nobody should have to read."""
    with tempfile.TemporaryDirectory(prefix="pincite-hostile-") as scratch:
        folder = Path(scratch)
        yield _papers(folder / "read", _PAPERS[size])
        yield _opened(folder / "audit", _AUDITED[size])
        yield _bombs(folder / "bombs", _BOMB_BYTES[size])
        yield _growth(size, seed, folder)
        yield _fuzzing(size, seed)


def _papers(folder: Path, one_of: int) -> Row:
    papers = [paper for paper in hostile_papers() if paper.can_be_made][::one_of]
    folder.mkdir()
    wrong = wrong_outcomes(papers, folder)
    crashes = sum(paper.expected == "crash" for paper in papers)
    note = f"{crashes} end the process that reads them, which is reported"
    return Row("hostile papers have the outcome that is expected", len(papers), wrong, note)


def _opened(folder: Path, one_of: int) -> Row:
    papers = folder / "papers"
    papers.mkdir(parents=True)
    made = [each for each in hostile_papers() if each.can_be_made and each.expected != "crash"]
    for paper in made[::one_of]:
        paper.make(papers)
    seen = others_opened(papers)
    promise = "nothing else is opened, run or written"
    return Row(promise, len(made[::one_of]), seen)


def _bombs(folder: Path, size: int) -> Row:
    folder.mkdir()
    wrong = [each for reader in READERS for each in exploded(reader.name, size, folder)]
    promise = "small files do not get large, in no reader"
    return Row(promise, len(READERS) * len(BOMBS), wrong)


def _growth(size: Size, seed: int, folder: Path) -> Row:
    some = chosen(_CONSTRUCTS[size], seed)
    wrong = [str(each) for each in grown(some, _FLOOR, folder) if each.largest > MAX_GROWTH]
    promise = f"processor time grows at most {MAX_GROWTH} times a doubling"
    return Row(promise, len(some), wrong)


def _fuzzing(size: Size, seed: int) -> Row:
    executed, failures = fuzzed(_FUZZING_SECONDS[size], seed)
    promise = "readers end with text or `InputError`"
    return Row(promise, executed, failures, f"{len(READERS)} readers")
