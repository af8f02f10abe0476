"""What the entries of a draft get from other bibliographies of the workspace."""

import json
import os
import time

import pytest

from pincite.model.contexts import CitationContext
from pincite.project.workspace import Workspace

DRAFT = (
    "\\documentclass{book}\\begin{document}Fossil beavers dammed streams \\cite{beaver}."
    "\\bibliography{refs}\\end{document}"
)
BEAVER = "title={Dams of the fossil beaver}, author={Rybczynski, Nina}, year={2007}"
SAID = "Castorids cut wood long before they built lodges. They swam well."
TEXT_SOURCE = f"@article{{beaver, {BEAVER}, abstract={{{SAID}}}}}"
PAPER = "# Dams of the fossil beaver\n\nNina Rybczynski\n\nGnawed sticks lay in the peat. They were old.\n"


@pytest.fixture(name="home")
def thesis(tmp_path, monkeypatch):
    """A thesis whose own bibliography has neither abstracts nor files."""
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "cache"))
    home = tmp_path / "thesis"
    home.mkdir()
    write(home, "main.tex", DRAFT)
    write(home, "refs.bib", f"@article{{beaver, {BEAVER}}}")
    return home


def write(home, name, text):
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    later = time.time_ns() + 2_000_000_000
    os.utime(path, ns=(later, later))


def text_of(workspace, key="beaver"):
    """Return what the background reading gives as the text of an entry."""
    draft = workspace.draft(workspace.folder / "main.tex")
    assert workspace.read_library(draft)
    paper = workspace.recommender(draft).candidates[key].paper
    return paper.basis, [sentence.text for sentence in paper.sentences]


def test_the_abstract_of_the_same_work_serves(home):
    write(home, "zotero.bib", TEXT_SOURCE)
    workspace = Workspace(home)
    assert text_of(workspace) == (
        "abstract",
        ["Castorids cut wood long before they built lodges.", "They swam well."],
    )
    draft = workspace.draft(home / "main.tex")
    (first, _) = workspace.recommender(draft).candidates["beaver"].paper.sentences
    assert first.section == "Abstract in zotero.bib"
    ranked = workspace.recommender(draft).rank(CitationContext(("castorids",), ("lodges",)))
    assert ranked[0].score > 0.0
    assert set(workspace.bibliography(draft).entries["beaver"].fields) == {
        "title",
        "author",
        "year",
    }


@pytest.mark.parametrize(
    "source",
    [
        f"@article{{Ryb07, {BEAVER}, abstract={{{SAID}}}}}",
        f"@misc{{x, title={{Beavers}}, doi={{10.1000/Dam}}, abstract={{{SAID}}}}}",
        f"@misc{{x, title={{Beavers}}, eprint={{0704.1234v2}}, abstract={{{SAID}}}}}",
        f"@article{{beaver, title={{The dams of a fossil beaver}}, author={{Rybczynski, N.}}, abstract={{{SAID}}}}}",
        f"@article{{Ryb07, {BEAVER}, annote={{{SAID}}}}}",
    ],
)
def test_a_work_is_known_by_identifier_title_or_key(home, source):
    own = f"@article{{beaver, {BEAVER}, doi={{10.1000/dam}}, eprint={{0704.1234}}, archiveprefix={{arXiv}}}}"
    write(home, "refs.bib", own)
    write(home, "other/zotero.bib", source)
    assert text_of(Workspace(home))[0] == "abstract"


CSL = {"id": "Ryb07", "type": "article-journal", "title": "Dams of the fossil beaver", "abstract": SAID,
    "author": [{"family": "Rybczynski", "given": "Nina"}], "issued": {"date-parts": [[2007]]}}  # fmt: skip
HAYAGRIVA = f"Ryb07:\n  type: article\n  title: Dams of the fossil beaver\n  author: Rybczynski, Nina\n  date: 2007\n  abstract: {SAID}\n"


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("zotero.json", json.dumps([CSL])),
        ("exports/zotero.json", json.dumps({"references": [CSL]}, indent=2)),
        ("zotero.yaml", "references:\n" + "".join(f"{'- ' if name == 'id' else '  '}{name}: {json.dumps(value)}\n" for name, value in CSL.items())),
        ("works.yml", HAYAGRIVA),
    ],
)  # fmt: skip
def test_a_bibliography_in_another_form_serves_as_well(home, name, source):
    write(home, name, source)
    assert text_of(Workspace(home))[0] == "abstract"


def test_a_csl_file_gives_the_paper_that_it_names(home):
    write(home, "z/zotero.json", json.dumps([{**CSL, "abstract": "", "file": "pdfs/1.md"}]))
    write(home, "z/pdfs/1.md", PAPER)
    assert text_of(Workspace(home))[0] == "full text"


def test_other_json_is_not_read_as_a_bibliography(home, monkeypatch):
    write(home, "package-lock.json", '{"name": "thesis", "lockfileVersion": 3, "packages": {}}')
    write(home, "data.json", '[{"id": 1, "type": "point", "title": "Dams of the fossil beaver"}]')
    write(home, "settings.yml", "type: book\ntitle: Dams of the fossil beaver\n")
    workspace = Workspace(home)
    monkeypatch.setattr("pincite.project.caches.parse_bibliography", None)
    assert list(workspace.bibliographies()) == [home / "refs.bib"]
    assert text_of(workspace) == ("title", [])


