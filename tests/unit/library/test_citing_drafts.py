"""What drafts write about the works they cite, and when they are read again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from markup import write_project
from pincite.contexts.inlinks import citing_paper
from pincite.library.index import PaperIndex
from pincite.library.inlinks import citing_drafts
from pincite.model.drafts import Draft
from pincite.model.papers import BibEntry, CitingPaper
from pincite.parsing.bibtex import read_bibliography
from pincite.parsing.drafts import DraftReader
from pincite.settings import Window

PROJECT = r"""
    %! main.tex
    \documentclass{article}\begin{document}
    The trees grow \cite{Oak,elm} as one sees. \input{part}
    \bibliography{refs,later}
    \end{document}
    %! part.tex
    Others say \citet{beech} has roots \nocite{elm} and \cite{gone} none.
    %! refs.bib
    @book{oak, author = {Och, F.}, year = 2003, title = {Oaks}, doi = {10.1/OAK}}
    @book{elm, author = {Elm, E.}, year = 2004, title = {Elms}, eprint = {1706.03762}}
    @book{beechwood, author = {Bee, C.}, title = {Beeches}, ids = {beech}}
    """


class Reader:
    """Reads drafts as a workspace does, and remembers which."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self._drafts = DraftReader()

    def __call__(self, path: Path) -> tuple[Draft, Mapping[str, BibEntry]] | None:
        self.read.append(path.name)
        if not self._drafts.of(path).starts_document(path):
            return None
        draft = self._drafts.read(path)
        sources = [read_bibliography(source.path) for source in draft.bibliographies]
        return draft, {entry.key: entry for source in sources for entry in source.entries.values()}


def project(folder: Path, fixture: str = PROJECT) -> Path:
    """Write a project whose files are an hour old."""
    main = write_project(folder, fixture)
    settle(folder.rglob("*.*"))
    return main


def settle(paths: Iterable[Path]) -> None:
    for path in paths:
        status = path.stat()
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns - 3_600 * 10**9))


def labelled(citing: CitingPaper) -> list[tuple[str, str]]:
    return [
        (citing.references[number].label, " ".join((*context.left, "|", *context.right)))
        for number, context in citing.contexts
    ]


def labels(found: Iterable[tuple[Path, CitingPaper]]) -> dict[str, list[str]]:
    return {path.name: [label for label, _ in labelled(citing)] for path, citing in found}


@pytest.fixture(name="index")
def index_in_memory() -> PaperIndex:
    return PaperIndex.in_memory()


def test_a_draft_has_a_context_for_each_work_it_cites(tmp_path: Path) -> None:
    found = Reader()(project(tmp_path))
    assert found is not None
    citing = citing_paper(*found, Window(3, 3))
    assert labelled(citing) == [
        ("oak", "The trees grow | as one sees"),
        ("elm", "The trees grow | as one sees"),
        ("beechwood", "Others say | has roots and"),
    ]
    oak, elm, beech = citing.references
    assert (oak.title, oak.surnames, oak.year, oak.doi) == ("Oaks", ("Och",), "2003", "10.1/oak")
    assert elm.arxiv == "1706.03762"
    assert beech.surnames == ("Bee",)
    assert citing.contexts[0][1].citance == "The trees grow as one sees."
    assert [Path(c.citing_paper).name for _, c in citing.contexts] == ["main.tex"] * 2 + [
        "part.tex"
    ]


def test_what_did_not_change_is_read_once(tmp_path: Path, index: PaperIndex) -> None:
    project(tmp_path)
    paths = sorted(tmp_path.glob("*.tex"))
    first, second = Reader(), Reader()
    once = list(citing_drafts(paths, first, index))
    again = list(citing_drafts(paths, second, index))
    assert first.read == ["main.tex"]
    assert second.read == []
    assert once == again
    assert labels(again) == {"main.tex": ["oak", "elm", "beechwood"]}


@pytest.mark.parametrize("name", ["main.tex", "part.tex", "refs.bib"])
def test_a_changed_file_is_read_again(tmp_path: Path, index: PaperIndex, name: str) -> None:
    main, reader = project(tmp_path), Reader()
    assert list(citing_drafts([main], reader, index))
    text = (tmp_path / name).read_text()
    (tmp_path / name).write_text(text.replace("oak", "yew").replace("Oak", "yew") + "\n")
    settle([tmp_path / name])
    found = labels(citing_drafts([main], reader, index))
    assert reader.read == ["main.tex"] * 2
    assert len(found["main.tex"]) == (3 if name == "part.tex" else 2)


def test_a_file_that_may_still_change_is_read_again(tmp_path: Path, index: PaperIndex) -> None:
    main, reader = project(tmp_path), Reader()
    (tmp_path / "part.tex").touch()
    for _ in range(2):
        assert list(citing_drafts([main], reader, index))
    assert reader.read == ["main.tex"] * 2


def test_a_file_that_two_drafts_read_counts_once(tmp_path: Path, index: PaperIndex) -> None:
    main = project(tmp_path)
    other = tmp_path / "other.tex"
    other.write_text(
        r"\documentclass{book}\begin{document}On \cite{elm}. \input{part}\bibliography{refs}"
        r"\end{document}"
    )
    part = tmp_path / "part.tex"
    # The part is walked first, and is no draft of its own.
    paths = [part, main, other]
    assert labels(citing_drafts(paths, Reader(), index)) == {
        "main.tex": ["oak", "elm", "beechwood"],
        "other.tex": ["elm"],
    }
    assert labels(citing_drafts(paths, Reader(), index, left_out={main, part})) == {
        "other.tex": ["elm"]
    }
    assert labels(citing_drafts(paths, Reader(), index, left_out={other, part})) == {
        "main.tex": ["oak", "elm"]
    }


def test_what_an_editor_holds_is_not_stored(tmp_path: Path, index: PaperIndex) -> None:
    main, reader = project(tmp_path), Reader()
    unsaved = {tmp_path / "part.tex"}
    for _ in range(2):
        assert list(citing_drafts([main], reader, index, unsaved=unsaved))
    assert reader.read == ["main.tex"] * 2
    assert index.citing_draft(main) is None
    for _ in range(2):
        assert list(citing_drafts([main], reader, index))
    assert reader.read == ["main.tex"] * 3
