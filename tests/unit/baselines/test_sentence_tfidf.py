"""Plain TF-IDF over the sentences of a paper."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from pincite.model.papers import ReferencePaper, Sentence
from pincite_evaluation.baselines.neal import TfIdfMatcher

SENTENCES = st.lists(
    st.lists(
        st.sampled_from("entity Grid the of parsing tree Trees model a x 2014 größe".split()),
        min_size=1,
        max_size=8,
    ).map(" ".join),
    min_size=1,
    max_size=8,
)


def match(citance, *sentences, number=None):
    matcher = TfIdfMatcher()
    paper = ReferencePaper("Toy", "full text", tuple(Sentence(text) for text in sentences))
    return matcher.match(citance, matcher.fit(paper), number)


@given(SENTENCES, SENTENCES)
def test_cosines_are_those_of_scikit_learn(sentences, citance):
    vectorizer = TfidfVectorizer(stop_words="english")
    expected = np.zeros(len(sentences))
    try:
        matrix = vectorizer.fit_transform(sentences)
    except ValueError:  # nothing but stop words
        pass
    else:
        expected = (matrix @ vectorizer.transform([" ".join(citance)]).T).toarray().ravel()
    scores = np.zeros(len(sentences))
    for one in match(" ".join(citance), *sentences, number=len(sentences)):
        scores[one.position] = one.score
    assert scores == pytest.approx(expected, abs=1e-9)


def test_two_sentences_are_given_and_their_words_marked():
    found = match(
        "The Cats (Smith, 2001) sat", "cats sit", "a cat sat, sat", "Smith's Cats sat", ""
    )
    assert [one.position for one in found] == [2, 1]
    assert [span.of(found[0].text) for span in found[0].matched] == ["Cats", "sat"]
    assert [span.of(found[1].text) for span in found[1].matched] == ["sat", "sat"]
