"""``pincite index`` as an author or a researcher calls it."""

import json
import os
from pathlib import Path

import pytest

from pincite.api.indexing import _opened
from pincite.library.index import PaperIndex
from pincite.settings import Settings

PAPER = """# {title}

{author}

Entity grids were a new idea. {more}

## References

- Smith, Ann. 2001. Grids of Unheard-of Length. Journal of Grids.
"""
BIB = """
@article{smith, title={Grids of Unheard-of Length}, author={Smith, Ann}, year={2001}}
@article{jones, title={Trees Without a Bank}, author={Jones, Bo}, year={2005}}
@article{brown, title={Seen Only in Part}, abstract={We saw it. It was there.}}
@article{white, title={Never Seen}}
"""


@pytest.fixture(name="home")
def project(tmp_path):
    """A draft with four references: two papers, one abstract, one title."""
    folder = tmp_path / "project"
    (folder / "papers").mkdir(parents=True)
    (folder / "refs.bib").write_text(BIB)
    (folder / "main.tex").write_text(
        "\\documentclass{article}\\begin{document}Grids \\cite{smith}.\\bibliography{refs}"
        "\\end{document}"
    )
    (folder / "papers" / "smith.md").write_text(
        PAPER.format(title="Grids of Unheard-of Length", author="Ann Smith", more="")
    )
    (folder / "papers" / "download.md").write_text(
        PAPER.format(
            title="Trees Without a Bank",
            author="Bo Jones",
            more="Grids have been very long since they began (Smith, 2001).",
        )
    )
    return folder


def test_what_cites_nothing_is_no_draft_of_the_bibliography_beside_it(tmp_path):
    (tmp_path / "cover.tex").write_text("\\documentclass{standalone}Cover")
    (tmp_path / "refs.bib").write_text(BIB)
    _, drafts = _opened(tmp_path, None, Settings(), PaperIndex.in_memory())
    assert [draft.root.name for draft in drafts] == ["refs.bib"]


@pytest.fixture(name="index")
def index_command(home, run, monkeypatch):
    monkeypatch.chdir(home)
    monkeypatch.setenv("PINCITE_CACHE", str(home.parent / "[bold] cache"))

    def index(*arguments, status=0):
        done, out, err = run("index", *arguments)
        assert done == status, err
        return out if not status else f"{out}{err}"

    return index


@pytest.fixture(name="numbers")
def numbers_of_the_index(index):
    return lambda *arguments: json.loads(index(*arguments, "--format", "json"))


