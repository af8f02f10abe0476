r"""LaTeX sources as papers: which file is the main one, its text, citations and references."""

import os
import re
from pathlib import Path

import pytest

from markup import write_project
from papers_as_read import texts
from pincite.model.papers import Reference, ReferencePaper
from pincite.model.problems import InputError, NoTextError
from pincite.parsing.latex.regions import Region
from pincite.parsing.papers.latex import is_latex_folder, latex_sources, read_latex
from pincite.parsing.papers.latex_works import printed_references
from where import SHARED

WILD = SHARED / "data" / "wild"

BIB = r"""
    %! refs.bib
    @article{och, author = {Och, Franz and Ney, Hermann}, year = 2003, title = {A comparison},
        doi = {10.1000/A}}
    @book{knuth, author = {Knuth, Donald}, year = 1984, title = {The {\TeX} book}, ids = {texbook}}
    @article{many, author = {One, A. and Two, B. and Three, C.}, date = {1999-05}, title = {Many}}
    @misc{anon, title = {Nobody knows}}
    """


def read(folder: Path, fixture: str) -> ReferencePaper:
    write_project(folder, fixture)
    return read_latex(folder)


def body(folder: Path, text: str) -> ReferencePaper:
    """Read a document with this text in its body and `BIB` as its bibliography."""
    write_project(folder, BIB)
    source = f"\\documentclass{{article}}\\begin{{document}}\n{text}\n\\bibliography{{refs}}\n"
    (folder / "main.tex").write_text(f"{source}\\end{{document}}\n", encoding="utf-8")
    return read_latex(folder)


def sections(paper: ReferencePaper) -> list[tuple[str | None, str]]:
    return [(sentence.section, sentence.text) for sentence in paper.sentences]


def marked(paper: ReferencePaper) -> list[tuple[str, list[str]]]:
    """Return the text of each marker with the keys of what it cites."""
    return [
        (
            paper.sentences[marker.sentence].text[marker.start : marker.end],
            [paper.references[index].label for index in marker.references],
        )
        for marker in paper.markers
    ]


# Text


def test_a_paper_has_title_authors_year_abstract_and_sections(tmp_path: Path) -> None:
    paper = read(
        tmp_path,
        r"""
        %! main.tex
        \documentclass{article}
        \newcommand{\ours}{TreeFinder}
        \newcommand{\mytitle}[1]{\title{#1}}
        \title[short]{\ours: finding trees\thanks{Paid by a squirrel.} \\ in the \emph{dark}}
        \author{Ada van der Berg$^{1,2}$ \and Bo M{\"u}ller\inst{1} \\ University of Woods \\ \texttt{b@c}}
        \date{March 2014}
        \begin{document}
        \maketitle
        \begin{abstract}
        We find trees. \ours{} is fast.
        \end{abstract}
        \section{Introduction}\label{sec:i}
        Trees are tall. They % not hidden
        grow.
        \subsection*{Earlier {\em work}}
        Some grew before.

        Others did not.
        \paragraph{Data.} We have 3 trees.
        % A comment. It is no text.
        \end{document}
        Left over. Not text.
        """,
    )
    assert paper.title == "TreeFinder: finding trees in the dark"
    assert paper.surnames == ("van der Berg", "Müller")
    assert paper.year == "2014"
    assert paper.basis == "full text"
    assert paper.source == tmp_path
    assert paper.abstract == "We find trees. TreeFinder is fast."
    assert paper.front.splitlines()[0] == paper.title
    assert sections(paper) == [
        ("Abstract", "We find trees."),
        ("Abstract", "TreeFinder is fast."),
        ("Introduction", "Trees are tall."),
        ("Introduction", "They grow."),
        ("Earlier work", "Some grew before."),
        ("Earlier work", "Others did not."),
        ("Data", "We have 3 trees."),
    ]


@pytest.mark.parametrize(
    ("authors", "surnames"),
    [
        (r"\author{Ada Lovelace \And Alan Turing \\ Some Institute}", ("Lovelace", "Turing")),
        (r"\author[1]{Ada Lovelace} \author[2]{Alan Turing} \affil{Home}", ("Lovelace", "Turing")),
        (r"\icmlauthor{Ada Lovelace}{home} \icmlauthor{Alan Turing}{x}", ("Lovelace", "Turing")),
        (r"\author{\IEEEauthorblockN{Ada Lovelace}\IEEEauthorblockA{A School}}", ("Lovelace",)),
        (r"\author{The Tree Collaboration}", ()),
    ],
)
def test_surnames_are_read_where_names_are(
    tmp_path: Path, authors: str, surnames: tuple[str, ...]
) -> None:
    paper = body(tmp_path, f"{authors} \\section{{One}} Here it starts.")
    assert paper.surnames == surnames
    assert texts(paper) == ["Here it starts."]


