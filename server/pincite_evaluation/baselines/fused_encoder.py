"""`fused` with a transformer as additional evidence; needs the extra `transformers`.

The cosine of the sentence's and the citance's vectors is one more feature. Encoding a paper takes a
second or two, so this is not the default.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pincite.matching.fused import FusedMatcher
from pincite.matching.sentence_features import SentenceEncoder

from .encoders import Encoder, Floats


@dataclass(frozen=True, slots=True)
class EncodedFusedMatcher(FusedMatcher):
    """A `FusedMatcher` that also uses the vectors of an `encoder`."""

    encoder: SentenceEncoder = field(default_factory=Encoder.empty)


class RememberingEncoder:
    """A caching encoder, for evaluations that read papers many times."""

    def __init__(self, encoder: SentenceEncoder) -> None:
        self._encoder = encoder
        self._known: dict[str, Floats] = {}

    def sentences(self, texts: Sequence[str]) -> Floats:
        """Return a vector for each of n texts (n×D)."""
        if not texts:
            return self._encoder.sentences(texts)
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        if new:
            self._known.update(zip(new, self._encoder.sentences(new), strict=True))
        return np.stack([self._known[text] for text in texts])
