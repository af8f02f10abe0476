r"""Which commands cite, where their keys are, and which of them are gaps to fill."""

import pytest

from markup import parse_fixture
from markup import parse_latex as parse


def keys(text: str) -> list[tuple[str, list[str]]]:
    return [(c.command, [key.key for key in c.keys]) for c in parse(text).citations]


def placeholders(text: str) -> list[str]:
    return [gap.span.of(text) for gap in parse(text).placeholders]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\citep[see {\em [x]}][ch. {]}]{a}", [("citep", ["a"])]),
        (r"\cite[{a]}]{b}", [("cite", ["b"])]),
        ("\\cite\r[see]\r\n  {a}", [("cite", ["a"])]),
        ("\\cite{a, % c, d}\n b}", [("cite", ["a", "b"])]),
        (r"\volcite[see][]{a}", []),
        (r"\begin{displaycquote}[see][12]{a}[.] Words", [("begin{displaycquote}", ["a"])]),
        (
            r"\begin{foreigndisplaycquote}{german}[12]{a}",
            [("begin{foreigndisplaycquote}", ["a"])],
        ),
        (
            "\\begin{hyphendisplaycquote}{german}%\n{a,b",
            [("begin{hyphendisplaycquote}", ["a", "b"])],
        ),
        (r"\gentextcite[s'][see][3]{a}", [("gentextcite", ["a"])]),
        (r"\cite{a, *b,* c}", [("cite", ["a", "b", "c"])]),
        (r"\cite{a,*[{See also, e.g., }][{, and more}] b,*[see ]c}", [("cite", ["a", "b", "c"])]),
        (r"\citeup{a,b} \upcite[3]{c}", [("citeup", ["a", "b"]), ("upcite", ["c"])]),
        (r"\possciteauthor{a} \pgcitet{b}{3}", [("possciteauthor", ["a"]), ("pgcitet", ["b"])]),
        (r"\mcite[2]{a}[3]{b}", [("mcite", ["a", "b"])]),
        (r"\onlinecite{[][{, and so on}]a,[see, e.g., ]b,c}", [("onlinecite", ["a", "b", "c"])]),
        (r"\citeN[p.~3]{a} \maskciteA<see>{b}", [("citeN", ["a"]), ("maskciteA", ["b"])]),
        ("\\citeA<see \\emph{e.g.},\n  also>[p.~3]{a}", [("citeA", ["a"])]),
        ("\\citeA<see\n\n also>{a}", []),
        (r"\apud{Silva} \opcit{b} \newcommand{\Idem}{id.} \Idem{}", []),
        (
            r"\nextcitefull{a}\citeswithoutentry{b,c}",
            [("nextcitefull", ["a"]), ("citeswithoutentry", ["b", "c"])],
        ),
        (r"\bibitem[\protect\citeauthoryear{Knuth}{1968}]{k} Knuth \cite{a}", [("cite", ["a"])]),
        (r"\cite{Müller:2020,d'Ex_ample/1.2}", [("cite", ["Müller:2020", "d'Ex_ample/1.2"])]),
        (r"\\% \cite{a}", []),
        (r"\citation{a} \citestyle{b} \CITE{c}", []),
        (r"\DeclareAcronym{x}{cite = a, long={A cite}}", [("DeclareAcronym", ["a"])]),
        (r"\DeclareAcronym{x}{long=X, cite={[see][p.~3]{a}}}", [("DeclareAcronym", ["a"])]),
        (r"\DeclareAcronym{x}{cite={[see][3]a}}", [("DeclareAcronym", ["a"])]),
        (r"\DeclareAcronym{x}{short=X, long={recite=y}} \DeclareAcronym{cite", []),
        # Several groups.
        (r"\citeincites[3]{a}[4]{b}", [("citeincites", ["a", "b"])]),
        (r"\gentextcites[s'](see)(end)[1]{a}[2]{b}", [("gentextcites", ["a", "b"])]),
        (r"\volcites(see){2}[3]{a}[cf.]{4}{b,c} {d}", [("volcites", ["a", "b", "c"])]),
        (r"\textcites(pre)(and more){a}[see][{12]}]{b}", [("textcites", ["a", "b"])]),
        ("\\parencites[12]{a}\n  [13]{b}\n  {c} text {d}", [("parencites", ["a", "b", "c"])]),
        ("\\cites{a}\n\n{b}", [("cites", ["a"])]),
        # A blank line ends the search for arguments.
        ("\\cite\n\n{a}", []),
        ("\\cite[see\n\nNext \\emph{paragraph}] {a}", []),
        # Commas in braces separate no keys.
        (r"\cite{a, {\own{b, {c}}, d}, e}", [("cite", ["a", "e"])]),
        (r"\cite{a\{, b}", [("cite", ["b"])]),
    ],
)
def test_the_arguments_of_one_command(source: str, expected: list) -> None:
    assert keys(source) == expected


