"""What readers of Typst find of the citations that its compiler finds, and how long they take.

    pip install typst typst-syntax
    python -m benchmarks.typst_reading [FILE.typ]...

`typst-syntax` gives the tree of Typst's own parser: its references are counted, and the labels in
calls of ``cite``. The half-typed constructs (in `data`) are no valid Typst, and come with what
should be found in them. Times are processor time, the best of three.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import typst_syntax

from parity.test_typst_compiler import WHOLE, found_by_typst, written
from pincite.parsing.typst.scanner import parse_typst

from . import ROOT
from .shared import Given, measurement, processor_seconds

#: Text in which something is not closed, and the keys that an author still means to cite.
_HALF_TYPED = ROOT / "benchmarks/data/typst_half_typed.json"
Finder = Callable[[str], Counter[str]]


def ours(text: str) -> Counter[str]:
    file, _ = parse_typst(Path("main.typ"), text)
    return Counter(key.key for citation in file.citations for key in citation.keys)


def of_the_tree(text: str) -> Counter[str]:
    return Counter(_references(typst_syntax.parse(text)))


def _references(node: typst_syntax.SyntaxNode, in_cite: bool = False) -> Iterator[str]:
    children = node.children()
    kind = node.kind().name
    if not children and kind == "reference marker":
        yield node.text()[1:]
    elif not children and in_cite and kind in ("label", "string"):
        yield node.text()[1:-1]
    # The last part is the name of the function; `std` is where all are.
    name = (children[0].children() or children[:1])[-1].text() if kind == "function call" else ""
    called = name in ("cite", "ref")
    for child in children:
        if child.kind().name != "named pair":
            yield from _references(child, in_cite or called)
        else:
            yield from _references(child)


@measurement("files*")
def main(given: Given) -> None:
    half_typed = json.loads(_HALF_TYPED.read_text("utf-8"))
    texts = [path.read_text("utf-8") for path in given.files]
    texts = texts or ["\n\n".join(WHOLE.values()) * 50]
    print(f"{sum(map(len, texts)):,} characters")
    for name, find in (("Pincite", ours), ("typst-syntax", of_the_tree)):
        wrong = [half for half, keys in half_typed.items() if find(half) != Counter(keys)]
        other = []
        for construct, text in WHOLE.items():
            with TemporaryDirectory() as folder:
                draft = written(Path(folder), main=f'{text}\n\n#bibliography("refs.bib")\n')
                # Labels are known to neither here.
                if found_by_typst(draft).keys() - find(text).keys():
                    other.append(construct)
        print(f"{name}: {len(other)} of {len(WHOLE)} constructs miss citations {other}")
        print(f"    {len(wrong)} of {len(half_typed)} half-typed ones read otherwise {wrong}")
        seconds = processor_seconds(lambda: list(map(find, texts)), 3)  # noqa: B023
        print(f"    {seconds:.3f} s")