def test_an_abstract_may_be_a_command_in_the_preamble_or_a_section(tmp_path: Path) -> None:
    in_preamble = r"""
        %! main.tex
        \documentclass{article}
        \abstract{Short and early.}
        \begin{document}
        \section{One} A start.
        \end{document}
        """
    paper = read(tmp_path, in_preamble)
    assert sections(paper) == [("Abstract", "Short and early."), ("One", "A start.")]
    assert paper.abstract == "Short and early."
    paper = body(tmp_path, r"\section{One} Before. \abstract{Within.} After.")
    assert sections(paper) == [("One", "Before."), ("Abstract", "Within."), ("One", "After.")]
    paper = body(tmp_path, r"\section*{Abstract} A plain one. \section{One} A start.")
    assert paper.abstract == "A plain one."
    assert body(tmp_path, r"\begin{abstract}It is.\end{abstract}").basis == "abstract"
    paper = body(
        tmp_path,
        r"\begin{abstract}\section*{Aims} A plain one. \paragraph{Results} It is.\end{abstract}"
        r" Before. \section{Results} A start.",
    )
    assert paper.abstract == "A plain one. It is."
    assert sections(paper)[2:] == [(None, "Before."), ("Results", "A start.")]


def test_too_many_nested_files_are_an_input_error(tmp_path: Path) -> None:
    for number in range(2_000):
        (tmp_path / f"f{number}.tex").write_text(f"\\input{{f{number + 1}}} Words.")
    start = "\\documentclass{article}\\begin{document}\\input{f0}\\end{document}"
    (tmp_path / "main.tex").write_text(start)
    with pytest.raises(InputError, match="too deeply"):
        read_latex(tmp_path / "main.tex")


def test_what_is_no_prose_is_left_out(tmp_path: Path) -> None:
    paper = body(
        tmp_path,
        r"""
        \title{A title} \keywords{a, b} \date{2012}
        \begin{titlepage}A title once more.\end{titlepage}
        \begin{CCSXML}<ccs2012>7</ccs2012>\end{CCSXML}
        \section{}
        We see $x^2$ in \texttt{code}\footnote{A note.} here.
        \begin{verbatim}
        \section{Not one} Nor text.
        \end{verbatim}
        \begin{figure}\includegraphics{a.pdf}\caption{A caption.}\end{figure}
        \begin{thebibliography}{9}\bibitem{x} Nobody. A book.\end{thebibliography}
        """,
    )
    assert texts(paper) == ["We see x² in code (A note.) here.", "A caption."]
    assert paper.title == "A title"


# Citations


@pytest.mark.parametrize(
    ("source", "text", "keys"),
    [
        (r"So it is \citep{och}.", "So it is (Och and Ney 2003).", [["och"]]),
        (r"So it is~\cite[p.~3]{och,knuth}.", "So it is (Och and Ney 2003; Knuth 1984).", [["och", "knuth"]]),
        (r"\citet{och} say so.", "Och and Ney (2003) say so.", [["och"]]),
        (r"As \citeauthor{och} said in \citeyear{och}.", "As Och and Ney said in 2003.", [["och"], ["och"]]),
        (r"We (see \citealp{och}) agree.", "We (see Och and Ney 2003) agree.", [["och"]]),
        (r"So it is.\footcite{och} And so on.", "So it is. (Och and Ney 2003)", [["och"]]),
        (r"It is so. \cite{och}", "It is so. (Och and Ney 2003)", [["och"]]),
        (r"We use \cite{nowhere} here.", "We use [nowhere] here.", [[]]),
        (r"We use \cite{nowhere,och} here.", "We use (nowhere; Och and Ney 2003) here.", [["och"]]),
        (r"We use \citetitle{knuth} here.", "We use The TeX book here.", [["knuth"]]),
        (r"We use \cite{texbook} here.", "We use (Knuth 1984) here.", [["knuth"]]),
        (r"We use \cite{OCH} here.", "We use (Och and Ney 2003) here.", [["och"]]),
        (r"We use \cite{} here \cite{?}.", "We use here.", []),
        (r"We use \nocite{och} this.", "We use this.", []),
    ],
)  # fmt: skip
def test_citations_read_as_printed(
    tmp_path: Path, source: str, text: str, keys: list[list[str]]
) -> None:
    paper = body(tmp_path, source)
    assert paper.sentences[0].text == text
    assert [cited for _, cited in marked(paper)] == keys


