"""LaTeX as a reader would read it out."""

import pytest

from markup import parse_latex as parse
from pincite.model.drafts import CITATION_MARK

M = CITATION_MARK


def prose_of(text: str) -> str:
    """The prose with single spaces; a paragraph break is a pilcrow."""
    paragraphs = parse(text).prose.text.split("\n\n")
    return " ¶ ".join(filter(None, (" ".join(part.split()) for part in paragraphs)))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\cite{a}\cite{b} \parencites{c}{d}", f"{M}{M} {M}"),
        (r"\\[citation needed] \foo[citation needed]", f"{M} {M}"),
    ],
)
def test_a_citation_is_one_mark(source: str, expected: str) -> None:
    assert prose_of(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"na\"ive caf\'e \v{C}ech \c{c}a \^{\i}le \'Etude", "naïve café Čech ça île Étude"),
        (r"Erd\H{o}s, \L{}\'od\'z, \AA ngstr\"om, \ss", "Erdős, Łódź, Ångström, ß"),
        (r"\enquote{a \enquote{b} c} \foreignquote{german}{d}", "“a “b” c” “d”"),
        (r"hy\-phen\-ation shelf{}ful", "hyphenation shelfful"),
        (r"Knuth\textemdash{}\LaTeX{} \ldots{} \dots", "Knuth—LaTeX … …"),
        (r"1\textsuperscript{st} H\textsubscript{2}O", "1st H₂O"),
        (r"\multicolumn{2}{c}{Foo} \parbox{3cm}{Bar} \unknown{a}{b}", "Foo Bar a b"),
        (r"\href{http://x.y}{a link} \url{http://z}", "a link"),
        (r"\hyperref[sec:x]{the section}, \hyperlink{x}{here}", "the section, here"),
        (r"see Section~\ref{s} and \cref{t}", "see Section and"),
        (r"in \prettyref{s}, \figureref{a,b} (\pageref*{c})", "in , ()"),
        (r"\foreignlanguage{german}{Das Wort} \selectlanguage{german}", "Das Wort"),
        (r"\texorpdfstring{$\alpha$}{alpha} decay", "alpha decay"),
        (r"\textcolor{red}{warm} \colorbox{y}{z} \includegraphics[width=3cm]{f}", "warm z"),
        (r"\vspace{3mm}\noindent A\vskip 3pt plus 1fil B\kern-2pt C", "A B C"),
        (r"\setlength\itemsep{0pt} A \itemsep=1ex B \itemsep -2pt C \parsep0em D", "A B C D"),
        (r"A\index{x!y}\label{z} B\todo{cite this}", "A B"),
        (r"\looseness=-1 A \penalty0 B \sisetup{per-mode=symbol} C \linespread{1.2} D", "A B C D"),
        (r"\IEEEPARstart{T}{his} \lettrine[lines=2]{W}{e know} it", "This We know it"),
        (r"\adjustbox{width=\textwidth}{A} \deleted{B}\orcid{1-2} C", "A C"),
        (r"中文\cite{a}文本。 Русский текст~\cite{b}", f"中文{M}文本。 Русский текст {M}"),
        (r"\input{x}\input y z", "z"),
    ],
)
def test_text(source: str, expected: str) -> None:
    assert prose_of(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"$\alpha \in \mathbb{R}$", "α in R"),
        (r"about $10^8 M_\odot$, $10^{-3}$ and $x^{n+1}_i$", "about 10⁸ M ⊙, 10⁻³ and x n+1ᵢ"),
        (r"the $i^{th}$ and the 2$^{\mathrm{nd}}$", "the ith and the 2nd"),
        (r"$\mathrm{H_2O}$ at $20^\circ$C", "H₂O at 20 °C"),
        (r"\( \left[ a \right] \)", "[ a ]"),
        (r"\DeclareMathOperator*{\argmax}{arg\,max}$\argmax f$", "arg max f"),
        (r"\SI{5}{\kilo\metre\per\second}, \qty{3}{m}", "5 kilometre per second, 3 m"),
        (r"\SIrange{1}{5}{\metre}, \numlist{1;2} \si{\hertz}", "1–5 metre, 1, 2 hertz"),
        (r"\unit[5]{px} \unit[per-mode=x]{\m}", "5 px m"),
    ],
)
def test_mathematics_and_quantities_are_words(source: str, expected: str) -> None:
    assert prose_of(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("word%\nglue", "wordglue"),
        ("a % comment\n\nb", "a ¶ b"),
        ("a%\r\n%\r\n\r\nb", "a ¶ b"),
        ("\\footnote{%\n  Note\\cite{a}%\n}", f"(Note{M})"),
    ],
)
def test_a_comment_glues_what_is_beside_it(source: str, expected: str) -> None:
    assert prose_of(source) == expected


