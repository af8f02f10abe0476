"""Word vectors from English text: skip-gram (Ricci et al. 2022, section 3, appendix E), or encoded.

Text is read from papers in the S2ORC schema (JSON, or JSON lines), CL-SciSumm XML, plain text and
Markdown, each also compressed (`.gz`), and folders of them; JATS and TEI, LaTeX with its includes,
PDFs, and the titles and abstracts of bibliographies. A passage is a sentence of CL-SciSumm and of
papers, an entry, or otherwise a paragraph. Training needs gensim; reading a trained model does not.

Ricci et al. train on 86 M words of the ACL Anthology; for the evaluation, we on CL-SciSumm's
training papers and the papers citing them, 7 M words. So a row of their Table 3 that changes the
text (citation markers, case, rare words) must be compared with one trained on the same text, not
with the packaged vectors. Trained vectors are cached in the user's cache folder.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import os
import sys
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
import regex
import safetensors.numpy

from pincite.library.index import default_index_path
from pincite.matching.vectors import FORMAT, UNKNOWN, Array, WordVectors, stem
from pincite.model.problems import InputError
from pincite.parsing import encoding
from pincite.parsing.bibtex import parse_bibliography
from pincite.parsing.papers import read_paper
from pincite.text import markers as citation_markers
from pincite.text import tokens
from pincite.text.markers import Markers, without_markers
from pincite.text.tokens import words
from pincite.whole_files import write_model

from .collection import files_of, suffix
from .corpora.scisumm import SOFT_HYPHEN
from .processes import Progress, Workers, imported, step, tracked
from .training import digest

#: The files of a folder that are read.
_IN_FOLDERS = frozenset({".json", ".jsonl", ".xml", ".txt", ".md"})
_PAPERS = frozenset({".xml", ".nxml", ".tei", ".tex", ".ltx", ".pdf"})
#: Annotations and summaries of CL-SciSumm are not text of a paper.
_ADDED_FOLDERS = frozenset({"annotation", "summary"})

#: CL-SciSumm's XML is often malformed, its sentences hardly ever; bounds keep this linear.
_XML_SENTENCE = regex.compile(r"<S\b[^<>]{0,500}>([^<]*+)")
#: The elements of JATS and TEI.
_ARTICLE = regex.compile(r"<(?:article|TEI)\b")
_BLANK_LINE = regex.compile(r"\n[^\S\n]*+\n")


def sentences(
    paths: Iterable[Path],
    exclude: Collection[str] = frozenset(),
    markers: Markers = "remove",
    *,
    only: Collection[str] | None = None,
) -> Iterator[list[str]]:
    """Yield the words of each passage that has any, with citation markers removed or read as words.

    Each paper is read once. Names in `exclude` and `only` are ids, files or folders.
    """
    excluded, seen = frozenset(exclude), set(exclude)
    for path in paths:
        for file in _files(path):
            named = {file.stem, file.parent.name}
            if not excluded.isdisjoint(named):
                continue
            for identity, found in _papers(file):
                wanted = only is None or not named.union({identity}).isdisjoint(only)
                if wanted and identity not in seen:
                    seen.add(identity)
                    yield from filter(None, (_words(passage, markers) for passage in found))


def _words(passage: str, markers: Markers) -> list[str]:
    text = SOFT_HYPHEN.sub("", passage)
    found = words(without_markers(text) if markers == "remove" else text)
    # One string per word, not per occurrence, saves memory for millions of words.
    return [sys.intern(word) for word in found]


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        if suffix(path) not in _IN_FOLDERS | _PAPERS | {".bib"}:
            kinds = ".json, .jsonl, .xml, .txt or .md (also .gz), .tex, .pdf or .bib"
            raise InputError(f"{path}: expected {kinds}")
        return [path]
    return files_of(
        path,
        lambda file: (
            suffix(file) in _IN_FOLDERS
            and not _ADDED_FOLDERS.intersection(file.relative_to(path).parts)
        ),
    )


def _papers(file: Path) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the papers of a file, each an id and its passages."""
    kind = suffix(file)
    if kind in (".json", ".jsonl"):
        texts = _text(file).split("\n") if kind == ".jsonl" else [_text(file)]
        for number, text in enumerate(texts, start=1):
            if text.strip() or kind == ".json":
                yield from _s2orc(text, f"{file}:{number}" if kind == ".jsonl" else str(file))
    elif kind == ".xml" and not _ARTICLE.search(text := _text(file)):
        yield (
            file.name.split(".")[0],
            # Some files are escaped twice: "&amp;quot;".
            (html.unescape(html.unescape(found)) for found in _XML_SENTENCE.findall(text)),
        )
    elif kind in _PAPERS:
        try:
            paper = read_paper(file)
        except InputError as error:
            raise InputError(f"{file}: {error}") from error
        yield str(file), (sentence.text for sentence in paper.sentences)
    elif kind == ".bib":
        entries = parse_bibliography(_text(file), file).entries.values()
        yield str(file), (f"{entry.title}. {entry.abstract}" for entry in entries)
    else:
        text = _text(file)
        yield hashlib.sha256(text.encode()).hexdigest(), iter(_BLANK_LINE.split(text))


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
        read = gzip.decompress(data) if file.suffix.lower() == ".gz" else data
        # Some files of CL-SciSumm have lines in other encodings.
        return "\n".join(encoding.decoded(line).text for line in read.split(b"\n"))
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{file}: cannot be read ({error})") from error


