"""Word vectors trained on the corpus itself, for rows with different preprocessing.

Ricci et al. (2022) train on 86 M words of the ACL Anthology; we train on CL-SciSumm's training
papers and the papers citing them, 7 M words. So a row of their Table 3 that changes the text
(citation markers, case, rare words) must be compared with one trained on the same text, not with
the packaged vectors. Trained vectors are cached in the user's cache folder.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

import numpy as np
import numpy.typing as npt
import regex

from pincite.library.index import default_index_path
from pincite.matching import training, vector_recipe
from pincite.matching.training import TrainedVectors
from pincite.matching.vector_recipe import VectorRecipe
from pincite.matching.vectors import FORMAT, WordVectors
from pincite.model.problems import InputError
from pincite.parsing import encoding
from pincite.text import markers, tokens
from pincite.text.markers import Markers

from ..corpora import text
from ..processes import PARTS_PER_PROCESS, in_processes
from ..progress import Progress, Steps, silent

#: Sentences as lists of words, by the treatment of citation markers.
Texts = Mapping[Markers, list[list[str]]]
_Meter = npt.NDArray[np.float64]

#: Other folders contain the same papers again, for other tasks. No test set is read.
_TRAINING_PAPERS = Path("Training-Set-2019", "Task1")
_PAPER_FOLDERS = frozenset({"Reference_XML", "Citance_XML"})
#: Seconds between two polls of the processes' progress.
_SECONDS = 0.5


def train_vectors(
    corpus: Path,
    recipes: Sequence[VectorRecipe],
    jobs: int = 1,
    progress: Steps = silent,
) -> dict[VectorRecipe, Path]:
    """Return the model file of each recipe, trained on Training-Set-2019 (Task 1).

    `corpus` is the ``data/`` folder of scisumm-corpus. The text is that of all reference papers
    and citing papers (XML), annotated or not, without annotations and summaries. Models are trained
    in up to `jobs` processes, with the same result. They are cached by everything they depend on:
    the files, the recipe, and the code that tokenises and trains. Raises `InputError` without
    gensim, without papers, or if models cannot be written.
    """
    wanted = dict.fromkeys(recipes)
    if not wanted:
        return {}
    files = _files(corpus)
    folder = _cache_folder()
    text_digest = _digest(files)
    paths = {recipe: folder / f"{_name(text_digest, recipe)}.safetensors" for recipe in wanted}
    missing = [recipe for recipe, path in paths.items() if not _is_model(path)]
    if missing:
        kinds = {recipe.markers for recipe in missing}
        texts = _read(files, kinds, jobs, progress("Reading the text of word vectors"))
        # Save finished models in case the rest is interrupted.
        for recipe, trained in _train(texts, missing, jobs, progress("Training word vectors")):
            trained.save(paths[recipe])
    return paths


def require_training() -> str:
    """Return the version of the training library; raise `InputError` if it is missing."""
    try:
        import gensim
    except ImportError as error:
        raise InputError(training.NO_GENSIM) from error
    return str(gensim.__version__)


def _files(corpus: Path) -> list[Path]:
    """Return the XML of the training papers, the first of those with the same name."""
    folder = corpus / _TRAINING_PAPERS
    papers: dict[str, Path] = {}
    for file in sorted(folder.rglob("*.xml")):
        if file.parent.name in _PAPER_FOLDERS and file.is_file():
            papers.setdefault(file.name, file)
    if not papers:
        raise InputError(f"{folder}: no papers to train word vectors on")
    return list(papers.values())


def _cache_folder() -> Path:
    """Return the folder of cached models, beside the index."""
    folder = default_index_path().parent / "vectors"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make {folder}: {error.strerror}") from error
    if not os.access(folder, os.W_OK):
        # Fail before minutes of training, not after them.
        raise InputError(f"{folder}: cannot be written")
    return folder


def _digest(files: Sequence[Path]) -> str:
    """Return a digest of everything the text depends on: file names and contents, and our code."""
    versions = f"{FORMAT} {regex.__version__} {require_training()}"
    digest = blake2b(versions.encode(), digest_size=20)
    for module in (encoding, text, markers, tokens, vector_recipe, training):
        digest.update(inspect.getsource(module).encode())
    for file in files:
        try:
            content = file.read_bytes()
        except OSError as error:
            raise InputError(f"{file}: cannot be read ({error.strerror})") from error
        digest.update(f"\0{file.name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _is_model(path: Path) -> bool:
    """Return whether a model exists and is undamaged."""
    try:
        WordVectors.load(path)
    except InputError:
        return False
    return True


def _name(text_digest: str, recipe: VectorRecipe) -> str:
    return blake2b(f"{text_digest} {recipe!r}".encode(), digest_size=20).hexdigest()


def _read(
    files: Sequence[Path],
    kinds: Collection[Markers],
    jobs: int,
    report: Progress,
) -> Texts:
    passages = list(text.passages(files))
    size = max(1, -(-len(passages) // (jobs * PARTS_PER_PROCESS)))
    parts = [
        (start, passages[start : start + size], kinds) for start in range(0, len(passages), size)
    ]
    read: dict[int, Texts] = {}
    for start, texts in in_processes(jobs, _words, parts):
        read[start] = texts
        report(len(read), len(parts))
    return {
        kind: [sentence for start in sorted(read) for sentence in read[start][kind]]
        for kind in kinds
    }


def _words(start: int, passages: Sequence[str], kinds: Collection[Markers]) -> tuple[int, Texts]:
    texts: dict[Markers, list[list[str]]] = {}
    for kind in kinds:
        found = (text.passage_words(passage, kind) for passage in passages)
        texts[kind] = [words for words in found if words]
    return start, texts


def _train(
    texts: Texts,
    recipes: Sequence[VectorRecipe],
    jobs: int,
    report: Progress,
) -> Iterator[tuple[VectorRecipe, TrainedVectors]]:
    with _meter(len(recipes), report) as meter:
        parts = (
            (texts[recipe.markers], recipe, meter, number) for number, recipe in enumerate(recipes)
        )
        yield from in_processes(jobs, _trained, parts)


def _trained(
    sentences: list[list[str]], recipe: VectorRecipe, meter: _Meter, number: int
) -> tuple[VectorRecipe, TrainedVectors]:
    def tell(done: float) -> None:
        meter[number] = done

    return recipe, training.train(sentences, recipe, tell)


@contextmanager
def _meter(size: int, report: Progress) -> Iterator[_Meter]:
    """Provide an array shared by all processes, for the finished fraction of each part.

    `report` is called periodically, in thousandths of a part.
    """
    ended = Event()

    def watch() -> None:
        while not ended.wait(_SECONDS):
            report(round(1000 * float(meter.sum())), 1000 * size)

    # Windows cannot remove a file that a process still has open.
    with TemporaryDirectory(prefix="pincite-", ignore_cleanup_errors=True) as folder:
        meter = np.memmap(Path(folder, "meter"), np.float64, "w+", shape=size)
        watcher = Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield meter
        finally:
            ended.set()
            watcher.join()
            report(round(1000 * float(meter.sum())), 1000 * size)
