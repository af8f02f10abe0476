import os
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.library.index import PaperIndex
from pincite.library.library import Library
from pincite.library.same_work import WorkMatcher
from pincite.model.papers import BibEntry
from pincite.parsing.papers import read_paper
from where import EXAMPLES

TEXT = "# A paper\n\n## Findings\n\nEntity grids predict coherence. They need a parser.\n"


@pytest.fixture(name="index")
def fresh_index(tmp_path):
    index = PaperIndex(tmp_path / "cache" / "index.sqlite")
    yield index
    index.close()


def entry(folder: Path, key: str = "smith", **fields: str) -> BibEntry:
    return BibEntry(key, "article", {"title": "Grids", **fields}, folder / "refs.bib")


def paper_of(library: Library, *entries: BibEntry):
    """Read what an entry's library holds, and return the text of the first entry."""
    assert library.read(entries)
    library.link(WorkMatcher(entries))
    return library.paper(entries[0])


def test_a_library_serves_the_bibliographies_of_several_drafts(tmp_path, index):
    (tmp_path / "texts").mkdir()
    titles = "Entity grids predict the coherence of texts", "Parsers of dependencies are fast"
    works = []
    for number, title in enumerate(titles):
        text = f"# {title}\n\n## Findings\n\nThey do. And not only here.\n"
        (tmp_path / "texts" / f"{number}.md").write_text(text)
        works.append(replace(entry(tmp_path, title=title), path=tmp_path / f"{number}.bib"))
    library = Library([tmp_path / "texts"], index)
    for each in works:
        assert paper_of(library, each).basis == "full text"
    assert [library.paper(each).basis for each in works] == ["full text", "full text"]


def test_the_file_field_is_relative_to_the_bibliography(tmp_path, index):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "s.md").write_text(TEXT)
    paper = paper_of(Library(index=index), entry(tmp_path, file=":texts/s.md:Markdown"))
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
    """Through links, of which some lead in a circle or nowhere."""
    (tmp_path / "storage" / "deep").mkdir(parents=True)
    (tmp_path / "library").mkdir()
    (tmp_path / "storage" / "deep" / name).write_text(TEXT)
    (tmp_path / "storage" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "library" / "linked").symlink_to(tmp_path / "storage", target_is_directory=True)
    (tmp_path / "library" / "smith.pdf").symlink_to(tmp_path / "gone.pdf")
    (tmp_path / "library" / "smith.tei").symlink_to("smith.tei")
    library = Library([tmp_path / "library"], index)
    assert paper_of(library, entry(tmp_path, key)).basis == "full text"
    assert paper_of(library, entry(tmp_path, key[:-1])).basis == "title"
    assert library.problems == []


def test_without_full_text_the_abstract_serves_else_the_title(tmp_path):
    paper = paper_of(Library(), entry(tmp_path))
    assert (paper.basis, paper.sentences, paper.title) == ("title", (), "Grids")
    paper = paper_of(
        Library(), entry(tmp_path, abstract="We do this. We do that.", file="gone.pdf")
    )
    assert paper.basis == "abstract"
    assert [s.text for s in paper.sentences] == ["We do this.", "We do that."]
    assert {s.section for s in paper.sentences} == {"Abstract"}
    assert {s.page for s in paper.sentences} == {None}


@pytest.mark.parametrize(
    ("abstract", "basis"),
    [
        ("No Abstract Available", "title"),
        ("[No abstract is available for this item.]", "title"),
        ("Abstract not available.", "title"),
        ("N/A", "title"),
        ("No abstract algebra is needed.", "abstract"),
        ("None of these grids is square.", "abstract"),
    ],
)
def test_that_there_is_no_abstract_is_none(tmp_path, abstract, basis):
    assert paper_of(Library(), entry(tmp_path, abstract=abstract)).basis == basis


def test_an_unreadable_paper_is_reported_once_and_the_abstract_serves(tmp_path, index):
    (tmp_path / "smith.pdf").write_bytes(b"%PDF-1.7 this is no PDF at all")
    library = Library([tmp_path], index)
    for _ in range(2):
        paper = paper_of(library, entry(tmp_path, abstract="We do this."))
        assert paper.basis == "abstract"
    assert [problem.path for problem in library.problems] == [tmp_path / "smith.pdf"]


