"""Skip-gram word vectors from running text (Ricci et al. 2022, section 3 and appendix E).

Needs gensim, which reading a trained model does not.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model.problems import InputError
from .vectors import save

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Told how much of the work is done, from 0 to 1.
Progress = Callable[[float], None]

_REPORTED_EVERY = 1000


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Ricci et al. (2022) where they say: skip-gram, 300 dimensions; else gensim's defaults.

    `min_count` and `epochs` fit a text of some millions of words, less than a tenth of the paper's.
    """

    dimensions: int = 300
    window: int = 5
    negative: int = 5
    min_count: int = 10
    epochs: int = 10
    seed: int = 1
    #: More than one is faster, and gives other vectors every time.
    workers: int = 1


@dataclass(frozen=True, slots=True)
class TrainedVectors:
    """What training gives: `vectors` is V×D, `counts` the occurrences of each word."""

    words: list[str]
    vectors: npt.NDArray[np.float32]
    counts: list[int]
    metadata: dict[str, str]

    def save(self, path: Path, *, quantise: bool = True) -> None:
        """Write the model to `path`; raise `InputError` if that fails."""
        save(path, self.words, self.vectors, self.counts, self.metadata, quantise=quantise)


def train(
    sentences: Iterable[Sequence[str]],
    settings: TrainingSettings | None = None,
    progress: Progress | None = None,
) -> TrainedVectors:
    """Train on the words of `sentences`, which are read once and kept in memory.

    The same text, settings and machine give the same vectors with one worker. Raise `InputError`
    without gensim, or when no word is frequent enough.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise InputError(
            'training word vectors needs gensim: pip install "pincite[vectors]"'
        ) from error
    settings = settings or TrainingSettings()
    # One string per word, not per occurrence, keeps millions of words in little memory.
    corpus = _Passes([[sys.intern(word) for word in sentence] for sentence in sentences])
    model: Any = Word2Vec(
        vector_size=settings.dimensions,
        window=settings.window,
        negative=settings.negative,
        min_count=settings.min_count,
        epochs=settings.epochs,
        seed=settings.seed,
        workers=settings.workers,
        sg=1,
        # The built-in hash of a string differs from process to process.
        hashfxn=_hash,
    )
    model.build_vocab(corpus)
    if not len(model.wv):
        raise InputError(f"no word of the text occurs {settings.min_count} times or more")
    corpus.report(progress, settings.epochs)
    model.train(corpus, total_examples=model.corpus_count, epochs=settings.epochs)
    words = list(model.wv.index_to_key)
    return TrainedVectors(
        words=words,
        vectors=model.wv.vectors,
        counts=[int(model.wv.get_vecattr(word, "count")) for word in words],
        metadata={
            "method": "word2vec skip-gram",
            "tokens": str(model.corpus_total_words),
            "dimensions": str(settings.dimensions),
            "window": str(settings.window),
            "negative": str(settings.negative),
            "min_count": str(settings.min_count),
            "epochs": str(settings.epochs),
            "seed": str(settings.seed),
        },
    )


class _Passes:
    """Sentences to be gone through several times, counting what has been read."""

    def __init__(self, sentences: list[list[str]]) -> None:
        self._sentences = sentences
        self._progress: Progress | None = None
        self._total = 1
        self._read = 0

    def report(self, progress: Progress | None, passes: int) -> None:
        """Tell `progress` from now on, of so many passes to come."""
        self._progress = progress
        self._total = max(1, passes * len(self._sentences))

    def __iter__(self) -> Iterator[list[str]]:
        for sentence in self._sentences:
            yield sentence
            if self._progress is not None:
                self._read += 1
                if self._read % _REPORTED_EVERY == 0 or self._read == self._total:
                    self._progress(self._read / self._total)


def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
