"""What a draft gets from Zotero on this computer: abstracts, files, and how they are shown."""

import pytest

from pincite.library.index import PaperIndex
from pincite.model.contexts import CitationContext
from pincite.project.workspace import Workspace
from pincite.settings import Settings
from zotero_library import LINKED, ZoteroLibrary

DRAFT = (
    "\\documentclass{article}\\begin{document}Fossil beavers dammed streams \\cite{beaver}, and"
    " peat is old \\cite{peat}.\\bibliography{refs}\\end{document}"
)
BIB = """@article{beaver, title={Dams of the fossil beaver}, author={Rybczynski, Nina}, year={2007}}
@article{peat, title={Layers of northern peat}, author={Bog, Ann}, year={1990}, doi={10.1000/peat}}
@article{otter, title={Teeth of the living otter}, author={Rybczynski, Nina}, year={2007}}
"""
SAID = "Castorids cut wood long before they built lodges. They swam well."
PAPER = "# Layers of northern peat\n\nAnn Bog\n\nPeat is laid down slowly. It is old.\n"
AUTO = Settings(zotero="auto")


@pytest.fixture(name="home")
def thesis(tmp_path, monkeypatch):
    """A thesis of titles, and a Zotero that knows more of two of its works."""
    home = tmp_path / "thesis"
    home.mkdir()
    (home / "main.tex").write_text(DRAFT)
    (home / "refs.bib").write_text(BIB)
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PINCITE_ZOTERO", str(tmp_path / "Zotero"))
    monkeypatch.chdir(home)
    zotero = ZoteroLibrary(tmp_path / "Zotero")
    zotero.work(
        by=[("Rybczynski", "Natalia")],
        title="Dams of the fossil beaver",
        date="2007-00-00 2007",
        abstractNote=SAID,
    )
    peat = zotero.work(title="Peat", DOI="10.1000/PEAT")
    zotero.stored(peat, "peat.md", PAPER)
    zotero.work(by=[("Rybczynski", "N.")], title="Skulls of otters", abstractNote="Others.")
    zotero.close()
    return home


def texts(workspace):
    """Return the basis and the sentences of each entry, with the label of the first sentence."""
    draft = workspace.draft(workspace.folder / "main.tex")
    assert workspace.read_library(draft)
    candidates = workspace.recommender(draft).candidates
    return {
        key: (paper.basis, [s.text for s in paper.sentences], [s.section for s in paper.sentences][:1])
        for key in candidates
        if (paper := candidates[key].paper)
    }  # fmt: skip


def test_abstracts_and_files_of_the_same_works_serve(home):
    workspace = Workspace(home, AUTO, PaperIndex())
    found = texts(workspace)
    abstract = ["Castorids cut wood long before they built lodges.", "They swam well."]
    assert found["beaver"] == ("abstract", abstract, ["Abstract from Zotero"])
    assert found["peat"][0] == "full text"
    assert "Peat is laid down slowly." in found["peat"][1]
    assert found["otter"] == ("title", [], [])
    draft = workspace.draft(home / "main.tex")
    ranked = workspace.recommender(draft).rank(CitationContext(("castorids",), ("lodges",)))
    assert ranked[0].key == "beaver"


def test_nothing_is_read_where_it_is_off(home, tmp_path):
    assert {basis for basis, *_ in texts(Workspace(home, Settings(), PaperIndex())).values()} == {
        "title"
    }
    assert not (tmp_path / "cache" / "zotero").exists()


def test_a_bibliography_of_the_workspace_comes_before_zotero(home):
    (home / "other.bib").write_text(BIB.replace("year={2007}", "year={2007}, abstract={Mine.}", 1))
    found = texts(Workspace(home, AUTO, PaperIndex()))
    assert found["beaver"] == ("abstract", ["Mine."], ["Abstract in other.bib"])


def test_the_workspace_reports_once_that_a_database_is_damaged(home, tmp_path):
    (tmp_path / "Zotero" / "zotero.sqlite").write_text("no database" * 99)
    workspace = Workspace(home, AUTO, PaperIndex())
    assert texts(workspace)["beaver"][0] == "title"
    texts(workspace)
    (problem,) = workspace.problems
    assert (problem.path, problem.broken) == (tmp_path / "Zotero" / "zotero.sqlite", False)
    assert "cannot be read" in problem.message


