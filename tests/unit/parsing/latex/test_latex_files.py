"""The files and bibliographies that one LaTeX file names."""

from pathlib import Path

import pytest

from markup import parse_latex as parse
from pincite.model.drafts import DraftFile
from pincite.parsing.drafts import DraftReader


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\input a.tex text", [("text", "", "a.tex")]),
        (r'\input{"a b"}', [("text", "", "a b")]),
        (r"\subimport*{dir/}{a.tex}", [("text", "dir/", "a.tex")]),
        (r"\InputIfFileExists{a}{}{}", [("text", "", "a")]),
        (r"\usepackage[x=y]{a, b}", [("package", "", "a"), ("package", "", "b")]),
        (r"\includepaper{chapters/a}", [("text", "", "chapters/a")]),
        (r"\loadglsentries[main]{glossary}", [("text", "", "glossary")]),
        (
            r"\newcommand*\x[2][b]{\subfile{#1/#2}} \x{c}\x[d]{e}",
            [("text", "", "b/c"), ("text", "", "d/e")],
        ),
        (r"\NewDocumentCommand\x{s O{b} m}{\input{#2/#3}} \x*{c}", [("text", "", "b/c")]),
        (r"\def\x#1#2{\chapter{#1}\input #2 } \x{b}{c}", [("text", "", "c")]),
        (
            r"\newcommand{\y}[1]{\x{b}{#1}}\newcommand{\x}[2]{\input{#1/#2}} \y{c}",
            [("text", "", "b/c")],
        ),
        (r"\newcommand{\x}[1]{\input{b/\detokenize{#1}}} \x{c_d}", [("text", "", "b/c_d")]),
        (r"\newenvironment{x}[1]{\input{b/#1}}{} \begin{x}{c}", [("text", "", "b/c")]),
        (r"\let\x\include \x{b} \newcommand{\y}{\x} \y{c}", [("text", "", "b"), ("text", "", "c")]),
        (r"\newcommand{\x}[2]{\include{#1/#2}} \x{b}", []),
        (r"\def\x#1{\x{#1}\x{#1}\emph{#1}} \x{b}", []),
        ("% \\input{a}\n\\verb|\\input{b}|", []),
        (r"\input{a", []),
        (
            "\\SweaveInput{a.Rnw}\n<<x, child='b.Rnw'>>=\n@",
            [("text", "", "a.Rnw"), ("text", "", "b.Rnw")],
        ),
        (
            "<<child = c(\"a.Rnw\", 'b/c.Rnw'), eval=TRUE>>=\n@",
            [("text", "", "a.Rnw"), ("text", "", "b/c.Rnw")],
        ),
    ],
)
def test_included_files(source: str, expected: list) -> None:
    assert [(i.kind, i.folder, i.name) for i in parse(source).includes] == expected


def test_files_are_in_the_order_of_the_text() -> None:
    text = r"\newcommand{\x}[1]{\input{#1}} \x{a} \input{b} \x{c} \bibliography{d}"
    assert [include.name for include in parse(text).includes] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\input{a}\InputIfFileExists{b}{}{}", {"b"}),
        (r"\IfFileExists{a.tex}{\input{a}}{} \input{b}", {"a"}),
        (r"\newcommand{\x}[1]{\IfFileExists{#1}{\input{#1}}{}} \x{a} \input{b}", {"a"}),
        (r"\IfFileExists{a}{\input{b}}{\input{c}} \input{a}", {"a", "b", "c"}),
        (r"\InputIfFileExists{a}{}{\input{b}} \input{c}", {"a", "b"}),
    ],
)
def test_files_that_are_read_if_they_exist(source: str, expected: set[str]) -> None:
    assert {each.name for each in parse(source).includes if each.optional} == expected


def test_the_main_file_of_a_subfile() -> None:
    (package, root) = parse(r"\documentclass[../main.tex]{subfiles}").includes
    assert (package.kind, package.name) == ("package", "subfiles")
    assert (root.kind, root.name) == ("root", "../main.tex")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\bibliography{a,b.bib, c}", ["a", "b.bib", "c"]),
        (r"\nobibliography*", []),
        (r"\addglobalbib{a.bib}\addsectionbib{b.bib}", ["a.bib", "b.bib"]),
        (r"\putbib[a]", ["a"]),
        (r"\putbib {\small a}", []),
        (r"\defaultbibliography{a,b}\defaultbibliographystyle{plain}", ["a", "b"]),
        (r"\begin{btSect}[plain]{a}", ["a"]),
        (r"\begin{refsection}[a.bib, b.bib]\newrefsection[c.bib]", ["a.bib", "b.bib", "c.bib"]),
        (r"\begin{refsection}[label]\begin{refsection} \newrefsection{a.bib}", []),
        (r"\newcites{web}{Web}\bibliographyweb{a}", ["a"]),
        (
            r"\newcommand{\lists}[1]{\bibliographystyle{x}\bibliography{#1}} \lists{a,b}",
            ["a", "b"],
        ),
        (r"\newcommand{\lists}[2][z]{\addbibresource{#1/#2.bib}} \lists[y]{a}", ["y/a.bib"]),
        (r"\bibliography{\jobname}", []),
        ("\\bibliography{%\n a,% one\n b}", ["a", "b"]),
    ],
)
def test_bibliographies(source: str, expected: list[str]) -> None:
    assert [bibliography.name for bibliography in parse(source).bibliographies] == expected


def test_a_thebibliography() -> None:
    text = r"""
        \begin{thebibliography}{9}
        \bibitem{knuth} D. Knuth. \newblock \emph{The Art}, 1968.
        \bibitem[Lamport(1986)]{lamport} L. Lamport. % an aside
        {\LaTeX}.
        \harvarditem[Salton]{Salton and Wong}{1975}{salton} G. Salton.
        \harvarditem{Unfinished}{1975}
        \end{thebibliography}
        \cite{knuth}
    """
    items = parse(text).bib_items
    assert [(item.key, item.text) for item in items] == [
        ("knuth", "D. Knuth. The Art, 1968."),
        ("lamport", "L. Lamport. LaTeX."),
        ("salton", "G. Salton."),
    ]
    assert items[0].span.of(text).startswith(r"\bibitem{knuth}")


def test_works_of_amsrefs() -> None:
    text = r"""
        \bib{knuth}{book}{
          author={Knuth, Donald E.},
          title={The {\TeX} book},
          date={1984},
        }
        \bib*{ams}{name}{name={AMS}} \bib{refs} words
    """
    items = parse(text).bib_items
    assert [(item.key, item.text) for item in items] == [
        ("knuth", "Knuth, Donald E., The TeX book, 1984"),
        ("ams", "AMS"),
    ]


def test_words_typed_beside_a_definition_leave_the_other_files_parsed(tmp_path: Path) -> None:
    main, chapter = tmp_path / "main.tex", tmp_path / "chapter.tex"
    chapter.write_text(r"\own{knuth}")
    own = r"\newcommand{\own}[1]{\cite{#1}} \newacronym{tex}{TeX}{Tau}"

    def read(words: str, definitions: str = own) -> DraftFile:
        main.write_text(rf"{words} {definitions} \input{{chapter}}")
        return DraftReader().read(main).files[1]

    first = read("A word")
    assert first.regions[0] is read("A word and another").regions[0]
    assert [citation.command for citation in first.citations] == ["own"]
    assert not read("A word", r"\newcommand{\own}[1]{#1}").citations
