r"""What users of other tools complained about, as tests over the real server.

Each test is named after the threads it answers: ``lw`` is LaTeX Workshop, the numbers are those
of its issues, and so on. The projects are small; the cursor is at ``|``.
"""

import os
import re
import sys
import time

import pytest

from protocol_client import eventually

#: The threads that concern citations and that no other test is about.
COMPLAINTS = """
texlab_1039 latextools_752 latextools_688 lw_4335 lw_2196 lw_4021 lw_4192 lw_1438 lw_1085 lw_1643
texlab_493 texstudio_2668 texlab_409 vscode_zotero_31 lw_1051 overleaf_1391
""".split()

ALL = {"x1", "x2", "x3"}
BIB = """
@article{x1, author={Barzilay, Regina and Lapata, Mirella}, title={Modeling Local Coherence}, year=2008}
@article{x2, author={Salton, Gerard}, title={A Vector Space Model for Automatic Indexing}, year=1975}
@book{x3, author={Müller, Jörg}, title={Über Grammatik}, year=1999}
"""


def test_each_complaint_has_a_test_named_after_it():
    here = sys.modules[__name__]
    names = " ".join(name for name in vars(here) if name.startswith("test_"))
    assert [
        complaint for complaint in COMPLAINTS if not re.search(rf"_{complaint}(?!\d)", names)
    ] == []


def test_texlab_1039_latextools_752_a_huge_bibliography_is_completed(author):
    strings = "".join(f"@string{{venue{n} = {{Conference {n}}}}}\n" for n in range(3_000))
    entries = "".join(
        f"@inproceedings{{key{n:05}, author={{Author{n}, A.}}, title={{Paper on topic{n}}}, booktitle=venue{n % 3_000}}}\n"
        for n in range(12_000)
    )
    author.begin("\\cite{author11999|}\n\\bibliography{refs}\n%! refs.bib\n" + strings + entries)
    assert author.suggested() == ["key11999"]


def test_latextools_688_a_bibliography_is_not_read_again_at_every_citation(author):
    author.begin(f"\\cite{{|}}\n\\bibliography{{refs}}\n%! refs.bib\n{BIB}")
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


@pytest.mark.parametrize("broken", ["@article{broken, title={Never closed", "@article{", "@article{b, title = = {x}}", "@article{b title={x}}", "}}}", "@article{b, title={a}, , year=}"])  # fmt: skip
def test_lw_4335_lw_2196_one_bad_entry_costs_the_others_nothing(author, broken):
    before, after = BIB.strip().split("\n", 1)
    author.begin(f"\\cite{{|}}\n\\bibliography{{refs}}\n%! refs.bib\n{before}\n{broken}\n{after}")
    assert set(author.suggested()) >= ALL


def test_lw_4021_strings_in_strings_are_resolved(author):
    bib = '@string{acl = "Association"}\n@string{proc = "Proceedings of the " # acl}\n@inproceedings{one, author={One, A.}, title=proc # " on coherence", year=2001}'
    author.begin(f"\\cite{{coherence|}}\n\\bibliography{{refs}}\n%! refs.bib\n{bib}")
    (item,) = author.items()
    row = item["labelDetails"]["detail"]
    assert "Proceedings of the Association on coherence" in row


@pytest.mark.parametrize(
    ("part", "main"),
    [
        (r"\documentclass[../main]{subfiles}\begin{document}\cite{|}\end{document}", r"\documentclass{book}\usepackage{subfiles}\begin{document}\subfile{chapters/one}\bibliography{refs}\end{document}"),
        (r"\documentclass[../main]{subfiles}\begin{document}\cite{|}\bibliography{\subfix{../refs}}\end{document}", r"\documentclass{book}\usepackage{subfiles}\begin{document}\subfile{chapters/one}\end{document}"),
    ],
)  # fmt: skip
def test_lw_4192_lw_1438_subfiles_and_subfix(author, part, main):
    author.begin(f"%! chapters/one.tex\n{part}\n%! main.tex\n{main}\n%! refs.bib\n{BIB}")
    assert set(author.suggested()) == ALL


def test_lw_1085_entries_of_other_projects_do_not_leak(author):
    author.begin(
        r"""
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
    )
    assert author.suggested() == ["mine"]


def test_lw_1643_bibliographies_in_bibinputs_are_found(author):
    (author.client.bibinputs / "everywhere.bib").write_text(BIB)
    author.begin(r"\cite{|}\bibliography{everywhere}")
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


@pytest.mark.parametrize(
    "draft",
    [
        r"\DeclareCiteCommand{\mycite}{}{\printnames{labelname}}{;}{} \mycite[3]{|}",
        r"\citeA{|}",
        r"\shortciteNP{|}",
        r"\newcommand{\seealso}[1]{\citep[see also][]{#1}} \seealso{|}",
        r"\NewDocumentCommand{\mine}{O{} m}{\cite[#1]{#2}} \mine[p.~3]{|}",
    ],
)
def test_texstudio_2668_texlab_409_commands_of_ones_own(author, draft):
    author.begin(f"{draft}\n\\bibliography{{refs}}\n%! refs.bib\n{BIB}")
    assert set(author.suggested()) == ALL


def test_vscode_zotero_31_works_are_chosen_in_the_editors_own_list(author):
    """Nothing but completion items with text: what a screen reader reads of any other list."""
    zotero = author.save_elsewhere("zotero/library.bib", BIB, told=False)
    own = "%! refs.bib\n@misc{own,\n\ttitle = {Own}\n}\n"
    text = "Local coherence of texts \\cite{|}.\n\\bibliography{refs}\n"
    author.begin(text + own, globalBibliographies=[str(zotero)])
    eventually(lambda: "x1" in author.suggested(), "the library is read")
    item = next(item for item in author.items() if item["label"] == "x1")
    row = item["labelDetails"]["detail"].strip()
    assert row == "Barzilay and Lapata 2008 · Modeling Local Coherence"
    assert author.suggested()[0] == "own"


def test_lw_1051_bibitems_are_suggested(author):
    entries = "\\bibitem{barz} R. Barzilay. Local coherence.\n\\bibitem[Salton(1975)]{salton} G. Salton. Vectors."
    author.begin(
        f"\\cite{{|}}\n\\begin{{thebibliography}}{{9}}\n{entries}\n\\end{{thebibliography}}"
    )
    assert set(author.suggested()) == {"barz", "salton"}


def test_overleaf_1391_the_keys_of_a_bibliography_are_completed(author):
    """Whoever leaves Overleaf's community edition for an editor of their own gets what it lacks."""
    author.begin(
        f"\\documentclass{{article}}\n\\cite{{|\n\\bibliography{{sample}}\n%! sample.bib\n{BIB}"
    )
    assert set(author.suggested()) == ALL
