"""Plain TF-IDF: the cosine between a citance and the sentences of a paper."""

from __future__ import annotations

from dataclasses import dataclass

from pincite.matching.sentence_vocabulary import Reading, SentenceWords
from pincite.matching.top_sentences import best_first
from pincite.model.papers import ReferencePaper
from pincite.model.problems import check_parameters
from pincite.model.results import SupportingSentence
from pincite.representations.mixed import Bag
from pincite.representations.tfidf import TfIdfSpace

#: Preprocessing of citances and sentences: all words, in lower case, without citation markers.
READING = Reading(truncation=None, cased=False)


@dataclass(frozen=True, slots=True, eq=False)
class SentenceSpace:
    """A paper's words, and the vector space of its sentences; None if there are no words."""

    words: SentenceWords
    space: TfIdfSpace | None


@dataclass(frozen=True, slots=True)
class TfIdfMatcher:
    """Matches by the cosine of TF-IDF vectors, the IDF fitted on the paper's own sentences."""

    k: int = 2

    def __post_init__(self) -> None:
        check_parameters(self, k=(self.k >= 1, "1 sentence or more"))

    def fit(self, paper: ReferencePaper) -> SentenceSpace:
        """Count the words of every sentence of `paper` that has any."""
        words = SentenceWords.of(paper, READING)
        number = len(words.positions)
        listed = words.listed(words.vocabulary)
        bags = (Bag(index, own, []) for index, own in enumerate(listed))
        return SentenceSpace(words, TfIdfSpace.of_bags(bags, number) if number else None)

    def match(
        self, citance: str, fitted: SentenceSpace, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the best `number` (K) sentences that share a word with the citance."""
        if fitted.space is None:
            return []
        query = READING.words(citance)
        cosines = fitted.space.score(fitted.space.query(query)).cosine.clip(max=1.0)
        found = best_first(cosines, self.k if number is None else number)
        return fitted.words.supporting(found, fitted.words.telling(query))
