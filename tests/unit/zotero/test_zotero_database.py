"""What is read of a Zotero library, and what a database that cannot be read gives."""

import itertools
import os
import shutil
from types import SimpleNamespace

import pytest

from pincite.model.zotero import read_highlights
from pincite.parsing.bibtex import parse_bibliography
from pincite.zotero import database
from pincite.zotero.libraries import ZoteroLibraries
from zotero_library import ADDRESS, FEED, GROUP, LINKED, ME, NOTE, SCHEMA, UNDERLINE, ZoteroLibrary


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    monkeypatch.setenv("PINCITE_ZOTERO", str(tmp_path / "Zotero"))
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "cache"))


@pytest.fixture(name="zotero")
def library(tmp_path):
    return ZoteroLibrary(tmp_path / "Zotero")


def entries(zotero):
    """Return the entries by key that are made of a library, and the problems."""
    zotero.close()
    return read_libraries()


def read_libraries(libraries=None):
    libraries = libraries or ZoteroLibraries()
    found = {}
    for path in libraries.bibliographies():
        found.update(parse_bibliography(path.read_text(encoding="utf-8"), path).entries)
    return found, [str(problem) for problem in libraries.problems]


def test_an_article_becomes_an_entry(zotero):
    zotero.work(
        by=[("Rybczynski", "Natalia"), ("van der Berg", "Ann")],
        title="Dams of the <i>fossil</i> beaver",
        date="2007-03-00 March 2007",
        DOI="10.1000/Dam_1",
        publicationTitle="Journal of Peat & Bog",
        volume="12",
        issue="3",
        pages="1-9",
        abstractNote="Castorids cut 50% of {all} wood ~ and \\swam_ well.",
    )
    found, problems = entries(zotero)
    (entry,) = found.values()
    assert (entry.key, entry.entry_type, problems) == ("rybczynski2007dams", "article", [])
    assert {**entry.fields} == {
        "author": "Rybczynski, Natalia and van der Berg, Ann",
        "title": "Dams of the fossil beaver",
        "year": "2007",
        "doi": "10.1000/Dam_1",
        "journal": "Journal of Peat & Bog",
        "volume": "12",
        "number": "3",
        "pages": "1–9",
        "abstract": "Castorids cut 50% of {all} wood ~ and \\swam_ well.",
    }


@pytest.mark.parametrize(
    ("item", "entry_type", "fields"),
    [
        ({"item_type": "conferencePaper", "proceedingsTitle": "Proc."}, "inproceedings", {"booktitle": "Proc."}),
        ({"item_type": "bookSection", "bookTitle": "B", "place": "Ulm"}, "incollection", {"booktitle": "B", "address": "Ulm"}),
        ({"item_type": "thesis", "thesisType": "Master's thesis"}, "mastersthesis", {}),
        ({"item_type": "report", "institution": "I", "reportNumber": "7"}, "techreport", {"institution": "I", "number": "7"}),
        ({"item_type": "preprint", "archiveID": "arXiv:1706.03762"}, "misc", {"eprint": "1706.03762", "archiveprefix": "arXiv"}),
        ({"item_type": "webpage", "url": "https://x.org/a_b"}, "misc", {"url": "https://x.org/a_b"}),
        ({"item_type": "book", "extra": "tex: no\nDOI: 10.1/x"}, "book", {"doi": "10.1/x"}),
        ({"extra": "PMID: 18271234\nPMCID: PMC1"}, "article", {"pmid": "18271234"}),
        ({"item_type": "hologram"}, "misc", {}),
        ({"date": "n.d."}, "article", {}),
    ],
)  # fmt: skip
def test_types_and_fields(zotero, item, entry_type, fields):
    zotero.work(title="Peat", **item)
    (entry,) = entries(zotero)[0].values()
    assert entry.entry_type == entry_type
    assert {**entry.fields} == {"title": "Peat", **fields}


