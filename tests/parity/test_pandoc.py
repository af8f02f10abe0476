"""Pandoc decides what is a citation in Markdown: every one that it finds is found, and none more.

On the papers of JOSS in the evaluation data, and on small texts made of everything that may hide a
citation. Pandoc comes with the wheel pypandoc_binary.
"""

import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.parsing.markdown.dialect import dialect_of
from pincite.parsing.markdown.scanner import parse_markdown
from where import SHARED

pypandoc = pytest.importorskip("pypandoc")
PAPERS = sorted((SHARED / "data" / "articles" / "joss").glob("*/paper.md"))
_HEADER = re.compile(r"\A---\n.*?\n(?:---|\.\.\.)[ \t]*\n", re.DOTALL)


def found_by_pandoc(text: str) -> Counter[str]:
    command = [pypandoc.get_pandoc_path(), "--from", "markdown", "--to", "json"]
    run = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    return Counter(_keys(json.loads(run.stdout)["blocks"]))


def _keys(part):
    if isinstance(part, list):
        for each in part:
            yield from _keys(each)
    elif isinstance(part, dict):
        if part.get("t") == "Cite":
            for citation in part["c"][0]:
                yield from _keys(citation["citationPrefix"])
                yield citation["citationId"]
                yield from _keys(citation["citationSuffix"])
        elif part.get("t") == "Figure":
            yield from _keys(part["c"][1])  # the caption; the picture repeats it
        else:
            for each in part.values():
                yield from _keys(each)


def found_by_us(text: str) -> Counter[str]:
    file = parse_markdown(Path("paper.md"), text, dialect_of(Path("paper.md"), text))
    keys = (key for citation in file.citations if not citation.listed_only for key in citation.keys)
    return Counter(key.key for key in keys if key.key.strip("?"))


@pytest.mark.skipif(not PAPERS, reason="the papers of JOSS are not here")
@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: path.parent.name)
def test_all_citations_of_a_paper_are_found_and_none_more(paper):
    text = paper.read_text("utf-8")
    assert found_by_us(text) == found_by_pandoc(_HEADER.sub("", text))


PARTS = [
    *("Words", "said", "x", ":", ",", "#", "--", "...", "&amp;", "H~2~O", "_x_"),
    *("@a", "@b:c", "-@a", "@a.", "@a_b", "x_@a", "a@b.org", "\\@a", "@{odd=key}", "@a/b"),
    *(
        "[@a]",
        "[-@a]",
        "[see @a, p. 3; -@b]",
        "[@a; @b]",
        "[@a;]",
        "[; @a]",
        "@a [p. 3]",
        "@a [@b]",
    ),
    *("[@a]{.c}", "[@a](u)", "[@a][@b]", "[t](http://x/@y)", "![i @a](x.png)", "[", "]", "[@a"),
    *("`@a`", "``b @a``", "$x_@a$", "<!-- @a -->", '<b title="@q">', "</b>", "<https://x/@y>"),
    *("<a@b.org>", "**b [@a]**", "^[note @a]", "\\textbf{@a}"),
]
BLOCKS = [
    *("# H @a", "- @a", "1. @a", "> @a", "    @a", "\t@a", "  - @a", "[x]: /@u", "<pre>\n@a\n</pre>"),
    *("```\n@a\n```", "~~~ r\n@a\n\n@b\n~~~", "$$\n@a\n$$", "\\begin{x}\n@a\n\\end{x}", "<div>\n@a\n</div>"),
    *("::: {.n}\n@a\n:::", "<!--\n@a\n\n@b\n-->", "Term\n\n:   Definition @a", "| @a\n| @b", "* * *"),
    *("- a\n\n      @a\n\n  @b", "| a |\n|---|\n| @a |"),
    *("---\nnocite: '@a'\n---", "---\nx: |\n  @a\n..."),
]  # fmt: skip
paragraph = st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map(" ".join)
wrapped = st.lists(paragraph, min_size=1, max_size=2).map("\nand ".join).map("So {}".format)
texts = st.lists(st.one_of(wrapped, st.sampled_from(BLOCKS)), min_size=1, max_size=5).map(
    lambda blocks: "\n\n".join([*blocks, "Noted[^1].", "[^1]: A note by @z.\n"])
)


@settings(max_examples=60)
@given(texts)
def test_small_texts_cite_what_pandoc_finds(text):
    assert found_by_us(text) == found_by_pandoc(text)
