"""The matcher's arithmetic on a toy matrix."""

import numpy as np
import pytest

from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.vectors import WordVectors, save
from pincite.model.papers import ReferencePaper, Sentence
from pincite.settings import MatchingSettings

# cos(cat, dog) = 0.8, cos(cat, car) = 0, cos(cat, anti) = -1; counts give p = 0.5 for "the".
TOY = {
    "the": [0, 0, 1],
    "cat": [1, 0, 0],
    "dog": [0.8, 0.6, 0],
    "car": [0, 1, 0],
    "anti": [-1, 0, 0],
}
COUNTS = {"the": 500, "cat": 1, "dog": 1, "car": 1, "anti": 1}


@pytest.fixture(scope="module", name="vectors")
def toy_vectors(tmp_path_factory):
    path = tmp_path_factory.mktemp("toy") / "toy.safetensors"
    matrix = np.asarray(list(TOY.values()), dtype=np.float32)
    counts = np.asarray(list(COUNTS.values()))
    save(path, list(TOY), matrix, counts, {"tokens": "1000"})
    return WordVectors.load(path)


def paper(*sentences: str) -> ReferencePaper:
    return ReferencePaper("Toy", "full text", tuple(Sentence(text) for text in sentences))


def score(vectors, citance, sentence, **settings):
    matcher = AsymmetricMatcher(vectors, MatchingSettings(**settings))
    found = matcher.match(citance, matcher.fit(paper(sentence)), 1)
    return found[0].score if found else 0.0


def weight(probability, alpha=1e-4):
    return alpha / (alpha + probability)


def test_each_query_word_counts_with_its_best_match_to_the_power_d(vectors):
    assert score(vectors, "cat", "dog car") == pytest.approx(0.8**4, abs=0.01)
    assert score(vectors, "cat", "dog car", power=1.0) == pytest.approx(0.8, abs=0.01)


def test_common_words_weigh_less(vectors):
    the, cat = weight(500 / 1000), weight(1 / 1000)
    assert score(vectors, "the cat", "the dog") == pytest.approx(
        (the * 1 + cat * 0.8**4) / (the + cat), abs=0.01
    )


def test_extra_words_of_the_sentence_cost_nothing(vectors):
    assert score(vectors, "cat", "the cat car anti dog") == pytest.approx(1.0)


def test_negative_cosines_count_as_nothing(vectors):
    assert score(vectors, "cat", "anti") == 0.0


def test_a_word_without_a_vector_matches_itself_and_nothing_else(vectors):
    assert score(vectors, "MaltParser", "the MaltParser") == pytest.approx(1.0)
    assert score(vectors, "MaltParser", "maltparser") == pytest.approx(1.0)
    assert score(vectors, "MaltParser", "cat dog") == 0.0


def test_only_the_first_words_of_a_sentence_count(vectors):
    assert score(vectors, "cat", "car car cat", max_words=2) == 0.0
    assert score(vectors, "cat", "car cat car", max_words=2) == pytest.approx(1.0)
