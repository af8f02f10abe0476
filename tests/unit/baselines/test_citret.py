import numpy as np
import pytest

from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite_evaluation.baselines.encoders import open_encoder
from pincite_evaluation.baselines.sbert import CitRetMatcher, Cloud, Content, moved
from tiny_transformer import tiny_transformer

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")
pytest.importorskip("ot")

#: Words with a vector, and some without.
WORDS = tuple(f"w{letter}{other}" for letter in "abcdef" for other in "pqrtv")
UNHEARD = ("zz", "zx")


@pytest.fixture(scope="module", name="encoder")
def tiny_encoder(tmp_path_factory):
    return open_encoder(tiny_transformer(tmp_path_factory.mktemp("citret"), (*WORDS, *UNHEARD)))


@pytest.fixture(scope="module", name="vectors")
def word_vectors():
    random = np.random.default_rng(5)
    stored = random.standard_normal((len(WORDS), 8)).astype(np.float32)
    ones = np.ones(len(WORDS))
    return WordVectors(WORDS, stored, ones.astype(np.float32), ones.astype(np.int64), {})


@pytest.fixture(scope="module", name="sentences")
def random_sentences():
    random = np.random.default_rng(11)
    return [
        " ".join(random.choice([*WORDS, *UNHEARD], random.integers(1, 12)).tolist())
        for _ in range(40)
    ] + ["zz zx.", "…", "zz"]


@pytest.fixture(scope="module", name="paper")
def random_paper(sentences):
    return ReferencePaper("Random", "full text", tuple(map(Sentence, sentences)))


def similarity(left, right, vectors):
    ours, theirs = (Cloud.of(Content.of(text).words, vectors) for text in (left, right))
    return ours.similarity(theirs)


def test_distances_are_those_of_gensim(vectors, sentences):
    keyed = pytest.importorskip("gensim.models").KeyedVectors(8)
    keyed.add_vectors(list(WORDS), vectors.vectors(np.arange(len(WORDS))))
    for left, right in zip(sentences[:20], sentences[20:40], strict=True):
        expected = keyed.wmdistance(left.split(), right.split())
        if np.isfinite(expected):
            assert similarity(left, right, vectors) == pytest.approx(1 / (1 + expected), abs=1e-6)


def test_moving_words_costs_linear_time():
    shares = np.array([0.75, 0.25])
    assert moved(shares, shares, np.array([[0.0, 1.0], [1.0, 0.0]])) == 0.0
    assert moved(shares, np.array([0.5, 0.5]), np.array([[0.0, 1.0], [1.0, 0.0]])) == 0.25
    assert moved(np.ones(1), np.ones(1), np.array([[1.5]])) == 1.5


def test_scores_add_the_similarity_of_words(encoder, vectors, paper, sentences):
    matcher = CitRetMatcher(encoder, vectors)
    fitted = matcher.fit(paper)
    for citance in sentences[:12]:
        cosines = matcher.sbert.cosines(citance, fitted[0])
        scores = {
            position: (cosine + similarity(citance, sentences[position], vectors)) / 2
            for position, cosine in zip(fitted[0].words.positions, cosines, strict=True)
        }
        found = matcher.match(citance, fitted, 100)
        assert [one.score for one in found] == pytest.approx(
            sorted((score for score in scores.values() if score > 0), reverse=True), rel=1e-5
        )
        assert all(one.score == pytest.approx(scores[one.position], rel=1e-5) for one in found)
