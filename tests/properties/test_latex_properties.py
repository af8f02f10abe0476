"""Whatever is typed: the LaTeX reader never fails, keeps offsets, and takes linear time.

A file read region by region has the same content as when read as a whole.
"""

import re
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markup import parse_latex as parse
from pincite.contexts.windows import extract
from pincite.model.drafts import CITATION_MARK
from pincite.parsing.latex import regions
from pincite.parsing.latex.commands import find_definitions, learn_commands
from pincite.parsing.latex.parse import parse_tex
from pincite.settings import Window

FRAGMENTS = r"""
\cite \cite{ \cite{a} \cite{a, \citep[see][]{b} \cite<> \cite<e.g.>{c} \cites(x)(y){a}[b]{c} \nocite{*}
\citet* { } [ ] ( ) < > , $ $$ & ~ # ^ _ % %x \\ \\[2pt] \% \{ \} \ \( \) \[ \] \' \"{o} \v{c} \c
\begin{verbatim} \end{verbatim} \begin{lstlisting} \end{lstlisting} \begin{comment} \end{comment}
\begin{document} \end{document} \begin{tabular}{ll} \end{tabular} \begin{equation} \end{equation}
\begin{theorem}[T] \begin{tikzpicture} \end{tikzpicture} \begin{frame}{T} \begin{ \end{ \begin
\verb|x| \verb| \lstinline{ \mintinline{tex} \url{ \href{a%b}{c} \iffalse \iftrue \ifx \else \fi \newif\ifa
\newcommand{\m}[1]{\cite{#1}} \newcommand{\m} \m{a} \m \newcommand{\n}[1][x]{#1\m{#1}} \n{b} \def\p#1{
\def\p{[citation needed]} \p \let\q\cite \q{z} \NewDocumentCommand{\r}{s o m}{ \newcites{x}{y} \endinput
\footnote{ \section{ \section[s]{t} \caption{ \item \item[ \emph{ \textbf{x} \enquote{ \gls{x} \SI{5}{\m}
\newacronym{x}{X}{Y} \acro \input{x} \input y \include{ \import{a}{ \bibliography{a,b} \addbibresource{
\bibitem{k} \bibitem[ \label{ \frac{a}{b} \left[ \alpha \todo{ \MakeShortVerb{\|} | "a "= \documentclass[
\begin{filecontents}{a.bib} \end{filecontents} [citation [CITATION needed] needed] TODO ? \usepackage[german]{babel}
""".split()
WORDS = [
    "word",
    "a",
    "Zwei",
    "ünï",
    "e\u0301",
    "\U0001f600",
    "文本",
    ".",
    " ",
    "  ",
    "\ufffc",
    "\0",
]
LINE_ENDS = ["\n", "\r\n", "\r", "\n\n", " \n \n", "\u2028"]

latex = st.lists(
    st.sampled_from(FRAGMENTS * 2 + WORDS * 4 + LINE_ENDS * 4), min_size=1, max_size=60
).map("".join)
LINE_END = re.compile(r"\r\n|\n|\r")


@settings(max_examples=300)
@given(latex)
def test_spans_are_inside_the_text_and_in_order(text: str) -> None:
    file = parse(text)
    for citation in file.citations:
        assert 0 <= citation.span.start < citation.span.end <= len(text)
        assert text[citation.span.start] == "\\"
        edge = citation.span.start
        for key_list in citation.key_lists:
            assert edge <= key_list.span.start <= key_list.span.end <= citation.span.end
            edge = key_list.span.start
            for key in key_list.keys:
                assert edge <= key.span.start < key.span.end <= key_list.span.end
                assert "," not in key.key
                edge = key.span.end
    starts = [citation.span.start for citation in file.citations]
    assert starts == sorted(set(starts))
    gaps = [gap.span.start for gap in file.placeholders]
    assert gaps == sorted(set(gaps))
    for named in (*file.includes, *file.bibliographies, *file.bib_items):
        assert 0 <= named.span.start <= named.span.end <= len(text)


