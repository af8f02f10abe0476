"""Whatever the author has written: a bibliography is named, and nothing else changes."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.edits.naming import names_any, naming_edits
from pincite.model.edits import applied
from pincite.parsing.drafts import DraftReader

LATEX = r"""
\usepackage{natbib} \usepackage{biblatex} \usepackage[style=apa]{biblatex} \bibliographystyle{alpha}
\begin{document} \end{document} \cite{a} \cite{ \citep[p.~3]{a,b} %\bibliography{no} {x} $x$ \verb|%| Words
\begin{verbatim}\end{document}\end{verbatim} ünï \section{Words} \input{gone} \iftrue \fi \RequirePackage{x}
""".split()
MARKDOWN = [
    *"Words [@a] @b [@ `code` # --- ... ünï [citation-needed] {cite}`a` | * $x$ <!-- -->".split(),
    "---\ntitle: W\n---", "% Title", "---\n{lang: de}\n---", "```\ncode\n```", "- a", "&nbsp;",
]  # fmt: skip
TYPST = [
    *"Words @a @b[p.~3] #cite(<a>) #cite(< = Words *x* _y_ $x$ `code` <label> #let ünï".split(),
    "#set text(lang: \"de\")", "// #bibliography(\"no.bib\")", "#figure[x]", "- a", "\\#",
]  # fmt: skip
SPACES = [" ", "\n", "\n\n", ""]


def texts(parts, ends=SPACES):
    part = st.tuples(st.sampled_from(parts), st.sampled_from(ends)).map("".join)
    pieces = st.lists(part, max_size=12).map("".join)
    return st.tuples(pieces, st.sampled_from(["\n", "\r\n", "\r"])).map(
        lambda found: found[0].replace("\n", found[1])
    )


def read(path: Path, text: str):
    return DraftReader(lambda _: text).read(path)


def cited(draft):
    return [key.key for file in draft.files for c in file.citations for key in c.keys]


PLAIN = st.lists(st.sampled_from(["Words", "ünï", "are", "\n\n", ".", "1"]), max_size=20)
IN_LATEX = "\\documentclass{{article}}\n\\begin{{document}}\n{}\n\\end{{document}}\n".format


@pytest.mark.parametrize(
    ("name", "made", "is_plain"),
    [
        ("main.tex", texts(LATEX).map("\\documentclass{{article}}\n{}".format), False),
        *((name, texts(MARKDOWN), False) for name in ("paper.md", "paper.qmd")),
        ("paper.typ", texts(TYPST), False),
        ("main.tex", PLAIN.map(" ".join).map(IN_LATEX), True),
        *((name, PLAIN.map(" ".join).map("{}\n".format), True) for name in ("paper.md", "paper.typ")),
    ],
)  # fmt: skip
def test_a_bibliography_is_named_and_nothing_else_changes(name, made, is_plain):
    path = Path(name).absolute()

    @settings(max_examples=150)
    @given(made)
    def check(text):
        draft, bibliography = read(path, text), path.with_name("references.bib")
        edits = naming_edits(draft, bibliography, lambda _: text)
        if not edits:
            assert not is_plain
            return
        after = applied(text, edits)
        for edit in edits:
            assert not edit.span.of(text).strip()
            # The lines end as they did.
            first = (re.findall(r"\r\n|\n|\r", text) or ["\n"])[0]
            assert set(re.findall(r"\r\n|\n|\r", edit.text)) <= {first}
        changed = read(path, after)
        assert names_any(changed)
        assert cited(changed) == cited(draft)
        # A second one is none.
        assert naming_edits(changed, bibliography, lambda _: after) == ()

    check()
