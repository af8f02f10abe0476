"""Skip-gram word vectors from running text (Ricci et al. 2022, section 3 and appendix E).

Training needs gensim; reading a trained model does not.
"""

from __future__ import annotations

import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model.problems import InputError
from .vector_recipe import NEGATIVE, WINDOW, VectorRecipe
from .vectors import UNKNOWN, save

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Called with the fraction of the work that is done, from 0 to 1.
Progress = Callable[[float], None]

NO_GENSIM = 'training word vectors needs gensim: pip install "pincite[vectors]"'

_REPORTED_EVERY = 1000


@dataclass(frozen=True, slots=True)
class TrainedVectors:
    """The result of training: `vectors` is V×D, `counts` the occurrences of each word."""

    words: list[str]
    vectors: npt.NDArray[np.float32]
    counts: list[int]
    metadata: dict[str, str]

    def save(self, path: Path, *, quantise: bool = True, stems: bool = False) -> None:
        """Write the model to `path`, as `vectors.save` does; raise `InputError` if that fails."""
        vectors, counts = self.vectors, self.counts
        save(path, self.words, vectors, counts, self.metadata, quantise=quantise, stems=stems)


def train(
    sentences: Iterable[Sequence[str]],
    recipe: VectorRecipe | None = None,
    progress: Progress | None = None,
    *,
    workers: int = 1,
) -> TrainedVectors:
    """Train on the words of `sentences`, which are read once and kept in memory.

    The sentences must be cased, with or without citation markers as `recipe` says; the rest of the
    recipe is applied here. With one of gensim's `workers`, the same text, recipe and machine give
    the same vectors; more are faster, but not reproducible. Raise `InputError` without gensim, or
    when no word is frequent enough.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise InputError(NO_GENSIM) from error
    recipe = recipe or VectorRecipe()
    corpus = _Passes(_prepared(sentences, recipe))
    model: Any = Word2Vec(
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
        hashfxn=_hash,
    )
    model.build_vocab(corpus)
    words = list(model.wv.index_to_key)
    if not words or words == [UNKNOWN]:
        raise InputError(f"no word of the text occurs {recipe.min_count} times or more")
    corpus.report(progress, recipe.epochs)
    model.train(corpus, total_examples=model.corpus_count, epochs=recipe.epochs)
    return TrainedVectors(
        words=words,
        vectors=model.wv.vectors,
        counts=[int(model.wv.get_vecattr(word, "count")) for word in words],
        metadata={
            "method": "word2vec skip-gram",
            "tokens": str(model.corpus_total_words),
            **recipe.metadata(),
        },
    )


def _prepared(sentences: Iterable[Sequence[str]], recipe: VectorRecipe) -> list[list[str]]:
    """Return the words of `sentences`, preprocessed by the recipe."""
    # One string per word, not per occurrence, saves memory for millions of words.
    prepared = [
        [sys.intern(word if recipe.cased else word.lower()) for word in sentence]
        for sentence in sentences
    ]
    if not recipe.unknown:
        return prepared
    counts = Counter(chain.from_iterable(prepared))
    return [
        [word if counts[word] >= recipe.min_count else UNKNOWN for word in sentence]
        for sentence in prepared
    ]


class _Passes:
    """Sentences for several passes; counts the progress."""

    def __init__(self, sentences: list[list[str]]) -> None:
        self._sentences = sentences
        self._progress: Progress | None = None
        self._total = 1
        self._read = 0

    def report(self, progress: Progress | None, passes: int) -> None:
        """Report to `progress` from now on, with this many passes to come."""
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
