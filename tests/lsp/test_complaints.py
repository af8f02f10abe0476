r"""What users of other tools complained about, as tests over the real server.

Each is named after the threads it answers: ``lw`` is LaTeX Workshop, the numbers are those of its
issues, and so on. The projects are small; the cursor is at ``|``.
"""

import os
import time

import pytest

from protocol_client import eventually

ALL = {"x1", "x2", "x3"}
BIB = """
@article{x1, author={Barzilay, Regina and Lapata, Mirella}, title={Modeling Local Coherence}, year=2008}
@article{x2, author={Salton, Gerard}, title={A Vector Space Model for Automatic Indexing}, year=1975}
@book{x3, author={Müller, Jörg}, title={Über Grammatik}, year=1999}
"""
REFS = f"%! refs.bib\n{BIB}"
NAMED = "\n\\bibliography{refs}\n"
FIRST, OTHERS = BIB.strip().split("\n", 1)
STRINGS = "".join(f"@string{{venue{n} = {{Conference {n}}}}}\n" for n in range(3_000))
HUGE = STRINGS + "".join(
    f"@inproceedings{{key{n:05}, author={{Author{n}, A.}}, title={{Paper on topic{n}}}, booktitle=venue{n % 3_000}}}\n"
    for n in range(12_000)
)
PART = r"""
%%! chapters/one.tex
\documentclass[../main]{subfiles}\begin{document}\cite{|}%s\end{document}
%%! main.tex
\documentclass{book}\usepackage{subfiles}\begin{document}\subfile{chapters/one}%s\end{document}
"""
PROJECTS = r"""
%! thesis/main.tex
\cite{|}
\bibliography{refs}
%! thesis/refs.bib
@misc{mine, title={Mine}}
%! paper/main.tex
\cite{other}
\bibliography{refs}
%! paper/refs.bib
@misc{other, title={Other}}
"""
ITEMS = r"""
\cite{|}
\begin{thebibliography}{9}
\bibitem{barz} R. Barzilay. Local coherence.
\bibitem[Salton(1975)]{salton} G. Salton. Vectors.
\end{thebibliography}
"""
OVERLEAF = f"\\documentclass{{article}}\n\\cite{{|\n\\bibliography{{sample}}\n%! sample.bib\n{BIB}"
BROKEN = ("@article{broken, title={Never closed", "@article{", "@article{b, title = = {x}}", "@article{b title={x}}", "}}}", "@article{b, title={a}, , year=}")  # fmt: skip
OWN = (
    r"\DeclareCiteCommand{\mycite}{}{\printnames{labelname}}{;}{} \mycite[3]{|}",
    r"\newcommand{\seealso}[1]{\citep[see also][]{#1}} \seealso{|}",
    r"\NewDocumentCommand{\mine}{O{} m}{\cite[#1]{#2}} \mine[p.~3]{|}",
)


@pytest.mark.parametrize(
    ("project", "suggested"),
    [
        pytest.param(f"\\cite{{author11999|}}{NAMED}%! refs.bib\n{HUGE}", {"key11999"}, id="texlab_1039 latextools_752: huge"),
        *(pytest.param(f"\\cite{{|}}{NAMED}%! refs.bib\n{FIRST}\n{each}\n{OTHERS}", ALL, id=f"lw_4335 lw_2196: {each}") for each in BROKEN),
        pytest.param(PART % ("", r"\bibliography{refs}") + REFS, ALL, id="lw_4192: subfiles"),
        pytest.param(PART % (r"\bibliography{\subfix{../refs}}", "") + REFS, ALL, id="lw_1438: subfix"),
        pytest.param(PROJECTS, {"mine"}, id="lw_1085: other projects"),
        pytest.param(r"\cite{|}\bibliography{everywhere}", ALL, id="lw_1643: BIBINPUTS"),
        *(pytest.param(f"{each}{NAMED}{REFS}", ALL, id=f"texstudio_2668 texlab_409: {each}") for each in OWN),
        pytest.param(ITEMS, {"barz", "salton"}, id="lw_1051: bibitems"),
        pytest.param(OVERLEAF, ALL, id="overleaf_1391: an editor of one's own"),
    ],
)  # fmt: skip
def test_keys_are_suggested(author, project, suggested):
    (author.client.bibinputs / "everywhere.bib").write_text(BIB)
    author.begin(project)
    # What is broken may be suggested, too.
    assert suggested <= set(author.suggested()) <= suggested | {"broken", "b"}


def test_lw_4021_strings_in_strings_are_resolved(author):
    bib = '@string{acl = "Association"}\n@string{proc = "Proceedings of the " # acl}\n@inproceedings{one, author={One, A.}, title=proc # " on coherence", year=2001}'
    author.begin(f"\\cite{{coherence|}}{NAMED}%! refs.bib\n{bib}")
    (item,) = author.items()
    assert "Proceedings of the Association on coherence" in item["labelDetails"]["detail"]


def test_latextools_688_a_bibliography_is_not_read_again_at_every_citation(author):
    author.begin(f"\\cite{{|}}{NAMED}{REFS}")
    assert set(author.suggested()) == ALL
    bibliography = author.folder / "refs.bib"
    before = bibliography.stat()
    # The same size and time stamp at every moment: nobody who looks at those would read it again.
    (beside := author.folder / "beside").write_bytes(
        bibliography.read_bytes().replace(b"{x1,", b"{y1,")
    )
    os.utime(beside, ns=(before.st_atime_ns, before.st_mtime_ns))
    beside.replace(bibliography)
    assert set(author.suggested()) == ALL


def test_texlab_493_a_bibliography_outside_of_the_workspace(author, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "refs.bib"
    outside.write_text(BIB)
    author.begin(f"\\cite{{|}}\n\\addbibresource{{{outside}}}")
    assert set(author.suggested()) == ALL
    outside.write_text(BIB + "@misc{new, title={New}}")
    later = time.time_ns() + 2_000_000_000
    os.utime(outside, ns=(later, later))
    eventually(lambda: "new" in author.suggested(), "the new entry is seen")


def test_vscode_zotero_31_works_are_chosen_in_the_editors_own_list(author):
    """Nothing but completion items with text: what a screen reader reads of any other list."""
    zotero = author.save_elsewhere("zotero/library.bib", BIB, reported=False)
    own = "%! refs.bib\n@misc{own,\n\ttitle = {Own}\n}\n"
    author.begin(
        f"Local coherence of texts \\cite{{|}}.{NAMED}{own}", globalBibliographies=[str(zotero)]
    )
    eventually(lambda: "x1" in author.suggested(), "the library is read")
    item = next(item for item in author.items() if item["label"] == "x1")
    row = item["labelDetails"]["detail"].strip()
    assert row == "Barzilay and Lapata 2008 · Modeling Local Coherence"
    assert author.suggested()[0] == "own"