ABNTEX = r"""
    \apud[p.~2]{a,b}{c} \apudonline{d}{e} \citeauthoronline{f} \Idem[p.~3]{g} \Ibidem{h}
    \opcit{i} \passim{j} \loccit[p.~4]{k} \cfcite[p.~5]{l} \etseq{m} \footciteref{n}
    \citetext{o}
"""


@pytest.mark.parametrize(
    ("preamble", "source", "expected"),
    [
        (r"\usepackage{jurabib}", r"\citefield[3]{author}{a} \cite[B][3]{c}", ["a", "c"]),
        (r"\usepackage{biblatex}", r"\citefield[3]{a}{author}", ["a"]),
        (r"\usepackage[style=abnt,sccite]{biblatex}", r"\apud[3]{a}[4]{b}{c}", ["a", "b", "c"]),
        (
            r"\usepackage{amsrefs}",
            r"\citelist{\cite{a}*{p.~2}\cite{b}} \ocite{c}*{p.~3} \ycites{d,e}",
            [*"abcde"],
        ),
        (r"\newcites{web}{Web}", r"\Citetweb{a} \citetitleweb{b} \nociteweb{c}", [*"abc"]),
        (r"\usepackage[alf]{abntex2cite}", ABNTEX, [*"abcdefghijklmno"]),
        (r"\documentclass[12pt]{abntex2}\begin{document}", ABNTEX, [*"abcdefghijklmno"]),
    ],
)
def test_a_command_that_packages_define_differently(
    preamble: str, source: str, expected: list[str]
) -> None:
    assert [key for _, listed in keys(preamble + source) for key in listed] == expected


@pytest.mark.parametrize(
    ("definition", "use", "expected"),
    [
        (r"\newcommand\mycite[2]{\cite[#2]{#1}}", r"\mycite{a}{12}", ["a"]),
        # Commands that packages have, too.
        (r"\newcommand\citework[2]{\emph{#1}~\cite{#2}}", r"\citework{Name}{a}", ["a"]),
        (r"\renewcommand\citep[2][]{\parencite[#1]{#2}}", r"\citep[see][2]{a}", ["a"]),
        (r"\newcommand{\mycite}{\y} \newcommand{\y}{\citep}", r"\mycite[see][2]{a}", ["a"]),
        (r"\newcommand{\mycite}[1][]{\citep[#1]}", r"\mycite[p.~2]{a}", ["a"]),
        (r"\newcommandx{\mycite}[2][1=]{\cite[#1]{#2}}", r"\mycite{a}", ["a"]),
        (
            r"\newcommandtwoopt*{\mycite}[3][][]{\href{https://x.org/#3}{\citealp[#1][#2]{#3}}}",
            r"\mycite[see][3]{a}",
            ["a"],
        ),
        (r"\providecommandx{\mycite}[2][2=]{\cite[#2]{#1}}", r"\mycite{a}", ["a"]),
        (r"\newrobustcmd{\mycite}[1]{\cite{#1}}", r"\mycite{a}", ["a"]),
        (r"\def\mycite[#1]#2{\cite[#1]{#2}}", r"\mycite[p.~2]{a}", ["a"]),
        (r"\NewCommandCopy{\mycite}{\citep}", r"\mycite{a}", ["a"]),
        (r"\LetLtxMacro{\mycite}{\citep}", r"\mycite[see][]{a}", ["a"]),
        (r"\NewDocumentCommand{\mycite}{s o m}{\cite[#2]{#3}}", r"\mycite*[x]{a}", ["a"]),
        (r"\NewDocumentCommand\mycite{d<> D(){} m}{\cite{#3}}", r"\mycite<x>{a}", ["a"]),
        (r"\DeclareCiteCommand{\mycite}[\mkbibparens]{}{}{}{}", r"\mycite[2]{a}", ["a"]),
        (r"\DeclareMultiCiteCommand{\mycites}{\mycite}{; }", r"\mycites{a}[2]{b}", ["a", "b"]),
        (r"\newenvironment{mycite}[2][]{\cite[#1]{#2}}{}", r"\begin{mycite}[3]{a}", ["a"]),
        (
            r"\newenvironment{mycite}{\begin{displaycquote}}{\end{displaycquote}}",
            r"\begin{mycite}[3]{a}",
            ["a"],
        ),
        (r"\NewDocumentEnvironment{mycite}{O{} m}{}{\cite[#1]{#2}}", r"\begin{mycite}{a}", ["a"]),
        (r"\newcommand\x[1]{\y{#1}}\newcommand\y[1]{\z{#1}}\def\z#1{\cite{#1}}", r"\x{a}", ["a"]),
    ],
)
def test_a_command_that_the_draft_defines_over_one_that_cites(
    definition: str, use: str, expected: list[str]
) -> None:
    (citation,) = parse(f"{definition}\n\\begin{{document}}\n{use}").citations
    assert [key.key for key in citation.keys] == expected
    assert citation.span.start > len(definition)