def test_people_and_institutions(zotero):
    people = [("Bureau of Land and Water",), ("Ek", "Bo", "editor"), ("Ås", "Pia", "translator")]
    zotero.work(by=people, title="Peat", citationKey="a")
    zotero.work("film", by=[("Ray", "Satyajit", "director")], title="Bog", citationKey="b")
    found, _ = entries(zotero)
    assert found["a"].surnames == ("Bureau of Land and Water",)
    assert (found["a"].fields["editor"], found["a"].fields["translator"]) == ("Ek, Bo", "Ås, Pia")
    assert found["b"].surnames == ("Ray",)


def test_keys_are_zoteros_then_those_in_extra_then_better_bibtexs_then_ours(zotero):
    mine = zotero.work(title="Four", by=[("Ödön", "E")], date="1999")
    first = zotero.work(title="One", citationKey="native", extra="Citation Key: other")
    second = zotero.work(title="Two", extra="Seen\nCitation Key: pinned2 \nDOI: 10.1/2")
    third = zotero.work(title="Three")
    zotero.work(title="Five", citationKey="not a {key}", by=[("Ek", "E")])
    zotero.better_bibtex({first: "bbt1", second: "bbt2", third: "bbt3"})
    assert mine == 1
    found, _ = entries(zotero)
    assert list(found) == ["odon1999four", "native", "pinned2", "bbt3", "ekfive"]


def test_equal_keys_are_made_distinct(zotero):
    for title in ("Peat", "Bog", "Moor", "Fen"):
        zotero.work(title=title, citationKey="Ek" if title != "Moor" else "eka")
    found, _ = entries(zotero)
    assert {key: entry.title for key, entry in found.items()} == {
        "Ek": "Peat",
        "Eka": "Bog",
        "ekaa": "Moor",
        "Ekb": "Fen",
    }


def test_groups_follow_and_feeds_and_the_trash_are_left_out(zotero):
    zotero.work(title="Of a group", library=GROUP)
    zotero.work(title="Of mine")
    zotero.work(title="Of a feed", library=FEED)
    zotero.delete(zotero.work(title="In the trash"))
    titles = [entry.title for entry in entries(zotero)[0].values()]
    assert titles == ["Of mine", "Of a group"]


def test_files_are_named_where_they_are(zotero, tmp_path):
    zotero_pdf, linked = "Ek: a;b.pdf", tmp_path / "elsewhere" / "b.pdf"
    work = zotero.work(title="Peat", citationKey="ek")
    stored = zotero.stored(work, zotero_pdf, "x")
    zotero.file(work, str(linked), LINKED)
    zotero.file(work, "https://x.org/x.pdf", ADDRESS)
    zotero.delete(zotero.file(work, "storage:deleted.pdf"))
    key = zotero.key(stored)
    found, _ = entries(zotero)
    from pincite.library.file_fields import entry_files, named_articles

    place = tmp_path / "Zotero" / "storage" / key / zotero_pdf
    assert entry_files(found["ek"]) == [place]
    assert named_articles(found["ek"]) == [str(place), str(linked)]


@pytest.mark.parametrize(
    ("path", "mode"),
    [
        ("storage:../../../etc/passwd", 0),
        ("storage:", 0),
        ("storage:..", 0),
        ("attachments:../../secret.pdf", LINKED),
        ("attachments:/etc/passwd", LINKED),
        ("relative.pdf", LINKED),
        ("a\nb.pdf", LINKED),
        ("", LINKED),
    ],
)
def test_paths_that_lead_elsewhere_name_no_file(zotero, path, mode):
    zotero.file(zotero.work(title="Peat", citationKey="ek"), path, mode)
    found, _ = entries(zotero)
    assert "file" not in found["ek"].fields


