"""Word vectors trained on the corpus: what is read, what is cached, and in how many processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pincite.matching.vectors import WordVectors
from pincite_evaluation import vector_training
from pincite_evaluation.processes import showing
from pincite_evaluation.vector_training import VectorRecipe

pytestmark = pytest.mark.slow

TINY = VectorRecipe(min_count=3, dimensions=8, epochs=2)
KEPT = VectorRecipe(min_count=3, dimensions=8, epochs=2, markers="keep")
UNK = VectorRecipe(min_count=3, dimensions=8, epochs=2, unknown=True)
TEXT = "The parser (Miller, 2003) reads the tree. The tagger reads Miller's word."


class Steps:
    def __init__(self) -> None:
        self.shown: dict[str, list[tuple[int, int]]] = {}

    def __call__(self, step: str):
        shown = self.shown.setdefault(step, [])
        return lambda done, total: shown.append((done, total))


def write_paper(folder: Path, name: str, sentences: list[str], kind: str = "Reference_XML") -> Path:
    path = folder / kind / f"{name}.xml"
    path.parent.mkdir(parents=True, exist_ok=True)
    listed = "".join(f'<S sid="{n}">{sentence}</S>\n' for n, sentence in enumerate(sentences))
    path.write_text(f"<PAPER>{listed}</PAPER>")
    return path


@pytest.fixture
def task(corpus: Path) -> Path:
    return corpus / "Training-Set-2019" / "Task1"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    corpus = tmp_path / "data"
    task = corpus / "Training-Set-2019" / "Task1"
    annotated = task / "From-Training-Set-2018" / "A1"
    write_paper(annotated, "A1", [TEXT] * 20)
    write_paper(annotated, "C1", ["A chart fills cells."] * 20, kind="Citance_XML")
    write_paper(task / "From-ScisummNet-2019" / "B1", "B1", ["Treebanks hold trees."] * 20)
    return corpus


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("gensim", reason="training needs the extra pincite[vectors]")
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "vectors"


def train_vectors(corpus: Path, recipes: list[VectorRecipe], **options: Any):
    trained = vector_training.train_vectors(corpus, recipes, **options)
    return {recipe: WordVectors.load(path) for recipe, path in trained.items()}


def cached(cache: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in cache.iterdir()}


def same(one: WordVectors, other: WordVectors) -> bool:
    rows = one.rows(one.words)
    return (
        one.words == other.words
        and one.metadata == other.metadata
        and np.array_equal(one.vectors(rows), other.vectors(rows))
    )


def test_the_text_is_that_of_reference_papers_and_citing_papers(corpus: Path) -> None:
    vectors = train_vectors(corpus, [TINY])[TINY]
    assert {"parser", "cells", "Treebanks"} <= set(vectors.words)
    # "(Miller, 2003)" is a marker.
    assert vectors.tokens == 20 * (11 + 4 + 3)


def test_nothing_but_papers_of_the_training_set_is_read(corpus: Path, task: Path) -> None:
    before = train_vectors(corpus, [TINY])[TINY]
    poison = ["poison poison poison"]
    for elsewhere in (
        corpus / "Test-Set-2018" / "T1",
        corpus / "Test-Set-2018-Gold" / "Task1" / "T2",
        corpus / "Training-Set-2018" / "T3",
        corpus / "Training-Set-2019" / "Task2" / "T4",
    ):
        write_paper(elsewhere, elsewhere.name, poison)
    # Read, these would be errors.
    (corpus / "Test-Set-2018" / "T1" / "Reference_XML" / "T5.xml").symlink_to(corpus / "nowhere")
    (corpus / "Test-Set-2018" / "T1" / "Reference_XML" / "T6.xml").mkdir()
    paper = task / "From-Training-Set-2018" / "A1"
    for added in ("annotation/A1.ann.txt", "summary/A1.xml", "citing_sentences.json", "notes.txt"):
        (paper / added).parent.mkdir(exist_ok=True)
        (paper / added).write_text('<S sid="1">poison poison poison</S>')
    steps = Steps()
    with showing(steps):
        assert same(before, train_vectors(corpus, [TINY])[TINY])
    # The text is the same, so there was nothing to train.
    assert steps.shown == {}


@pytest.mark.parametrize("damage", [b"", b"no model", None])
def test_a_damaged_file_is_trained_again(corpus: Path, cache: Path, damage: bytes | None) -> None:
    first = train_vectors(corpus, [TINY])[TINY]
    (path,) = cache.iterdir()
    whole = path.read_bytes()
    rows = first.vectors(first.rows(first.words))
    path.unlink()  # it is mapped into memory
    path.write_bytes(whole[:-5] if damage is None else damage)
    again = train_vectors(corpus, [TINY])[TINY]
    np.testing.assert_array_equal(rows, again.vectors(again.rows(again.words)))
    assert path.read_bytes() == whole
    assert [file.name for file in cache.iterdir()] == [path.name]


def test_processes_give_the_same_files(
    corpus: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipes = [TINY, KEPT, UNK]
    train_vectors(corpus, recipes, jobs=1)
    serial = {name: content for name, (_, content) in cached(cache).items()}
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "other"))
    steps = Steps()
    with showing(steps):
        train_vectors(corpus, recipes, jobs=4)
    parallel = {name: content for name, (_, content) in cached(tmp_path / "other/vectors").items()}
    assert serial == parallel
    reading, training = steps.shown.values()
    assert training[-1] == (3, 3)
    assert reading[-1][0] == reading[-1][1]
    assert training == sorted(training)
