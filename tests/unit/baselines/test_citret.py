import numpy as np
import pytest

from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite_evaluation.baselines.citret import CitRetMatcher, Cloud, moved, relaxed
from pincite_evaluation.baselines.encoders import open_encoder
from pincite_evaluation.baselines.sbert import Content
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


def distance(left, right, vectors):
    """Word Mover's Distance of two sentences, None where one has no word with a vector."""
    ours, theirs = (Cloud.of(Content.of(text).words, vectors) for text in (left, right))
    if not len(ours.rows) or not len(theirs.rows):
        return None
    left, right = vectors.unit(ours.rows).astype(float), vectors.unit(theirs.rows).astype(float)
    costs = np.array([[np.linalg.norm(one - other) for other in right] for one in left])
    return moved(ours.shares, theirs.shares, costs)


def test_distances_are_those_of_gensim(vectors, sentences):
    keyed = pytest.importorskip("gensim.models").KeyedVectors(8)
    keyed.add_vectors(list(WORDS), vectors.vectors(np.arange(len(WORDS))))
    for left, right in zip(sentences[:20], sentences[20:40], strict=True):
        expected = keyed.wmdistance(left.split(), right.split())
        if np.isfinite(expected):
            assert distance(left, right, vectors) == pytest.approx(expected, abs=1e-6)


def test_moving_words_costs_what_it_must():
    shares = np.array([0.75, 0.25])
    assert moved(shares, shares, np.array([[0.0, 1.0], [1.0, 0.0]])) == 0.0
    assert moved(shares, np.array([0.5, 0.5]), np.array([[0.0, 1.0], [1.0, 0.0]])) == 0.25
    assert moved(np.ones(1), np.ones(1), np.array([[1.5]])) == 1.5


@pytest.mark.parametrize("number", [1, 3, 10, 100])
def test_scores_are_those_of_solving_every_pair(encoder, vectors, paper, sentences, number):
    matcher = CitRetMatcher(encoder, vectors)
    fitted = matcher.fit(paper)
    for citance in sentences[:12]:
        cosines = matcher.sbert.cosines(citance, fitted.encoded)
        scores = {}
        for position, cosine in zip(fitted.encoded.words.positions, cosines, strict=True):
            apart = distance(citance, sentences[position], vectors)
            score = (cosine + (0.0 if apart is None else 1 / (1 + apart))) / 2
            if score > 0:
                scores[position] = score
        best = sorted(scores, key=lambda position: (-round(scores[position], 6), position))
        found = matcher.match(citance, fitted, number)
        np.testing.assert_allclose(
            [one.score for one in found], [scores[one] for one in best[:number]], rtol=1e-5
        )
        assert {one.position for one in found[:1]} == set(best[:1])


def test_the_relaxed_distance_is_never_more(encoder, vectors, paper, sentences):
    fitted = CitRetMatcher(encoder, vectors).fit(paper)
    positions = [fitted.encoded.words.positions[index] for index in fitted.filled]
    for citance in sentences[:12]:
        cloud = Cloud.of(citance.split(), vectors)
        if not len(cloud.rows):
            continue
        unit = vectors.unit(cloud.rows)
        costs = np.linalg.norm(unit[:, None] - fitted.vectors[None], axis=2)[:, fitted.columns]
        bounds = relaxed(cloud.shares, costs, fitted)
        exact = np.array(
            [distance(citance, sentences[position], vectors) for position in positions]
        )
        assert (bounds <= exact + 1e-6).all()
        assert (bounds > 0.3 * exact - 1e-6).all()


def test_half_the_cosine_is_the_score_where_no_word_has_a_vector(encoder, paper):
    matcher = CitRetMatcher(encoder, WordVectors.empty())
    fitted = matcher.fit(paper)
    found = matcher.match("wap waq zz", fitted, 5)
    expected = matcher.sbert.match("wap waq zz", fitted.encoded, 5)
    assert [one.position for one in found] == [one.position for one in expected]
    assert [2 * one.score for one in found] == pytest.approx([one.score for one in expected])


def test_nothing_matches_nothing(encoder, vectors, paper):
    matcher = CitRetMatcher(encoder, vectors)
    fitted = matcher.fit(paper)
    assert matcher.match("It is (Smith, 2001).", fitted) == []
    assert matcher.match("wap", fitted, 0) == []
    assert matcher.match("wap", matcher.fit(ReferencePaper("", "title"))) == []


def test_a_copy_comes_first_with_the_highest_score(encoder, vectors, paper, sentences):
    matcher = CitRetMatcher(encoder, vectors)
    found = matcher.match(sentences[3], matcher.fit(paper))
    assert found[0].position == 3
    assert found[0].score == pytest.approx(1.0)
    assert len(found) == 3