def test_notes_are_text_and_highlights_are_in_the_order_of_the_file(zotero):
    work = zotero.work(title="Peat", citationKey="ek")
    zotero.note(work, "<div><h1>On&nbsp;peat</h1><p>It is <b>old</b> &lt; 9.</p></div>")
    pdf = zotero.file(work, "storage:a.pdf")
    swam = zotero.highlight(pdf, "They swam\nwell.", "nice", "vii", order="00007")
    sticks = zotero.highlight(pdf, "Sticks {of} 50%", page="2", order="00002", kind=UNDERLINE)
    zotero.highlight(pdf, "only a comment", kind=NOTE)
    zotero.delete(zotero.highlight(pdf, "deleted"))
    swam, sticks = map(zotero.key, (swam, sticks))
    found, _ = entries(zotero)
    fields = found["ek"].fields
    assert fields["annote"] == "On peat It is old < 9."
    assert read_highlights(fields["zotero-highlights"]) == [
        ("Sticks {of} 50%", "", "2", sticks),
        ("They swam well.", "nice", "vii", swam),
    ]


def test_in_a_group_only_ones_own_highlights_count(zotero):
    pdf = zotero.file(zotero.work(title="Peat", citationKey="ek", library=GROUP), "storage:a.pdf")
    mine = zotero.highlight(pdf, "mine")
    zotero.made_by(mine, ME)
    zotero.made_by(zotero.highlight(pdf, "another's"), ME + 1)
    zotero.highlight(pdf, "nobody's")
    mine = zotero.key(mine)
    found, _ = entries(zotero)
    assert read_highlights(found["ek"].fields["zotero-highlights"]) == [("mine", "", "", mine)]


def test_the_bibliography_is_its_users_alone_and_replaced_only_when_works_change(zotero):
    work = zotero.work(title="Peat", citationKey="ek")
    zotero.opened.commit()
    (path,) = ZoteroLibraries().bibliographies()
    if os.name == "posix":
        assert path.stat().st_mode & 0o077 == 0
        assert path.parent.stat().st_mode & 0o077 == 0
    before = path.stat().st_ino
    zotero.opened.execute("CREATE TABLE ours (x)")
    zotero.opened.commit()
    ZoteroLibraries().bibliographies()
    assert path.stat().st_ino == before
    zotero.note(work, "New")
    assert read_libraries()[0]["ek"].fields.get("annote") is None  # not saved yet
    zotero.opened.commit()
    assert read_libraries()[0]["ek"].fields["annote"] == "New"