@settings(max_examples=300)
@given(latex)
def test_visible_text_keeps_length_and_line_ends(text: str) -> None:
    hidden = regions.Region(text)
    assert len(hidden.text) == len(text)
    for before, after in zip(text, hidden.text, strict=True):
        assert after in (before, " ")
    commented = set()
    for start, end in hidden.comments:
        assert text[start] == "%"
        commented.update(range(start, end))
    for match in LINE_END.finditer(text):
        if match.start() not in commented:
            assert hidden.text[match.start() : match.end()] == match.group()


@settings(max_examples=300)
@given(latex)
def test_the_way_from_source_to_prose_is_monotonic(text: str) -> None:
    file = parse(text)
    prose = file.prose
    sources: set[int] = set()
    for start, region in file.placed:
        for starts in (region.prose.starts, region.prose.source_starts):
            assert list(starts) == sorted(starts)
        sources.update(start + own for own in region.prose.source_starts if region.prose.text)
    offsets = [prose.offset_at(offset) for offset in range(len(text) + 1)]
    assert offsets == sorted(offsets)
    assert all(0 <= offset <= len(prose.text) for offset in offsets)
    for gap in file.placeholders:
        if gap.span.start in sources:
            assert prose.text[prose.offset_at(gap.span.start)] == CITATION_MARK
    for offset in offsets[:: max(1, len(offsets) // 4)]:
        extract(prose.text, offset, Window(3, 3))


@pytest.mark.parametrize(
    "fragment", [*FRAGMENTS, *WORDS, *LINE_ENDS, "%\n", "\\iffalse\\fi ", "\\cite{\n\n"]
)
def test_a_long_text_of_one_fragment_is_read(fragment: str) -> None:
    """It would take minutes where the time is not linear."""
    size = 60_000
    text = fragment * (size // len(fragment))
    file = parse(text)
    assert file.text == text


@pytest.mark.parametrize(
    "opening", ["{", "[", "\\emph{", "\\footnote{", "\\section[", "\\newcommand{\\a}{"]
)
def test_deep_nesting_is_read(opening: str) -> None:
    closing = "]" if opening.endswith("[") else "}"
    text = f"{opening * 5_000} \\cite{{a}} {closing * 5_000}"
    assert [key.key for citation in parse(text).citations for key in citation.keys] == ["a"]


SMALL = mock.patch.multiple(regions, _MIN_REGION=15, _MAX_REGION=40)
WHOLE = mock.patch.multiple(regions, _MIN_REGION=10**9, _MAX_REGION=10**9)

#: Each ends what it begins, some of them behind headings and blank lines.
CLOSED = [
    *("Reeds hold the marsh. ", "Moss grows \\citep[see][3]{moss,fern}. ", "\\cite{}", "TODO "),
    *("\n\n", "\n", "\r\n\r\n", "% a comment\n", "\n% one\n\n% two\n", "\n\\section{Moss}\n"),
    *("\n\\chapter[short]{Reeds \\cite{a}}\n\n", "\n  \\subsection*{Ferns}\n", "[citation needed]"),
    "\\cite{a,\n  \n% one\n  b,\n\n\n  c}",
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


def content(file):
    """Everything that a file contains; the number of breaks between paragraphs does not count."""
    return (
        *(file.citations, file.placeholders, file.includes, file.bib_items, file.bibliographies),
        re.sub(r"\s*\n\n\s*", "\n\n", file.prose.text).strip(),
    )


@settings(max_examples=300)
@given(closed)
def test_regions_contain_what_the_whole_contains(text):
    table = learn_commands((find_definitions(text),))
    with WHOLE:
        whole = parse_tex(Path(), text, table)
    with SMALL:
        file = parse_tex(Path(), text, table)
    assert len(whole.regions) == 1
    assert "".join(region.text for region in file.regions) == text
    assert content(file) == content(whole)