def test_biber_minds_the_case_of_keys(tmp_path: Path) -> None:
    paper = read(
        tmp_path,
        r"""
        %! main.tex
        \documentclass{article}\usepackage{biblatex}\addbibresource{refs.bib}
        \begin{document}So say \textcite{Och} and \textcite{och}.\end{document}
        %! refs.bib
        @misc{och, author = {Och, F.}, year = 2003, title = {It}}
        """,
    )
    assert marked(paper) == [("[Och]", []), ("Och (2003)", ["och"])]


# References without a .bib


def test_an_arxiv_source_has_its_references_in_a_bbl(tmp_path: Path) -> None:
    paper = read(
        tmp_path,
        r"""
        %! ms.tex
        \documentclass{article}
        \begin{document}
        As \citet{ney} and others \citep{brown,nix} say.
        \bibliography{not-there}
        \end{document}
        %! ms.bbl
        \begin{thebibliography}{2}
        \bibitem[{Brown et~al.(1993)Brown, Della~Pietra, and Mercer}]{brown}
        Peter~F. Brown, Stephen~A. Della~Pietra, and Robert~L. Mercer. 1993.
        \newblock \href{https://doi.org/10.1000/xyz_1}{The mathematics of guessing}.
        \newblock \emph{Journal of Guesses}, 19.

        \bibitem[Uncited(2001)]{uncited}
        Ann Uncited.
        \newblock Left alone.
        \newblock 2001.

        \bibitem[Ney(2004{\natexlab{a}})]{ney}
        Hermann Ney.
        \newblock A talk about words.
        \newblock In {\em Proceedings of Talks}, 2004.
        \end{thebibliography}
        %! other.bbl
        \bibitem{nix} Nobody. Nothing.
        """,
    )
    assert texts(paper) == ["As Ney (2004a) and others (Brown et al. 1993; nix) say."]
    assert marked(paper)[1] == ("(Brown et al. 1993; nix)", ["brown"])
    assert [reference.label for reference in paper.references] == ["ney", "brown", "uncited"]
    brown = paper.references[1]
    assert brown.title == "The mathematics of guessing"
    assert brown.surnames == ("Brown", "Della Pietra", "Mercer")
    assert (brown.year, brown.doi) == ("1993", "10.1000/xyz_1")


def test_a_list_in_the_document_itself(tmp_path: Path) -> None:
    paper = body(
        tmp_path,
        r"""
        We follow \cite{here} and \cite{och}.
        \begin{thebibliography}{1}
        \bibitem{here} A. Author and B. Writer. \newblock On being here. \newblock Press, 1987.
        \end{thebibliography}
        """,
    )
    assert texts(paper) == ["We follow (Author and Writer 1987) and (Och and Ney 2003)."]
    assert paper.references[0].title == "On being here"


@pytest.mark.parametrize(
    ("item", "title", "surnames", "year"),
    [
        # chicago and named: the year is a block of its own
        (
            r"""\bibitem[\protect\citeauthoryear{M{\"u}ller and Alvarez}{M{\"u}ller and Alvarez}{1999}]{k}
            M{\"u}ller, J. and Alvarez, B. \newblock 1999. \newblock Trees that grow. \newblock In
            {\em Proc. of Forests}.""",
            "Trees that grow", ("Müller", "Alvarez"), "1999",
        ),
        # apalike
        (
            r"\bibitem[Ricci et~al., 2022]{k} Ricci, A., Bell, C., and Cole, D. (2022). "
            r"\newblock Parts of words. \newblock arXiv:2201.01234.",
            "Parts of words", ("Ricci", "Bell", "Cole"), "2022",
        ),
        # IEEEtran: no blocks
        (
            r"\bibitem{k} F.~J. Ochs and H.~Neys, ``A plain number,'' \emph{Comp. Ling.}, vol. 29, 2003.",
            "A plain number", ("Ochs", "Neys"), "2003",
        ),
        # REVTeX: every part is named
        (
            r"\bibitem [{\citenamefont {Smith}(2010)}]{k} \bibfield {author} {\bibinfo {author} "
            r"{\bibfnamefont {A.}~\bibnamefont {Smith}},\ }\bibfield {title} {\bibinfo {title} "
            r"{Quantum gaps},\ }\href {https://doi.org/10.1103/x.1} {\bibinfo {journal} {Phys. Rev.}}",
            "Quantum gaps", ("Smith",), "2010",
        ),
    ],
)  # fmt: skip
def test_items_of_many_styles(item: str, title: str, surnames: tuple[str, ...], year: str) -> None:
    (found,) = printed(item)
    assert (found.label, found.title, found.surnames, found.year) == ("k", title, surnames, year)


