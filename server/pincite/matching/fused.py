"""Unlike evidence for a sentence and a citance, fused by a small trained model: the default.

`sentence_features` says what the evidence is, `sentence_model` how it is weighed. A score is the
probability that a reader would call the sentence support.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..cancellation import check as check_cancelled
from ..model.papers import ReferencePaper
from ..model.problems import InputError
from ..model.results import SupportingSentence
from ..text.languages import identified, is_plainly_english
from ..text.stemming import stemmer
from .asymmetric import AsymmetricMatcher
from .sentence_features import Evidence, FittedSentences, evidence, feature_names, fit
from .sentence_model import SentenceModel
from .top_sentences import best_first
from .vectors import WordVectors

#: What of a paper is looked at to identify its language.
_SAMPLE_SENTENCES = 8


@dataclass(frozen=True, slots=True)
class FusedMatcher:
    """Matches by all evidence at once; `k` sentences for a citance, as Ricci et al. (2022) take.

    `sentence_model` is the packaged one unless another is given. Raises `InputError` for a number
    of sentences or a model that cannot serve.
    """

    vectors: WordVectors
    k: int = 2
    sentence_model: SentenceModel | None = None
    _words: AsymmetricMatcher = field(init=False, repr=False, compare=False)
    _model: SentenceModel = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        words = AsymmetricMatcher(self.vectors, k=self.k)
        object.__setattr__(self, "_words", words)
        model = self.sentence_model or SentenceModel.packaged()
        if model.names != feature_names(words):
            raise InputError(
                "the sentence model was trained on other evidence: pincite train matcher"
            )
        object.__setattr__(self, "_model", model)

    def fit(self, paper: ReferencePaper) -> FittedSentences:
        """Read the sentences of `paper`, in its language."""
        return fit(self._words, paper, stemmer(_language(paper)))

    def match(
        self, citance: str, fitted: FittedSentences, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the best `number` (K) sentences that share anything with the citance.

        No headings, captions, references or acknowledgements. Words whose cosine is 0.71 or more
        and words of the same stem are marked, if they tell anything.
        """
        read = fitted.paper.words
        if not self._words.reading.words(citance) or not read.positions:
            return []
        found = evidence(self._words, citance, fitted)
        check_cancelled()
        scores = np.where(fitted.eligible & found.shares, self._probabilities(found, fitted), 0.0)
        return [
            read.supporting(index, score, found.marks)
            for index, score in best_first(scores, self.k if number is None else number)
        ]

    def probabilities(self, citance: str, fitted: FittedSentences) -> dict[int, float]:
        """Return the probability of each sentence, by its position in the paper."""
        read = fitted.paper.words
        if not self._words.reading.words(citance) or not read.positions:
            return {}
        found = self._probabilities(evidence(self._words, citance, fitted), fitted)
        return dict(zip(read.positions, found.tolist(), strict=True))

    def _probabilities(self, found: Evidence, fitted: FittedSentences) -> npt.NDArray[np.float64]:
        calibration = self._model.calibration(fitted.paper.words.paper.basis)
        return calibration.probabilities(self._model.relevance(found.values))


def _language(paper: ReferencePaper) -> str | None:
    sample = " ".join(sentence.text for sentence in paper.sentences[:_SAMPLE_SENTENCES])
    # Loading what identifies languages takes most of a second.
    return "en" if is_plainly_english(sample) else identified(sample)
