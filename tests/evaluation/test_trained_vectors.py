"""Word vectors trained on the corpus: what is read, what is kept, and in how many processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pincite.matching.vectors import UNKNOWN, WordVectors
from pincite.model.problems import InputError
from pincite_evaluation.cited_text import trained_vectors
from pincite_evaluation.vector_training import VectorRecipe

pytestmark = pytest.mark.slow

TINY = VectorRecipe(min_count=3, dimensions=8, epochs=2)
KEPT = VectorRecipe(min_count=3, dimensions=8, epochs=2, markers="keep")
UNK = VectorRecipe(min_count=3, dimensions=8, epochs=2, unknown=True)
TEXT = "The parser (Miller, 2003) reads the tree. The tagger reads Miller's word."


class Steps:
    def __init__(self) -> None:
        self.told: dict[str, list[tuple[int, int]]] = {}

    def __call__(self, step: str):
        told = self.told.setdefault(step, [])
        return lambda done, total: told.append((done, total))


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
    trained = trained_vectors.train_vectors(corpus, recipes, **options)
    return {recipe: WordVectors.load(path) for recipe, path in trained.items()}


def kept(cache: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in cache.iterdir()}


def same(one: WordVectors, other: WordVectors) -> bool:
    rows = one.rows(one.words)
    return (
        one.words == other.words
        and one.metadata == other.metadata
        and np.array_equal(one.vectors(rows), other.vectors(rows))
    )


def test_the_text_is_what_reference_papers_and_citing_papers_say(corpus: Path) -> None:
    vectors = train_vectors(corpus, [TINY])[TINY]
    assert {"parser", "cells", "Treebanks"} <= set(vectors.words)
    # "(Miller, 2003)" is a marker.
    assert vectors.tokens == 20 * (11 + 4 + 3)


def test_markers_are_kept_where_the_recipe_keeps_them(corpus: Path) -> None:
    trained = train_vectors(corpus, [TINY, KEPT])
    assert list(trained) == [TINY, KEPT]
    assert "2003" not in trained[TINY]
    assert "2003" in trained[KEPT]
    assert trained[KEPT].tokens == trained[TINY].tokens + 20 * 2


def test_rare_words_become_one(corpus: Path, task: Path) -> None:
    write_paper(task / "From-ScisummNet-2019" / "B2", "B2", ["lattice lattice automaton"])
    trained = train_vectors(corpus, [TINY, UNK])
    assert UNKNOWN not in trained[TINY]
    assert "lattice" not in trained[UNK]
    assert trained[UNK].probability([UNKNOWN]) == pytest.approx([3 / trained[UNK].tokens])


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
    assert same(before, train_vectors(corpus, [TINY], progress=steps)[TINY])
    # The text is the same, so there was nothing to train.
    assert steps.told == {}


def test_a_paper_that_is_cited_twice_is_read_once(corpus: Path, task: Path) -> None:
    before = train_vectors(corpus, [TINY])[TINY]
    again = task / "From-Training-Set-2018" / "B9"
    write_paper(again, "C1", ["Another version of it."] * 20, kind="Citance_XML")
    assert same(before, train_vectors(corpus, [TINY])[TINY])


def test_what_was_trained_is_kept(corpus: Path, cache: Path) -> None:
    first = train_vectors(corpus, [TINY])[TINY]
    files = kept(cache)
    assert len(files) == 1
    second = train_vectors(corpus, [TINY, KEPT, TINY])
    assert same(first, second[TINY])
    assert kept(cache).items() > files.items()
    assert len(kept(cache)) == 2


def test_another_text_is_trained_anew(corpus: Path, task: Path, cache: Path) -> None:
    train_vectors(corpus, [TINY])
    write_paper(task / "From-ScisummNet-2019" / "B3", "B3", ["lattice lattice lattice"])
    assert "lattice" in train_vectors(corpus, [TINY])[TINY]
    assert len(kept(cache)) == 2


def test_a_corpus_that_lies_elsewhere_is_the_same(corpus: Path, cache: Path) -> None:
    train_vectors(corpus, [TINY])
    files = kept(cache)
    train_vectors(corpus.rename(corpus.parent / "moved"), [TINY])
    assert kept(cache) == files


@pytest.mark.parametrize("damage", [b"", b"no model", None])
def test_a_damaged_file_is_trained_anew(corpus: Path, cache: Path, damage: bytes | None) -> None:
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
    serial = {name: content for name, (_, content) in kept(cache).items()}
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "other"))
    steps = Steps()
    train_vectors(corpus, recipes, jobs=4, progress=steps)
    parallel = {name: content for name, (_, content) in kept(tmp_path / "other/vectors").items()}
    assert serial == parallel
    reading, training = steps.told.values()
    assert training[-1] == (3, 3)
    assert reading[-1][0] == reading[-1][1]
    assert training == sorted(training)


def test_no_word_is_frequent_enough(corpus: Path, cache: Path) -> None:
    rare = VectorRecipe(min_count=1000, unknown=True)
    with pytest.raises(InputError, match="1000 times"):
        train_vectors(corpus, [TINY, rare], jobs=2)
    assert all(name.endswith(".safetensors") for name in kept(cache))


def test_no_recipes_need_nothing(tmp_path: Path) -> None:
    assert train_vectors(tmp_path / "absent", []) == {}


def test_a_folder_without_training_papers_is_an_input_error(tmp_path: Path) -> None:
    write_paper(tmp_path / "Test-Set-2018" / "T1", "T1", ["Not read."])
    with pytest.raises(InputError, match="Training-Set-2019"):
        train_vectors(tmp_path, [TINY])


def test_a_cache_folder_that_cannot_be_made_is_an_input_error(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match="cannot make"):
        train_vectors(corpus, [TINY])


def test_without_gensim_the_extra_is_named(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train_vectors(corpus, [TINY])
    monkeypatch.setitem(sys.modules, "gensim", None)
    with pytest.raises(InputError, match=r'pip install "pincite\[vectors\]"'):
        train_vectors(corpus, [TINY])


INTERRUPTED = """
import sys
from pathlib import Path
from pincite_evaluation.cited_text.trained_vectors import train_vectors
from pincite_evaluation.vector_training import VectorRecipe

quick = VectorRecipe(min_count=3, dimensions=8, epochs=1)
endless = [VectorRecipe(epochs=10**9, seed=seed) for seed in (1, 2)]
try:
    train_vectors(Path(sys.argv[1]), [quick, *endless], int(sys.argv[2]))
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no groups of processes to interrupt")
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_it_and_leaves_nothing_half_written(
    corpus: Path, task: Path, cache: Path, jobs: str
) -> None:
    # As long as a real corpus, for gensim starts threads in each epoch, and Python prints and
    # ignores an interrupt that arrives while it forgets an ended thread.
    write_paper(task / "From-ScisummNet-2019" / "B2", "B2", [TEXT] * 20_000)
    command = [sys.executable, "-c", INTERRUPTED, str(corpus), jobs]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True, start_new_session=True) as process:
        try:
            while process.poll() is None and not list(cache.glob("*.safetensors")):
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGINT)
            # Ends only when no process is left that could still write.
            _, said = process.communicate(timeout=60)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, said) == (130, "")
    (finished,) = cache.iterdir()
    assert len(WordVectors.load(finished)) > 0