@pytest.mark.parametrize(
    "definition",
    [
        r"\newcommand{\mycite}[1]{\cite{#1}}",
        r"\let\oldcite\cite \renewcommand{\cite}[1]{\emph{\oldcite{#1}}}",
        r"\DeclareCiteCommand{\cite}{}{}{}{}",
        r"\pretocmd{\cite}{\unskip}{}{}",
        r"\newcommand{\gap}{\cite{}}",
    ],
)
def test_a_definition_is_no_use(definition: str) -> None:
    assert [keys for _, keys in keys(definition) if keys] == []
    assert placeholders(definition) == []


def test_keys_in_categories_contexts_and_aliases_cite_nothing() -> None:
    file = parse(
        r"\addtocategory{prim}{a,b}\assignrefcontextentries*[sorting=nyt]{c}"
        r"\shortcites{d}\defcitealias{e}{Paper~I}\assignrefcontextkeyws{keyword}"
        r"\AtEveryCitekey{\addtocategory{cited}{\thefield{entrykey}}} Text."
    )
    assert [[key.key for key in each.keys] for each in file.citations] == [
        ["a", "b"],
        ["c"],
        ["d"],
        ["e"],
    ]
    assert all(each.listed_only for each in file.citations)


def test_a_list_of_citations_of_amsrefs_is_no_gap() -> None:
    assert placeholders(r"\usepackage{amsrefs} \citelist{\cite{a}*{p.~2}\cite{b}}") == []


def test_nocite_is_a_citation_but_never_a_placeholder() -> None:
    file = parse(r"\nocite{*}\nocite{a}\nocite{}\nocite{?} Text.")
    assert [[key.key for key in c.keys] for c in file.citations] == [[], ["a"], [], ["?"]]
    assert all(citation.listed_only for citation in file.citations)
    assert file.placeholders == ()
    assert "\ufffc" not in file.prose.text


@pytest.mark.parametrize(
    "source",
    [
        r"\verb*+@@+",
        r"\Verb[x=1]!@@!",
        r"\lstinline[language=TeX]{@@}",
        r"\mintinline{tex}{@@}",
        "\\begin{Verbatim}[x=1]\n@@\n\\end{Verbatim}",
        "\\begin{lstlisting}[caption={@@}]\n@@\n\\end{lstlisting}",
        "\\begin{minted}[x]{tex}\n@@\n\\end{minted}",
        "\\begin{comment}\n@@\n\\end{comment}",
        "\\begin{filecontents}{x.tex}\n@@\n\\end{filecontents}",
        "\\begin{verbatim}\n@@",
        "<<moss, echo=FALSE>>=\nx <- '@@'\n\ny <- x\n @  % end\n",
        "<<moss>>=\n@@",
        r"\Sexpr{f('@@')}",
        "\\lstnewenvironment{code}{}{}\\begin{code}\n@@\n\\end{code}",
        "\\excludecomment{hide}\\begin{hide}\n@@\n\\end{hide}",
        "\\MakeShortVerb{\\||}||@@||",
        r"\iffalse @@ \else \fi",
        r"\iffalse \ifx\a\b @@ \else @@ \fi @@ \fi",
        r"\iftrue \else @@ \fi",
        "\\if0\n @@ \\fi",
        "\\endinput\n@@",
        r"\url{@@}",
    ],
)
def test_what_latex_does_not_read_as_text_is_hidden(source: str) -> None:
    source = parse_fixture(source).text
    for inside in (r"\cite{a}", r"\cite{}", "[citation needed]"):
        file = parse(source.replace("@@", inside))
        assert (file.citations, file.placeholders) == ((), ()), inside


