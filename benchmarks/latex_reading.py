"""Compare the time of our LaTeX reader and pylatexenc on real files.

    python -m benchmarks.latex_reading FILE.tex...

Prints for each file the processor time of both, after a first time that does not count: ours is for
all that a draft needs of a file (citations, gaps, headings, prose with the way back to the source),
pylatexenc's for its nodes, and for their text.
"""

from collections.abc import Callable
from functools import partial

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import LatexWalker

from pincite.parsing.latex.commands import CommandTable
from pincite.parsing.latex.parse import parse_tex

from .shared import Given, measurement, processor_seconds, table


def seconds(work: Callable[[str], object], text: str) -> tuple[float, str]:
    """Return how long some work on a text takes, and the error that ends it."""
    errors: list[str] = []

    def tried(text: str) -> None:
        try:
            work(text)
        except Exception as raised:
            errors.append(type(raised).__name__)

    tried(text)
    # Another text: ours caches what it found in the last one.
    return processor_seconds(lambda: tried(f"{text} ")), "".join(errors[-1:])


@measurement("files+")
def main(given: Given) -> None:
    rows = []
    for path in given.files:
        text = path.read_text("utf-8", "replace")
        ours, _ = seconds(partial(parse_tex, path, table=CommandTable()), text)
        walk = lambda each: LatexWalker(each, tolerant_parsing=True).get_latex_nodes()  # noqa: E731
        nodes, error = seconds(walk, text)
        prose, prose_error = seconds(LatexNodes2Text().latex_to_text, text)
        name, ratio = f"{path.parent.name}/{path.name}", f"{nodes / ours:.1f}"
        theirs = (error or f"{nodes:.3f} s", ratio, prose_error or f"{prose:.3f} s")
        rows.append((name, f"{len(text):,}", f"{ours:.3f} s", *theirs))
    head = ("file", "characters", "Pincite", "pylatexenc, nodes", "ratio", "their text")
    table(head, rows)
