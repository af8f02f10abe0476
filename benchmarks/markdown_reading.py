"""What readers of Markdown find of the citations that Pandoc finds, and how long they take.

    pip install pypandoc_binary markdown-it-py mdit-py-plugins tree-sitter tree-sitter-markdown
    python -m benchmarks.markdown_reading DATA/articles/joss/*/paper.md

The other two parsers know no citations: they are asked for the text that may have some, in which
keys are looked for with the pattern of our own reader. Times are processor time, the best of three.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from parity.test_pandoc import found_by_pandoc, found_by_us
from pincite.parsing.markdown.citations import BARE_KEY, BRACED_KEY

from . import ROOT
from .shared import Given, measurement, processor_seconds, table

_HEADER = re.compile(r"\A---\n.*?\n(?:---|\.\.\.)[ \t]*\n", re.DOTALL)
_KEY = re.compile(rf"(?<![^\W_])(?<!\\)@(?:{BRACED_KEY.pattern}|({BARE_KEY.pattern}))")
#: A construct in each line, with the ends of its own lines escaped.
_CONSTRUCTS = ROOT / "benchmarks/data/markdown_constructs.txt"
#: What tree-sitter's trees have within text, and instead of text.
_NO_TEXT = "code_span latex_block html_tag uri_autolink email_autolink link_destination".split()
_NO_WORDS = (
    "fenced_code_block indented_code_block html_block minus_metadata link_reference_definition"
).split()
Finder = Callable[[str], Counter[str]]


def keys(text: str) -> Iterator[str]:
    return (braced or bare for braced, bare in _KEY.findall(text))


def markdown_it() -> Finder:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    parser = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
    parser.use(footnote_plugin).use(dollarmath_plugin)

    def found(tokens: list) -> Iterator[str]:
        for token in tokens:
            if token.type == "text":
                yield from keys(token.content)
            yield from found(token.children or [])

    return lambda text: Counter(found(parser.parse(text)))


def tree_sitter() -> Finder:
    import tree_sitter
    import tree_sitter_markdown

    blocks = tree_sitter.Parser(tree_sitter.Language(tree_sitter_markdown.language()))
    inlines = tree_sitter.Parser(tree_sitter.Language(tree_sitter_markdown.inline_language()))

    def hide(node: tree_sitter.Node, text: bytearray, start: int) -> None:
        if node.type in _NO_TEXT:
            text[node.start_byte - start : node.end_byte - start] = b" " * (
                node.end_byte - node.start_byte
            )
        for child in node.children:
            hide(child, text, start)

    def found(node: tree_sitter.Node, source: bytes) -> Iterator[str]:
        if node.type in ("inline", "pipe_table_cell"):
            place = (node.start_point, node.end_point, node.start_byte, node.end_byte)
            inlines.included_ranges = [tree_sitter.Range(*place)]
            text = bytearray(source[node.start_byte : node.end_byte])
            hide(inlines.parse(source).root_node, text, node.start_byte)
            yield from keys(text.decode("utf-8", "replace"))
        elif node.type not in _NO_WORDS:
            for child in node.children:
                yield from found(child, source)

    def finder(text: str) -> Counter[str]:
        source = text.encode()
        return Counter(found(blocks.parse(source).root_node, source))

    return finder


@measurement("papers+")
def main(given: Given) -> None:
    papers = [path.read_text("utf-8") for path in given.papers]
    constructs = [line.replace(r"\n", "\n") for line in _CONSTRUCTS.read_text("utf-8").splitlines()]
    wanted = [found_by_pandoc(_HEADER.sub("", text)) for text in papers]
    wanted_of = [found_by_pandoc(text) for text in constructs]
    print(f"{len(papers)} papers, {sum(map(len, papers)):,} characters,", end=" ")
    print(f"{sum(each.total() for each in wanted)} citations; {len(constructs)} constructs\n")
    rows = []
    others = {"markdown-it-py": markdown_it(), "tree-sitter": tree_sitter()}
    for name, finder in {"Pincite": found_by_us, **others}.items():
        found = [finder(text) for text in papers]
        missed = sum((want - got).total() for want, got in zip(wanted, found, strict=True))
        many = sum((got - want).total() for want, got in zip(wanted, found, strict=True))
        wrong = sum(finder(text) != want for text, want in zip(constructs, wanted_of, strict=True))
        seconds = processor_seconds(lambda: [finder(text) for text in papers], 3)  # noqa: B023
        rows.append((name, missed, many, wrong, f"{seconds:.2f}"))
    table(("reader", "citations missed", "too many", "constructs read otherwise", "seconds"), rows)