@pytest.mark.parametrize(
    ("definition", "use", "expected"),
    [
        (
            r"\newcommand{\pkg}{\textsc{Pin}cite}",
            r"We use \pkg{} and \pkg.",
            "We use Pincite and Pincite.",
        ),
        (r"\newcommand{\nm}[2]{#2, #1}", r"\nm{Ada}{Lovelace}", "Lovelace, Ada"),
        (r"\newcommand{\by}[1]{by #1}", r"\by{Knuth~\cite{a}}", f"Knuth {M}"),
        (r"\newcommand{\a}{\bb x}\newcommand{\bb}{\a y}", r"A \bb end", None),
        (r"\usepackage[ngerman]{babel}", 'Gr"o"se, "`Wort"\', Stau"-se', "Größe, „Wort“, Stause"),
        (r"\usepackage[russian]{babel}", 'Он "--- тире', "Он — тире"),
        ("", 'An "apple" a day', 'An "apple" a day'),
    ],
)
def test_own_macros_become_what_they_stand_for(definition: str, use: str, expected: str) -> None:
    prose = prose_of(definition + "\\begin{document}" + use)
    assert expected is None or prose == expected


def test_acronyms_have_the_form_that_is_asked_for() -> None:
    definitions = (
        r"\newacronym{cnn}{CNN}{convolutional network}"
        r"\newglossaryentry{x}{name={x-ray}, description={a ray}}"
        r"\DeclareAcronym{ml}{short=ML, long={machine learning}}"
        r"\begin{document}"
    )
    assert prose_of(definitions + r"\gls{cnn} and \Glspl{x}") == "CNN and x-ray"
    assert prose_of(definitions + r"\acrlong{cnn} \acrfull{cnn}") == (
        "convolutional network convolutional network (CNN)"
    )
    assert prose_of(definitions + r"\ac{ml} \acl{ml}") == "ML machine learning"
    assert prose_of(definitions + r"\gls{un_known} \acp{NASA}") == "un known NASA"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"A\footnote{Not \cite{a}.} b\footnotemark[2]", f"A (Not {M}.) b"),
        (r"\section[Short \cite{a}]{Long}", f"{M}Long"),
        (r"\begin{itemize}\item One \item[Two:] three\end{itemize}", "One ¶ Two: three"),
        (r"\begin{theorem}[Main \cite{a}]Let.\end{theorem}", f"Main {M} Let."),
        (r"\begin{figure}[ht!]\caption[S]{Long \cite{a}.}\end{figure}", f"Long {M}."),
        (r"\begin{tabular}{l||c}A & B\\ C & D\cite{a}\\\end{tabular}", f"A B ¶ C D{M}"),
        (r"\begin{tabularx}{\textwidth}{lX}\cmidrule(lr){1-2}A\end{tabularx}", "A"),
        (r"\begin{minipage}[t]{3cm}A\end{minipage}", "A"),
        (r"\begin{wrapfigure}[3]{r}[1cm]{3cm}A\end{wrapfigure}", "A"),
        (r"\begin{frame}{Title}{Sub}Body\end{frame}", "Title ¶ Sub ¶ Body"),
        (r"\begin{frame}[t]\frametitle<1>{T}\item<2-> A \only<1>{b}\end{frame}", "T ¶ A b"),
        (r"\begin{block}{Title}text\end{block}", "Title ¶ text"),
        (r"\begin{tikzpicture}\node{\cite{a}};\end{tikzpicture}A", f"{M} ¶ A"),
        (r"\begin{thebibliography}{9}\bibitem{a} X.\end{thebibliography}A", "A"),
        (r"A \putbib\end{bibunit} B \printbibliography \end{document}", "A ¶ B"),
        (r"\todo{where? \cite{a}}A", f"{M}A"),
        ("One goes on\n\\label{here}\nafter it.\n\nAnother.", "One goes on after it. ¶ Another."),
        (
            r"A \newcommand{\page}{\clearpage As in \cite{a}, so.} b",
            f"A ¶ As in {M}, so. ¶ b",
        ),
    ],
)
def test_structure(source: str, expected: str) -> None:
    assert prose_of(source.replace("||", "|")) == expected


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


def test_chunks_of_sweave_and_knitr_are_no_prose() -> None:
    code = "x <- y$z %in% '{'\n\n" * 1_000
    chunk = f"<<walls, fig.cap='By \\\\citet{{a}}'>>=\n{code}@\n"
    source = f"Moss grows on\n{chunk}walls <<of>>= \\Sexpr{{n}} seas \\citep{{b}}."
    assert prose_of(source) == f"Moss grows on {M} ¶ walls <<of>>= seas {M}."
    assert [key.key for cited in parse(source).citations for key in cited.keys] == ["a", "b"]
