"""``pincite library`` as an author calls it."""

import pytest
from test_cli import small_project

__all__ = ["small_project"]

GONE = "\n".join(
    f"@article{{k{n}, title={{Title number {n}}}, author={{A{n}, B}}, year=2001,"
    f" file={{/home/ann/Zotero/storage/{n}/paper.pdf}}}}"
    for n in range(5)
)


def test_the_library_as_json(project, run_json):
    status, found, err = run_json("library", "draft.tex")
    assert (status, err) == (0, "")
    assert found["draft"] == "draft.tex"
    assert {entry["key"]: entry["basis"] for entry in found["entries"]} == {
        "grid2008": "abstract",
        "parse2006": "title",
        "order1999": "title",
    }
    (problem,) = found["entries"][1]["problems"]
    assert problem.startswith("only the title is known: ")
    assert found["counts"]["entries"] == 3
    assert (found["common_folder"], found["others"]) == (None, [])


def test_missing_files_are_shown_by_their_folder(project, run):
    with (project / "refs.bib").open("a") as file:
        file.write(GONE)
    status, out, _ = run("library", "draft.tex")
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == "draft.tex: 8 entries, 2 cited"
    assert "Files that are not on this computer: 5 of 5" in lines
    assert "    /home/ann/Zotero/storage" in lines
    assert out.count("paper.pdf") == 3
    assert "    and 2 more (--format json lists all)" in lines
    assert max(map(len, lines)) <= 80


def test_a_base_folder_finds_missing_files(project, run_json):
    with (project / "refs.bib").open("a") as file:
        file.write(GONE)
    for number in range(5):
        file = project / "my storage" / str(number) / "paper.pdf"
        file.parent.mkdir(parents=True)
        file.write_bytes(b"no PDF")
    status, found, _ = run_json("library", "draft.tex", "--base-folder", "my storage")
    assert (status, found["common_folder"]) == (2, None)
    counts = found["counts"]
    assert (counts["named_files"], counts["missing_files"], counts["unreadable"]) == (5, 0, 5)


@pytest.mark.parametrize("broken", ["@article{lost, title={No end}", "@article{x title={y}}"])
def test_broken_entries_are_shown_once(project, run, broken):
    with (project / "refs.bib").open("a") as file:
        file.write(broken)
    status, out, err = run("library", "draft.tex")
    assert (status, err) == (0, "")
    assert "Broken entries: 1" in out


def test_a_draft_without_a_bibliography_is_an_error(project, run):
    (project / "refs.bib").unlink()
    status, out, err = run("library", "draft.tex")
    assert (status, out) == (2, "")
    assert "bibliography" in err