@pytest.mark.parametrize("path", ["/dev/zero", "/proc/self/environ", "/etc/hostname"])
def test_linked_files_that_are_no_papers_are_not_read(home, tmp_path, path):
    (tmp_path / "Zotero" / "zotero.sqlite").unlink()
    zotero = ZoteroLibrary(tmp_path / "Zotero")
    work = zotero.work(title="Dams of the fossil beaver", by=[("Rybczynski", "N.")], date="2007")
    zotero.file(work, path, LINKED)
    zotero.close()
    assert texts(Workspace(home, AUTO, PaperIndex()))["beaver"][0] == "title"


def test_the_command_lists_what_zotero_gave(home, run, run_json):
    status, out, err = run("library", "main.tex")
    assert (status, err) == (0, "")
    assert out.splitlines()[:5] == [
        "main.tex: 3 entries, 2 cited",
        "  full text     1",
        "  abstract only 1",
        "  title only    1",
        "  from Zotero: 1 full text, 1 abstract",
    ]
    _, found, _ = run_json("library", "main.tex")
    assert found["counts"]["from_zotero"] == 2
    assert {each["key"] for each in found["entries"] if each["from_zotero"]} == {"beaver", "peat"}
    status, out, _ = run("library", "main.tex", "--zotero", "off")
    assert "title only    3" in out
    assert "Zotero" not in out


def test_what_an_export_has_as_well_is_the_drafts_own(home, tmp_path, run_json):
    own = BIB.replace("year={2007}", f"year={{2007}}, abstract={{{SAID}}}", 1)
    place = next((tmp_path / "Zotero" / "storage").rglob("peat.md"))
    (home / "refs.bib").write_text(own.replace("year={1990}", f"year={{1990}}, file={{{place}}}"))
    _, found, _ = run_json("library", "main.tex")
    assert [each["basis"] for each in found["entries"]] == ["abstract", "full text", "title"]
    assert found["counts"]["from_zotero"] == 0


def test_what_is_highlighted_is_shown_first_and_marked(home, tmp_path, run, run_json):
    sentences = "Northern peat is old, as pollen shows.", "Peat in bogs of the north is very old."

    def supporting(*highlights):
        (tmp_path / "Zotero" / "zotero.sqlite").unlink()
        zotero = ZoteroLibrary(tmp_path / "Zotero")
        peat = zotero.work(title="Layers of northern peat", DOI="10.1000/peat")
        place = zotero.stored(
            peat, f"{len(highlights)}.md", f"# Layers of northern peat\n\n{text}\n"
        )
        for highlight in highlights:
            zotero.highlight(place, highlight, "see\x1b chapter 2")
        zotero.close()
        _, found, _ = run_json("evidence", "main.tex", "--key", "peat")
        (citation,) = found["citations"]
        return [(each["text"], each["highlighted"]) for each in citation["supporting"]]

    text = f"{sentences[0]} Lakes freeze in winter nights. {sentences[1]}"
    ((first, is_highlighted),) = supporting()
    assert not is_highlighted
    (second,) = {*sentences} - {first}
    marked = supporting(second.upper(), "Lakes freeze in winter nights.")
    assert marked == [(second, True), (first, False)]
    _, out, _ = run("evidence", "main.tex", "--key", "peat")
    assert out.count("you highlighted this: “see chapter 2”") == 1


#: Runs a command of ours; a socket, or a file of Zotero that is written, ends it.
GUARDED = """
import sys
zotero = sys.argv.pop(1)

def watch(event, arguments):
    if event.startswith("socket."):
        raise SystemExit(f"opened: {event} {arguments}")
    if event == "open" and str(arguments[0]).startswith(zotero):
        mode, flags = arguments[1:]
        if (isinstance(mode, str) and set(mode) & set("wax+")) or (flags or 0) & 3:
            raise SystemExit(f"written: {arguments}")
    if event in ("os.rename", "os.remove", "os.mkdir", "os.chmod", "os.utime"):
        if any(str(each).startswith(zotero) for each in arguments):
            raise SystemExit(f"changed: {event} {arguments}")

sys.addaudithook(watch)
from pincite.cli import main
main()
"""


@pytest.mark.parametrize("command", ["library", "evidence", "recommend --all"])
def test_no_socket_is_opened_and_zotero_is_only_read(home, tmp_path, process, command):
    folder = tmp_path / "Zotero"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    done = process(folder, *command.split(), "main.tex", program=("-c", GUARDED))
    assert (done.returncode, done.stderr) == (0, "")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    assert list((tmp_path / "cache" / "zotero").glob("*/*.bib"))
