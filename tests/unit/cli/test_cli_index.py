"""``pincite index`` as an author or a researcher calls it."""

import json
import os
import subprocess
import sys
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


def index(home, *arguments, status=0):
    done = subprocess.run(
        [sys.executable, "-m", "pincite", "index", *map(str, arguments)],
        cwd=home,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PINCITE_CACHE": str(home.parent / "cache")},
        timeout=120,
    )
    assert done.returncode == status, done.stderr
    return done


def numbers(home, *arguments, status=0):
    return json.loads(index(home, *arguments, "--format", "json", status=status).stdout)


@pytest.mark.parametrize(
    ("target", "contexts"),
    # For a bibliography alone, the draft that uses it says something of its entries as well.
    [((), 1), (("main.tex",), 1), ((".",), 1), (("refs.bib",), 2)],
)
def test_a_draft_a_folder_and_a_bibliography_say_what_is_known(home, target, contexts):
    found = numbers(home, *target)
    assert found == {
        "entries": 4,
        "full_text": 2,
        "abstract_only": 1,
        "title_only": 1,
        "papers": 2,
        "sentences": found["sentences"],
        "inlink_contexts": contexts,
        "entries_with_inlink_contexts": 1,
        "problems": [],
    }
    assert found["sentences"] >= 5


def test_the_table_ends_with_each_problem_and_its_file(home):
    (home / "papers" / "white.pdf").write_bytes(b"%PDF-1.7 cut off")
    done = index(home, status=2)
    assert "with full text" in done.stdout
    assert done.stdout.splitlines()[-1].strip().startswith("papers/white.pdf: the PDF is damaged")
    # Known by now, and told again.
    assert index(home, status=2).stdout == done.stdout


def test_files_that_entries_name_and_are_not_there_are_told_once_for_a_bibliography(home):
    with (home / "refs.bib").open("a") as file:
        for number in range(5):
            file.write(
                f"\n@misc{{gone{number}, title={{Gone {number}}}, file={{x/{number}.pdf}}}}\n"
            )
    (problem,) = numbers(home)["problems"]
    assert problem["path"].endswith("refs.bib")
    assert problem["message"] == (
        "5 entries name a file that is not there: gone0 (x/0.pdf), gone1 (x/1.pdf), gone2 (x/2.pdf)"
        " and 2 more (--base-folder DIR?)"
    )


def test_contexts_are_written_one_a_line(home, tmp_path):
    out = tmp_path / "contexts.jsonl"
    index(home, "refs.bib", "--contexts", out)
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [line["citing"] for line in lines] == ["jones", "main.tex"]
    line = lines[0]
    assert line["cited"] == "smith"
    assert line["text"] == "Grids have been very long since they began (Smith, 2001)."
    assert line["page"] is None
    assert line["left"].split()[-3:] == ["since", "they", "began"]
    assert line["right"] == ""


@pytest.mark.parametrize("name", ["refs.bib", "main.tex", "papers/smith.md", "notes.json"])
def test_contexts_overwrite_nothing_else(home, name):
    (home / "notes.json").write_text('{"notes": []}\n')
    before = (home / name).read_bytes()
    told = index(home, "refs.bib", "--contexts", name, status=2).stderr
    assert told.startswith(f"pincite: {name}: exists")
    assert (home / name).read_bytes() == before


def test_contexts_stay_where_new_ones_are_not_made(home):
    index(home, "refs.bib", "--contexts", "contexts.jsonl")
    before = (home / "contexts.jsonl").read_bytes()
    index(home, "nowhere", "--contexts", "contexts.jsonl", status=2)
    assert (home / "contexts.jsonl").read_bytes() == before
    index(home, "refs.bib", "--contexts", "contexts.jsonl")
    assert (home / "contexts.jsonl").read_bytes() == before
    assert not list(home.glob("*.part"))