@pytest.mark.parametrize("mode", ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
def test_a_running_zotero_is_neither_waited_for_nor_read_in_the_middle(zotero, tmp_path, mode):
    """Zotero holds its database locked; what it has saved is read, and what it has not is not."""
    zotero.opened.execute("PRAGMA locking_mode = EXCLUSIVE")
    zotero.opened.execute(f"PRAGMA journal_mode = {mode}")
    zotero.opened.execute("PRAGMA cache_spill = 1")
    zotero.opened.execute("PRAGMA cache_size = 2")
    zotero.work(title="Saved", citationKey="saved")
    zotero.opened.commit()
    assert list(read_libraries()[0]) == ["saved"]
    for number in range(400):  # more than fits into memory: unfinished pages are on the disk
        zotero.work(title=f"Open {number}", abstractNote="x" * 500 + str(number))
    found, problems = read_libraries()
    assert (list(found), problems) == (["saved"], [])
    zotero.opened.commit()
    assert len(read_libraries()[0]) == 401
    assert {each.name for each in (tmp_path / "Zotero").iterdir()} <= {
        *("zotero.sqlite", "zotero.sqlite-journal", "zotero.sqlite-wal", "zotero.sqlite-shm")
    }
    zotero.close()
    found, problems = read_libraries()
    assert (len(found), problems) == (401, [])


@pytest.mark.parametrize("damage", ["cut", "zeros", "text", "empty"])
def test_a_damaged_database_is_reported_once_and_gives_what_it_gave(zotero, damage):
    for number in range(200):
        zotero.work(title=f"Peat {number}", abstractNote="x" * 400 + str(number))
    zotero.close()
    libraries = ZoteroLibraries()
    whole, problems = read_libraries(libraries)
    assert (len(whole), problems) == (200, [])
    data = zotero.path.read_bytes()
    zotero.path.write_bytes(
        {
            "cut": data[: len(data) // 3],
            "zeros": data[:4096] + bytes(len(data) - 4096),
            "text": b"no database" * 500,
            "empty": b"",
        }[damage]
    )
    libraries = ZoteroLibraries()
    found, problems = read_libraries(libraries)
    assert (len(found), len(problems)) == (200, 1)
    assert "zotero.sqlite" in problems[0]
    libraries._looked_at = float("-inf")
    assert len(read_libraries(libraries)[1]) == 1


def test_a_database_of_another_form_is_reported(tmp_path):
    old = SCHEMA.replace("parentItemID", "sourceItemID")
    ZoteroLibrary(tmp_path / "Zotero", old).close()
    found, (problem,) = read_libraries()
    assert found == {}
    assert "an unknown version of Zotero's database" in problem


def test_a_database_without_annotations_is_of_zotero_5(zotero):
    zotero.opened.execute("DROP TABLE itemAnnotations")
    zotero.work(title="Peat", citationKey="ek")
    assert list(entries(zotero)[0]) == ["ek"]


def test_a_busy_zotero_gives_what_it_gave_and_nothing_is_reported(zotero, monkeypatch):
    zotero.work(title="Peat", citationKey="ek")
    zotero.opened.commit()
    libraries = ZoteroLibraries()
    assert list(read_libraries(libraries)[0]) == ["ek"]
    numbers = itertools.count()

    def copyfile(source, copy):
        zotero.work(title=f"New {next(numbers)}")
        zotero.opened.commit()
        return shutil.copyfile(source, copy)

    with monkeypatch.context() as patch:
        patch.setattr(database, "shutil", SimpleNamespace(copyfile=copyfile))
        zotero.work(title="More")
        zotero.opened.commit()
        libraries._looked_at = float("-inf")
        found, problems = read_libraries(libraries)
    assert (list(found), problems, next(numbers)) == (["ek"], [], 3)
    libraries._looked_at = float("-inf")
    assert len(read_libraries(libraries)[0]) == 5
    zotero.close()


def test_keys_of_a_better_bibtex_that_cannot_be_read_are_ours(zotero, tmp_path):
    zotero.work(title="Peat", by=[("Ek", "Bo")])
    (tmp_path / "Zotero" / "better-bibtex.sqlite").write_text("no database" * 99)
    found, problems = entries(zotero)
    assert (list(found), problems) == (["ekpeat"], [])


def test_values_of_other_kinds_do_no_harm(zotero):
    work = zotero.work(title="Peat", citationKey="ek", volume="5")
    zotero.opened.execute("UPDATE itemDataValues SET value = 5 WHERE value = '5'")
    zotero.opened.execute("UPDATE creators SET lastName = NULL")
    zotero.opened.execute("INSERT INTO itemDataValues VALUES (99, x'ff00ff')")
    zotero.opened.execute("INSERT INTO fields VALUES (99, 'pages')")
    zotero.opened.execute("INSERT INTO itemData VALUES (?, 99, 99)", (work,))
    zotero.opened.execute("INSERT INTO itemData VALUES (?, 98, 98)", (work,))
    found, problems = entries(zotero)
    assert (found["ek"].fields["volume"], problems) == ("5", [])


def test_nothing_is_there_without_zotero(tmp_path, monkeypatch):
    monkeypatch.setenv("PINCITE_ZOTERO", str(tmp_path))
    assert read_libraries() == ({}, [])
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_what_was_copied_is_read_to_the_end_whatever_changes(zotero, mode):
    zotero.opened.execute(f"PRAGMA journal_mode = {mode}")
    for number in range(300):
        zotero.work(title=f"Peat {number}")
    zotero.opened.commit()
    works = database.read_works(zotero.path)
    next(works)
    zotero.work(title="New")
    zotero.opened.commit()
    assert len(list(works)) == 299
    zotero.close()
