"""Files that are replaced as a whole: nobody else's work is lost, and all but the content stays."""

import os
import stat
import subprocess
import sys

import pytest

from pincite.whole_files import atomic_write, make_private_folder, rewrite

OLD, NEW = b"old text\n", b"new text\n"


@pytest.fixture(name="path")
def file_of_the_author(tmp_path):
    path = tmp_path / "refs.bib"
    path.write_bytes(OLD)
    return path


def test_what_another_program_saves_meanwhile_is_not_lost(path):
    seen = []

    def change(data):
        seen.append(data)
        if len(seen) < 3:
            part = path.with_name("saved")
            part.write_bytes(data + b"theirs %d\n" % len(seen))
            part.replace(path)
        return data + b"ours\n"

    rewrite(path, change)
    assert path.read_bytes() == OLD + b"theirs 1\ntheirs 2\nours\n"
    assert [*path.parent.iterdir()] == [path]


def test_two_who_rewrite_a_file_at_once_both_succeed(path):
    program = (
        "import sys; from pathlib import Path; from pincite.whole_files import rewrite\n"
        "for number in range(20): rewrite(Path(sys.argv[1]), lambda data: data + b'theirs\\n')"
    )
    other = subprocess.Popen([sys.executable, "-c", program, path])
    rewrite(path, lambda data: other.wait() * b"" + data + b"ours\n")
    assert other.returncode == 0
    assert path.read_bytes() == OLD + 20 * b"theirs\n" + b"ours\n"


def test_a_file_that_others_change_again_and_again_is_left_to_them(path):
    def change(data):
        path.write_bytes(data + b"theirs\n")
        return NEW

    with pytest.raises(OSError, match="nothing was changed") as raised:
        rewrite(path, change)
    assert raised.value.filename == str(path)
    assert path.read_bytes().startswith(OLD + b"theirs\n")
    assert [*path.parent.iterdir()] == [path]


def test_a_file_that_is_gone_does_not_come_back_empty(path):
    path.unlink()
    rewrite(path, lambda data: data)
    assert not path.exists()


@pytest.mark.parametrize(
    "write", [atomic_write, lambda path, parts: rewrite(path, lambda _: parts[0])]
)
class TestAllButTheContentStays:
    def test_mode_and_place_of_a_link(self, path, write):
        path.chmod(0o640)
        link = path.with_name("link.bib")
        link.symlink_to(path.name)
        write(link, [NEW])
        assert link.is_symlink()
        assert path.read_bytes() == NEW
        assert stat.S_IMODE(path.stat().st_mode) == 0o640

    def test_other_names(self, path, write):
        other = path.with_name("other.bib")
        other.hardlink_to(path)
        write(path, [NEW])
        write(other, [b"x"])
        assert path.read_bytes() == other.read_bytes() == b"x"
        assert path.stat().st_nlink == 2
        assert sorted(path.parent.iterdir()) == [other, path]

    @pytest.mark.skipif(not hasattr(os, "setxattr"), reason="attributes cannot be set here")
    def test_attributes(self, path, write):
        try:
            os.setxattr(path, "user.note", b"mine")
        except OSError:
            pytest.skip("this file system has no attributes")
        write(path, [NEW])
        assert os.getxattr(path, "user.note") == b"mine"

    @pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root gives files away")
    def test_owner_and_group(self, path, write):
        os.chown(path, 12345, 23456)
        write(path, [NEW])
        assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)
        assert path.read_bytes() == NEW


@pytest.mark.parametrize("has_other_name", [False, True])
def test_on_a_full_disk_a_file_stays_as_it_was_and_is_named(path, has_other_name):
    resource = pytest.importorskip("resource")
    if has_other_name:
        path.with_name("other.bib").hardlink_to(path)
    program = (
        "import sys; from pathlib import Path; from pincite.whole_files import atomic_write\n"
        "try: atomic_write(Path(sys.argv[1]), [bytes(100_000)])\n"
        "except OSError as error: print(error.filename)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, path],
        check=True,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)),
    )
    assert done.stdout == f"{path}\n"
    assert path.read_bytes() == OLD
    assert not list(path.parent.glob(".*"))


def test_folders_are_made_for_their_owner_only(tmp_path):
    before = os.umask(0o022)
    try:
        make_private_folder(tmp_path / "a" / "b")
        atomic_write(tmp_path / "c" / "d" / "file", [NEW])
    finally:
        os.umask(before)
    made = [path for path in tmp_path.rglob("*") if path.is_dir()]
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in made} == dict.fromkeys("abcd", 0o700)  # fmt: skip