def test_entries_that_biber_wrote() -> None:
    new, old = printed(
        r"""
            \entry{new}{article}{}
              \name{author}{2}{}{%
                {{hash=ab}{%
                   family={Berg}, familyi={B\bibinitperiod}, given={Ada}, prefix={van}}}%
                {{hash=cd}{%
                   family={M\"uller}, given={Bo}}}%
              }
              \name{editor}{1}{}{{{hash=ef}{family={Wrong}, given={C}}}}
              \field{labeltitlesource}{title}
              \field{title}{On {\TeX} \& co}
              \field{year}{2011}
              \verb{doi}
              \verb 10.1000/ABC_1
              \endverb
              \field{eprinttype}{arxiv}
              \verb{eprint}
              \verb 1101.00001v2
              \endverb
            \endentry
            \entry{old}{book}{}
              \name{author}{1}{}{%
                {{hash=gh}{Knuth}{K\bibinitperiod}{Donald}{D\bibinitperiod}{}{}{}{}}%
              }
              \field{title}{A book}
            """
    )
    assert (new.label, new.title, new.surnames) == ("new", "On TeX & co", ("van Berg", "Müller"))
    assert (new.year, new.doi, new.arxiv) == ("2011", "10.1000/abc_1", "1101.00001")
    assert (old.label, old.title, old.surnames) == ("old", "A book", ("Knuth",))


def test_broken_lists_give_what_they_have() -> None:
    source = (
        r"\bibitem{} No key. \bibitem[open {x} y \bibitem{good} Ann Good. 2001. A book. \bibitem{"
    )
    assert [reference.label for reference in printed(source)][-1] == "good"
    assert printed("\\entry{k}{}" * 3 + "\\name{author}{1}{}{")[2].label == "k"


# Which file


def printed(source: str) -> list[Reference]:
    return list(printed_references(source, Region(source).text))


def document(text: str) -> str:
    return f"\\documentclass{{article}}\\begin{{document}}{text}\\end{{document}}"


def files(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        path = folder / f"{name.replace('__', '/')}.tex"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        (
            {
                "letter": document("Dear editor, this is short."),
                "thesis": document("\\input{chapter}"),
                "chapter": "A chapter that is longer than any letter to an editor.",
                "deep__older": document(
                    "An older version with more words in it than all others. " * 9
                ),
            },
            ["A chapter that is longer than any letter to an editor."],
        ),
        # A document that another one reads is a part of it.
        (
            {
                "a_part": "\\documentclass[whole]{subfiles}\\begin{document}A part.\\end{document}",
                "whole": document("The whole. \\subfile{a_part} Its end."),
            },
            ["The whole.", "A part.", "Its end."],
        ),
        # Between equals, names decide.
        *(
            ({"a": document("Words in one."), name: document("Words in two.")}, ["Words in two."])
            for name in ("main", "ms", "paper")
        ),
        (
            {
                "preamble": "\\documentclass{article}",
                "text": "\\input{preamble}\\begin{document}Here it is.\\end{document}",
            },
            ["Here it is."],
        ),
        (
            {"a": document("In a. \\input{b} Again."), "b": "In b. \\input{a} \\input{b}"},
            ["In a.", "In b.", "Again."],
        ),
        # What the preamble reads is no text, and nothing is read twice.
        (
            {
                "main": "\\documentclass{article}\\input{macros}\\begin{document}One. \\input{p/a}"
                "Three. \\input{p/a}\\input{missing}\\end{document}",
                "macros": "\\newcommand{\\two}{Two} These words are no text.",
                "p__a": "\\two{} of \\input{p/b} ",
                "p__b": "them.",
            },
            ["One.", "Two of them.", "Three."],
        ),
    ],
    ids=["most text", "not a part", "main", "ms", "paper", "class in a file", "circle", "preamble"],
)
def test_the_main_file_of_a_folder_is_found_and_read_once(
    tmp_path: Path, sources: dict[str, str], found: list[str]
) -> None:
    files(tmp_path, **sources)
    assert texts(read_latex(tmp_path)) == found


def test_a_part_may_be_read_alone(tmp_path: Path) -> None:
    part = "\\documentclass[whole]{subfiles}\\begin{document}A part.\\end{document}"
    files(tmp_path, a_part=part, whole=document("The whole. \\subfile{a_part}"))
    assert texts(read_latex(tmp_path / "a_part.tex")) == ["A part."]


