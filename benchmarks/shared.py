"""What the measurements share: command lines, tables, clocks, and papers of the shared data."""

import argparse
import gc
import gzip
import json
import math
import sys
import time
import timeit
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pincite.model.papers import ReferencePaper
from pincite.model.problems import InputError
from pincite.parsing.bibtex import Bibliography, parse_bibliography
from pincite.parsing.papers import read_paper

from . import ROOT

DATA = ROOT.parent / "shared" / "data"


#: The paths and options of a command line by their names.
Given = argparse.Namespace
_Measurement = Callable[[Given], None]


def measurement(*paths: str, **defaults: Any) -> Callable[[_Measurement], _Measurement]:
    """Run a function, the last of its module, with the command line where that is the program.

    Paths are given by position; one with ``?``, ``*`` or ``+`` behind it may be missing, or be
    several. The defaults of options show what they are; one without a default has its class
    instead, and is None if it is missing. The docstring of the module is the help.
    """

    def run(measure: _Measurement) -> _Measurement:
        if measure.__module__ == "__main__":
            measure(_given(paths, defaults))
        return measure

    return run


def _given(paths: Iterable[str], defaults: Mapping[str, Any]) -> Given:
    doc, formatter = sys.modules["__main__"].__doc__, argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=doc, formatter_class=formatter)
    for name in paths:
        many = name[-1] if name[-1] in "?*+" else None
        parser.add_argument(name.rstrip("?*+"), type=Path, nargs=many)
    for name, default in defaults.items():
        kind, known = (default, None) if isinstance(default, type) else (type(default), default)
        how = {"action": "store_true"} if default is False else {"type": kind}
        parser.add_argument(f"--{name.replace('_', '-')}", default=known, **how)
    return parser.parse_args()


def numbers(text: str) -> list[int]:
    """Return the numbers of an option such as ``1,2,4``."""
    return [int(number) for number in text.split(",")]


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Print a Markdown table whose rows may still be computed; the first column is text."""
    head = list(head)
    print(f"| {' | '.join(head)} |\n|---|{'---:|' * (len(head) - 1)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def rounded(value: float) -> str:
    """Format a number with three significant digits."""
    if value == 0.0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def share(part: int, whole: int) -> float:
    return part / max(1, whole)


def processor_seconds(work: Callable[[], object], runs: int = 1) -> float:
    """Return the least processor time of some runs."""
    # Garbage is collected as at other times.
    return min(timeit.repeat(work, gc.enable, time.process_time, runs, 1))


def anthology(path: Path) -> Bibliography:
    """Read a compressed `.bib` file, such as that of the ACL Anthology."""
    return parse_bibliography(gzip.decompress(path.read_bytes()).decode("utf-8"), path)


def papers(path: Path, *, without_tests: bool = False) -> Iterator[dict[str, Any]]:
    """Yield papers in the S2ORC schema, without those of `test-papers.txt` beside the file."""
    tests = path.with_name("test-papers.txt")
    left_out = set(tests.read_text("utf-8").split()) if without_tests else set()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from (p for p in map(json.loads, lines) if p["paper_id"] not in left_out)


def read_papers(paths: Iterable[Path]) -> Iterator[tuple[Path, ReferencePaper, float]]:
    """Yield papers with their processor seconds; print why one cannot be read."""
    for path in paths:
        began = time.process_time()
        try:
            paper = read_paper(path)
        except InputError as error:
            print(f"{path.stem}: {error}")
        else:
            yield path, paper, time.process_time() - began
