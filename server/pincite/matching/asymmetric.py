r"""Asymmetric partial sentence matching (Ricci et al. 2022, section 2).

    sim(S_q, S_c) = \sum_{w_q} W(w_q) \max_{w_c} \sigma(\cos(w_q, w_c))        (equation 1)
    W(w) = \alpha / (\alpha + p(w))                                            (equation 2)
    \sigma(x) = x^d, negative cosines count as 0                               (equation 3)

Where we differ from the paper: scores are divided by the sum of the weights, so that they are
the covered fraction of the citance (the order of sentences stays the same); a word without a
vector matches itself exactly, instead of sharing one vector with all other rare words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..model.papers import ReferencePaper
from ..model.results import SupportingSentence
from ..model.spans import TextSpan
from ..settings import MatchingSettings
from ..text.markers import without_markers
from ..text.tokens import composed, stop_words, word_spans
from .vectors import WordVectors

Floats = npt.NDArray[np.float32]

#: A word is marked as matched from this scaled similarity on: a cosine of 0.71 at d = 4.
_MARKED_FROM = 0.25
#: Words of references in running text ("Salton et al."), which tell nothing.
_OF_REFERENCES = frozenset({"et", "al"})


@dataclass(frozen=True, slots=True)
class FittedPaper:
    """A paper's words, ready for matching.

    `columns` lists, sentence after sentence, the index of each word in `vocabulary`; sentence
    ``positions[i]`` of the paper owns those from ``starts[i]`` on, and `spans` says where they
    stand in its text. `vectors` has one unit vector per word of the vocabulary, zero where the
    model has none.
    """

    paper: ReferencePaper
    vocabulary: dict[str, int]
    lowered: dict[str, list[int]]
    vectors: Floats
    columns: npt.NDArray[np.intp]
    starts: npt.NDArray[np.intp]
    positions: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]


class AsymmetricMatcher:
    """Matches by how well a sentence's words cover the words of the citance."""

    def __init__(self, vectors: WordVectors, settings: MatchingSettings | None = None) -> None:
        self.vectors = vectors
        self.settings = settings or MatchingSettings()

    def fit(self, paper: ReferencePaper) -> FittedPaper:
        """Index the first `max_words` words of every sentence of `paper`."""
        vocabulary: dict[str, int] = {}
        columns: list[int] = []
        starts: list[int] = []
        positions: list[int] = []
        spans: list[tuple[int, int]] = []
        for position, sentence in enumerate(paper.sentences):
            text = without_markers(sentence.text)
            found = list(word_spans(text))[: self.settings.max_words]
            if not found:
                continue
            positions.append(position)
            starts.append(len(columns))
            spans.extend(found)
            columns.extend(
                vocabulary.setdefault(composed(text[start:end]), len(vocabulary))
                for start, end in found
            )
        lowered: dict[str, list[int]] = {}
        for word, column in vocabulary.items():
            lowered.setdefault(word.lower(), []).append(column)
        return FittedPaper(
            paper=paper,
            vocabulary=vocabulary,
            lowered=lowered,
            vectors=self._unit_vectors(list(vocabulary)),
            columns=np.asarray(columns, dtype=np.intp),
            starts=np.asarray(starts, dtype=np.intp),
            positions=tuple(positions),
            spans=tuple(spans),
        )

    def match(
        self, citance: str, fitted: FittedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the best `number` (K) sentences that share anything with the citance."""
        number = self.settings.sentences if number is None else number
        counts = self._query(citance)
        if not counts or not fitted.positions or number < 1:
            return []
        query = list(counts)
        similarities = self._similarities(query, fitted)
        weights = self._weights(query) * np.fromiter(counts.values(), np.float64, len(counts))
        covered = np.maximum.reduceat(similarities[:, fitted.columns], fitted.starts, axis=1)
        scores = weights @ covered / weights.sum()
        supporting: list[SupportingSentence] = []
        marked = self._marked(query, similarities)
        for index in np.argsort(-np.round(scores, 12), kind="stable").tolist():
            if len(supporting) == number or scores[index] <= 0.0:
                break
            spans = self._matched_spans(fitted, index, marked)
            if spans:
                sentence = fitted.paper.sentences[fitted.positions[index]]
                supporting.append(
                    SupportingSentence(
                        text=sentence.text,
                        score=float(scores[index]),
                        matched=spans,
                        page=sentence.page,
                        page_label=sentence.page_label,
                        section=sentence.section,
                        position=fitted.positions[index],
                    )
                )
        return supporting

    def _query(self, citance: str) -> Counter[str]:
        text = without_markers(citance)
        found = list(word_spans(text))[: self.settings.max_words]
        return Counter(composed(text[start:end]) for start, end in found)

    def _weights(self, query: Sequence[str]) -> npt.NDArray[np.float64]:
        alpha = self.settings.alpha
        probabilities = np.asarray(self.vectors.probability(query), dtype=np.float64)
        weights: npt.NDArray[np.float64] = alpha / (alpha + probabilities)
        return weights

    def _unit_vectors(self, listed: Sequence[str]) -> Floats:
        return np.asarray(self.vectors.unit(self.vectors.rows(listed)), dtype=np.float32)

    def _similarities(self, query: Sequence[str], fitted: FittedPaper) -> Floats:
        """Return the scaled similarity of each query word to each word of the paper."""
        cosines = np.clip(self._unit_vectors(query) @ fitted.vectors.T, 0.0, 1.0)
        scaled: Floats = np.power(cosines, np.float32(self.settings.power))
        unknown = self.vectors.rows(query) < 0
        for row, word in enumerate(query):
            column = fitted.vocabulary.get(word)
            if column is not None:
                scaled[row, column] = 1.0
            if unknown[row]:
                # Without a vector, the same word in another case is still the same word.
                scaled[row, fitted.lowered.get(word.lower(), [])] = 1.0
        return scaled

    def _marked(self, query: Sequence[str], similarities: Floats) -> npt.NDArray[np.bool_]:
        """Return which words of the paper are worth marking for this query."""
        stopped = stop_words()
        telling = [
            row
            for row, word in enumerate(query)
            if word.lower() not in stopped
            and word.lower() not in _OF_REFERENCES
            and (len(word) > 1 or not word.isascii())
        ]
        return np.asarray((similarities[telling] >= _MARKED_FROM).any(axis=0))

    def _matched_spans(
        self, fitted: FittedPaper, index: int, marked: npt.NDArray[np.bool_]
    ) -> tuple[TextSpan, ...]:
        start = int(fitted.starts[index])
        last = index + 1 == len(fitted.starts)
        end = len(fitted.columns) if last else int(fitted.starts[index + 1])
        merged: list[TextSpan] = []
        for place in range(start, end):
            if not marked[fitted.columns[place]]:
                continue
            first, stop = fitted.spans[place]
            # Pairs of characters in unspaced scripts overlap: mark them as one stretch.
            if merged and first < merged[-1].end:
                merged[-1] = TextSpan(merged[-1].start, stop)
            else:
                merged.append(TextSpan(first, stop))
        return tuple(merged)
