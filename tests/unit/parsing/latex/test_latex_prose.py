"""LaTeX as a reader would say it."""

from __future__ import annotations

import pytest

from markup import parse_latex as parse
from pincite.model.drafts import CITATION_MARK

M = CITATION_MARK


def said(text: str) -> str:
    """The prose with single spaces; a paragraph break is a pilcrow."""
    paragraphs = parse(text).prose.text.split("\n\n")
    return " ¶ ".join(filter(None, (" ".join(part.split()) for part in paragraphs)))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"As shown~\cite{a}, and \citet[see][]{b} say.", f"As shown {M}, and {M} say."),
        (r"\cite{a}\cite{b} \parencites{c}{d}", f"{M}{M} {M}"),
        (r"It is so [citation needed]. \cite<> \nocite{*}", f"It is so {M}. {M}"),
        (r"\\[citation needed] \foo[citation needed]", f"{M} {M}"),
        (r"\section{On \cite{a}} Text", f"On {M} ¶ Text"),
    ],
)
def test_a_citation_is_one_mark(source: str, expected: str) -> None:
    assert said(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"na\"ive caf\'e \v{C}ech \c{c}a \^{\i}le \'Etude", "naïve café Čech ça île Étude"),
        (r"Erd\H{o}s, \L{}\'od\'z, \AA ngstr\"om, \ss", "Erdős, Łódź, Ångström, ß"),
        (r"a--b --- c `x' ``y''", "a–b — c `x' “y”"),
        (r"\enquote{a \enquote{b} c} \foreignquote{german}{d}", "“a “b” c” “d”"),
        (r"5\,\% of \$3 \& \#1 \_ \{x\}", "5 % of $3 & #1 _ {x}"),
        (r"hy\-phen\-ation shelf{}ful", "hyphenation shelfful"),
        (r"Knuth\textemdash{}\LaTeX{} \ldots{} \dots", "Knuth—LaTeX … …"),
        (r"1\textsuperscript{st} H\textsubscript{2}O", "1st H₂O"),
        (r"\emph{very} \textbf{bo}ld {\em x} {\Large y}", "very bold x y"),
        (r"\multicolumn{2}{c}{Foo} \parbox{3cm}{Bar} \unknown{a}{b}", "Foo Bar a b"),
        (r"\href{http://x.y}{a link} \url{http://z}", "a link"),
        (r"\hyperref[sec:x]{the section}, \hyperlink{x}{here}", "the section, here"),
        (r"see Section~\ref{s} and \cref{t}", "see Section and"),
        (r"\foreignlanguage{german}{Das Wort} \selectlanguage{german}", "Das Wort"),
        (r"\texorpdfstring{$\alpha$}{alpha} decay", "alpha decay"),
        (r"\textcolor{red}{warm} \colorbox{y}{z} \includegraphics[width=3cm]{f}", "warm z"),
        (r"\vspace{3mm}\noindent A\vskip 3pt plus 1fil B\kern-2pt C", "A B C"),
        (r"A\index{x!y}\label{z} B\todo{cite this}", "A B"),
        (r"中文\cite{a}文本。 Русский текст~\cite{b}", f"中文{M}文本。 Русский текст {M}"),
        (r"\input{x}\input y z", "z"),
    ],
)
def test_text(source: str, expected: str) -> None:
    assert said(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"the $n$-gram and $k$NN", "the n-gram and kNN"),
        (r"$\alpha \in \mathbb{R}$", "α in R"),
        (r"$x = \text{if } \frac{a}{b}$", "x = if a b"),
        (r"about $10^8 M_\odot$, $10^{-3}$ and $x^{n+1}_i$", "about 10⁸ M ⊙, 10⁻³ and x n+1ᵢ"),
        (r"the $i^{th}$ and the 2$^{\mathrm{nd}}$", "the ith and the 2nd"),
        (r"$\mathrm{H_2O}$ at $20^\circ$C", "H₂O at 20 °C"),
        (r"\( \left[ a \right] \)", "[ a ]"),
        (r"\DeclareMathOperator*{\argmax}{arg\,max}$\argmax f$", "arg max f"),
        (
            "so that\n\\begin{equation}\\label{e}\nE = m\n\\end{equation}\nwhere",
            "so that E = m where",
        ),
        (r"\SI{5}{\kilo\metre\per\second}, \qty{3}{m}", "5 kilometre per second, 3 m"),
        (r"\SIrange{1}{5}{\metre}, \numlist{1;2} \si{\hertz}", "1–5 metre, 1, 2 hertz"),
        (r"\unit[5]{px} \unit[per-mode=x]{\m}", "5 px m"),
    ],
)
def test_mathematics_and_quantities_are_words(source: str, expected: str) -> None:
    assert said(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("word%\nglue", "wordglue"),
        ("a word % comment\n   more", "a word more"),
        ("a\n% comment\nb", "a b"),
        ("a % comment\n\nb", "a ¶ b"),
        ("a%\r\n%\r\n\r\nb", "a ¶ b"),
        ("\\footnote{%\n  Note\\cite{a}%\n}", f"(Note{M})"),
        ("100\\% sure", "100% sure"),
    ],
)
def test_a_comment_glues_what_stands_beside_it(source: str, expected: str) -> None:
    assert said(source) == expected


