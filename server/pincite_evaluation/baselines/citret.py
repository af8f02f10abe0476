r"""CitRet (Pandey et al. 2022): denoised weighted embeddings, and Word Mover's Distance.

    score = cosine of `SbertMatcher` with both its steps + 1 / (1 + WMD)      (section 3, figure 1)

Word Mover's Distance (Kusner et al. 2015; appendix A.2) is the least cost of moving the words of
one sentence, each with its share, to those of the other: as in gensim's `wmdistance`, over the
Euclidean distances of vectors of length 1, words without a vector left out, solved by POT.

What the paper leaves open: how a distance becomes a similarity; 1 / (1 + distance) is what gensim's
`WmdSimilarity` returns. Where we differ: our word vectors are the packaged ones, theirs Google's of
news; the sum is halved, which makes scores fractions and keeps the order.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from pincite.cancellation import checked
from pincite.matching.top_sentences import best_first
from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper
from pincite.model.results import SupportingSentence

from .encoders import Encoder, needed
from .sbert import Content, EncodedPaper, SbertMatcher, supporting

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """The distinct words of a sentence that have a vector, with their shares (n, sum 1)."""

    vectors: Floats
    shares: Floats

    @classmethod
    def of(cls, words: Sequence[str], vectors: WordVectors) -> Cloud:
        """Count the words of a sentence."""
        counts = Counter(word for word in words if word in vectors)
        shares = np.fromiter(counts.values(), np.float64, len(counts))
        units = vectors.unit(vectors.rows(list(counts))).astype(np.float64)
        return cls(units, shares / max(1.0, shares.sum()))

    def similarity(self, other: Cloud) -> float:
        """Return 1 / (1 + WMD), 0 if there are no words."""
        if not len(self.shares) or not len(other.shares):
            return 0.0
        costs = np.linalg.norm(self.vectors[:, None] - other.vectors[None], axis=2)
        return 1.0 / (1.0 + moved(self.shares, other.shares, costs))


@dataclass(frozen=True, slots=True, eq=False)
class FittedPaper:
    """An encoded paper with the words of each of its sentences."""

    encoded: EncodedPaper
    clouds: tuple[Cloud, ...]


@dataclass(frozen=True, slots=True)
class CitRetMatcher:
    """Matches by the contextual cosine and the similarity of words together."""

    encoder: Encoder
    vectors: WordVectors
    k: int = 3
    n: int = 2
    m: int = 3

    def __post_init__(self) -> None:
        _ = self.sbert
        _solver()

    @property
    def sbert(self) -> SbertMatcher:
        """The contextual half."""
        return SbertMatcher(self.encoder, self.k, self.n, self.m, wce=True, denoise=True)

    def fit(self, paper: ReferencePaper) -> FittedPaper:
        """Encode the sentences of `paper` and look up their words."""
        encoded = self.sbert.fit(paper)
        clouds = (Cloud.of(content.words, self.vectors) for content in encoded.contents)
        return FittedPaper(encoded, tuple(clouds))

    def match(
        self, citance: str, fitted: FittedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the best `number` (K) sentences, those with a positive score only."""
        cloud = Cloud.of(Content.of(citance).words, self.vectors)
        similar = [cloud.similarity(other) for other in checked(fitted.clouds)]
        scores = (self.sbert.cosines(citance, fitted.encoded) + np.asarray(similar)) / 2
        chosen = best_first(scores, self.k if number is None else number)
        return supporting(citance, fitted.encoded, chosen)


def moved(ours: Floats, theirs: Floats, costs: Floats) -> float:
    """Return the Word Mover's Distance for shares (n, m) of words and their distances (n×m)."""
    return max(0.0, float(_solver()(ours, theirs, np.ascontiguousarray(costs))))


@cache
def _solver() -> Callable[[Floats, Floats, Floats], float]:
    # Otherwise POT imports every installed tensor library to detect which one is used.
    for library in ("PYTORCH", "JAX", "CUPY", "TENSORFLOW"):
        os.environ.setdefault(f"POT_BACKEND_DISABLE_{library}", "1")
    solve: Callable[[Floats, Floats, Floats], float] = needed("ot").emd2
    return solve