@pytest.mark.parametrize(
    "source",
    [
        "@article{beaver, title={Teeth of the living otter}, author={Rybczynski, Nina}, year={2007}, abstract={Otters.}}",
        "@article{x, title={Dams of the living beaver}, author={Rybczynski, Nina}, year={2009}, abstract={Others.}}",
        f"@article{{beaver, {BEAVER}, keywords={{beaver}}}}",
    ],
)
def test_other_works_and_keywords_give_nothing(home, source):
    write(home, "zotero.bib", source)
    assert text_of(Workspace(home)) == ("title", [])


def test_an_abstract_of_ones_own_is_not_replaced(home):
    write(home, "refs.bib", f"@article{{beaver, {BEAVER}, abstract={{My own words.}}}}")
    write(home, "zotero.bib", TEXT_SOURCE)
    assert text_of(Workspace(home)) == ("abstract", ["My own words."])


def test_the_paper_that_another_bibliography_names_serves(home):
    write(home, "zotero/z.bib", f"@article{{Ryb07, {BEAVER}, file={{:pdfs/1.md:Markdown}}}}")
    write(home, "zotero/pdfs/1.md", PAPER)
    workspace = Workspace(home)
    basis, sentences = text_of(workspace)
    assert basis == "full text"
    assert "Gnawed sticks lay in the peat." in sentences
    write(home, "refs.bib", f"@article{{beaver, {BEAVER}, file={{mine.md}}}}")
    assert text_of(workspace)[0] == "full text"  # the file that it names itself is not there
    write(home, "mine.md", PAPER.replace("Gnawed sticks", "My own sticks"))
    assert "My own sticks lay in the peat." in text_of(workspace)[1]


def test_the_references_of_a_fallback_paper_count(home):
    write(home, "refs.bib", f"@article{{beaver, {BEAVER}}}\n@article{{peat, title={{Layers of northern peat}}, author={{Bog, Ann}}, year={{1990}}}}")  # fmt: skip
    write(home, "zotero.bib", f"@article{{Ryb07, {BEAVER}, file={{1.md}}}}")
    cited = "Peat is laid down slowly (Bog, 1990).\n\n## References\n\n- Bog, Ann. 1990. Layers of northern peat.\n"
    write(home, "1.md", PAPER + cited)
    workspace = Workspace(home)
    text_of(workspace)
    inlinks = workspace.inlinks(workspace.draft(home / "main.tex"))
    assert [context.citing_paper for context in inlinks["peat"]] == ["beaver"]


def test_a_fallback_file_that_cannot_be_read_is_reported_and_the_abstract_serves(home):
    write(home, "zotero.bib", f"@article{{b, {BEAVER}, file={{broken.pdf}}, abstract={{{SAID}}}}}")
    write(home, "broken.pdf", "no PDF")
    workspace = Workspace(home)
    assert text_of(workspace)[0] == "abstract"
    (problem,) = workspace.library(workspace.draft(home / "main.tex")).problems
    assert problem.path == home / "broken.pdf"


def test_the_first_list_rests_on_the_entries_themselves(home):
    write(home, "zotero.bib", TEXT_SOURCE)
    workspace = Workspace(home)
    first = workspace.recommender(workspace.draft(home / "main.tex"), full_texts=False)
    assert first.candidates["beaver"].paper.basis == "title"


def test_a_change_of_the_other_bibliography_is_noticed(home):
    write(home, "zotero.bib", TEXT_SOURCE)
    workspace = Workspace(home)
    assert text_of(workspace)[0] == "abstract"
    write(home, "zotero.bib", TEXT_SOURCE.replace("They swam well", "They hardly swam"))
    assert text_of(workspace)[1][-1] == "They hardly swam."
    (home / "zotero.bib").unlink()
    assert text_of(workspace)[0] == "title"


def test_what_an_editor_holds_counts_and_binary_files_do_not(home):
    write(home, "zotero.bib", "")
    (home / "broken.bib").write_bytes(b"\0\1\2" * 99)
    texts = {home / "zotero.bib": TEXT_SOURCE}
    workspace = Workspace(home, open_texts=texts)
    assert text_of(workspace)[0] == "abstract"
    texts[home / "zotero.bib"] = TEXT_SOURCE.replace("They swam well", "They hardly swam")
    assert text_of(workspace)[1][-1] == "They hardly swam."


def test_nothing_outside_the_workspace_serves(home):
    write(home.parent, "zotero.bib", TEXT_SOURCE)
    assert text_of(Workspace(home))[0] == "title"


def test_bibliographies_serve_each_other(home):
    write(home, "b.tex", "\\documentclass{book}\\cite{dam}\\bibliography{b}")
    write(home, "b.bib", f"@article{{dam, {BEAVER}, abstract={{{SAID}}}}}")
    write(home, "refs.bib", f"@article{{beaver, {BEAVER}, file={{1.md}}}}")
    write(home, "1.md", PAPER)
    workspace = Workspace(home)
    one, two = (workspace.draft(home / name) for name in ("main.tex", "b.tex"))
    recommenders = []
    for draft in (one, two):
        workspace.read_library(draft)
        recommenders.append(workspace.recommender(draft))
    # Both still have the fallback texts of their draft.
    papers = recommenders[0].candidates["beaver"].paper, recommenders[1].candidates["dam"].paper
    assert [paper.basis for paper in papers] == ["full text", "full text"]
    assert papers[0].abstract == papers[1].abstract == SAID
