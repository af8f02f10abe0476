"""The matcher against the paper's formulas, written out word by word and sentence by sentence."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.matching.vectors import UNKNOWN, WordVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite_evaluation.baselines.ricci import AsymmetricMatcher, SymmetricMatcher, paper_stop_words

KNOWN = [
    "the",
    "The",
    "of",
    "parser",
    "Parser",
    "grammar",
    "tree",
    "model",
    "Smith",
    "2001",
    UNKNOWN,
]
UNHEARD = ["MaltParser", "maltparser", "MALTPARSER", "PARSER", "Jones"]
MARKERS = ["(Smith, 2001)", "Jones et al. (2001)"]
NOT_TELLING = {"the", "of", "et", "al"}
NEAR = 1e-5

_random = np.random.default_rng(7)
VECTORS = WordVectors(
    KNOWN,
    _random.normal(size=(len(KNOWN), 3)).astype(np.float32),
    np.ones(len(KNOWN), np.float32),
    np.arange(1, len(KNOWN) + 1) ** 3,
    {"tokens": "5000"},
)

sentences = st.lists(
    st.sampled_from([word for word in KNOWN if word != UNKNOWN] + UNHEARD + MARKERS), max_size=8
).map(" ".join)
papers = st.lists(sentences, max_size=6)
options = st.fixed_dictionaries(
    {
        "d": st.sampled_from([0.5, 1, 2, 4, 4.5, 10]),
        "alpha": st.sampled_from([1e-4, 0.1]),
        "truncation": st.sampled_from([None, 1, 3, 100]),
        "cased": st.booleans(),
        "weights": st.sampled_from(["inverse-frequency", "uniform", "uniform-nostop"]),
        "similarity": st.sampled_from(["cosine", "dot"]),
        "direction": st.sampled_from(["candidate-covers-query", "reverse"]),
        "markers": st.sampled_from(["remove", "keep"]),
        "unk": st.booleans(),
    }
)


@dataclass
class Naive:
    """Sums and maxima in plain Python."""

    d: float
    alpha: float
    truncation: int | None
    cased: bool
    weights: str
    similarity: str
    direction: str
    markers: str
    unk: bool

    def as_written(self, sentence):
        if self.markers == "remove":
            for marker in MARKERS:
                sentence = sentence.replace(marker, " ")
        for mark in "(),.":
            sentence = sentence.replace(mark, " ")
        return sentence.split()[: self.truncation]

    def known(self, word):
        word = word if self.cased else word.lower()
        return word if word in KNOWN or not self.unk else UNKNOWN

    def read(self, sentence):
        return [self.known(word) for word in self.as_written(sentence)]

    def weight(self, word):
        if self.weights == "inverse-frequency":
            return self.alpha / (self.alpha + VECTORS.probability([word])[0])
        return float(self.weights == "uniform" or word.lower() not in paper_stop_words())

    def cosine(self, query, candidate):
        """Return the cosine of a word of the citance and one of the paper."""
        without_vector = query not in KNOWN
        if query == candidate or (without_vector and query.lower() == candidate.lower()):
            return 1.0
        return max(0.0, float(unit(query) @ unit(candidate)))

    def similar(self, query, candidate):
        cosine = self.cosine(query, candidate)
        return cosine if self.similarity == "cosine" else cosine * length(query) * length(candidate)

    def scores(self, citance, paper):
        """Return the score of each sentence, or of each union of sentences."""
        query, read = self.read(citance), [self.read(sentence) for sentence in paper]
        met = [self.similar(one, other) for one in query for words in read for other in words]
        peak = (max(met, default=0.0) if self.similarity == "dot" else 1.0) or 1.0

        def scaled(one, other):
            return (self.similar(one, other) / peak) ** self.d

        if self.direction == "reverse":
            whole = max((sum(map(self.weight, words)) for words in read), default=0.0)
            sums = [
                sum(
                    self.weight(word) * max((scaled(one, word) for one in query), default=0.0)
                    for word in words
                )
                for words in read
            ]
        else:
            whole = sum(map(self.weight, query))
            sums = [
                sum(
                    self.weight(word) * max((scaled(word, other) for other in words), default=0.0)
                    for word in query
                )
                for words in read
            ]
        return [one / whole if whole else 0.0 for one in sums]


@cache
def stored(word):
    return VECTORS.vectors(VECTORS.rows([word]))[0].astype(float)


@cache
def unit(word):
    return stored(word) / np.linalg.norm(stored(word)) if word in KNOWN else np.zeros(3)


@cache
def length(word):
    if word in KNOWN:
        return float(np.linalg.norm(stored(word)))
    return np.mean([np.sum(stored(known) ** 2) for known in KNOWN]) ** 0.5


def paper(texts):
    return ReferencePaper("Title", "full text", tuple(Sentence(text) for text in texts))


def matched(matcher, citance, texts, number):
    return matcher.match(citance, matcher.fit(paper(texts)), number)


@given(sentences, papers, options)
def test_scores_and_order_are_those_of_the_formula(citance, texts, chosen):
    expected = Naive(**chosen).scores(citance, texts)
    found = matched(AsymmetricMatcher(VECTORS, **chosen), citance, texts, len(texts))
    for one in found:
        assert one.score == pytest.approx(expected[one.position], abs=NEAR)
    assert {one.position for one in found} >= {
        position for position, score in enumerate(expected) if score > NEAR
    }
    ranks = [(-one.score, one.position) for one in found]
    assert ranks == sorted(ranks)
    assert all(0.0 < one.score <= 1.0 for one in found)


@given(sentences, papers, options)
def test_greedy_takes_the_best_next_sentence(citance, texts, chosen):
    chosen["direction"] = "candidate-covers-query"
    chosen["truncation"] = None  # a union of sentences is longer than they are
    greedy = AsymmetricMatcher(VECTORS, **chosen, optimisation="greedy")
    naive = Naive(**chosen)
    found = matched(greedy, citance, texts, len(texts))

    taken, before = [], 0.0
    for one in [*found, None]:
        unions = [" ".join([*taken, text]) for text in texts]
        # The whole paper beside them keeps the divisor of dot products as it is.
        reached = naive.scores(citance, [*unions, " ".join(texts)])[:-1]
        gains = [score - before for score in reached]
        if one is None:
            assert max(gains, default=0.0) <= NEAR
            break
        assert one.score == pytest.approx(gains[one.position], abs=NEAR)
        assert one.score >= max(gains) - NEAR
        taken.append(texts[one.position])
        before = reached[one.position]
    gained = [one.score for one in found]
    assert gained == sorted(gained, reverse=True)
    assert sum(gained) <= 1.0 + NEAR


@given(sentences, papers, options)
def test_greedy_in_reverse_is_the_order_of_scores(citance, texts, chosen):
    chosen["direction"] = "reverse"
    top, greedy = (
        matched(AsymmetricMatcher(VECTORS, **chosen, optimisation=one), citance, texts, 3)
        for one in ("top-k", "greedy")
    )
    assert top == greedy


@given(sentences, papers, options, st.sampled_from(["top-k", "greedy"]), st.integers(0, 6))
def test_fewer_sentences_are_the_first_of_more(citance, texts, chosen, optimisation, number):
    matcher = AsymmetricMatcher(VECTORS, **chosen, optimisation=optimisation)
    every = matched(matcher, citance, texts, 6)
    assert matched(matcher, citance, texts, number) == every[:number]


@given(sentences, papers, options)
def test_marked_are_the_words_near_to_a_content_word(citance, texts, chosen):
    naive = Naive(**chosen)
    asked = [word for word in naive.read(citance) if word.lower() not in NOT_TELLING]
    for one in matched(AsymmetricMatcher(VECTORS, **chosen), citance, texts, 6):
        assert one.text == texts[one.position]
        read = naive.as_written(one.text)
        assert [span.of(one.text) for span in one.matched] == [
            word
            for word in read
            if any(naive.cosine(query, naive.known(word)) >= 0.5**0.5 for query in asked)
        ]
        ends = [0, *(span.end for span in one.matched)]
        assert all(end <= span.start for end, span in zip(ends, one.matched, strict=False))


@given(sentences, papers, options)
def test_the_symmetric_score_is_the_cosine_of_averages(citance, texts, chosen):
    used = {
        name: chosen[name] for name in ("alpha", "truncation", "cased", "weights", "markers", "unk")
    }
    naive = Naive(**chosen)

    def average(sentence):
        words = naive.read(sentence)
        return sum((naive.weight(w) * stored(w) for w in words if w in KNOWN), np.zeros(3))

    def cosine(one, other):
        lengths = np.linalg.norm(one) * np.linalg.norm(other)
        return one @ other / lengths if lengths else 0.0

    expected = [cosine(average(citance), average(text)) for text in texts]
    found = matched(SymmetricMatcher(VECTORS, **used), citance, texts, len(texts))
    for one in found:
        assert one.score == pytest.approx(expected[one.position], abs=NEAR)
    assert {one.position for one in found} >= {
        position for position, score in enumerate(expected) if score > NEAR
    }
    ranks = [(-one.score, one.position) for one in found]
    assert ranks == sorted(ranks)
