"""Word vectors from English text: skip-gram (Ricci et al. 2022, section 3, appendix E), or encoded.

Text is read from papers in the S2ORC schema (JSON, or JSON lines), CL-SciSumm XML, plain text and
Markdown, each also compressed (`.gz`), and folders of them; JATS and TEI, LaTeX with its includes,
PDFs, and the titles and abstracts of bibliographies. A passage is a sentence of CL-SciSumm and of
papers, an entry, or otherwise a paragraph. Training needs gensim; reading a trained model does not.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import json
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

from pincite.matching.vectors import FORMAT, UNKNOWN, Array, stem
from pincite.model.problems import InputError
from pincite.parsing.bibtex import parse_bibliography
from pincite.parsing.encoding import decoded
from pincite.parsing.papers import read_paper
from pincite.text.markers import Markers, without_markers
from pincite.text.tokens import words
from pincite.whole_files import write_model

from .collection import suffix
from .corpora.scisumm import SOFT_HYPHEN
from .parameters import Checked
from .processes import Progress, imported, step, tracked

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
    """Yield the words of each passage that has any, with citation markers removed or kept.

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
            raise InputError(
                f"{path}: expected .json, .jsonl, .xml, .txt or .md (also .gz), .tex, .pdf or .bib"
            )
        return [path]
    return [
        file
        for file in sorted(path.rglob("*"))
        if suffix(file) in _IN_FOLDERS
        and not _ADDED_FOLDERS.intersection(file.relative_to(path).parts)
        and file.is_file()
    ]


def _papers(file: Path) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the papers of a file, each an id and its passages."""
    kind = suffix(file)
    if kind == ".jsonl":
        for number, line in enumerate(_text(file).split("\n"), start=1):
            if line.strip():
                yield from _s2orc(line, f"{file}:{number}")
    elif kind == ".json":
        yield from _s2orc(_text(file), str(file))
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
        return "\n".join(decoded(line).text for line in read.split(b"\n"))
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{file}: cannot be read ({error})") from error


def _s2orc(text: str, place: str) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the one paper that S2ORC JSON describes; nothing for JSON of another schema."""
    try:
        paper = json.loads(text)
    except ValueError as error:
        raise InputError(f"{place}: not JSON ({error})") from error
    parsed = paper
    if isinstance(paper, dict):
        parsed = paper.get("pdf_parse") or paper.get("latex_parse") or paper
    if isinstance(parsed, dict) and "body_text" in parsed:
        abstract = parsed.get("abstract") or paper.get("abstract") or []
        if isinstance(abstract, str):
            abstract = [{"text": abstract}]
        passages = [*abstract, *(parsed["body_text"] or [])]
        yield (
            str(paper.get("paper_id") or place),
            (str(passage["text"]) for passage in passages if "text" in passage),
        )


#: gensim's defaults, as the paper does not say.
WINDOW = 5
NEGATIVE = 5
#: Words that are encoded at once.
_AT_ONCE = 256
#: Sentences between two calls of `progress`.
_REPORTED_EVERY = 1000


@dataclass(frozen=True, slots=True)
class VectorRecipe(Checked):
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

    def _metadata(self) -> dict[str, str]:
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
    """Train on the words of `sentences`, which are read once and kept in memory."""
    gensim = require_gensim()
    recipe = recipe or VectorRecipe()
    corpus = _Passes(_prepared(sentences, recipe), recipe.epochs + 1, step("Training"))
    model = gensim.models.Word2Vec(
        vector_size=recipe.dimensions,
        window=WINDOW,
        negative=NEGATIVE,
        # Rare words have been merged into one, which is kept however rare it is.
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
    return TrainedVectors(
        words=words,
        vectors=model.wv.vectors,
        counts=[int(model.wv.get_vecattr(word, "count")) for word in words],
        metadata={
            "method": "word2vec skip-gram",
            "tokens": str(model.corpus_total_words),
            **recipe._metadata(),
        },
    )


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
    kept = {name: value for name, value in recipe._metadata().items() if name not in of_training}
    return TrainedVectors(
        words=words,
        vectors=(encoded @ directions[:, : -recipe.dimensions - 1 : -1]).astype(np.float32),
        counts=[counts[word] for word in words],
        metadata={
            "method": f"{encoder.name} of each word, principal components",
            "tokens": str(counts.total()),
            **kept,
        },
    )


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
            if self.read % _REPORTED_EVERY == 0 or self.read == total:
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
