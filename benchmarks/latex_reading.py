"""Compare the time of our LaTeX reader and pylatexenc on real files.

Usage: python benchmarks/latex_reading.py FILE.tex...

Prints for each file the processor time of both, after a first time that does not count: ours is for
all that a draft needs of a file (citations, gaps, headings, prose with the way back to the source),
pylatexenc's for its nodes, and for their text.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import LatexWalker

from pincite.parsing.latex.commands import CommandTable
from pincite.parsing.latex.parse import parse_tex


def seconds(work: Callable[[str], object], text: str) -> tuple[float, str]:
    """Return how long some work on a text takes, and the error that ends it."""
    error = ""
    for number in range(2):
        # Another text each time: ours keeps what it found out about the last one.
        other = text + " " * number
        began = time.process_time()
        try:
            work(other)
        except Exception as raised:
            error = type(raised).__name__
        spent = time.process_time() - began
    return spent, error


def nodes_of(text: str) -> object:
    return LatexWalker(text, tolerant_parsing=True).get_latex_nodes()


def main(names: list[str]) -> None:
    print("| file | characters | Pincite | pylatexenc, nodes | ratio | their text |")
    print("|---|--:|--:|--:|--:|---|")
    for name in names:
        path = Path(name)
        text = path.read_text("utf-8", "replace")
        ours, _ = seconds(partial(parse_tex, path, table=CommandTable()), text)
        nodes, error = seconds(nodes_of, text)
        said, said_error = seconds(LatexNodes2Text().latex_to_text, text)
        theirs = error or f"{nodes:.3f} s"
        print(
            f"| {path.parent.name}/{path.name} | {len(text):,} | {ours:.3f} s | {theirs} "
            f"| {nodes / ours:.1f} | {said_error or f'{said:.3f} s'} |"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
