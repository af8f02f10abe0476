"""What was seen of the disk is as it is, once somebody has looked again."""

import os
import shutil
import tempfile
from itertools import count
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pincite.model.problems import InputError
from pincite.project.disk import CachedDisk, WorkspaceDisk

NAMES = ("main.tex", "refs.bib", "main.aux", "part", "part/one.tex", "part/more.bib", "part/deep/two.ltx", "refs.json", "part/works.yml", ".hidden/no.tex", "_minted/no.tex")  # fmt: skip
ENTRIES = {
    ".json": '[{"id": "a", "type": "book", "title": "A"}]',
    ".yml": "a:\n  type: book\n  title: A\n",
}
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "write other", "remove", "look", "drop"]), st.sampled_from(NAMES)
    ),
    max_size=12,
)


def looked_at(disk, top):
    """Return all that a reader of drafts may ask of a disk."""

    def text(path):
        try:
            return disk.read(path)
        except InputError:
            return None

    paths = [top, *(top / name for name in NAMES)]
    return (
        [(disk.is_file(path), disk.is_folder(path), text(path)) for path in paths],
        list(disk.draft_files(top)),
        list(disk.bib_files(top)),
        disk.matching(top, "*/*.bib", [top]),
        disk.matching(top, "**/*.{json,yml}", [top]),
    )


@given(STEPS)
def test_after_a_look_it_is_as_the_disk_is(steps):
    with tempfile.TemporaryDirectory() as folder:
        top, times = Path(folder), count(10**18, 10**9)
        disk = CachedDisk()
        for what, name in steps:
            path = top / name
            if what.startswith("write") and path.suffix and not path.is_dir():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(
                    f"{'' if what == 'write' else ENTRIES.get(path.suffix, '')} # {next(times)}"
                )
            elif what == "remove":
                shutil.rmtree(path, ignore_errors=True)
                path.unlink(missing_ok=True)
            elif what == "look":
                looked_at(disk, top)
            else:
                disk.forget([path])
            # Each change has a time of its own, however coarse the clock of the file system.
            for each in (path, *path.parents):
                if each.is_relative_to(top) and each.exists() and what not in ("look", "drop"):
                    os.utime(each, ns=(next(times), next(times)))
        disk.forget(disk.changed_files())
        disk.forget(disk.changed_folders())
        assert looked_at(disk, top) == looked_at(WorkspaceDisk(), top)
        assert disk.changed_files() == disk.changed_folders() == set()


def test_what_latex_writes_beside_a_draft_is_no_change(tmp_path):
    (tmp_path / "main.tex").write_text("Words")
    disk = CachedDisk()
    looked_at(disk, tmp_path)
    (tmp_path / "build").mkdir()
    for name in ("main.aux", "main.pdf", "build/main.log"):
        (tmp_path / name).write_text("")
    later = 2 * 10**18
    os.utime(tmp_path, ns=(later, later))
    assert disk.changed_folders() == set()
    (tmp_path / "build" / "part.tex").write_text("")
    os.utime(tmp_path / "build", ns=(later, later))
    list(disk.draft_files(tmp_path))
    assert list(disk.draft_files(tmp_path)) == [
        tmp_path / "main.tex",
        tmp_path / "build" / "part.tex",
    ]


def test_files_in_a_new_folder_are_reported(tmp_path):
    disk = CachedDisk()
    looked_at(disk, tmp_path)
    (tmp_path / "texmf" / "bib").mkdir(parents=True)
    (tmp_path / "texmf" / "bib" / "refs.bib").write_text("")
    os.utime(tmp_path, ns=(2 * 10**18, 2 * 10**18))
    assert disk.changed_folders() == {tmp_path / "texmf" / "bib" / "refs.bib"}


def test_json_that_is_no_bibliography_comes_and_goes_without_notice(tmp_path):
    disk = CachedDisk()
    list(disk.bib_files(tmp_path))
    (tmp_path / "data.json").write_text("[1, 2]")
    (tmp_path / "refs.json").write_text(ENTRIES[".json"])
    os.utime(tmp_path, ns=(2 * 10**18, 2 * 10**18))
    assert disk.changed_folders() == {tmp_path / "refs.json"}
    list(disk.bib_files(tmp_path))
    (tmp_path / "data.json").write_text("[1, 2, 3]")
    os.utime(tmp_path / "data.json", ns=(3 * 10**18, 3 * 10**18))
    assert disk.changed_files() == set()
    (tmp_path / "data.json").unlink()
    (tmp_path / "refs.json").unlink()
    os.utime(tmp_path, ns=(3 * 10**18, 3 * 10**18))
    assert disk.changed_folders() == {tmp_path / "refs.json"}


def test_a_folder_of_data_is_not_looked_into(tmp_path):
    for number in range(101):
        (tmp_path / f"{number}.json").write_text(ENTRIES[".json"])
    assert list(WorkspaceDisk().bib_files(tmp_path)) == []