@pytest.mark.parametrize(
    ("definition", "use", "expected"),
    [
        (
            r"\newcommand{\pkg}{\textsc{Pin}cite}",
            r"We use \pkg{} and \pkg.",
            "We use Pincite and Pincite.",
        ),
        (r"\newcommand{\fig}[1]{Figure~\ref{fig:#1}}", r"See \fig{x}.", "See Figure ."),
        (r"\newcommand{\gone}[1]{}", r"A \gone{note} b", "A b"),
        (r"\newcommand{\nm}[2]{#2, #1}", r"\nm{Ada}{Lovelace}", "Lovelace, Ada"),
        (r"\newcommand{\by}[1]{by #1}", r"\by{Knuth~\cite{a}}", f"Knuth {M}"),
        (r"\newcommand{\a}{\bb x}\newcommand{\bb}{\a y}", r"A \bb end", None),
        (r"\newcommand{\x}[1]{#1}", r"\x", ""),
        (r"\usepackage[ngerman]{babel}", 'Gr"o"se, "`Wort"\', Stau"-se', "Größe, „Wort“, Stause"),
        (r"\usepackage[russian]{babel}", 'Он "--- тире', "Он — тире"),
        ("", 'An "apple" a day', 'An "apple" a day'),
    ],
)
def test_own_macros_say_what_they_stand_for(definition: str, use: str, expected: str) -> None:
    prose = said(definition + "\\begin{document}" + use)
    assert expected is None or prose == expected