def test_contexts_leave_alone_what_has_the_name_of_an_unfinished_file(home, tmp_path):
    mine, other = home / "contexts.jsonl.part", tmp_path / "mine.txt"
    other.write_text("mine")
    for make in (lambda: mine.write_text("mine"), lambda: mine.symlink_to(other)):
        mine.unlink(missing_ok=True)
        make()
        index(home, "refs.bib", "--contexts", "contexts.jsonl")
        assert (mine.read_text(), other.read_text()) == ("mine", "mine")
        assert (home / "contexts.jsonl").read_text().startswith('{"citing"')
    assert mine.is_symlink()


@pytest.mark.skipif(os.name != "posix", reason="there are no modes here")
def test_contexts_are_as_private_as_the_author_wants_files_to_be(home):
    for mask, mode in ((0o022, 0o644), (0o077, 0o600)):
        before = os.umask(mask)
        try:
            index(home, "refs.bib", "--contexts", f"{mask}.jsonl")
        finally:
            os.umask(before)
        assert (home / f"{mask}.jsonl").stat().st_mode & 0o777 == mode


def test_the_path_of_the_index_is_shown_as_it_is(home):
    cache = home.parent / "[bold]" / "[" / "cc]"
    done = subprocess.run(
        [sys.executable, "-m", "pincite", "index", "--status"],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PINCITE_CACHE": str(cache)},
        timeout=120,
        check=True,
    )
    assert str(cache) in done.stdout


def test_other_drafts_lend_contexts_and_are_named_by_their_path(home, tmp_path):
    earlier = tmp_path / "earlier"
    earlier.mkdir()
    (earlier / "old.tex").write_text(
        "\\documentclass{article}\\begin{document}Long before us \\cite{key9} drew grids."
        "\\bibliography{mine}\\end{document}"
    )
    (earlier / "mine.bib").write_text(
        "@article{key9, title={Grids of unheard-of length}, author={Ann Smith}}"
    )
    out = tmp_path / "contexts.jsonl"
    index(home, "main.tex", "--drafts", earlier, "--contexts", out)
    citing = {json.loads(line)["citing"] for line in out.read_text("utf-8").splitlines()}
    assert citing == {"jones", str(Path("..", "earlier", "old.tex"))}


def test_a_folder_of_papers_alone_is_indexed(home):
    found = numbers(home, "papers")
    assert (found["entries"], found["papers"]) == (0, 2)
    status = numbers(home, "--status")
    assert (status["papers"], status["unreadable"]) == (2, 0)


def test_status_and_clear(home):
    index(home)
    status = numbers(home, "--status")
    assert (status["papers"], status["contexts"] > 0) == (2, True)
    assert status["path"] == str(home.parent / "cache" / "index.sqlite")
    assert "papers" in index(home, "--status").stdout
    index(home, "--clear")
    assert numbers(home, "--status")["papers"] == 0
    assert numbers(home)["full_text"] == 2


def test_rankings_of_earlier_versions_are_cleared(home):
    ranking = home.parent / "cache" / "rankings" / "bibliography-additions"
    ranking.mkdir(parents=True)
    (ranking / "keys.txt").write_text("twelve bytes")
    index(home, "--clear")
    assert not ranking.exists()


def test_what_is_given_wrongly_is_said_in_one_line(home):
    for arguments in (["gone.tex"], ["--status", "--clear"], ["--clear", "main.tex"]):
        done = index(home, *arguments, status=2)
        assert done.stderr.startswith("pincite: ")
        assert len(done.stderr.splitlines()) == 1
    done = index(home, "--contexts", "no/such/folder.jsonl", status=2)
    assert "cannot be written" in done.stderr


def test_a_paper_changed_since_is_read_anew(home):
    index(home)
    (home / "papers" / "smith.md").unlink()
    (home / "papers" / "white.md").write_text("# Never Seen\n\nIt is here. It is long.\n")
    found = numbers(home)
    assert (found["full_text"], found["title_only"]) == (2, 1)