def test_a_paper_is_read_once_and_stored(tmp_path):
    (tmp_path / "smith.md").write_text(TEXT)
    cache = tmp_path / "cache" / "index.sqlite"
    first = paper_of(Library([tmp_path], PaperIndex(cache)), entry(tmp_path))
    later = Library([tmp_path], PaperIndex(cache))
    assert later.paper(entry(tmp_path)).basis == "title"  # folders are not listed for a request
    assert list(later.files()) == [tmp_path / "smith.md"]
    again = later.paper(entry(tmp_path))
    assert list(again.sentences) == list(first.sentences)
    assert replace(again, sentences=()) == replace(first, sentences=())


def test_files_of_any_name_are_found_by_their_content(tmp_path):
    title = "Entity Grids of Unheard-of Length for Local Coherence"
    (tmp_path / "download (3).md").write_text(f"# {title}\n\nAnn Smith\n\nThey are grids.\n")
    entries = [
        entry(tmp_path, "a", title=title, author="Smith, Ann"),
        entry(tmp_path, "b", title="Grids", author="Smith, Ann"),
    ]
    library = Library([tmp_path])
    assert paper_of(library, *entries).basis == "full text"
    assert library.locate(entries[0]) == tmp_path / "download (3).md"
    assert library.locate(entries[1]) is None


def test_two_bibliographies_may_use_one_key_for_two_works(tmp_path):
    title = "Entity Grids of Unheard-of Length for Local Coherence"
    (tmp_path / "x.md").write_text(f"# {title}\n\nAnn Smith\n\nThey are grids.\n")
    mine = entry(tmp_path / "mine", "a", title=title, author="Smith, Ann")
    other = entry(tmp_path / "other", "a", title="Apples", author="Pippin, Cox")
    library = Library([tmp_path])
    assert paper_of(library, mine).basis == "full text"
    assert library.paper(other).basis == "title"


def test_what_is_no_paper_in_a_library_folder_is_no_problem(tmp_path):
    (tmp_path / "package.json").write_text('{"name": "x"}')
    (tmp_path / "smith.json").write_text('{"name": "x"}')
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    library = Library([tmp_path])
    named = entry(tmp_path)
    assert paper_of(library, named).basis == "title"
    assert {p.path.name for p in library.problems} == {"smith.json"}
    assert {p.path.name for p in library.unreadable([named])} == {"smith.json", "broken.pdf"}


def test_a_folder_of_latex_sources_is_one_paper(tmp_path):
    sources = tmp_path / "smith"
    (sources / "figures").mkdir(parents=True)
    (sources / "figures" / "plot.pdf").write_bytes(b"%PDF-1.4 a figure")
    (sources / "main.tex").write_text(
        "\\documentclass{article}\\begin{document}\n\\section{Grids}\n\\input{part}\n\\end{document}"
    )
    (sources / "part.tex").write_text("Entity grids predict coherence.\n")
    library = Library([tmp_path])
    assert list(library.files()) == [sources]
    paper = paper_of(library, entry(tmp_path))
    assert [s.text for s in paper.sentences] == ["Entity grids predict coherence."]


def test_of_several_files_of_one_work_the_pdf_with_its_pages_comes_first(tmp_path):
    source = EXAMPLES / "papers" / "barzilay2008coherence.pdf"
    if not source.is_file():
        source = next((EXAMPLES / "papers").glob("*.pdf"))
    whole = read_paper(source)
    named = entry(tmp_path, "z", title=whole.title)
    (tmp_path / "a.md").write_text(f"# {whole.title}\n\nA summary of it. It is short.\n")
    (tmp_path / "scan (2).pdf").write_bytes(source.read_bytes())
    library = Library([tmp_path])
    assert paper_of(library, named).source == tmp_path / "scan (2).pdf"


def test_sentences_survive_the_emptying_of_the_index(tmp_path, index):
    (tmp_path / "smith.md").write_text(TEXT)
    paper = paper_of(Library([tmp_path], index), entry(tmp_path))
    index.clear()
    assert [s.text for s in paper.sentences][:1] == ["Entity grids predict coherence."]


def test_a_date_in_the_far_future_is_no_obstacle(tmp_path, index):
    (tmp_path / "smith.md").write_text(TEXT)
    os.utime(tmp_path / "smith.md", (13_569_465_600, 13_569_465_600))
    assert paper_of(Library([tmp_path], index), entry(tmp_path)).basis == "full text"
