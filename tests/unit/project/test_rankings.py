"""Recommenders that go on from earlier ones, while papers are read and bibliographies edited."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

from pincite.model.contexts import CitationContext
from pincite.project.indexes import Index
from pincite.project.read_draft import ReadDraft
from pincite.project.workspace import Workspace

WORDS = "moss fern reed marsh heron lichen".split()
OTHER = r"\documentclass{article}\begin{document}Herons \cite{k3}.\bibliography{refs}\end{document}"
SET = "@set{both, entryset={k1,k2}}\n"


class Author:
    """A draft with a bibliography and a growing folder of papers, without a session around it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts: dict[Path, str] = {}
        self.workspace = Workspace(folder, open_texts=self.texts)
        self.write("main.tex", r"\documentclass{book}Text \cite{}.\bibliography{refs}")
        self.edit("".join(f"@misc{{k{n}, title={{Paper {n}}}}}\n" for n in range(20)) + SET)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def remove(self, name: str) -> None:
        (self.folder / name).unlink()

    def edit(self, bibliography: str) -> None:
        (self.folder / "refs.bib").write_text(bibliography)

    def add(self, entry: str) -> None:
        self.edit((self.folder / "refs.bib").read_text() + entry)

    def replace(self, entry: str, other: str) -> None:
        before = (self.folder / "refs.bib").read_text()
        assert entry in before
        self.edit(before.replace(entry, other))

    def read(self) -> ReadDraft:
        """Return the draft with all papers of now."""
        self.workspace = Workspace(self.folder, open_texts=self.texts)
        draft = self.workspace.draft(self.folder / "main.tex")
        self.workspace.read_library(draft)
        bibliography = self.workspace.bibliography(draft)
        return ReadDraft(self.workspace, draft, draft.files[0], bibliography)

    def recommenders(self, earlier, *, complete=False):
        read = self.read()
        return [
            *read.workspace.recommenders_with_papers(
                read.draft, read.bibliography, earlier, complete=complete
            )
        ]

    def first(self):
        """Return a recommender that knows no papers."""
        read = self.read()
        return read.workspace.recommender(read.draft, full_texts=False)

    def edited(self, base):
        """Return a recommender after an edit of the bibliography, of which an author waits."""
        read = self.read()
        library = read.workspace.library(read.draft)
        entries, root = read.bibliography.entries, read.draft.root
        index = Index(root, library, entries, frozenset(), 1, base)
        return index.best(read)


@pytest.fixture(name="author")
def author_in_a_folder(tmp_path):
    return Author(tmp_path)


def scores(recommender, word):
    ranking = recommender.rank(CitationContext((word,), ()))
    return {entry.key: ranking.of(entry.key).score for entry in ranking}


def assert_same(recommender, other):
    for word in WORDS:
        one, two = scores(recommender, word), scores(other, word)
        assert one.keys() == two.keys()
        np.testing.assert_allclose([one[key] for key in two], [*two.values()], atol=1e-12)


STEPS = {
    "a paper": lambda a: a.write("papers/k1.txt", "Moss is here. It is much."),
    "another": lambda a: a.write("papers/k4.txt", "Fern and reed are here. They are many."),
    "a changed one": lambda a: a.write("papers/k1.txt", "Lichen is here. It is much."),
    "one removed": lambda a: a.remove("papers/k4.txt"),
    "another draft": lambda a: a.write("other.tex", OTHER),
    "that draft changed": lambda a: a.write("other.tex", OTHER.replace("k3", "k5")),
}


def test_papers_just_read_are_counted_apart_and_rank_as_if_all_were_counted_together(author):
    now = author.first()
    for step in STEPS.values():
        step(author)
        (now,) = author.recommenders(now if now.updates < 3 else author.first())
        assert now.updates > 0
        (anew,) = author.recommenders(None)
        assert_same(now, anew)
    assert now.rank(CitationContext(("herons",), ()))[0].key == "k5"


def test_a_set_has_the_texts_of_its_members(author):
    first = author.first()
    author.write("papers/k1.txt", "Moss is here. It is much.")
    (now,) = author.recommenders(first)
    assert now.since.changed == {"k1", "both"}
    assert scores(now, "moss")["both"] > 0
    author.replace("@misc{k1, title={Paper 1}}\n", "@misc{k2a, title={Marsh}}\n")
    edited = author.edited(now)
    author.write("papers/k4.txt", "Fern is here. It is much.")
    (now,) = author.recommenders(edited)
    assert_same(now, author.recommenders(None)[0])


def test_an_edit_between_papers_is_one_more_segment(author):
    author.write("papers/k1.txt", "Moss is here. It is much.")
    (papers,) = author.recommenders(author.first())
    author.add("@misc{typed, title={Marsh}}\n")
    edited = author.edited(papers)
    assert edited.since.earlier is papers
    assert edited.since.changed == {"typed"}
    assert_same(edited, author.recommenders(None)[0])
    # A paper of the entry that was just typed.
    author.write("papers/typed.txt", "Herons are here. They are many.")
    (now,) = author.recommenders(edited)
    assert now.since.changed == {"typed", "both"}
    assert now.updates == 3
    assert_same(now, author.recommenders(None)[0])


def test_all_is_counted_together_when_the_papers_are_complete_or_segments_many(author):
    author.write("papers/k1.txt", "Moss is here. It is much.")
    (whole,) = author.recommenders(author.first(), complete=True)
    assert whole.updates == 0
    author.write("papers/k2.txt", "Fern is here. It is much.")
    quick, whole = author.recommenders(whole, complete=True)
    assert (quick.updates, whole.updates) == (1, 0)
    assert_same(quick, whole)
    for number in range(3, 6):
        author.write(f"papers/k{number}.txt", f"Reed {number} is here. It is much.")
        (quick,) = author.recommenders(quick)
    assert quick.updates == 0


def test_where_most_entries_have_changed_all_are_counted_together(author):
    first = author.first()
    for number in range(12):
        author.write(f"papers/k{number}.txt", f"Reed {number} is here. It is much.")
    (now,) = author.recommenders(first)
    assert now.updates == 0


def test_texts_that_other_bibliographies_lend_may_change_any_entry(author):
    first = author.first()
    author.write("lent.bib", "@misc{other, title={Paper 7 of them}, abstract={Lichen.}}")
    author.add("@misc{k99, title={Paper 7 of them}}\n")
    (now,) = author.recommenders(first)
    assert now.updates == 0
    assert scores(now, "lichen")["k99"] > 0


def test_an_edited_entry_keeps_what_others_lend_it(author):
    author.write("lent.bib", "@misc{other, title={Paper 7 of them}, abstract={Lichen.}}")
    author.add("@misc{k99, title={Paper 7 of them}}\n")
    (now,) = author.recommenders(author.first())
    author.replace("Paper 7 of them}}", "Paper 7 of them}, year=1999}")
    edited = author.edited(now)
    assert edited.since.changed == {"k99"}
    author.write("papers/k4.txt", "Fern is here. It is much.")
    (now,) = author.recommenders(edited)
    assert now.updates > 0
    assert scores(now, "lichen")["k99"] > 0
    assert_same(now, author.recommenders(None)[0])


def test_an_outdated_recommender_is_freed_at_once(author):
    read, first = author.read(), author.first()
    gc.disable()  # It runs seldom in the server, and what it would free is large.
    try:
        first.rank(first.context(read.draft, read.file, 0))
        freed = weakref.ref(first)
        del first
        assert freed() is None
    finally:
        gc.enable()