@pytest.fixture(name="contexts")
def contexts_of_the_index(index, tmp_path):
    def contexts(*arguments):
        index(*arguments, "--contexts", tmp_path / "contexts.jsonl")
        lines = (tmp_path / "contexts.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]

    return contexts


@pytest.mark.parametrize(
    ("target", "contexts"),
    # For a bibliography alone, contexts also come from the draft that uses it.
    [((), 1), (("main.tex",), 1), ((".",), 1), (("refs.bib",), 2)],
)
def test_a_draft_a_folder_and_a_bibliography_show_what_is_known(numbers, target, contexts):
    found = numbers(*target)
    assert found.pop("sentences") >= 5
    assert found == {
        "entries": 4,
        "full_text": 2,
        "abstract_only": 1,
        "title_only": 1,
        "papers": 2,
        "inlink_contexts": contexts,
        "entries_with_inlink_contexts": 1,
        "problems": [],
    }


def test_the_table_ends_with_each_problem_and_its_file(home, index):
    (home / "papers" / "white.pdf").write_bytes(b"%PDF-1.7 cut off")
    shown = index(status=2)
    assert "with full text" in shown
    assert shown.splitlines()[-1].strip().startswith("papers/white.pdf: the PDF is damaged")
    # Known by now, and reported again.
    assert index(status=2) == shown


def test_missing_files_of_entries_are_reported_once_for_a_bibliography(home, numbers):
    gone = (f"@misc{{gone{n}, title={{Gone {n}}}, file={{x/{n}.pdf}}}}\n" for n in range(5))
    (home / "refs.bib").write_text(BIB + "".join(gone))
    (problem,) = numbers()["problems"]
    assert problem["path"].endswith("refs.bib")
    assert problem["message"] == (
        "5 entries name a file that does not exist: gone0 (x/0.pdf), gone1 (x/1.pdf), gone2 (x/2.pdf)"
        " and 2 more (--base-folder DIR?)"
    )


def test_contexts_are_written_one_a_line(contexts):
    first, second = contexts("refs.bib")
    assert (first["citing"], second["citing"]) == ("jones", "main.tex")
    assert first["cited"] == "smith"
    assert first["text"] == "Grids have been very long since they began (Smith, 2001)."
    assert (first["page"], first["right"]) == (None, "")
    assert first["left"].split()[-3:] == ["since", "they", "began"]


@pytest.mark.parametrize("name", ["refs.bib", "main.tex", "papers/smith.md", "notes.json"])
def test_contexts_overwrite_nothing_else(home, index, name):
    (home / "notes.json").write_text('{"notes": []}\n')
    before = (home / name).read_bytes()
    err = index("refs.bib", "--contexts", name, status=2)
    assert err.startswith(f"pincite: {name}: exists")
    assert (home / name).read_bytes() == before


def test_contexts_stay_where_new_ones_are_not_made(home, index):
    index("refs.bib", "--contexts", "contexts.jsonl")
    before = (home / "contexts.jsonl").read_bytes()
    index("nowhere", "--contexts", "contexts.jsonl", status=2)
    assert (home / "contexts.jsonl").read_bytes() == before
    mine = home / "contexts.jsonl.part"
    mine.write_text("what has the name of an unfinished file")
    index("refs.bib", "--contexts", "contexts.jsonl")
    assert (home / "contexts.jsonl").read_bytes() == before
    assert mine.read_text() == "what has the name of an unfinished file"


def test_other_drafts_give_contexts_and_are_named_by_their_path(contexts, tmp_path):
    earlier = tmp_path / "earlier"
    earlier.mkdir()
    (earlier / "old.tex").write_text(
        "\\documentclass{article}\\begin{document}Long before us \\cite{key9} drew grids."
        "\\bibliography{mine}\\end{document}"
    )
    (earlier / "mine.bib").write_text(
        "@article{key9, title={Grids of unheard-of length}, author={Ann Smith}}"
    )
    citing = {each["citing"] for each in contexts("main.tex", "--drafts", earlier)}
    assert citing == {"jones", str(Path("..", "earlier", "old.tex"))}


def test_status_and_clear(home, index, numbers):
    found = numbers("papers")  # a folder of papers alone
    assert (found["entries"], found["papers"]) == (0, 2)
    status = numbers("--status")
    assert (status["papers"], status["unreadable"], status["contexts"] > 0) == (2, 0, True)
    assert status["path"] == str(home.parent / "[bold] cache" / "index.sqlite")
    assert status["path"] in index("--status")  # no markup of the terminal
    made = [home.parent / "[bold] cache" / name for name in ("zotero", "fetched", "discovered")]
    for folder in made:
        folder.mkdir()
        (folder / "works.bib").write_text("@misc{a}")
    index("--clear")
    assert not any(folder.exists() for folder in made)
    assert numbers("--status")["papers"] == 0
    assert numbers()["full_text"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("gone.tex", "no such file"),
        ("--status --clear", "cannot be combined"),
        ("--clear main.tex", "name no draft"),
        ("--contexts no/such/folder.jsonl", "cannot be written"),
    ],
)
def test_wrong_arguments_are_reported_in_one_line(index, arguments, message):
    err = index(*arguments.split(), status=2)
    assert err.startswith("pincite: ")
    assert message in err
    assert err.count("\n") == 1


def test_a_paper_changed_since_is_read_again(home, index, numbers):
    index()
    (home / "papers" / "smith.md").unlink()
    (home / "papers" / "white.md").write_text("# Never Seen\n\nIt is here. It is long.\n")
    found = numbers()
    assert (found["full_text"], found["title_only"]) == (2, 1)


@pytest.mark.skipif(os.name != "posix", reason="there are no modes here")
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_contexts_are_as_private_as_the_author_wants_files_to_be(home, index, mask, mode):
    before = os.umask(mask)
    try:
        index("refs.bib", "--contexts", "contexts.jsonl")
    finally:
        os.umask(before)
    assert (home / "contexts.jsonl").stat().st_mode & 0o777 == mode
