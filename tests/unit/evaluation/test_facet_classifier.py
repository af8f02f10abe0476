"""The facet of a citation, with a classifier small enough to work out by hand."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.model.problems import InputError
from pincite_evaluation.facets.training import FILE, FacetClassifier, decided, features

NAMES = ("accuracy", "accuracy rise", "method", "rise")
LEMMAS = {"methods": "method", "rises": "rise", "rose": "rise"}


def classifier(**changes):
    """Method counts methods; Results counts what rises, and accuracy rising most."""
    weights = np.zeros((5, 4), np.float32)
    weights[3] = (0, 0, 2, 0)
    weights[4] = (0, 3, 0, 1)
    made = FacetClassifier(
        {name: n for n, name in enumerate(NAMES)},
        LEMMAS,
        np.array([1, 2, 1, 1], np.float32),
        weights,
        np.array([-1, -1, -1, -0.5, -0.5], np.float32),
        np.array([np.inf, np.inf, np.inf, 1.5, 2.0], np.float32),
        {"seed": "0"},
    )
    return replace(made, **changes)


def test_features_are_lemmas_and_their_pairs_within_a_text():
    found = features(["The Methods of accuracy (Moss, 2001) rose", "rises"], LEMMAS)
    assert found == ["method", "accuracy", "rise", "method accuracy", "accuracy rise", "rise"]


def test_decisions_worked_out_by_hand():
    # Counts times idf: accuracy 1, the pair 2, method 2 (twice), rise 1; the length is √10.
    decisions = classifier().decisions("Methods: a method.", ["Accuracy rises."])
    length = np.sqrt(1 + 4 + 4 + 1)
    expected = [-1, -1, -1, 4 / length - 0.5, (6 + 1) / length - 0.5]
    np.testing.assert_allclose(decisions, expected, atol=1e-6)
    assert classifier().facets("Methods: a method.", ["Accuracy rises."]) == ("Method", "Results")


def test_where_nothing_is_decided_for_the_least_unlikely_is_the_answer():
    np.testing.assert_allclose(classifier().decisions("", []), classifier().biases)
    assert classifier().facets("", []) == ("Method",)
    assert decided(np.array([-3.0, -1.0, -2.0, -1.0, -5.0])) == ("Hypothesis",)


def test_confident_answers_reach_the_threshold_of_their_facet():
    sure = classifier()
    assert sure.confident("A method.", []) == ("Method",)  # 2 - 0.5, exactly the threshold
    assert sure.confident("Methods: a method.", ["Accuracy rises."]) == ()
    assert sure.confident("Accuracy rose.", []) == ("Results",)
    low = replace(sure, thresholds=np.full(5, 0.5, np.float32))
    assert low.confident("Methods: a method.", ["Accuracy rises."]) == ("Results", "Method")
    never = replace(sure, thresholds=np.full(5, np.inf, np.float32))
    assert never.confident("A method.", []) == ()


def test_what_is_written_is_read_and_written_alike(tmp_path):
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    classifier().save(first)
    read = FacetClassifier.load(first)
    read.save(second)
    assert first.read_bytes() == second.read_bytes()
    assert dict(read.columns) == dict(classifier().columns)
    assert read.lemmas == LEMMAS
    text = ("Methods: a method.", ["Accuracy rises."])
    np.testing.assert_array_equal(read.decisions(*text), classifier().decisions(*text))
    np.testing.assert_array_equal(read.thresholds, classifier().thresholds)
    assert sorted(tmp_path.iterdir()) == [first, second]


@pytest.mark.parametrize(
    "changes",
    [
        {"idf": np.ones(3, np.float32)},
        {"weights": np.ones((4, 4), np.float32)},
        {"weights": np.ones((5, 4), np.int64)},
        {"biases": np.full(5, np.nan, np.float32)},
        {"thresholds": np.ones(6, np.float32)},
        {"columns": {"a\nb": 0, "c": 1, "d": 2, "e": 3}},
    ],
)
def test_a_file_that_does_not_fit_is_told(tmp_path, changes):
    classifier(**changes).save(tmp_path / FILE)
    with pytest.raises(InputError, match=r"facets\.npz is not a facet classifier"):
        FacetClassifier.load(tmp_path / FILE)


@given(st.data())
def test_a_damaged_file_is_told(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damaged")
    classifier().save(folder / FILE)
    written = bytearray((folder / FILE).read_bytes())
    if data.draw(st.booleans()):
        del written[data.draw(st.integers(0, len(written) - 1)) :]
    else:
        for place in data.draw(st.lists(st.integers(0, len(written) - 1), max_size=8)):
            written[place] ^= data.draw(st.integers(1, 255))
    (folder / FILE).write_bytes(bytes(written))
    with suppress(InputError):
        FacetClassifier.load(folder / FILE).facets("Methods rose.", [])
