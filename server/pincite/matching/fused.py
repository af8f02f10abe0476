"""The default matcher: a small trained model that fuses several kinds of evidence.

`sentence_features` computes the evidence, `sentence_model` weighs it. A score is the probability
that a reader would call the sentence support.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..cancellation import check as check_cancelled
from ..model.papers import ReferencePaper
from ..model.problems import InputError
from ..model.results import SupportingSentence
from ..text.languages import identified
from ..text.stemming import stemmer
from .asymmetric import AsymmetricMatcher
from .sentence_features import FittedSentences, SentenceEncoder, SentenceFeatures
from .sentence_model import Floats, SentenceModel
from .sentence_vocabulary import Marks
from .top_sentences import best_first
from .vectors import WordVectors

#: How much of a paper is read to identify its language.
_SAMPLE_SENTENCES = 8


@dataclass(frozen=True)
class FusedMatcher:
    """Matches by all evidence at once; `k` sentences per citance, as in Ricci et al. (2022).

    With `others`, the words in which others cite a paper count, if known; with an `encoder`, so do
    the vectors of a transformer. `sentence_model` defaults to the packaged one. Raises
    `InputError` for an invalid number of sentences or a model with other features.
    """

    vectors: WordVectors
    k: int = 2
    others: bool = True
    sentence_model: SentenceModel | None = None
    encoder: SentenceEncoder | None = None

    def __post_init__(self) -> None:
        if unknown := set(self._model.names).difference(self._features.names):
            raise InputError(
                f"the sentence model was trained on other evidence ({', '.join(sorted(unknown))}): "
                "pincite train matcher"
            )

    @cached_property
    def _features(self) -> SentenceFeatures:
        return SentenceFeatures(AsymmetricMatcher(self.vectors, k=self.k), self.encoder)

    @cached_property
    def _model(self) -> SentenceModel:
        return self.sentence_model or SentenceModel.packaged(encoded=self.encoder is not None)

    @cached_property
    def _columns(self) -> list[int]:
        """The model's features among those that are computed."""
        known = self._features.names
        return [known.index(name) for name in self._model.names]

    def fit(self, paper: ReferencePaper) -> FittedSentences:
        """Read the sentences of `paper`, in its language."""
        return self._features.fit(paper, stemmer(_language(paper)))

    def cited_by(self, fitted: FittedSentences, citances: Sequence[str]) -> FittedSentences:
        """Add the words in which others cite the paper."""
        return self._features.cited_by(fitted, citances) if self.others else fitted

    def match(
        self, citance: str, fitted: FittedSentences, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the best `number` (K) sentences that share anything with the citance.

        Headings, captions, references and acknowledgements are excluded. Content words whose cosine
        is 0.71 or more, or that have the same stem, are marked.
        """
        probabilities, marks = self._assessed(citance, fitted)
        if not len(probabilities):
            return []
        check_cancelled()
        shares = np.logical_or.reduceat(marks, fitted.paper.words.starts)
        scores = np.where(fitted.eligible & shares, probabilities, 0.0)
        chosen = best_first(scores, self.k if number is None else number)
        return fitted.paper.words.supporting(chosen, marks)

    def probabilities(self, citance: str, fitted: FittedSentences) -> dict[int, float]:
        """Return the probability of each sentence, by its position in the paper."""
        probabilities, _ = self._assessed(citance, fitted)
        return dict(zip(fitted.paper.words.positions, probabilities.tolist(), strict=False))

    def _assessed(self, citance: str, fitted: FittedSentences) -> tuple[Floats, Marks]:
        """Return the probability of each sentence and the matched words."""
        words = fitted.paper.words
        if not words.positions or not self._features.words.reading.words(citance):
            return np.zeros(0), np.zeros(0, np.bool_)
        found = self._features.of(citance, fitted)
        calibration = self._model.calibration(words.paper.basis)
        relevance = self._model.relevance(found.values[:, self._columns])
        return calibration.probabilities(relevance), found.marks


def _language(paper: ReferencePaper) -> str | None:
    return identified(" ".join(each.text for each in paper.sentences[:_SAMPLE_SENTENCES]))
