"""The index as a store: what it contains, what happens to a damaged file, who shares it."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.library import index as index_module
from pincite.library.index import PaperIndex, default_index_path
from pincite.library.stored import LinkedPaper, pack
from pincite.model.papers import CitingPaper, InlinkContext, Reference, ReferencePaper, Sentence
from pincite.model.problems import InputError, NotAPaperError, NoTextError
from pincite.parsing.papers import BY_SUFFIX

PAPER = ReferencePaper(
    title="Grün ist die Heide",
    basis="full text",
    sentences=(Sentence("Heather is green.", 1, "i", "Abstract"), Sentence("Not in August.", 2)),
    abstract="Heather is green.",
    page_count=2,
    surnames=("Löns", "van Dam"),
    year="1911",
    doi="10.1/heath",
    arxiv="1706.03762",
    front="Grün ist die Heide\nH. Löns",
    references=(Reference("On moors"),),
)
CITING = CitingPaper(
    (Reference("On moors", ("Gale",), "1899", label="3", text="[3] Gale. On moors. 1899."),),
    ((0, InlinkContext("", ("as", "shown"), ("before",), "As shown [3] before.", 2)),),
)


def old(path: Path) -> Path:
    """Give a file a time stamp that it has had for a while."""
    then = time.time_ns() - 10**10
    os.utime(path, ns=(then, then))
    return path


def filled(path: Path, count: int = 3) -> None:
    index = PaperIndex(path)
    for number in range(count):
        index.put(f"{number}", ".pdf", pack(PAPER, CITING))
    index.close()


def test_a_paper_comes_back_as_it_was_stored_but_for_its_reference_list(tmp_path):
    PaperIndex(tmp_path / "i.sqlite").put("d", ".pdf", pack(PAPER, CITING))
    index = PaperIndex(tmp_path / "i.sqlite")
    paper = index.paper("d", ".pdf")
    assert tuple(paper.sentences) == PAPER.sentences
    assert paper.sentences[1] == PAPER.sentences[1]
    assert paper.sentences[:1] == PAPER.sentences[:1]
    for name in ("title", "basis", "abstract", "page_count", "surnames", "year", "doi", "arxiv"):
        assert getattr(paper, name) == getattr(PAPER, name)
    assert paper.front == PAPER.front
    assert paper.references == () == paper.markers
    assert dict(index.cited_works([("d", ".pdf")])) == {("d", ".pdf"): (CITING.references, {0: 1})}
    assert index.contexts("d", ".pdf", [0]) == [
        *enumerate(context for _, context in CITING.contexts)
    ]
    assert index.holds("d", ".pdf")


def test_many_heads_and_citing_papers_at_once():
    index = PaperIndex.in_memory()
    names = [(f"{number}", ".pdf") for number in range(2000)]
    for name in names:
        index.put(*name, pack(PAPER, CITING))
    heads = index.heads([*names, ("absent", ".pdf"), ("1", ".md")])
    assert set(heads) == set(names)
    assert all(len(head.sentences) == 2 for head in heads.values())
    cited = dict.fromkeys(names[:3], (CITING.references, {0: 1}))
    assert dict(index.cited_works(names[:3])) == cited


@pytest.mark.parametrize(
    ("error", "stored_as"),
    [
        (NoTextError("scanned"), NoTextError),
        (NotAPaperError("a feed"), NotAPaperError),
        (InputError("cut off"), InputError),
        (InputError("caf\N{LATIN SMALL LETTER E WITH ACUTE}"), InputError),
        (InputError("no \udce9 here"), InputError),
        (type("OfAReader", (NoTextError,), {})("of its own"), NoTextError),
    ],
)
def test_why_a_file_cannot_be_used_is_stored_with_its_class(tmp_path, error, stored_as):
    PaperIndex(tmp_path / "i.sqlite").put_unreadable("d", ".pdf", error)
    index = PaperIndex(tmp_path / "i.sqlite")
    known = index.unreadable("d", ".pdf")
    assert type(known) is stored_as
    assert str(known) == str(error).replace("\udce9", "?")
    assert index.holds("d", ".pdf")
    assert index.paper("d", ".pdf") is None


def test_a_changed_reader_affects_only_the_files_of_its_format(tmp_path, monkeypatch):
    index = PaperIndex(tmp_path / "i.sqlite")
    for suffix in (".pdf", ".xml"):
        index.put("d", suffix, pack(PAPER, CITING))
        index.put_unreadable("e", suffix, InputError("cut off"))
    monkeypatch.setitem(BY_SUFFIX, ".pdf", BY_SUFFIX[".pdf"]._replace(version=99))
    assert not index.holds("d", ".pdf")
    assert index.paper("d", ".pdf") is None
    assert index.unreadable("e", ".pdf") is None
    assert index.paper("d", ".xml") is not None
    assert index.unreadable("e", ".xml") is not None
    status = index.status()
    assert (status.papers, status.unreadable) == (1, 1)


def test_sentences_that_the_index_lost_are_empty(caplog):
    index = PaperIndex.in_memory()
    index.put("d", ".pdf", pack(PAPER, CITING))
    lost = index.paper("d", ".pdf")
    index.clear()
    # Positions stay valid, whoever took them before.
    assert [sentence.text for sentence in lost.sentences] == ["", ""]
    assert "no longer has the sentences" in caplog.text


@pytest.mark.parametrize(
    ("table", "column"),
    [("papers", "head"), ("papers", "cited"), ("papers", "sentences"), ("contexts", "contexts")],
)
def test_a_row_that_cannot_be_read_back_makes_way_for_a_new_one(tmp_path, table, column):
    filled(tmp_path / "i.sqlite", 2)
    in_sql(tmp_path / "i.sqlite", f"UPDATE {table} SET {column} = x'00' WHERE digest = '0'")
    index = PaperIndex(tmp_path / "i.sqlite")
    assert index.holds("0", ".pdf")
    paper = index.paper("0", ".pdf")
    assert (paper is None) == (column == "head")
    assert (list(index.cited_works([("0", ".pdf")])) == []) == (column in ("head", "cited"))
    assert paper is None or column == "contexts" or not any(each.text for each in paper.sentences)
    assert index.contexts("0", ".pdf", [0]) == []
    assert not index.holds("0", ".pdf")
    assert index.holds("1", ".pdf")
    assert len(index.contexts("1", ".pdf", [0])) == 1


def test_the_contexts_of_some_references_come_in_the_order_of_the_paper(tmp_path):
    made = [InlinkContext("", (word,), ()) for word in ("one", "two", "three", "four")]
    citing = CitingPaper((Reference(),) * 3, tuple(zip((1, 0, 2, 1), made, strict=True)))
    PaperIndex(tmp_path / "i.sqlite").put("d", ".pdf", pack(PAPER, citing))
    index = PaperIndex(tmp_path / "i.sqlite")
    assert index.contexts("d", ".pdf", [2, 1]) == [(0, made[0]), (2, made[2]), (3, made[3])]
    # Read by another version of the reader, fewer references may be cited.
    index.put("d", ".pdf", pack(PAPER, CITING))
    assert index.contexts("d", ".pdf", [2, 1]) == []


# Names of contents


@pytest.mark.parametrize("is_old", [True, False])
def test_an_unchanged_file_is_only_looked_at_unless_it_was_just_written(tmp_path, is_old):
    path = tmp_path / "a.pdf"
    path.write_bytes(b"one")
    if is_old:
        old(path)
    before, status = PaperIndex(tmp_path / "i.sqlite").digest(path), path.stat()
    # Of the same size and time, the file counts as unchanged; its content is not read.
    path.write_bytes(b"two")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (PaperIndex(tmp_path / "i.sqlite").digest(path) == before) == is_old
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert PaperIndex(tmp_path / "i.sqlite").digest(path) != before


def test_a_folder_of_latex_is_all_its_sources(tmp_path):
    folder = tmp_path / "paper"
    (folder / "parts").mkdir(parents=True)
    (folder / "main.tex").write_text(
        r"\documentclass{article}\begin{document}\input{parts/a}\end{document}"
    )
    (folder / "parts" / "a.tex").write_text("One.")
    index = PaperIndex(tmp_path / "i.sqlite")
    whole, main = index.digest(folder), index.digest(folder / "main.tex")
    (folder / "figure.png").write_bytes(b"no text")
    assert index.digest(folder) == whole
    (folder / "parts" / "a.tex").write_text("Two.")
    assert index.digest(folder) != whole
    assert index.digest(folder / "main.tex") != main
    changed = index.digest(folder)
    (folder / "parts" / "a.tex").rename(folder / "parts" / "b.tex")
    assert index.digest(folder) != changed


@pytest.mark.parametrize("name", ["gone.pdf", "gone.tex", "pipe.pdf"])
def test_what_cannot_be_read_has_no_name(tmp_path, name):
    if name == "pipe.pdf":
        os.mkfifo(tmp_path / name)
    with pytest.raises(OSError, match=r"\w"):
        PaperIndex.in_memory().digest(tmp_path / name)


# The file


def test_the_environment_names_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "here"))
    assert default_index_path() == tmp_path / "here" / "index.sqlite"
    assert PaperIndex().path == tmp_path / "here" / "index.sqlite"
    monkeypatch.delenv("PINCITE_CACHE")
    assert default_index_path().name == "index.sqlite"


def in_sql(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()


def of_an_earlier_version(path: Path) -> None:
    filled(path)
    in_sql(path, "PRAGMA user_version = 1")


def with_bytes(change):
    """Return what changes the bytes of an index."""

    def spoil(path: Path) -> None:
        filled(path)
        path.write_bytes(change(path.read_bytes()))

    return spoil


SPOILED = {
    "foreign": lambda path: in_sql(path, "CREATE TABLE papers (mine TEXT)"),
    "earlier": of_an_earlier_version,
    "damaged": with_bytes(lambda data: data[:20] + bytes(1980) + data[2000:]),
    "truncated": with_bytes(lambda data: data[:5000]),
    "text": with_bytes(lambda _: b"Dear diary, " * 500),
    "few bytes": with_bytes(lambda _: b"hello"),
}


@pytest.mark.parametrize("spoil", [*SPOILED.values()], ids=SPOILED)
def test_a_damaged_file_is_set_aside_and_replaced(tmp_path, spoil):
    path = tmp_path / "index.sqlite"
    spoil(path)
    before = path.read_bytes()
    for _ in range(2):
        index = PaperIndex(path)
        index.heads([("0", ".pdf")])
        index.put("new", ".pdf", pack(PAPER, CITING))
        assert tuple(index.paper("new", ".pdf").sentences) == PAPER.sentences
        assert index.path == path
        index.close()
    again = PaperIndex(path)
    assert again.problems == []
    assert again.paper("new", ".pdf") is not None
    assert (tmp_path / "index.sqlite.set-aside").read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir() if "-" not in file.suffix) == [
        "index.sqlite"
    ]


def test_what_was_set_aside_is_reported_and_only_the_last_one_stays(tmp_path):
    path = tmp_path / "index.sqlite"
    for content in (b"first" * 1000, b"second" * 1000):
        path.write_bytes(content)
        index = PaperIndex(path)
        (problem,) = index.problems
        assert problem.path == path
        assert "index.sqlite.set-aside" in problem.message
        index.close()
    assert (tmp_path / "index.sqlite.set-aside").read_bytes() == b"second" * 1000


def test_damage_that_shows_later_loses_the_index_and_not_the_process(tmp_path):
    path = tmp_path / "index.sqlite"
    filled(path, 200)
    index = PaperIndex(path)
    lazy = index.paper("7", ".pdf")
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    names = [(f"{number}", ".pdf") for number in range(200)]
    assert index.heads(names) == {}
    assert [problem.path for problem in index.problems] == [path]
    assert len(list(lazy.sentences)) == 2
    index.put("new", ".pdf", pack(PAPER, CITING))
    assert PaperIndex(path).paper("new", ".pdf") is not None
    assert (tmp_path / "index.sqlite.set-aside").exists()


#: What a flipped bit can make of a value, in SQL.
WRONG = ("NULL", "7", "-1.5", "'text'", "x'ff00'", "CAST(x'ff' AS TEXT)")
COLUMNS = [
    (table, column)
    for table, columns in {
        "papers": "digest suffix version used sentence_count context_count head cited sentences"
        " kind reason",
        "contexts": "digest reference contexts",
        "drafts": "root version used context_count stamps citing",
        "links": "digest suffix version used own_key cited context_count",
        "files": "changed size digest",
    }.items()
    for column in columns.split()
]


@pytest.mark.parametrize(("table", "column"), COLUMNS, ids=".".join)
def test_a_value_of_another_type_loses_its_row_and_not_the_process(tmp_path, table, column):
    path, file, root = tmp_path / "index.sqlite", tmp_path / "a.pdf", tmp_path / "main.tex"
    file.write_text("%PDF")
    name, link = ("d", ".pdf"), LinkedPaper(("d", ".pdf"), "gale", ((0, "gale"),), 1)
    for wrong in WRONG:
        path.unlink(missing_ok=True)
        index = PaperIndex(path)
        index.put(*name, pack(PAPER, CITING))
        index.put_unreadable("e", ".pdf", NoTextError("scanned"))
        index.put_citing_draft(root, {root: (1, 2)}, CITING)
        index.put_links("refs.bib", "entries", {root: link})
        digest = index.file_digest(old(file))
        index.close()
        with suppress(sqlite3.IntegrityError):
            in_sql(path, f"UPDATE {table} SET {column} = {wrong}")
        index = PaperIndex(path)
        for paper in index.heads([name]).values():
            assert len(list(paper.sentences)) == len(paper.sentences)
        list(index.cited_works([name]))
        index.contexts(*name, [0])
        index.holds(*name)
        index.unreadable("e", ".pdf")
        index.citing_draft(root)
        index.links("refs.bib", "entries")
        # Another text is as good: nothing is known by that name.
        assert index.file_digest(file) in (digest, "text", "7", "-1.5")
        index.status()
        index.evict(1)
        index.put(*name, pack(PAPER, CITING))
        assert tuple(index.paper(*name).sentences) == PAPER.sentences
        index.close()


def test_the_index_of_a_newer_pincite_is_left_alone(tmp_path):
    path = tmp_path / "index.sqlite"
    filled(path)
    in_sql(path, "PRAGMA user_version = 99")
    before = path.read_bytes()
    index = PaperIndex(path)
    index.put("ours", ".pdf", pack(PAPER, CITING))
    index.close()
    assert path.read_bytes() == before
    again = PaperIndex(path)
    assert again.path != path
    assert again.paper("ours", ".pdf") is not None
    assert again.problems == []


@pytest.mark.parametrize(
    "obstacle", ["a file for the folder", "a folder for the file", "read-only", "closed"]
)
def test_without_a_usable_place_the_index_is_in_memory(tmp_path, obstacle):
    path = tmp_path / "cache" / "index.sqlite"
    if obstacle == "a file for the folder":
        path.parent.write_text("occupied")
    elif obstacle == "a folder for the file":
        path.mkdir(parents=True)
    else:
        if os.name != "posix" or os.geteuid() == 0:
            pytest.skip("nothing is read-only to this user")
        path.parent.mkdir()
        path.parent.chmod(0o500 if obstacle == "read-only" else 0)
    index = PaperIndex(path)
    (problem,) = index.problems
    assert "nothing new is stored" in problem.message
    assert index.path is None
    index.put("d", ".pdf", pack(PAPER, CITING))
    assert tuple(index.paper("d", ".pdf").sentences) == PAPER.sentences
    assert index.status().size == 0
    index.clear()


def test_an_index_on_a_disk_that_is_read_only_is_read(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "tmpfs", str(folder)]
    if os.name != "posix" or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount anything")
    try:
        index = PaperIndex(folder / "index.sqlite")
        index.put("before", ".pdf", pack(PAPER, CITING))
        index.close()
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        index = PaperIndex(folder / "index.sqlite")
        assert tuple(index.paper("before", ".pdf").sentences) == PAPER.sentences
        assert "read-only" in index.problems[0].message
        index.put("after", ".pdf", pack(PAPER, CITING))
        for name in ("before", "after"):
            assert tuple(index.paper(name, ".pdf").sentences) == PAPER.sentences
        index.close()
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_disk_that_fills_up_loses_nothing_that_was_read(tmp_path):
    index = PaperIndex(tmp_path / "index.sqlite")
    index.put("before", ".pdf", pack(PAPER, CITING))
    connection = index._database._connection
    full = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {full}")
    big = replace(PAPER, sentences=tuple(Sentence(os.urandom(50).hex()) for _ in range(900)))
    index.put("after", ".pdf", pack(big, CITING))
    assert index.path is None
    assert "full" in index.problems[0].message
    assert tuple(index.paper("before", ".pdf").sentences) == PAPER.sentences
    assert tuple(index.paper("after", ".pdf").sentences) == big.sentences
    assert PaperIndex(tmp_path / "index.sqlite").paper("before", ".pdf") is not None


def test_clear_empties_and_shrinks_while_another_holds_it_open(tmp_path):
    path = tmp_path / "index.sqlite"
    path.write_text("not an index" * 100)
    index, other = PaperIndex(path), PaperIndex(path)
    big = replace(PAPER, sentences=tuple(Sentence(os.urandom(50).hex()) for _ in range(900)))
    for number in range(20):
        index.put(f"{number}", ".pdf", pack(big, CITING))
    index.put_unreadable("d", ".pdf", InputError("cut off"))
    index.put_citing_draft(tmp_path / "a.tex", {}, CITING)
    assert other.paper("3", ".pdf") is not None
    status = index.status()
    assert (status.papers, status.sentences, status.contexts) == (20, 18000, 21)
    assert (status.unreadable, status.citing_drafts, status.path) == (1, 1, path)
    index.clear()
    empty = other.status()
    assert (empty.papers, empty.sentences, empty.contexts) == (0, 0, 0)
    assert (empty.unreadable, empty.citing_drafts) == (0, 0)
    assert empty.size < status.size / 4
    assert not (tmp_path / "index.sqlite.set-aside").exists()
    other.put("d", ".pdf", pack(PAPER, CITING))
    assert index.paper("d", ".pdf") is not None


def day(monkeypatch, number):
    monkeypatch.setattr(index_module, "current_day", lambda: number)


def stored(tmp_path, index, name, suffix=".pdf"):
    """Store what was read of a file, or of a folder of LaTeX files."""
    file = tmp_path / name
    file.write_bytes(name.encode())
    paper = (index.digest(old(file)), suffix)
    index.put(*paper, pack(PAPER, CITING))
    return file, paper


def test_what_was_not_used_for_a_year_is_forgotten(tmp_path, monkeypatch):
    index, today = PaperIndex(tmp_path / "index.sqlite"), index_module.current_day()
    names = [stored(tmp_path, index, name)[1] for name in ("a.pdf", "b.pdf")]
    day(monkeypatch, today + 300)
    assert index.evict() == 0
    assert index.paper(*names[1]) is not None
    day(monkeypatch, today + 400)
    assert index.evict() == 1
    assert set(index.heads(names)) == {names[1]}
    assert [len(index.contexts(*name, [0])) for name in names] == [0, 1]


@pytest.mark.parametrize("name", ["a.pdf", "a.tex"])
def test_earlier_versions_of_a_file_are_forgotten_the_next_day(tmp_path, monkeypatch, name):
    index, today = PaperIndex(tmp_path / "index.sqlite"), index_module.current_day()
    suffix, names = f".{name[2:]}", []
    for version in range(9):
        file, _ = stored(tmp_path, index, name, suffix)
        file.write_bytes(b"%d" % version)
        names.append((index.digest(old(file)), suffix))
        index.put(*names[-1], pack(PAPER, CITING))
    # An author may go back to what was there a minute ago.
    assert index.evict() == 0
    day(monkeypatch, today + 1)
    assert index.evict() >= 8
    assert set(index.heads(names)) == {names[-1]}


@pytest.mark.parametrize(("days", "is_left"), [(1, True), (29, True), (31, False)])
def test_the_text_of_a_file_that_is_gone_is_forgotten_after_a_month(
    tmp_path, monkeypatch, days, is_left
):
    index, today = PaperIndex(tmp_path / "index.sqlite"), index_module.current_day()
    file, name = stored(tmp_path, index, "a.pdf")
    _, there = stored(tmp_path, index, "b.pdf")
    # A disk may be unplugged for a while.
    file.unlink()
    day(monkeypatch, today + days)
    assert index.evict() == (0 if is_left else 1)
    assert set(index.heads([name, there])) == ({name, there} if is_left else {there})


def test_of_an_index_that_is_too_large_the_latest_stays(tmp_path, monkeypatch):
    index, today = PaperIndex(tmp_path / "index.sqlite"), index_module.current_day()
    long = replace(
        PAPER, sentences=tuple(Sentence(f"{n} {os.urandom(40).hex()}") for n in range(2_000))
    )
    names = []
    for number in range(8):
        day(monkeypatch, today + number)
        file = tmp_path / f"{number}.pdf"
        file.write_bytes(b"%d" % number)
        names.append((index.digest(old(file)), ".pdf"))
        index.put(*names[-1], pack(long, CITING))
    before = index.status().size
    assert index.evict(before // 2) > 0
    left = [name in index.heads(names) for name in names]
    assert left == sorted(left)
    assert left[-1]
    assert not left[0]
    assert index.status().size < 0.7 * before


@pytest.mark.skipif(os.name == "nt", reason="other permissions")
def test_nobody_else_can_read_the_index(tmp_path):
    path = tmp_path / "cache" / "index.sqlite"
    index = PaperIndex(path)
    index.put("d", ".pdf", pack(PAPER, CITING))
    files = [each for each in path.parent.iterdir() if each.is_file()]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    index.close()
    path.chmod(0o644)
    PaperIndex(path).put("e", ".pdf", pack(PAPER, CITING))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


# Several processes


def test_papers_are_read_while_another_process_keeps_ours_from_writing(tmp_path):
    """A hover does not wait for the background's write, which waits for the other process."""
    path = tmp_path / "index.sqlite"
    filled(path)
    index = PaperIndex(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with ThreadPoolExecutor() as pool:
        writing = pool.submit(index.put, "later", ".pdf", pack(PAPER, CITING))
        for _ in range(3):
            assert pool.submit(index.paper, "0", ".pdf").result() is not None
        assert not writing.done()
        other.execute("ROLLBACK")
        writing.result()
    other.close()
    assert index.path == path
    assert PaperIndex(path).paper("later", ".pdf") is not None


_WRITER = """
import sys
from pathlib import Path
from pincite.library.index import PaperIndex
from pincite.library.stored import pack
from pincite.model.papers import CitingPaper, ReferencePaper, Sentence
index = PaperIndex(Path(sys.argv[1]))
for number in range(100):
    paper = ReferencePaper(sys.argv[2], "full text", (Sentence("One."), Sentence("Two.")))
    index.put(f"{sys.argv[2]} {number}", ".pdf", pack(paper, CitingPaper()))
    assert index.paper(f"{sys.argv[2]} {number}", ".pdf") is not None
print([str(problem) for problem in index.problems])
"""


def test_processes_write_into_one_index_at_once(tmp_path):
    path = tmp_path / "cache" / "index.sqlite"
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(path), name], stdout=subprocess.PIPE)
        for name in ("a", "b", "c")
    ]
    for writer in writers:
        out, _ = writer.communicate(timeout=120)
        assert (writer.returncode, out.strip()) == (0, b"[]")
    status = PaperIndex(path).status()
    assert (status.papers, status.sentences) == (300, 600)
