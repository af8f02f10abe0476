"""The default matcher: a small trained model that fuses several kinds of evidence.

`sentence_features` computes the evidence, `sentence_model` weighs it. A score is the relevance of a
sentence, between 0 and 1; the probability that a reader would call it support depends also on
whether the paper as a whole supports the citance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..cancellation import check as check_cancelled
from ..model.encoders import SentenceEncoder
from ..model.papers import ReferencePaper
from ..model.problems import InputError
from ..model.results import SupportingSentence
from ..text.languages import identified
from ..text.stemming import stemmer
from .asymmetric import AsymmetricMatcher
from .coverage import best_first
from .sentence_features import Evidence, FittedSentences, SentenceFeatures
from .sentence_model import Assessment, SentenceModel, logistic
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

    def in_other_language(self, fitted: FittedSentences) -> FittedSentences:
        """Declare that citances are in another language, which few words of a paper can match.

        The claim is judged by the share of words that match, so it means nothing there: the paper
        counts as one that is usually cited.
        """
        return replace(fitted, foreign=True)

    def match(
        self, citance: str, fitted: FittedSentences, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the best `number` (K) sentences that share anything with the citance.

        Each has the probability that it is support; headings, captions, references and
        acknowledgements are excluded. Content words whose cosine
        is 0.71 or more, or that have the same stem, are marked.
        """
        found = self._evidence(citance, fitted)
        if found is None:
            return []
        check_cancelled()
        assessed = self._assess(found, fitted)
        scores = np.where(found.eligible, logistic(assessed.relevance), 0.0)
        chosen = best_first(scores, self.k if number is None else number)
        sentences = fitted.paper.words.supporting(chosen, found.marks)
        known = (float(assessed.probabilities[index]) for index, _ in chosen)
        return [replace(one, probability=own) for one, own in zip(sentences, known, strict=True)]

    def probabilities(self, citance: str, fitted: FittedSentences) -> dict[int, float]:
        """Return the probability of each sentence, by its position in the paper."""
        found = self._evidence(citance, fitted)
        if found is None:
            return {}
        probabilities = self._assess(found, fitted).probabilities
        return dict(zip(fitted.paper.words.positions, probabilities.tolist(), strict=True))

    def accurate(self, citance: str, fitted: FittedSentences) -> float | None:
        """Return the probability that the citation is accurate; None without evidence."""
        found = self._evidence(citance, fitted)
        return None if found is None else self._assess(found, fitted).accurate

    def _evidence(self, citance: str, fitted: FittedSentences) -> Evidence | None:
        """Return the features of a paper's sentences, None without words to compare."""
        if not fitted.paper.words.positions or not self._features.words.reading.words(citance):
            return None
        return self._features.of(citance, fitted)

    def _assess(self, found: Evidence, fitted: FittedSentences) -> Assessment:
        values, basis = found.values[:, self._columns], fitted.paper.words.paper.basis
        return self._model.assess(values, found.eligible, basis, judges_claim=not fitted.foreign)


def _language(paper: ReferencePaper) -> str | None:
    return identified(" ".join(each.text for each in paper.sentences[:_SAMPLE_SENTENCES]))
