r"""CitRet (Pandey et al. 2022): denoised weighted embeddings, and Word Mover's Distance.

    score = cosine of `SbertMatcher` with both its steps + 1 / (1 + WMD)      (section 3, figure 1)

Word Mover's Distance (Kusner et al. 2015; appendix A.2) is the least cost of moving the words of
one sentence, each with its share, to those of the other: as in gensim's `wmdistance`, over the
Euclidean distances of vectors of length 1, words without a vector left out, solved by POT.

What the paper leaves open: how a distance becomes a similarity; 1 / (1 + distance) is what gensim's
`WmdSimilarity` returns. Where we differ: our word vectors are the packaged ones, theirs Google's of
news; the sum is halved, which makes scores fractions and keeps the order. Only sentences that can
still be among the best are solved exactly, which does not change the result: the relaxed distance
(Kusner et al., section 4) is a lower bound of the exact one.
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
Rows = npt.NDArray[np.int64]
Indices = npt.NDArray[np.intp]

#: Tolerance for rounding errors when bounds are compared with exact distances.
_SLACK = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """The distinct words of a sentence that have a vector: rows (n) and shares (n, sum 1)."""

    rows: Rows
    shares: Floats

    @staticmethod
    def of(words: Sequence[str], vectors: WordVectors) -> Cloud:
        """Count the words of a sentence."""
        counts = Counter(word for word in words if word in vectors)
        shares = np.fromiter(counts.values(), np.float64, len(counts))
        return Cloud(vectors.rows(list(counts)), shares / max(1.0, shares.sum()))


@dataclass(frozen=True, slots=True, eq=False)
class FittedPaper:
    """An encoded paper with the words of its S sentences as clouds.

    `vectors` (V×D) are those of its words; for the N words of all sentences, `columns` (N) are
    their rows in `vectors` and `shares` (N) their shares of the sentence. Those of sentence
    `filled[i]` begin at `starts[i]`; the other sentences have no word with a vector.
    """

    encoded: EncodedPaper
    vectors: npt.NDArray[np.float32]
    columns: Indices
    shares: Floats
    filled: Indices
    starts: Indices


@dataclass(frozen=True, slots=True)
class CitRetMatcher:
    """Matches by the contextual cosine and the similarity of words together.

    `n`, `m` and `k` are as in `SbertMatcher`. Raises `InputError` for numbers out of range, or if
    POT is not installed.
    """

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
        clouds = [Cloud.of(content.words, self.vectors) for content in encoded.contents]
        filled = [index for index, cloud in enumerate(clouds) if len(cloud.rows)]
        rows = np.concatenate([np.zeros(0, np.int64), *(cloud.rows for cloud in clouds)])
        distinct, columns = np.unique(rows, return_inverse=True)
        sizes = [len(clouds[index].rows) for index in filled]
        return FittedPaper(
            encoded=encoded,
            vectors=self.vectors.unit(distinct),
            columns=columns,
            shares=np.concatenate([np.zeros(0), *(cloud.shares for cloud in clouds)]),
            filled=np.asarray(filled, np.intp),
            starts=np.cumsum([0, *sizes], dtype=np.intp)[:-1],
        )

    def match(
        self, citance: str, fitted: FittedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the best `number` (K) sentences, those with a positive score only.

        The content words that they share with the citance are marked.
        """
        wanted = max(0, self.k if number is None else number)
        content = Content.of(citance)
        if not content.words:
            return []
        scores = np.asarray(self.sbert.cosines(citance, fitted.encoded), np.float64)
        scores = self._added(scores, Cloud.of(content.words, self.vectors), fitted, wanted)
        return supporting(citance, fitted.encoded, best_first(scores / 2, wanted))

    def _added(self, cosines: Floats, cloud: Cloud, fitted: FittedPaper, wanted: int) -> Floats:
        """Return cosines (S) plus the similarity of words, exact for the best `wanted`."""
        if not len(cloud.rows) or not len(fitted.filled) or not wanted:
            return cosines
        distances = [
            np.linalg.norm(fitted.vectors - word, axis=1)
            for word in self.vectors.unit(cloud.rows).astype(np.float64)
        ]
        costs = np.stack(distances)[:, fitted.columns]
        bounds = cosines[fitted.filled] + 1.0 / (1.0 + relaxed(cloud.shares, costs, fitted))
        scores: Floats = cosines.copy()
        scores[fitted.filled] = bounds
        ends = np.append(fitted.starts[1:], len(fitted.columns))
        # Sentences without a cloud already have their score.
        best = np.sort(np.delete(scores, fitted.filled))[-wanted:].tolist()
        for place in checked(np.argsort(-bounds, kind="stable").tolist()):
            index = fitted.filled[place]
            own = slice(fitted.starts[place], ends[place])
            if len(best) == wanted and bounds[place] < best[0] - _SLACK:
                # Its upper bound is below the exact scores of enough other sentences.
                break
            distance = moved(cloud.shares, fitted.shares[own], costs[:, own])
            scores[index] = cosines[index] + 1.0 / (1.0 + distance)
            best = sorted([*best, scores[index]])[-wanted:]
        return scores


def moved(ours: Floats, theirs: Floats, costs: Floats) -> float:
    """Return the Word Mover's Distance for shares (n, m) of words and their distances (n×m)."""
    return max(0.0, float(_solver()(ours, theirs, np.ascontiguousarray(costs))))


def relaxed(ours: Floats, costs: Floats, fitted: FittedPaper) -> Floats:
    """Return the relaxed distance to each sentence that has words, a lower bound of the exact one.

    Every word moves entirely to its nearest counterpart; the larger of both directions counts.
    `costs` (n×N) are the distances of the citance's words, with shares `ours` (n), to all words.
    """
    there = ours @ np.minimum.reduceat(costs, fitted.starts, axis=1)
    back = np.add.reduceat(fitted.shares * costs.min(axis=0), fitted.starts)
    bounds: Floats = np.maximum(there, back)
    return bounds


@cache
def _solver() -> Callable[[Floats, Floats, Floats], float]:
    # Otherwise POT imports every installed tensor library to detect which one is used.
    for library in ("PYTORCH", "JAX", "CUPY", "TENSORFLOW"):
        os.environ.setdefault(f"POT_BACKEND_DISABLE_{library}", "1")
    solve: Callable[[Floats, Floats, Floats], float] = needed("ot").emd2
    return solve
