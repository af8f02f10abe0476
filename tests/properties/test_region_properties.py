"""A file read region by region says what it says as a whole, whatever is edited."""

from __future__ import annotations

import re
from pathlib import Path
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.parsing.latex import regions
from pincite.parsing.latex.commands import find_definitions, learn_commands
from pincite.parsing.latex.parse import parse_tex

PATH = Path("main.tex")
SMALL = mock.patch.multiple(regions, _MIN_REGION=15, _MAX_REGION=40)
WHOLE = mock.patch.multiple(regions, _MIN_REGION=10**9, _MAX_REGION=10**9)

#: Each ends what it begins, some of them behind headings and blank lines.
CLOSED = [
    *("Reeds hold the marsh. ", "Moss grows \\citep[see][3]{moss,fern}. ", "\\cite{}", "TODO "),
    *("\n\n", "\n", "\r\n\r\n", "% a comment\n", "\n% one\n\n% two\n", "\n\\section{Moss}\n"),
    *("\n\\chapter[short]{Reeds \\cite{a}}\n\n", "\n  \\subsection*{Ferns}\n", "[citation needed]"),
    "\\footnote{One.\n\nTwo \\cite{two}.\n\\paragraph{P}\nThree.}",
    "\n\\begin{verbatim}\n\\cite{no}\n\n\\section{No} {{ \\iffalse\n\\end{verbatim}\n",
    "\n\\begin{tikzpicture}\n\\node {\\cite{drawn}};\n\n\\node {};\n\\section{x}\n\\end{tikzpicture}\n",
    "\n\\begin{longtable}{ll}\na & b \\\\\n\n\\cite{c} & d \\\\\n\n\\end{longtable}\n",
    "\n\\iffalse\nhidden \\cite{no}\n\n\\section{No}\n\\else\nshown \\cite{shown}\n\n\\fi\n",
    "\n\\iftrue\n\nshown\n\n\\else\n\\section{no} \\cite{no}\n\n\\fi\n",
    "{\\small\n\n\\section{In a group} \\cite{group}\n\n}",
    "\\newcommand{\\moss}[1]{\n\\section{#1}\n\n\\cite{#1}}",
    "\\twocolumn[\n\\section{Wide}\n\nAcross \\cite{wide}.\n\n]",
    "\n\\begin{thebibliography}{9}\n\\bibitem{one} One.\n\n\\bibitem{two} Two.\n\n\\end{thebibliography}\n",
    "\n\\begin{filecontents}{a.bib}\n@book{a,\n\n title={\\section}}\n\\end{filecontents}\n",
    *("\\begin{document}\n", "A listing of |\\begin{document}| as text. "),
    *("$]0, 1]$ ", "\\input{a}", "\\bibliography{a,b}\n", "\\{ ", "\\verb|{[| "),
]
closed = st.lists(st.sampled_from(CLOSED), max_size=40).map("".join)


def table_of(text):
    return learn_commands((find_definitions(text),))


def said(file):
    """Everything that a file says; how many breaks stand between paragraphs does not count."""
    return (
        *(file.citations, file.placeholders, file.includes, file.bib_items, file.bibliographies),
        re.sub(r"\s*\n\n\s*", "\n\n", file.prose.text).strip(),
    )


@settings(deadline=None, max_examples=300)
@given(closed)
def test_regions_say_what_the_whole_says(text):
    table = table_of(text)
    with WHOLE:
        whole = parse_tex(PATH, text, table)
    with SMALL:
        file = parse_tex(PATH, text, table)
    assert len(whole.regions) == 1
    assert "".join(region.text for region in file.regions) == text
    assert said(file) == said(whole)
