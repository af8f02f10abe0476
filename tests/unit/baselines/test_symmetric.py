"""Averages of word vectors, by hand."""

import numpy as np
import pytest

from pincite.matching.vectors import UNKNOWN, WordVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError
from pincite_evaluation.baselines.ricci import SymmetricMatcher

WORDS = {"the": [0, 0, 1], "cat": [2, 0, 0], "dog": [0, 1, 0], "anti": [-1, 0, 0]}
COUNTS = [500, 1, 100, 1]


def model(words, counts):
    return WordVectors(
        list(words),
        np.asarray(list(words.values()), np.float32),
        np.ones(len(words), np.float32),
        np.asarray(counts),
        {"tokens": "1000"},
    )


VECTORS = model(WORDS, COUNTS)


def match(citance, *sentences, vectors=VECTORS, number=None, **options):
    matcher = SymmetricMatcher(vectors, **options)
    read = ReferencePaper("Toy", "full text", tuple(Sentence(text) for text in sentences))
    return matcher.match(citance, matcher.fit(read), number)


def score(citance, sentence, **options):
    found = match(citance, sentence, **options)
    return found[0].score if found else 0.0


def test_the_cosine_of_averages_without_stop_words():
    # (2, 1, 0) / 2 and (1, 2, 0) / 3
    assert score("the cat dog", "dog dog the anti anti cat cat") == pytest.approx(
        np.dot([2, 1], [2, 2]) / np.sqrt(5 * 8)
    )
    assert score("cat", "the cat") == pytest.approx(1.0)


def test_extra_words_of_the_sentence_cost():
    assert score("cat", "cat dog") == pytest.approx(2 / 5**0.5)


def test_uniform_weights_count_stop_words():
    assert score("cat", "the cat", weights="uniform") == pytest.approx(2 / 5**0.5)


def test_inverse_frequency_weights():
    cat, dog = 1e-4 / (1e-4 + 0.001), 1e-4 / (1e-4 + 0.1)
    assert score("cat", "cat dog", weights="inverse-frequency") == pytest.approx(
        2 * cat / np.hypot(2 * cat, dog)
    )


def test_unknown_words_count_for_nothing_unless_they_are_one():
    assert score("cat", "cat Malt") == pytest.approx(1.0)
    assert match("Malt", "Malt cat") == []
    vectors = model({**WORDS, UNKNOWN: [0, 2, 0]}, [*COUNTS, 9])
    assert score("cat", "cat Malt", vectors=vectors, unk=True) == pytest.approx(0.5**0.5)
    with pytest.raises(InputError, match="no"):
        SymmetricMatcher(VECTORS, unk=True)


def test_truncation_case_and_markers():
    assert match("cat", "dog dog cat", truncation=2) == []
    assert match("CAT", "Cat") == []
    assert score("CAT", "Cat", cased=False) == pytest.approx(1.0)
    assert match("cat", "See Cat (Dog, 2001).", cased=False, markers="keep") != []
    assert [len(one.matched) for one in match("cat dog", "cat (Dog, 2001).")] == [1]


def test_opposite_and_unrelated_sentences_are_not_returned():
    assert match("cat", "anti", "dog", "…", "the") == []


def test_k_sentences_best_first_ties_in_the_order_of_the_paper():
    found = match("cat", "cat dog", "cat", "dog cat", "cat")
    assert [one.position for one in found] == [1, 3]
    assert [one.position for one in match("cat", "cat dog", "cat", "dog cat", number=9)] == [
        1,
        0,
        2,
    ]
    assert match("cat", "cat", number=0) == []


def test_words_that_both_share_are_marked():
    found = match("the cat of anti dog", "The cat and the DOG of a cat")[0]
    assert [span.of(found.text) for span in found.matched] == ["cat", "cat"]


def test_without_words_or_vectors_nothing_matches():
    assert match("", "cat") == []
    assert match("(Smith, 2001)", "cat") == []
    assert match("cat") == []
    assert match("cat", "cat", vectors=WordVectors.empty()) == []
