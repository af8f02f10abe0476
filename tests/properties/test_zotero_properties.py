"""Whatever is written in Zotero is what a reader of our bibliography sees."""

import tempfile
import unicodedata
from contextlib import suppress
from functools import cache
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pincite.edits.bibtex_entries import bibtex_entry
from pincite.model.packed import packed
from pincite.model.problems import InputError
from pincite.model.zotero import Highlight, read_highlights
from pincite.parsing.bibtex import parse_bibliography
from pincite.text.characters import without_controls
from pincite.zotero.database import Creator, Work, read_works
from pincite.zotero.entries import entry_of
from pincite.zotero.profiles import DataFolder
from zotero_library import ZoteroLibrary

FOLDER = DataFolder(Path("/data/Zotero"), Path("/pdfs"))
PATH = Path("/cache/zotero.sqlite.bib")
DAMAGE = st.lists(st.tuples(st.integers(0), st.integers(0, 255)), min_size=1, max_size=30)
#: Any text but what is no character, and what TeX prints as other quotes, dashes and signs.
LIGATURES = "`'\"-?!<>,"
TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cn", "Co", "Cc"], exclude_characters=LIGATURES),
    max_size=60,
)
TRICKY = st.text(r"ab {}\%$#&_^~@=;:–ß" + "\u00a0 é", max_size=40)


def seen(text):
    """Return a text as a reader sees it."""
    return " ".join(unicodedata.normalize("NFC", without_controls(text)).split())


def read(entry):
    (back,) = parse_bibliography(bibtex_entry(entry), PATH).entries.values()
    return back


@given(st.one_of(TEXTS, TRICKY))
def test_texts_come_back(text):
    work = Work(
        "AAAAAAAA", "journalArticle", {"title": f"A {text} z", "abstractNote": f"B {text} y"}
    )
    entry = entry_of(work, FOLDER, PATH)
    back = read(entry)
    for name in ("title", "abstract"):
        assert seen(back.fields[name]) == seen(entry.fields[name])


@given(st.lists(st.tuples(TRICKY, TRICKY, TRICKY), max_size=4))
def test_highlights_come_back(highlights):
    given_ = [Highlight(*(seen(part) for part in each)) for each in highlights]
    written = packed(given_)
    assert read_highlights(written) == [each for each in given_ if each.text]


@given(st.lists(st.tuples(TEXTS, TEXTS, st.booleans()), min_size=1, max_size=4), TEXTS)
def test_there_is_always_one_entry(people, key):
    creators = tuple(Creator("author", last, first, whole) for last, first, whole in people)
    work = Work("AAAAAAAA", "thesis", {"title": "A", "citationKey": key, "date": key}, creators)
    entry = entry_of(work, FOLDER, PATH)
    assert read(entry).key == entry.key


@cache
def database():
    """Return the bytes of a database with something in every table."""
    with tempfile.TemporaryDirectory() as folder:
        zotero = ZoteroLibrary(Path(folder))
        for number in range(9):
            work = zotero.work(by=[("Ek", "Bo")], title=f"Peat {number}", abstractNote="Old. " * 9)
            zotero.highlight(zotero.file(work, "storage:a.pdf"), "Peat is old.")
            zotero.note(work, "<p>Old</p>")
        zotero.close()
        return zotero.path.read_bytes()


@given(DAMAGE, st.booleans(), st.integers(0))
def test_a_damaged_database_gives_works_or_a_reason(damage, in_schema, cut):
    data = bytearray(database())
    for place, byte in damage:
        data[place % (8192 if in_schema else len(data))] = byte
    if cut % 4 == 0:
        del data[cut % len(data) :]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "zotero.sqlite")
        path.write_bytes(data)
        with suppress(InputError):
            for work in read_works(path):
                bibtex_entry(entry_of(work, FOLDER, PATH))