@pytest.mark.parametrize(
    "source",
    [
        r"\ifdraft @@ \else x \fi",
        r"\newif\iffinal \iffinal x \fi @@",
        r"\newif\iffinal \let\iffinal\iffalse \ifcite x \fi @@ \fi",
        r"\newif\ifcomment \iffalse \ifcomment x \fi y \fi @@",
        r"\iffalse @@",
        r"\iffalse\end{document}\fi @@",
        r"\if0\blind @@ \fi",
        "\\verb||%|| @@",
        "\\verb||x\n@@",
        r"\url{http://example.org/%7Ex} @@",
        r"\@ifundefined{x}{}{\endinput} @@",
    ],
)
def test_what_latex_reads_is_not_hidden(source: str) -> None:
    source = parse_fixture(source).text.replace("@@", r"\cite{a}")
    assert keys(source) == [("cite", ["a"])]


@pytest.mark.parametrize(
    "gap",
    [
        r"\cite{}",
        "\\cite{%\n}",
        r"\cite<see>[]{}",
        r"\cites{a}{}",
        r"\cite<>",
        r"\cite{todo: the survey}",
        r"\cite{a, TODO}",
        r"\cite{citation-needed}",
        r"\cite{",
        "[citation needed]",
        "[Citations\n needed]",
    ],
)
def test_a_placeholder(gap: str) -> None:
    text = f"Before {gap}"
    assert placeholders(text) == [gap]
    file = parse(text)
    assert file.prose.text == "Before \ufffc"
    assert file.prose.offset_at(file.placeholders[0].span.start) == len("Before ")


@pytest.mark.parametrize(
    "source",
    [
        r"\cite<see>[p.~3]{key}",
        r"\cite{key,}",
        r"\cite{todo2}",
        r"\cite",
        r"$a \leq [citation]$",
        "[1] [see] [?]",
        "% [citation needed]",
    ],
)
def test_no_placeholder(source: str) -> None:
    assert placeholders(source) == []


def test_a_macro_that_stands_for_a_gap_is_a_placeholder() -> None:
    text = r"\newcommand{\needed}{\textsuperscript{[citation needed]}} It is so\needed."
    assert placeholders(text) == [r"\needed"]
    assert parse(text).prose.text.strip() == "It is so\ufffc."


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\cite{abc \citet{b}", [("cite", ["abc"]), ("citet", ["b"])]),
        (r"\cite{abc\cite{b} c", [("cite", ["abc"]), ("cite", ["b"])]),
        ("\\cite{abc\n\nA \\cite{b}", [("cite", ["abc"]), ("cite", ["b"])]),
        # A line of a closed list is blank until its key is typed; a paragraph has words.
        ("\\cite{a,\n  \n} so", [("cite", ["a"])]),
        ("\\cite{a,\r\n\r\n% why\n  b,\r\n\r\n\r\n  c}", [("cite", ["a", "b", "c"])]),
        ("\\cite{\n\n  a}", [("cite", ["a"])]),
        ("\\cite{a\n\nb}", [("cite", ["a"])]),
        ("\\emph{\\cite{a,\n\nSo, it is.}", [("cite", ["a"])]),
        ("\\cite{a,\n\nb, c", [("cite", ["a"])]),
        ("\\cite{a,\n\nb \\emph{c}}", [("cite", ["a"])]),
        ("\\cite[see\n\n\\cite[1]{b} x]{c}", [("cite", ["b"])]),
        (r"} ] \cite{b} \emph{", [("cite", ["b"])]),
        (r"\newcommand{\x}[1]{ \cite{b}", [("cite", ["b"])]),
        (r"\begin{tabular \cite{b}", [("cite", ["b"])]),
        # What closes is the brace of a group around it.
        ("\\caption{As \\cite{\nin \\emph{one} way}", [("cite", [])]),
        ("\\caption{As \\cite{\n\\label{x}}", [("cite", [])]),
        (r"\cite{\ ", [("cite", [])]),
    ],
)
def test_half_typed_latex(source: str, expected: list) -> None:
    assert keys(source) == expected


def test_columns_are_code_points_and_lines_count_from_one() -> None:
    text = "\U0001f600e\u0301 \\cite{a}\r\n\r\\cite{b}\n  \\cite{c}"
    file = parse(text)
    assert [file.line_column(c.span.start) for c in file.citations] == [(1, 5), (3, 1), (4, 3)]
    assert [file.line_column(c.keys[0].span.start) for c in file.citations] == [
        (1, 11),
        (3, 7),
        (4, 9),
    ]
    assert file.offset(4, 3) == file.citations[2].span.start
