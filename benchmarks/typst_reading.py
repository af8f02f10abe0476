"""What readers of Typst find of the citations that its compiler finds, and how long they take.

    pip install typst typst-syntax
    python -m benchmarks.typst_reading [FILE.typ]...

`typst-syntax` gives the tree of Typst's own parser: its references are counted, and the labels in
calls of ``cite``. The half-typed constructs are no valid Typst; what should be found in them is
said here. Times are processor time, the best of three.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import typst_syntax

from parity.test_typst_compiler import WHOLE, found_by_typst, written
from pincite.parsing.typst.scanner import parse_typst

from .shared import options, processor_seconds

#: Text in which something is not closed, and the keys that an author still means to cite.
HALF_TYPED = {
    "Words @a, see #cite(<b and more.\n\nMore words @c.": "abc",
    "Words @a, see #cite(\n\nMore words @c.": "ac",
    "Words $x of @a.\n\nMore words @b.": "ab",
    "Words `x of @a.\n\nMore words @b.": "ab",
    "#figure(caption: [Half @a\n\nMore words @b.": "ab",
    '#figure(image("a.png, caption: [@a])\n\nMore words @b.': "b",
    "#let x = (1, 2\n\n= Words\n\n@b": "b",
    "Words @a ) and ] @b.": "ab",
    "Words #emph[@a and\n\n@b": "ab",
    '#link("https://x.org)[@a]\n\nMore words @b.': "b",
}
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


def main() -> None:
    texts = [path.read_text("utf-8") for path in options(__doc__, "files*").files]
    texts = texts or ["\n\n".join(WHOLE.values()) * 50]
    print(f"{sum(map(len, texts)):,} characters")
    for name, find in (("Pincite", ours), ("typst-syntax", of_the_tree)):
        wrong = [half for half, keys in HALF_TYPED.items() if find(half) != Counter(keys)]
        other = []
        for construct, text in WHOLE.items():
            with TemporaryDirectory() as folder:
                draft = written(Path(folder), main=f'{text}\n\n#bibliography("refs.bib")\n')
                # Labels are known to neither here.
                if found_by_typst(draft).keys() - find(text).keys():
                    other.append(construct)
        print(f"{name}: {len(other)} of {len(WHOLE)} constructs miss citations {other}")
        print(f"    {len(wrong)} of {len(HALF_TYPED)} half-typed ones read otherwise {wrong}")
        seconds = processor_seconds(lambda: list(map(find, texts)), 3)  # noqa: B023
        print(f"    {seconds:.3f} s")


if __name__ == "__main__":
    main()
