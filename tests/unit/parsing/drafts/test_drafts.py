"""Drafts of several files, and the bibliographies that come with them."""

import os
import re
import sys
from pathlib import Path

import pytest

from markup import write_project
from pincite.model.drafts import Draft
from pincite.parsing.drafts import DraftReader


def read(folder: Path, fixture: str, name: str | None = None) -> Draft:
    first = write_project(folder, fixture)
    return DraftReader().read(folder / name if name else first)


def names(draft: Draft) -> list[str]:
    return [str(file.path.relative_to(draft.root.parent)) for file in draft.files]


def bibliographies(draft: Draft) -> list[str]:
    return [source.path.name for source in draft.bibliographies]


def cited(draft: Draft) -> list[str]:
    return [key.key for file in draft.files for c in file.citations for key in c.keys]


#: All keys of one letter are cited in alphabetical order, and all bibliographies are used.
DRAFTS = {
    "files come in the order in which they are read, each once": r"""
        %! main.tex
        \input{one} \include{parts/two} \subfile{three.tex} \input{one}
        %! one.tex
        \cite{a} \input{parts/inner.tikz}
        %! parts/inner.tikz
        \cite{b}
        %! parts/two.tex
        \cite{c} \input{parts/two}
        %! three.tex
        \cite{d}
        """,
    "LaTeX looks for files in the folders of its list, too": r"""
        %! main.tex
        \makeatletter \def\input@path{{parts/} {common/}} \makeatother
        \usepackage{own} \input{one} \include{two}
        %! parts/one.tex
        \cite{a}
        %! common/own.sty
        \g@addto@macro\input@path{{more/}}
        %! more/two.tex
        \cite{b}
        """,
    "import is relative to its folder, and so is what it reads": r"""
        %! main.tex
        \import{parts/}{one} \subimport{parts/deep}{two.tex}
        %! parts/one.tex
        \cite{a} \input{inner} \subimport{deep/}{three}
        %! parts/inner.tex
        \cite{b}
        %! inner.tex
        \cite{wrong}
        %! parts/deep/two.tex
        \cite{d}
        %! parts/deep/three.tex
        \cite{c}
        """,
    "a file beside the main file comes before one above": r"""
        %! tex/main.tex
        \input{one} \bibliography{refs}
        %! tex/one.tex
        \cite{a}
        %! one.tex
        \cite{wrong}
        %! tex/refs.bib
        """,
    "LaTeX runs two folders above": r"""
        %! src/tex/main.tex
        \documentclass{book} \begin{document}
        \input{src/tex/one} \input{tex/two} \bibliography{refs}
        %! src/tex/one.tex
        \cite{a}
        %! src/tex/two.tex
        \cite{b}
        %! refs.bib
        """,
    "files that read each other": r"""
        %! main.tex
        \input{one}\input{main}
        %! one.tex
        \input{main}\input{one}\cite{a}
        """,
    "each file has the macros that it defines": r"""
        %! main.tex
        \newcommand{\chap}[1]{\include{#1/#1}} \chap{one} \chap{two}
        %! one/one.tex
        \renewcommand{\here}{one} \input{\here/text} \bibliography{\here/refs}
        %! one/text.tex
        \cite{a}
        %! one/refs.bib
        %! two/two.tex
        \renewcommand{\here}{two} \input{\here/text}
        %! two/text.tex
        \cite{b}
        """,
    "a bibliography that is named only if it exists": r"""
        %! main.tex
        \documentclass{book} \begin{document} \cite{a}
        \IfFileExists{refs.bib}{\bibliography{refs}}{\bibliography{../refs}}
        %! refs.bib
        @misc{a, title={A}}
        """,
    "own commands are learnt from local packages and classes": r"""
        %! main.tex
        \documentclass{thesis}
        \usepackage{local}
        \begin{document}\input{text}\end{document}
        %! text.tex
        \eg{a} \see{b} % as \cite{a} and \cite{b}
        %! local.sty
        \newcommand{\eg}[1]{\citep[e.g.][]{#1}}
        %! thesis.cls
        \def\see#1{(see \cite{#1})}
        """,
    "a command of a class stores the name of the bibliography": r"""
        %! main.tex
        \documentclass{thesis}
        \bibfile{refs}
        \begin{document} \cite{a} \end{document}
        %! thesis.cls
        \newcommand{\bibfile}[1]{\gdef\@bibfile{#1}}
        \AtEndDocument{\bibliography{\@bibfile}}
        %! refs.bib
        """,
}


@pytest.mark.parametrize("fixture", DRAFTS.values(), ids=DRAFTS)
def test_a_draft_has_the_citations_and_bibliographies_of_its_files(
    tmp_path: Path, fixture: str
) -> None:
    draft = read(tmp_path, fixture)
    assert cited(draft) == sorted(re.findall(r"\\cite\{(.)\}", fixture))
    assert bibliographies(draft) == re.findall(r"%! .*?(\w+\.bib)", fixture)
    assert draft.problems == ()