def _s2orc(text: str, place: str) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the one paper that S2ORC JSON describes; nothing for JSON of another schema."""
    try:
        paper = json.loads(text)
    except ValueError as error:
        raise InputError(f"{place}: not JSON ({error})") from error
    if not isinstance(paper, dict):
        return
    parsed = paper.get("pdf_parse") or paper.get("latex_parse") or paper
    if isinstance(parsed, dict) and "body_text" in parsed:
        abstract = parsed.get("abstract") or paper.get("abstract") or []
        if isinstance(abstract, str):
            abstract = [{"text": abstract}]
        passages = [*abstract, *(parsed["body_text"] or [])]
        texts = (str(passage["text"]) for passage in passages if "text" in passage)
        yield str(paper.get("paper_id") or place), texts


#: gensim's defaults, as the paper does not say.
WINDOW = 5
NEGATIVE = 5
#: Words that are encoded at once.
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class VectorRecipe:
    """How vectors are trained: the choices of Ricci et al. (2022), and the variants of Table 3.

    With `unknown` (appendix C.1), all words that occur less than `min_count` times (theirs: 35) are
    one word. `min_count` and `epochs` suit a tenth of the paper's text.
    """

    min_count: int = 10
    cased: bool = True
    markers: Markers = "remove"
    unknown: bool = False
    epochs: int = 10
    dimensions: int = 300
    seed: int = 1

    @property
    def metadata(self) -> dict[str, str]:
        """What a file records of its training: numbers, and choices that are not the defaults."""
        names = ("dimensions", "window", "negative", "min_count", "epochs", "seed")
        values = {**asdict(self), "window": WINDOW, "negative": NEGATIVE}
        changed = [field.name for field in fields(self) if values[field.name] != field.default]
        # Numbers are always recorded.
        return {name: str(values[name]).lower() for name in dict.fromkeys((*names, *changed))}


class TrainedVectors(NamedTuple):
    """What `save` writes: `vectors` is V×D, `counts` the occurrences of each word."""

    words: list[str]
    vectors: npt.NDArray[np.float32]
    counts: list[int]
    metadata: dict[str, str]


def require_gensim() -> Any:  # noqa: ANN401
    """Return gensim; raises `InputError` where it is missing."""
    needs = 'training word vectors needs gensim: pip install "pincite[vectors]"'
    return imported(needs, "gensim", "gensim.models")[0]


def train(
    sentences: Iterable[Sequence[str]],
    recipe: VectorRecipe | None = None,
    *,
    workers: int = 1,
) -> TrainedVectors:
    """Train on the words of `sentences`, which are read once and stay in memory."""
    gensim = require_gensim()
    recipe = recipe or VectorRecipe()
    corpus = _Passes(_prepared(sentences, recipe), recipe.epochs + 1, step("Training"))
    model = gensim.models.Word2Vec(
        vector_size=recipe.dimensions,
        window=WINDOW,
        negative=NEGATIVE,
        # Rare words have been merged into one, which stays however rare it is.
        min_count=1 if recipe.unknown else recipe.min_count,
        epochs=recipe.epochs,
        seed=recipe.seed,
        workers=workers,
        sg=1,
        # The built-in hash of strings differs between processes.
        hashfxn=lambda word: zlib.crc32(word.encode("utf-8", "surrogatepass")),
    )
    model.build_vocab(corpus)
    words = list(model.wv.index_to_key)
    if not words or words == [UNKNOWN]:
        raise InputError(f"no word of the text occurs {recipe.min_count} times or more")
    model.train(corpus, total_examples=model.corpus_count, epochs=recipe.epochs)
    counts = [int(model.wv.get_vecattr(word, "count")) for word in words]
    made = {"method": "word2vec skip-gram", "tokens": str(model.corpus_total_words)}
    return TrainedVectors(words, model.wv.vectors, counts, {**made, **recipe.metadata})


def encoded_words(
    sentences: Iterable[Sequence[str]],
    recipe: VectorRecipe,
    encoder: Any,  # noqa: ANN401
) -> TrainedVectors:
    """Return the vectors that a sentence encoder gives each word of `sentences` alone."""
    cased = sentences if recipe.cased else (map(str.lower, each) for each in sentences)
    counts = Counter(chain.from_iterable(cased))
    words = sorted(
        word for word, count in counts.items() if count >= recipe.min_count and not word.isdigit()
    )
    if not words:
        raise InputError(f"no word of the text occurs {recipe.min_count} times or more")
    starts = range(0, len(words), _AT_ONCE)
    parts = [
        encoder.sentences(words[start : start + _AT_ONCE])
        for start in tracked(starts, "Encoding words", len(starts))
    ]
    encoded = np.concatenate(parts).astype(np.float64)
    if recipe.dimensions > encoded.shape[1]:
        raise InputError(f"{encoder.name} has {encoded.shape[1]} dimensions")
    encoded -= encoded.mean(axis=0)
    _, directions = np.linalg.eigh(encoded.T @ encoded)
    of_training = ("window", "negative", "epochs", "seed")
    own = {name: value for name, value in recipe.metadata.items() if name not in of_training}
    method = f"{encoder.name} of each word, principal components"
    metadata = {"method": method, "tokens": str(counts.total()), **own}
    vectors = (encoded @ directions[:, : -recipe.dimensions - 1 : -1]).astype(np.float32)
    return TrainedVectors(words, vectors, [counts[word] for word in words], metadata)


def _prepared(sentences: Iterable[Sequence[str]], recipe: VectorRecipe) -> list[list[str]]:
    # One string per word, not per occurrence, saves memory for millions of words.
    prepared = [
        [sys.intern(word if recipe.cased else word.lower()) for word in sentence]
        for sentence in sentences
    ]
    if recipe.unknown:
        counts = Counter(chain.from_iterable(prepared))
        rare = {word for word, count in counts.items() if count < recipe.min_count}
        prepared = [[UNKNOWN if word in rare else word for word in each] for each in prepared]
    return prepared


@dataclass(slots=True)
class _Passes:
    sentences: list[list[str]]
    passes: int
    progress: Progress
    read: int = 0

    def __iter__(self) -> Iterator[list[str]]:
        total = self.passes * len(self.sentences)
        for sentence in self.sentences:
            yield sentence
            self.read += 1
            if self.read % 1000 == 0 or self.read == total:
                self.progress(self.read, total)


def save(
    path: Path,
    words: Sequence[str],
    vectors: npt.ArrayLike,
    counts: Sequence[int],
    metadata: Mapping[str, str],
    *,
    quantise: bool = True,
    stems: bool = False,
) -> None:
    """Write a model and replace `path` atomically; words are sorted by descending count.

    Vectors (V×D) are stored as signed bytes with one scale each, or in 32 bits without `quantise`.
    With `stems`, forms that are not in the vocabulary get the vector of a word with the same stem.
    """
    order: list[int] = sorted(range(len(words)), key=lambda row: (-counts[row], words[row]))
    matrix = np.asarray(vectors, np.float32)[order]
    tensors: dict[str, Array] = {
        "scales": np.ones(len(words), np.float32),
        "counts": np.array([counts[row] for row in order], np.uint32),
        "vectors": matrix,
        "words": _joined([words[row] for row in order]),
    }
    if quantise:
        scales = np.abs(matrix).max(axis=1, initial=0.0) / 127
        divisor = np.where(scales > 0, scales, 1)[:, None]
        tensors |= {"scales": scales, "vectors": np.rint(matrix / divisor).astype(np.int8)}
    if stems:
        by_stem: dict[str, int] = {}
        for row, position in enumerate(order):
            by_stem.setdefault(stem(words[position].lower()), row)
        tensors["stem_rows"] = np.array(list(by_stem.values()), np.uint32)
        tensors["stems"] = _joined(list(by_stem))
    written = safetensors.numpy.save(tensors, {**metadata, "format": FORMAT})
    # The metadata has no order of its own.
    end = 8 + int.from_bytes(written[:8], "little")
    header = msgspec.json.encode(msgspec.json.decode(written[8:end]), order="deterministic")
    write_model(path, [written[:8], header.ljust(end - 8), written[end:]])


def _joined(words: Sequence[str]) -> Array:
    return np.frombuffer("\n".join(words).encode(), np.uint8)


#: Other folders contain the same papers again, for other tasks. No test set is read.
_TRAINING_PAPERS = Path("Training-Set-2019", "Task1")
_PAPER_FOLDERS = frozenset({"Reference_XML", "Citance_XML"})


def train_vectors(
    corpus: Path, recipes: Sequence[VectorRecipe], jobs: int = 1
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
        contents = [part for file in files for part in (file.name.encode(), file.read_bytes())]
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}") from error
    if not os.access(folder, os.W_OK):
        # Fail before minutes of training, not after them.
        raise InputError(f"{folder}: cannot be written")
    code = encoding, citation_markers, tokens, sys.modules[__name__]
    versions = f"{FORMAT} {regex.__version__} {require_gensim().__version__}"
    paths: dict[VectorRecipe, Path] = {}
    missing = []
    for recipe in recipes:
        name = digest(code, f"{versions} {recipe!r}".encode(), *contents)
        paths[recipe] = folder / f"{name}.safetensors"
        try:
            WordVectors.load(paths[recipe])
        except InputError:  # there is none, or it is damaged
            missing.append(recipe)
    kinds = sorted({recipe.markers for recipe in missing})
    steps = tracked(kinds, "Reading the text of word vectors", len(kinds)) if kinds else ()
    texts = {kind: list(sentences(files, markers=kind)) for kind in steps}
    tasks = [(texts[recipe.markers], recipe, paths[recipe]) for recipe in missing]
    if tasks:
        list(Workers(jobs).map(_train, tasks, name="Training word vectors"))
    return paths


def _train(task: tuple[list[list[str]], VectorRecipe, Path]) -> None:
    texts, recipe, path = task
    save(path, *train(texts, recipe))
