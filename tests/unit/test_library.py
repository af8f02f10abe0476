from pathlib import Path

import pytest

from pincite.library.index import PaperIndex
from pincite.library.library import Library
from pincite.model.papers import BibEntry

TEXT = "# A paper\n\n## Findings\n\nEntity grids predict coherence. They need a parser.\n"


@pytest.fixture(name="index")
def fresh_index(tmp_path):
    index = PaperIndex(tmp_path / "cache" / "index.sqlite")
    yield index
    index.close()


def entry(folder: Path, key: str = "smith", **fields: str) -> BibEntry:
    return BibEntry(key, "article", {"title": "Grids", **fields}, folder / "refs.bib", 1)


def test_the_file_field_is_relative_to_the_bibliography(tmp_path, index):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "s.md").write_text(TEXT)
    paper = Library(index=index).paper(entry(tmp_path, file=":texts/s.md:Markdown"))
    assert paper.basis == "full text"
    assert paper.source == tmp_path / "texts" / "s.md"
    assert paper.title == "Grids"
    assert "Entity grids predict coherence." in [s.text for s in paper.sentences]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("smith", "smith.md"),
        ("Smith01", "smith01.MD"),
        ("DBLP:conf/acl/Smith", "DBLP_conf_acl_Smith.txt"),
    ],
)
def test_a_library_folder_is_searched_by_key(tmp_path, index, key, name):
    (tmp_path / "library" / "deep").mkdir(parents=True)
    (tmp_path / "library" / "deep" / name).write_text(TEXT)
    library = Library([tmp_path / "library"], index)
    assert library.paper(entry(tmp_path, key)).basis == "full text"


def test_a_file_of_a_longer_name_is_another_paper(tmp_path, index):
    (tmp_path / "smith2.md").write_text(TEXT)
    assert Library([tmp_path], index).paper(entry(tmp_path)).basis == "title"


def test_without_full_text_the_abstract_serves(tmp_path):
    paper = Library().paper(entry(tmp_path, abstract="We do this. We do that.", file="gone.pdf"))
    assert paper.basis == "abstract"
    assert [s.text for s in paper.sentences] == ["We do this.", "We do that."]
    assert {s.section for s in paper.sentences} == {"Abstract"}
    assert {s.page for s in paper.sentences} == {None}


def test_without_abstract_the_title_is_all_there_is(tmp_path):
    paper = Library().paper(entry(tmp_path))
    assert (paper.basis, paper.sentences, paper.title) == ("title", (), "Grids")


def test_an_unreadable_paper_is_reported_once_and_the_abstract_serves(tmp_path, index):
    (tmp_path / "smith.pdf").write_bytes(b"%PDF-1.7 this is no PDF at all")
    library = Library([tmp_path], index)
    for _ in range(2):
        assert library.paper(entry(tmp_path, abstract="We do this.")).basis == "abstract"
    assert [problem.path for problem in library.problems] == [tmp_path / "smith.pdf"]


def test_a_paper_is_read_once_and_kept(tmp_path, monkeypatch):
    (tmp_path / "smith.md").write_text(TEXT)
    cache = tmp_path / "cache" / "index.sqlite"
    first = Library([tmp_path], PaperIndex(cache)).paper(entry(tmp_path))

    def never(path):
        raise AssertionError(path)

    monkeypatch.setattr("pincite.library.library.read_paper", never)
    again = Library([tmp_path], PaperIndex(cache)).paper(entry(tmp_path))
    assert again == first


def test_a_changed_paper_is_read_again(tmp_path, index):
    path = tmp_path / "smith.md"
    path.write_text(TEXT)
    library = Library([tmp_path], index)
    library.paper(entry(tmp_path))
    path.write_text("# A paper\n\nSomething else altogether.\n")
    assert [s.text for s in library.paper(entry(tmp_path)).sentences] == [
        "Something else altogether."
    ]


@pytest.mark.parametrize("damage", [b"", b"no database", b"SQLite format 3\x00" + b"\xff" * 200])
def test_a_damaged_index_is_started_anew(tmp_path, damage):
    (tmp_path / "smith.md").write_text(TEXT)
    path = tmp_path / "cache" / "index.sqlite"
    path.parent.mkdir()
    path.write_bytes(damage)
    assert Library([tmp_path], PaperIndex(path)).paper(entry(tmp_path)).basis == "full text"
    assert Library([tmp_path], PaperIndex(path)).paper(entry(tmp_path)).basis == "full text"


def test_an_index_that_cannot_be_written_is_done_without(tmp_path):
    (tmp_path / "smith.md").write_text(TEXT)
    (tmp_path / "occupied").write_text("a file where a folder should be")
    index = PaperIndex(tmp_path / "occupied" / "index.sqlite")
    assert Library([tmp_path], index).paper(entry(tmp_path)).basis == "full text"


def test_an_unreadable_paper_is_tried_again_when_it_changes(tmp_path, index):
    path = tmp_path / "smith.md"
    path.write_text("")
    library = Library([tmp_path], index)
    assert library.paper(entry(tmp_path)).basis == "title"
    path.write_text(TEXT)
    assert library.paper(entry(tmp_path)).basis == "full text"
    assert len(library.problems) == 1


def test_a_reader_that_fails_costs_only_its_paper(tmp_path, monkeypatch):
    (tmp_path / "smith.md").write_text(TEXT)

    def fail(path):
        raise ZeroDivisionError("in a paper nobody foresaw")

    monkeypatch.setattr("pincite.library.library.read_paper", fail)
    library = Library([tmp_path])
    assert library.paper(entry(tmp_path)).basis == "title"
    assert [problem.broken for problem in library.problems] == [True]