def test_what_does_not_exist_is_a_problem_with_its_line(tmp_path: Path) -> None:
    draft = read(
        tmp_path,
        r"""
        %! main.tex
        \usepackage{amsmath}
        \input{one}
        % \input{hidden}
        \addbibresource{gone.bib} \addbibresource{https://example.org/x.bib}
        \newcommand{\chap}[1]{\include{#1}} \chap{gone}
        %! one.tex
        \input{glyphtounicode} \input{figures/plot.tikz} \input{all-hints.out} \input{|"date +%Y"}
        \input{missing}
        """,
    )
    found = [(p.path.name if p.path else None, p.line) for p in draft.problems]
    assert sorted(found) == [("main.tex", 4), ("main.tex", 4), ("main.tex", 5), ("one.tex", 2)]
    messages = " ".join(problem.message for problem in draft.problems)
    assert "the file “missing”, which is read here, does not exist" in messages
    assert "the file “gone”" in messages
    assert "“gone.bib” does not exist" in messages
    assert "network" in messages


@pytest.mark.parametrize(
    "content", ["text".encode("utf-16-le"), b"\0\1", b"%PDF-1.5\n", None], ids=str
)
def test_a_part_that_cannot_be_read_does_not_affect_others(tmp_path: Path, content: bytes) -> None:
    if content is None:
        (tmp_path / "part.tex").mkdir()
    else:
        (tmp_path / "part.tex").write_bytes(content)
    draft = read(
        tmp_path, "%! main.tex\n\\cite{a} \\input{part} \\input{other}\n%! other.tex\n\\cite{b}\n"
    )
    assert cited(draft) == ["a", "b"]
    (problem,) = draft.problems
    assert (problem.path, problem.line) == (tmp_path / "main.tex", 1)
    assert "part" in problem.message


@pytest.mark.parametrize(
    "named",
    [
        *(r"\input{.}", r"\input{/}", r"\include{.}", r"\import{}{.}", r"\input{~nobody-here/macros}"),
        *(r"\bibliography{~nobody-here/refs}", r"\addbibresource{**.bib}", r"\addbibresource{a**}"),
        *(r"\input{%s}" % ("y" * 300), r"\bibliography{%s}" % ("y" * 300)),
        *("%% !TeX root = %s\n" % ("y" * 300), "% !TeX root = ~nobody-here/main.tex\n"),
        r"\documentclass[%s]{subfiles}" % ("y" * 300),
    ],
)  # fmt: skip
def test_no_name_of_a_file_is_an_error(tmp_path: Path, named: str, monkeypatch) -> None:
    monkeypatch.setenv("BIBINPUTS", "~nobody-here/bib:")
    draft = read(tmp_path, f"%! main.tex\n{named} \\cite{{a}}\n")
    assert cited(draft) == ["a"]