def test_documents_that_read_each_other_are_read(tmp_path: Path) -> None:
    files(tmp_path, a=document("In a. \\input{b}"), b=document("In b. \\input{a}"))
    assert sorted(texts(read_latex(tmp_path))) == ["In a.", "In b."]


def test_folders_without_a_document(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no LaTeX document"):
        read_latex(tmp_path)
    (tmp_path / "notes.tex").write_text("Only notes.")
    (tmp_path / "binary.tex").write_bytes(b"\\documentclass\0\1\2")
    (tmp_path / "refs.bib").write_text("@misc{a, title = {A}}")
    with pytest.raises(InputError, match="no LaTeX document"):
        read_latex(tmp_path)
    (tmp_path / "main.tex").write_text(document("\\section{Only} \\[ \\]"))
    with pytest.raises(NoTextError, match="no sentences"):
        read_latex(tmp_path)


def test_messages_do_not_repeat_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.tex").write_bytes(b"\0\1")
    for path in (Path("a.tex"), tmp_path / "a.tex"):
        with pytest.raises(InputError) as raised:
            read_latex(path)
        assert str(raised.value) == "this is a binary file, not text"


def test_a_file_too_long_for_a_source_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "main.tex").open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    with pytest.raises(InputError, match="too long"):
        read_latex(tmp_path / "main.tex")
    with pytest.raises(InputError, match="no LaTeX document"):
        read_latex(tmp_path)


def test_sources_of_a_folder_are_found_whatever_its_links(tmp_path: Path) -> None:
    files(tmp_path, main=document("One. \\input{parts/a}"), parts__a="Two.", _hidden__b="Three.")
    (tmp_path / "_hidden").rename(tmp_path / ".hidden")
    for name in ("main.bbl", "refs.bib", "article.cls", "fig.pdf"):
        (tmp_path / name).write_text("%")
    (tmp_path / "parts" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self.tex").symlink_to("self.tex")
    names = [path.relative_to(tmp_path).as_posix() for path in latex_sources(tmp_path)]
    assert names == ["main.bbl", "main.tex", "parts/a.tex", "refs.bib"]
    assert texts(read_latex(tmp_path)) == ["One.", "Two."]
    assert is_latex_folder(tmp_path)


def test_sources_of_a_file_are_what_it_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "paper"
    files(folder, one=document("\\input{part}\\bibliography{../all}"), part="A.", other="B.")
    (folder / "one.bbl").write_text("%")
    (tmp_path / "all.bib").write_text("%")
    found = [os.path.relpath(path, tmp_path) for path in latex_sources(folder / "one.tex")]
    assert found == ["all.bib", "paper/one.bbl", "paper/one.tex", "paper/part.tex"]
    monkeypatch.chdir(folder)
    assert latex_sources(Path("one.tex")) == latex_sources(folder / "one.tex")
    assert latex_sources(Path("gone.tex")) == ()


def test_folders_of_latex_are_distinguished_from_others(tmp_path: Path) -> None:
    assert not is_latex_folder(tmp_path)
    assert not is_latex_folder(tmp_path / "gone")
    files(tmp_path, notes="% \\documentclass{article} is what I lack")
    assert not is_latex_folder(tmp_path)
    files(tmp_path, src__deep__main=document("Too deep."))
    assert not is_latex_folder(tmp_path)
    files(tmp_path, src__main="  \\documentstyle[12pt]{article}")
    assert is_latex_folder(tmp_path)


# Real projects


@pytest.mark.skipif(not WILD.is_dir(), reason="the shared LaTeX projects are absent")
@pytest.mark.parametrize(
    # Not `glob("*/")`, which Python 3.10 gives files for as well.
    "project",
    sorted(path.name for path in WILD.iterdir() if path.is_dir()) if WILD.is_dir() else [],
)
def test_real_projects_become_sentences_with_markers(project: str) -> None:
    paper = read_latex(WILD / project)
    assert len(paper.sentences) > 100
    for sentence in paper.sentences:
        assert not re.search(r"\\[A-Za-z]{2}|\ufffc", sentence.text), sentence
    for marker, (text, keys) in zip(paper.markers, marked(paper), strict=True):
        assert text
        assert text == text.strip()
        for reference in (paper.references[index] for index in marker.references):
            parts = (*reference.surnames[:1], reference.year, reference.title, reference.label)
            assert any(part in text for part in parts if part), text
        assert len(set(keys)) == len(keys)
    cited = sum(bool(marker.references) for marker in paper.markers)
    assert cited >= 0.95 * len(paper.markers)
    assert bool(paper.markers) == (project != "biblatex-docs")
