"""The facet of a citation, with a classifier small enough to work out by hand."""

import numpy as np
import pytest

from pincite_evaluation.facets.training import FacetClassifier, decided, features

TfidfVectorizer = pytest.importorskip("sklearn.feature_extraction.text").TfidfVectorizer
pytest.importorskip("simplemma")
NAMES = ("accuracy", "accuracy rise", "method", "rise")


def classifier():
    """Method counts methods; Results counts what rises, and accuracy rising most."""
    tfidf = TfidfVectorizer(analyzer=lambda bag: bag, vocabulary=NAMES)
    tfidf.idf_ = np.array([1.0, 2.0, 1.0, 1.0])
    weights = np.zeros((5, 4))
    weights[3] = (0, 0, 2, 0)
    weights[4] = (0, 3, 0, 1)
    return FacetClassifier(tfidf, weights, np.array([-1, -1, -1, -0.5, -0.5]))


def test_features_are_lemmas_and_their_pairs_within_a_text():
    found = features(("The Methods of accuracy (Moss, 2001) rises", "rises"))
    assert found == ["method", "accuracy", "rise", "method accuracy", "accuracy rise", "rise"]


def test_decisions_worked_out_by_hand():
    # Counts times idf: accuracy 1, the pair 2, method 2 (twice), rise 1; the length is √10.
    decisions = classifier().decisions(("Methods: a method.", "Accuracy rises."))
    length = np.sqrt(1 + 4 + 4 + 1)
    expected = [-1, -1, -1, 4 / length - 0.5, (6 + 1) / length - 0.5]
    np.testing.assert_allclose(decisions, expected, atol=1e-6)
    assert classifier().facets(("Methods: a method.", "Accuracy rises.")) == ("Method", "Results")


def test_where_nothing_is_decided_for_the_least_unlikely_is_the_answer():
    np.testing.assert_allclose(classifier().decisions(("",)), classifier().biases)
    assert classifier().facets(("",)) == ("Method",)
    assert decided(np.array([-3.0, -1.0, -2.0, -1.0, -5.0])) == ("Hypothesis",)