@pytest.mark.skipif(os.name == "nt", reason="no such files")
@pytest.mark.parametrize(
    "name", ["/proc/self/environ", "/dev/zero", "/dev/tty", "/sys/kernel/uevent_seqnum", "link"]
)
@pytest.mark.parametrize("command", [r"\input{%s}", r"\addbibresource{%s}", "%% !TeX root = %s\n"])
def test_what_belongs_to_the_system_is_not_touched(tmp_path: Path, name: str, command: str) -> None:
    (tmp_path / "link").symlink_to("/proc/self/environ")
    opened: list[str] = []

    def noted(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and str(arguments[0]).startswith(
            ("/proc", "/dev", "/sys", f"{tmp_path}/link")
        ):
            opened.append(str(arguments[0]))

    sys.addaudithook(noted)
    draft = read(tmp_path, f"%! main.tex\n{command % name} \\cite{{a}}\n")
    assert cited(draft) == ["a"]
    assert opened == []


def test_a_chain_of_files_may_be_longer_than_the_stack(tmp_path: Path) -> None:
    for number in range(2_000):
        (tmp_path / f"p{number}.tex").write_text(f"\\cite{{k{number}}} \\input{{p{number + 1}}}\n")
    draft = DraftReader().read(tmp_path / "p0.tex")
    assert cited(draft) == [f"k{number}" for number in range(2_000)]


def test_a_line_with_a_carriage_return_alone_names_the_main_file(tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_text("\\bibliography{refs}")
    (tmp_path / "refs.bib").write_text("@misc{a, title={A}}")
    (tmp_path / "part.tex").write_bytes(b"Words.\r% !TeX root = main.tex\rSee \\cite{a}.\r")
    draft = DraftReader().read(tmp_path / "part.tex")
    assert draft.root == tmp_path / "main.tex"
    assert bibliographies(draft) == ["refs.bib"]


def test_latex_minds_the_case_of_keys_that_it_lists_itself(tmp_path: Path) -> None:
    items = "%! main.bbl\n\\bibitem{Smith} One work. \\bibitem{smith} Another.\n"
    draft = read(tmp_path, f"%! main.tex\n\\cite{{smith}} \\input{{main.bbl}}\n{items}")
    assert [item.key for item in draft.bib_items] == ["Smith", "smith"]
    assert draft.case_sensitive_keys
    named = "%! main.tex\n\\bibliography{x} \\input{main.bbl}\n%! x.bib\n@misc{a}\n"
    assert not read(tmp_path, named + items).case_sensitive_keys


@pytest.mark.parametrize(
    "first",
    [
        "% !TeX root = ../main.tex",
        "%!Rnw root = ../main.tex",
        "%!TEX root=../main",
        r"\documentclass[../main.tex]{subfiles}",
    ],
)
def test_the_main_file_serves_a_part_of_it(tmp_path: Path, first: str) -> None:
    write_project(
        tmp_path,
        r"""
        %! main.tex
        \documentclass{article}
        \newcommand{\mycite}[1]{\citep{#1}}
        \addbibresource{refs.bib}
        \begin{document}\input{parts/one}\input{two}\end{document}
        %! two.tex
        \cite{elsewhere}
        %! refs.bib
        @book{a,}
        """,
    )
    write_project(tmp_path, "%! parts/one.tex\n" + first + "\n\\mycite{a}\n")
    # A path with detours is the same file.
    draft = DraftReader().read(tmp_path / "parts" / ".." / "parts" / "one.tex")
    assert draft.root == tmp_path / "main.tex"
    assert names(draft) == ["parts/one.tex"]
    assert cited(draft) == ["a"]
    assert bibliographies(draft) == ["refs.bib"]


def test_a_part_that_the_main_file_does_not_read_yet(tmp_path: Path) -> None:
    draft = read(
        tmp_path,
        r"""
        %! main.tex
        \newcommand{\mycite}[1]{\citep{#1}} \bibliography{refs}
        %! new.tex
        % !TeX root = main.tex
        \mycite{a} \input{more}
        %! more.tex
        \mycite{b}
        %! refs.bib
        @book{a,}
        """,
        "new.tex",
    )
    assert names(draft) == ["new.tex", "more.tex"]
    assert cited(draft) == ["a", "b"]
    assert bibliographies(draft) == ["refs.bib"]


def test_bibliographies_in_the_order_of_naming(tmp_path: Path) -> None:
    draft = read(
        tmp_path,
        r"""
        %! main.tex
        % !BIB = extra.bib
        \bibliography{b,a.bib} \nobibliography{a} \addbibresource[label=x]{parts/c.bib}
        \addglobalbib{d.bib} \addbibresource{*.glob.bib}
        \addbibresource{parts/{two,one}.bib} \addbibresource{n[12].?ib} \addbibresource{odd[1].bib}
        %! a.bib
        %! b.bib
        %! parts/c.bib
        %! d.bib
        %! extra.bib
        %! x.glob.bib
        %! parts/one.bib
        %! parts/two.bib
        %! n1.bib
        %! n2.bib
        %! n3.bib
        %! odd[1].bib
        """,
    )
    assert bibliographies(draft) == [
        *("b.bib", "a.bib", "c.bib", "d.bib", "x.glob.bib"),
        *("one.bib", "two.bib", "n1.bib", "n2.bib", "odd[1].bib", "extra.bib"),
    ]
    assert draft.problems == ()


@pytest.mark.parametrize("pattern", ["../**/*.bib", "../other/*.bib", "/**/*", "sub/../../other/*"])
def test_a_pattern_stays_within_the_project(tmp_path: Path, pattern: str) -> None:
    main = write_project(
        tmp_path,
        r"""
        %! draft/main.tex
        \addbibresource{PATTERN} Words \cite{a}.
        %! other/x.bib
        %! draft/sub/y.bib
        """.replace("PATTERN", pattern),
    )
    assert "x.bib" not in bibliographies(DraftReader().read(main))
    in_workspace = bibliographies(DraftReader(workspace=tmp_path).read(main))
    assert ("x.bib" in in_workspace) == (pattern[0] != "/")


def test_a_pattern_that_fits_whatever_there_is_fits_a_thousand(tmp_path: Path) -> None:
    main = write_project(tmp_path, "%! main.tex\n\\addbibresource{**/*.bib} \\cite{a}\n")
    for number in range(1_100):
        (tmp_path / f"{number}.bib").touch()
    assert len(bibliographies(DraftReader().read(main))) == 1_000


def test_bibinputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main = write_project(
        tmp_path,
        r"""
        %! draft/main.tex
        \bibliography{flat,deep}
        %! lib/flat.bib
        %! tree/a/b/deep.bib
        """,
    )
    assert len(DraftReader().read(main).problems) == 2
    monkeypatch.setenv("BIBINPUTS", f".:{tmp_path / 'lib'}:{tmp_path / 'tree'}//:")
    draft = DraftReader().read(main)
    assert bibliographies(draft) == ["flat.bib", "deep.bib"]
    assert draft.problems == ()


@pytest.mark.parametrize(
    ("source", "sensitive"),
    [
        (r"\bibliography{x}", False),
        (r"\usepackage[backend=bibtex]{biblatex}", False),
        ("% !BIB program = bibtex\n\\usepackage{biblatex}", False),
        ("% !BIB TS-program = biber\n", True),
    ],
)
def test_biber_minds_the_case_of_keys(tmp_path: Path, source: str, sensitive: bool) -> None:
    assert read(tmp_path, source).case_sensitive_keys is sensitive


@pytest.mark.parametrize(
    ("source", "languages"),
    [
        (r"\usepackage[english,ngerman]{babel}", ("ngerman",)),
        (r"\usepackage{babel}\babelprovide[import, main]{russian}", ("russian",)),
        (r"\usepackage[ngerman,english]{babel}\selectlanguage{ngerman}", ("english", "ngerman")),
        (r"\selectlanguage{}\babelprovide[main]{}", ()),
    ],
)
def test_declared_languages(tmp_path: Path, source: str, languages: tuple[str, ...]) -> None:
    assert read(tmp_path, source).languages == languages


# Bibliographies in options ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "preamble",
    [
        "\\thesissetup{bib = one.bib}\n\\thesissetup{\n  bib = two.bib,\n}",
        r"\documentclass[bib={one, two}, bibliography=totoc, bibstyle=alpha]{thesis}",
        r"\fdusetup{style = {bib-resource = {one.bib, two.bib}}}",
        r"\keys_set:nn { thesis } { bib = { one.bib, two.bib } }",
    ],
)
def test_an_option_names_bibliographies(tmp_path: Path, preamble: str) -> None:
    for name in ("one.bib", "two.bib"):
        (tmp_path / name).touch()
    main = tmp_path / "main.tex"
    main.write_text(f"{preamble}\n\\begin{{document}}\\cite{{a}}\\end{{document}}")
    draft = DraftReader().read(main)
    assert bibliographies(draft) == ["one.bib", "two.bib"]
    assert draft.problems == ()


def test_a_bibliography_in_an_option_may_be_missing(tmp_path: Path) -> None:
    draft = read(tmp_path, r"\thesissetup{bib = gone.bib, bibstyle = x, bib-resource = y}")
    assert [problem.message for problem in draft.problems] == [
        "the bibliography “gone.bib” does not exist"
    ]


PACKAGES = {
    "keyval": r"""
        \newcommand*{\xx@bibfile}{references}
        \define@key{xx}{bibfile}{\renewcommand*{\xx@bibfile}{#1}}
        \addbibresource{\xx@bibfile.bib}""",
    "xkeyval": r"""
        \define@key[pre]{xx}{bibfile}[references]{\def\xx@bibfile{#1}}
        \setkeys[pre]{xx}{bibfile=references}
        \bibliography{\xx@bibfile}""",
    "DeclareOptionX": r"""
        \DeclareOptionX{bibfile}{\gdef\xx@bibfile{#1}}
        \ExecuteOptionsX{bibfile=references}
        \def\xx@bibfile{references}
        \bibliography{\xx@bibfile}""",
    "kvoptions": r"""
        \SetupKeyvalOptions{family=xx,prefix=xx@} \DeclareStringOption[references]{bibfile}
        \addbibresource{\xx@bibfile.bib}""",
    "pgfkeys, store in": r"""
        \pgfkeys{/xx/.cd, bibfile/.store in=\xx@bibfile, bibfile=references}
        \addbibresource{\xx@bibfile.bib}""",
    "l3keys": r"""
        \keys_define:nn { xx } {
          bibfile .tl_set:N = \l_xx_bibfile_tl,
          bibfile .initial:n = references,
        }
        \addbibresource { \l_xx_bibfile_tl .bib }""",
}


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize(
    ("options", "expected"), [("", "references.bib"), ("[final, bibfile=own]", "own.bib")]
)
def test_a_package_stores_the_name_of_the_bibliography(
    tmp_path: Path, package: str, options: str, expected: str
) -> None:
    (tmp_path / expected).touch()
    (tmp_path / "xx.sty").write_text(PACKAGES[package])
    main = tmp_path / "main.tex"
    main.write_text(rf"\usepackage{options}{{xx}}\begin{{document}}\cite{{a}}\end{{document}}")
    draft = DraftReader().read(main)
    assert bibliographies(draft) == [expected]
    assert draft.problems == ()
