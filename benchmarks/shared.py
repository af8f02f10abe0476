"""What the measurements share: command lines, tables, clocks, and papers of the shared data."""

import argparse
import gzip
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from pincite.model.papers import ReferencePaper
from pincite.model.problems import InputError
from pincite.parsing.bibtex import Bibliography, parse_bibliography
from pincite.parsing.papers import read_paper

from . import ROOT

DATA = ROOT.parent / "shared" / "data"


def options(doc: str | None, *paths: str, **defaults: Any) -> argparse.Namespace:
    """Read the command line: paths by position, and options, whose defaults say what they are.

    A path with ``?``, ``*`` or ``+`` behind it may be missing, or be several.
    """
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=doc, formatter_class=formatter)
    for name in paths:
        many = {"nargs": name[-1]} if name[-1] in "?*+" else {}
        parser.add_argument(name.rstrip("?*+"), type=Path, **many)
    for name, default in defaults.items():
        kind = {"action": "store_true"} if default is False else {"type": type(default)}
        if isinstance(default, Path):
            kind = {"type": Path}
        parser.add_argument(f"--{name.replace('_', '-')}", default=default, **kind)
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

    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(once() for _ in range(runs))


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
