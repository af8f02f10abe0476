"""Reading files into the index: in other processes, each content once, whatever a file does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pincite.library.index import PaperIndex
from pincite.library.indexing import read_into
from pincite.library.reading_process import Limits
from pincite.model.papers import Reference, ReferencePaper, Sentence
from pincite.model.problems import InputError, NoTextError
from pincite.parsing.papers import kind

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")


# Readers that run in other processes: a file contains what they do.


def follow(path: Path) -> ReferencePaper:
    """Do what the file orders, and leave a trace of every reading beside it."""
    with path.with_suffix(".trace").open("a") as trace:
        trace.write(f"{os.getpid()}\n")
    order, _, rest = path.read_text(encoding="utf-8").partition(" ")
    if order == "abort":
        os.abort()
    if order == "hang":
        while True:
            pass
    if order == "sleep":
        time.sleep(float(rest))
    if order == "memory":
        bytearray(8 << 30)
    if order == "scanned":
        raise NoTextError("it seems to be scanned")
    if order == "bug":
        raise ZeroDivisionError("never mind")
    if order == "print":
        os.write(1, b"to the output")
        os.write(2, b"to the errors")
        os.write(1, os.read(0, 100))
    if order == "unreachable":
        try:
            raise PermissionError(13, "Permission denied")
        except OSError as error:
            raise InputError(str(error)) from None
    if order == "upgrade":
        import pincite.not_yet_installed  # noqa: F401
    if order == "edit":
        path.write_text("edited")
    return ReferencePaper(rest, "full text", (Sentence("One."),), references=(Reference("Two"),))


def grumble(path: Path) -> ReferencePaper:
    raise AssertionError("nothing is to be read")


def write(folder: Path, **contents: str) -> list[Path]:
    paths = []
    for name, content in contents.items():
        path = folder / f"{name}.txt"
        path.write_text(content, encoding="utf-8")
        then = time.time_ns() - 10**10
        os.utime(path, ns=(then, then))
        paths.append(path)
    return paths


def paper(index: PaperIndex, path: Path) -> ReferencePaper | None:
    return index.paper(index.digest(path), kind(path))


def unreadable(index: PaperIndex, path: Path) -> InputError | None:
    return index.unreadable(index.digest(path), kind(path))


def times_read(path: Path) -> int:
    trace = path.with_suffix(".trace")
    return len(trace.read_text().splitlines()) if trace.exists() else 0


@pytest.fixture
def index(tmp_path):
    opened = PaperIndex(tmp_path / "cache" / "index.sqlite")
    yield opened
    opened.close()


@pytest.mark.parametrize("jobs", [1, 3, None])
def test_every_file_is_read_and_progress_is_reported(index, tmp_path, jobs):
    paths = write(tmp_path, **{f"p{number}": f"read {number}" for number in range(12)})
    reported = []
    done = read_into(
        index, paths, jobs=jobs, read=follow, progress=lambda *numbers: reported.append(numbers)
    )
    assert done
    assert [paper(index, path).title for path in paths] == [str(number) for number in range(12)]
    ((_, cited),) = index.cited_works([(index.digest(paths[0]), ".txt")])
    assert cited.references == (Reference("Two"),)
    assert reported == [(number, 12) for number in range(13)]
    processes = {path.with_suffix(".trace").read_text() for path in paths}
    assert str(os.getpid()) not in "".join(processes).split()
    assert len(processes) <= (jobs or 12)


def test_unchanged_files_are_not_read_again_and_a_changed_one_alone_is(index, tmp_path):
    paths = write(tmp_path, a="read a", b="read b", c="read c", d="scanned d")
    read_into(index, paths, jobs=2, read=follow)
    assert read_into(PaperIndex(index.path), paths, jobs=2, read=grumble)
    (tmp_path / "b.txt").write_text("read changed", encoding="utf-8")
    assert read_into(index, paths, jobs=2, read=follow)
    assert [times_read(path) for path in paths] == [1, 2, 1, 1]
    assert paper(index, paths[1]).title == "changed"


def test_a_content_in_several_places_is_read_once(index, tmp_path):
    paths = write(tmp_path, a="read same", b="read same", c="read same")
    assert read_into(index, [*paths, *paths], jobs=3, read=follow)
    assert sum(times_read(path) for path in paths) == 1
    assert {paper(index, path).title for path in paths} == {"same"}


@POSIX
def test_a_file_that_crashes_its_reader_does_not_affect_others(index, tmp_path):
    paths = write(
        tmp_path, a="read a", bad="abort", b="read b", c="read c", worse="abort 2", d="read d"
    )
    assert read_into(index, paths, jobs=2, read=follow)
    assert [at for at, path in enumerate(paths) if paper(index, path) is None] == [1, 4]
    for path in (paths[1], paths[4]):
        assert str(unreadable(index, path)) == "it crashes the reader"
        assert times_read(path) == 2
    assert read_into(index, paths, read=grumble)


def test_a_file_that_never_ends_is_given_up(index, tmp_path):
    paths = write(tmp_path, a="read a", endless="hang", b="read b")
    assert read_into(index, paths, jobs=2, read=follow, limits=Limits(seconds=2.5))
    assert str(unreadable(index, paths[1])) == "reading it takes longer than 2.5 seconds"
    assert times_read(paths[1]) == 1
    assert paper(index, paths[0]) is not None
    assert paper(index, paths[2]) is not None


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_file_that_wants_all_memory_is_given_up(index, tmp_path):
    paths = write(tmp_path, bomb="memory", a="read a")
    assert read_into(index, paths, jobs=1, read=follow)
    assert str(unreadable(index, paths[0])) == "reading it takes too much memory"
    assert paper(index, paths[1]) is not None


def test_what_is_wrong_with_a_file_is_stored(index, tmp_path, caplog):
    paths = write(tmp_path, scan="scanned", bug="bug")
    assert read_into(index, paths, read=follow)
    assert isinstance(unreadable(index, paths[0]), NoTextError)
    assert str(unreadable(index, paths[1])) == "cannot be read (ZeroDivisionError: never mind)"
    assert "in follow" in caplog.text


def test_what_the_file_is_not_to_blame_for_is_not_stored(index, tmp_path):
    paths = write(tmp_path, a="unreachable", b="edit now", c="upgrade")
    assert read_into(index, [tmp_path / "missing.txt", *paths], read=follow)
    assert not any(index.holds(index.digest(path), ".txt") for path in paths)
    assert [times_read(path) for path in paths] == [1, 1, 1]
    assert index.status().papers == index.status().unreadable == 0


def test_a_reader_that_cannot_be_imported_is_an_error_and_no_fault_of_the_files(index, tmp_path):
    def local(path: Path) -> ReferencePaper:
        raise AssertionError

    local.__qualname__ = "gone_by_then"
    globals()["gone_by_then"] = local
    with pytest.raises(RuntimeError, match="does not start"):
        read_into(index, write(tmp_path, a="read a"), read=local)
    assert index.status().unreadable == 0


def test_cancelling_gives_up_the_files_in_hand_and_keeps_the_others(index, tmp_path):
    paths = write(tmp_path, a="read a", b="sleep 600", c="sleep 601", d="read d")
    began = time.monotonic()
    assert not read_into(
        index,
        paths,
        jobs=1,
        read=follow,
        cancelled=lambda: times_read(paths[1]) > 0 or time.monotonic() > began + 100,
    )
    assert paper(index, paths[0]) is not None
    assert [times_read(path) for path in paths] == [1, 1, 0, 0]
    assert index.status().unreadable == 0
    assert all(gone(pid) for pid in pids(paths))


# The program around it

_PROGRAM = """
import sys
from pathlib import Path
from pincite.library.index import PaperIndex
from pincite.library.indexing import read_into
from test_indexing import follow
read_into(
    PaperIndex(Path(sys.argv[1])), [Path(name) for name in sys.argv[2:]], jobs=2, read=follow
)
"""


def start(index_path: Path, paths: list[Path], **pipes: int) -> subprocess.Popen[bytes]:
    here = str(Path(__file__).parent)
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(index_path), *map(str, paths)],
        env={**os.environ, "PYTHONPATH": here},
        start_new_session=True,
        **pipes,
    )


def pids(paths: list[Path]) -> set[int]:
    traces = [path.with_suffix(".trace") for path in paths]
    return {int(pid) for trace in traces if trace.exists() for pid in trace.read_text().split()}


def gone(pid: int) -> bool:
    """Return whether a process has ended; give it a while to."""
    for _ in range(400):
        try:
            os.kill(pid, 0)
            # A child of a dead parent stays in the table until init looks at it.
            state = Path(f"/proc/{pid}/stat")
            if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except ProcessLookupError:
            return True
        except OSError:
            pass
        time.sleep(0.05)
    return False


def wait_for(condition) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen")


@POSIX
def test_killed_in_the_middle_it_loses_only_the_files_in_hand(tmp_path):
    index_path = tmp_path / "cache" / "index.sqlite"
    contents = {f"p{number}": f"read {number}" for number in range(6)}
    paths = write(tmp_path, **contents, slow1="sleep 600", slow2="sleep 601", last="read last")
    program = start(index_path, paths)
    wait_for(lambda: times_read(paths[6]) and times_read(paths[7]))
    # What was read before may still be on its way to the index.
    wait_for(lambda: all(paper(PaperIndex(index_path), path) is not None for path in paths[:6]))
    program.send_signal(signal.SIGKILL)
    program.wait()
    assert all(gone(pid) for pid in pids(paths))
    index = PaperIndex(index_path)
    assert index.problems == []
    assert all(paper(index, path) is not None for path in paths[:6])
    assert all(paper(index, path) is None for path in paths[6:])
    write(tmp_path, slow1="read slow1", slow2="read slow2")
    assert read_into(index, paths, jobs=2, read=follow)
    assert all(paper(index, path) is not None for path in paths)
    assert [times_read(path) for path in paths] == [1] * 6 + [2, 2, 1]


@POSIX
@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_it_without_a_word_from_the_readers(tmp_path):
    paths = write(tmp_path, a="sleep 600", b="sleep 601", c="read c")
    program = start(
        tmp_path / "index.sqlite", paths, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_for(lambda: times_read(paths[0]) and times_read(paths[1]))
    # As a terminal does it: to all processes in the foreground.
    os.killpg(program.pid, signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert out == b""
    assert err.count(b"Traceback") == 1
    assert err.rstrip().endswith(b"KeyboardInterrupt")
    assert all(gone(pid) for pid in pids(paths))


def test_readers_have_no_share_in_the_input_and_output_of_the_program(tmp_path):
    paths = write(tmp_path, a="print a", b="print b")
    pipe = subprocess.PIPE
    program = start(tmp_path / "index.sqlite", paths, stdin=pipe, stdout=pipe, stderr=pipe)
    out, err = program.communicate(b"input of the program", timeout=60)
    assert (program.returncode, out, err) == (0, b"", b"")
    index = PaperIndex(tmp_path / "index.sqlite")
    assert all(paper(index, path) is not None for path in paths)