def test_acronyms_are_said_in_the_form_that_is_asked_for() -> None:
    definitions = (
        r"\newacronym{cnn}{CNN}{convolutional network}"
        r"\newglossaryentry{x}{name={x-ray}, description={a ray}}"
        r"\DeclareAcronym{ml}{short=ML, long={machine learning}}"
        r"\begin{document}"
    )
    assert said(definitions + r"\gls{cnn} and \Glspl{x}") == "CNN and x-ray"
    assert said(definitions + r"\acrlong{cnn} \acrfull{cnn}") == (
        "convolutional network convolutional network (CNN)"
    )
    assert said(definitions + r"\ac{ml} \acl{ml}") == "ML machine learning"
    assert said(definitions + r"\gls{un_known} \acp{NASA}") == "un known NASA"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"A\footnote{Not \cite{a}.} b\footnotemark[2]", f"A (Not {M}.) b"),
        (r"\section*{Intro} A \paragraph{Head.} b", "Intro ¶ A ¶ Head. ¶ b"),
        (r"\section[Short \cite{a}]{Long}", f"{M}Long"),
        (r"A\par b", "A ¶ b"),
        (r"\begin{abstract}We.\end{abstract}X", "We. ¶ X"),
        (r"\begin{itemize}\item One \item[Two:] three\end{itemize}", "One ¶ Two: three"),
        (r"\begin{theorem}[Main \cite{a}]Let.\end{theorem}", f"Main {M} Let."),
        (r"\begin{theorem}[Zorn's lemma]Let.\end{theorem}", "Zorn's lemma Let."),
        (r"\begin{figure}[ht!]\caption[S]{Long \cite{a}.}\end{figure}", f"Long {M}."),
        (r"\begin{tabular}{l||c}A & B\\ C & D\cite{a}\\\end{tabular}", f"A B ¶ C D{M}"),
        (r"\begin{tabularx}{\textwidth}{lX}\cmidrule(lr){1-2}A\end{tabularx}", "A"),
        (r"\begin{minipage}[t]{3cm}A\end{minipage}", "A"),
        (r"\begin{wrapfigure}[3]{r}[1cm]{3cm}A\end{wrapfigure}", "A"),
        (r"\begin{frame}{Title}{Sub}Body\end{frame}", "Title ¶ Sub ¶ Body"),
        (r"\begin{frame}[t]\frametitle<1>{T}\item<2-> A \only<1>{b}\end{frame}", "T ¶ A b"),
        (r"\begin{block}{Title}text\end{block}", "Title ¶ text"),
        (r"\begin{tikzpicture}\node{x};\end{tikzpicture}A", "A"),
        (r"\begin{tikzpicture}\node{\cite{a}};\end{tikzpicture}A", f"{M} ¶ A"),
        (r"\begin{thebibliography}{9}\bibitem{a} X.\end{thebibliography}A", "A"),
        (r"\todo{where? \cite{a}}A", f"{M}A"),
        (r"\verb||x|| \lstinline{y} z", "z"),
        (r"\documentclass{article}\title{T}\begin{document}A\end{document}B", "A"),
        ("One goes on\n\\label{here}\nafter it.\n\nAnother.", "One goes on after it. ¶ Another."),
        (r"A \newcommand{\x}[1]{words #1} b", "A b"),
        (
            r"A \newcommand{\page}{\clearpage As in \cite{a}, so.} b",
            f"A ¶ As in {M}, so. ¶ b",
        ),
    ],
)
def test_structure(source: str, expected: str) -> None:
    assert said(source.replace("||", "|")) == expected


@pytest.mark.parametrize(
    "source",
    [
        r"\emph", r"\begin", r"\begin{", r"\begin{tabular}", r"\section", r"\section{x", r"\item[",
        r"\"", r"\'{", r"\[ x", r"$x", r"\SI", r"\SI{5}", r"\gls", r"\gls{", r"\enquote{x",
        r"\footnote{x", "\\", r"\\[", r"\cite{\mykey}", '"', r"\frac{a",
    ],
)  # fmt: skip
def test_half_typed_latex_keeps_the_words_around_it(source: str) -> None:
    prose = parse(f"Before \\cite{{k}} {source}\n\nAfter").prose.text
    assert prose.startswith(f"Before {M}")
    assert prose.endswith("After")


def test_every_citation_is_at_its_own_offset() -> None:
    text = r"""
        \section[a \cite{a}]{B \cite{b}}
        C\footnote{D \cite{c}, \textcite{d}} \todo{\cite{e}} \emph{\cite{f}\cite{g}} \nocite{x}
        \item[\cite{h}] \caption{\enquote{\cite{i}}} $\cite{j}$ \begin{lemma}[\cite{k}]
        \begin{tikzpicture}\node{\cite{l}};\end{tikzpicture} % \cite{y}
        \begin{tabular}{ll} A & \cites{m}{n} \\ \end{tabular} \textcquote{o}{P}
    """
    file = parse(text)
    marks = [c for c in file.citations if not c.listed_only]
    assert len(marks) == 14
    assert file.prose.text.count(M) == len(marks)
    offsets = [file.prose.offset_at(citation.span.start) for citation in marks]
    assert [file.prose.text[offset] for offset in offsets] == [M] * len(marks)
    assert len(set(offsets)) == len(marks)
