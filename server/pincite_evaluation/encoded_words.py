"""Word vectors from a sentence encoder: each word of a text encoded alone.

An encoder trained on text of all fields represents more words, by their pieces, than training on a
few million words of text (`vector_training`). Its vectors are centred and reduced to their
principal components. Word frequencies are counted in the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from pincite.model.problems import InputError

from .baselines.encoders import Encoder
from .progress import Progress, ignored
from .vector_training import TrainedVectors, VectorRecipe

_AT_ONCE = 256


def encoded_words(
    sentences: Iterable[Sequence[str]],
    recipe: VectorRecipe,
    encoder: Encoder,
    progress: Progress = ignored,
) -> TrainedVectors:
    """Return the vectors of the words of `sentences`; `progress` is called with counts of words.

    The recipe's `min_count`, `cased`, `markers` and `dimensions` apply. Numbers are left out: they
    should match only themselves. Raises `InputError` if no word is frequent enough, or for more
    dimensions than the encoder has.
    """
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(sentence if recipe.cased else map(str.lower, sentence))
    words = sorted(
        word for word, count in counts.items() if count >= recipe.min_count and not word.isdigit()
    )
    if not words:
        raise InputError(f"no word of the text occurs {recipe.min_count} times or more")
    parts = []
    for start in range(0, len(words), _AT_ONCE):
        parts.append(encoder.sentences(words[start : start + _AT_ONCE]))
        progress(min(start + _AT_ONCE, len(words)), len(words))
    encoded = np.concatenate(parts).astype(np.float64)
    if recipe.dimensions > encoded.shape[1]:
        raise InputError(f"{encoder.name} has {encoded.shape[1]} dimensions")
    encoded -= encoded.mean(axis=0)
    _, directions = np.linalg.eigh(encoded.T @ encoded)
    metadata = recipe.metadata()
    of_training = ("window", "negative", "epochs", "seed")
    kept = {name: metadata[name] for name in metadata if name not in of_training}
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
