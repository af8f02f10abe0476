"""Word vectors trained on the corpus itself, for rows with different preprocessing.

Ricci et al. (2022) train on 86 M words of the ACL Anthology; we train on CL-SciSumm's training
papers and the papers citing them, 7 M words. So a row of their Table 3 that changes the text
(citation markers, case, rare words) must be compared with one trained on the same text, not with
the packaged vectors. Trained vectors are cached in the user's cache folder.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import regex

from pincite.library.index import default_index_path
from pincite.matching.vectors import FORMAT, WordVectors
from pincite.model.problems import InputError
from pincite.parsing import encoding
from pincite.text import markers, tokens
from pincite.text.markers import Markers

from .. import vector_training
from ..corpora import text
from ..processes import Steps, Workers, silent
from ..vector_training import VectorRecipe, require_gensim, train

#: Other folders contain the same papers again, for other tasks. No test set is read.
_TRAINING_PAPERS = Path("Training-Set-2019", "Task1")
_PAPER_FOLDERS = frozenset({"Reference_XML", "Citance_XML"})
#: Passages that are split into words at once.
_PASSAGES = 4096


def train_vectors(
    corpus: Path, recipes: Sequence[VectorRecipe], jobs: int = 1, progress: Steps = silent
) -> dict[VectorRecipe, Path]:
    """Return the model file of each recipe, trained on Training-Set-2019 (Task 1)."""
    if not recipes:
        return {}
    # The XML of the training papers, the first of those with the same name.
    papers: dict[str, Path] = {}
    for file in sorted((corpus / _TRAINING_PAPERS).rglob("*.xml")):
        if file.parent.name in _PAPER_FOLDERS and file.is_file():
            papers.setdefault(file.name, file)
    if not papers:
        raise InputError(f"{corpus / _TRAINING_PAPERS}: no papers to train word vectors on")
    files, folder = list(papers.values()), default_index_path().parent / "vectors"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make {folder}: {error.strerror}") from error
    if not os.access(folder, os.W_OK):
        # Fail before minutes of training, not after them.
        raise InputError(f"{folder}: cannot be written")
    text_digest = _digest(files)
    paths = {
        recipe: folder / f"{_digest_of(f'{text_digest} {recipe!r}').hexdigest()}.safetensors"
        for recipe in recipes
    }
    missing = []
    for recipe, path in paths.items():
        try:
            WordVectors.load(path)
        except InputError:  # there is none, or it is damaged
            missing.append(recipe)
    if missing:
        kinds = {recipe.markers for recipe in missing}
        passages = list(text.passages(files))
        parts = [passages[at : at + _PASSAGES] for at in range(0, len(passages), _PASSAGES)]
        step = progress("Reading the text of word vectors")
        read = list(Workers(jobs).map(_words, parts, kinds, progress=step))
        texts = {kind: [words for part in read for words in part[kind]] for kind in kinds}
        tasks = [(texts[recipe.markers], recipe, paths[recipe]) for recipe in missing]
        list(Workers(jobs).map(_train, tasks, progress=progress("Training word vectors")))
    return paths


def _digest_of(written: str) -> blake2b:
    return blake2b(written.encode(), digest_size=20)


def _digest(files: Sequence[Path]) -> str:
    """Return a digest of everything the text depends on: file names and contents, and our code."""
    versions = f"{FORMAT} {regex.__version__} {require_gensim().__version__}"
    digest = _digest_of(versions)
    for module in (encoding, text, markers, tokens, vector_training):
        digest.update(inspect.getsource(module).encode())
    for file in files:
        try:
            content = file.read_bytes()
        except OSError as error:
            raise InputError(f"{file}: cannot be read ({error.strerror})") from error
        digest.update(f"\0{file.name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _words(
    passages: Sequence[str], kinds: Collection[Markers]
) -> Mapping[Markers, list[list[str]]]:
    return {
        kind: list(filter(None, (text.passage_words(each, kind) for each in passages)))
        for kind in kinds
    }


def _train(task: tuple[list[list[str]], VectorRecipe, Path]) -> None:
    sentences, recipe, path = task
    train(sentences, recipe).save(path)
