"""Our vector space against scikit-learn's, fitted on the same bags."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from pincite.representations import counting
from pincite.representations.tfidf import TfIdfSpace

WORDS = st.lists(
    st.sampled_from("coherence Text the of parsing tree Trees model a vector x 2014 größe".split()),
    max_size=12,
)
#: For each candidate the words of each of its internal bags, and its external ones.
BAGS = st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=3), WORDS), min_size=1, max_size=6)


def reference_cosines(bags, query):
    vectorizer = TfidfVectorizer(stop_words="english", token_pattern=r"(?u)\b\w\w+\b")
    try:
        matrix = vectorizer.fit_transform(map(" ".join, bags))
    except ValueError:  # nothing but stop words
        return np.zeros(len(bags))
    return (matrix @ vectorizer.transform([" ".join(query)]).T).toarray().ravel()


@given(BAGS, WORDS, st.sampled_from([1, 5, 1 << 20]))
def test_cosines_are_those_of_tfidf_vectorizer(candidates, query, counted_at_once):
    bags = [inside + outside for inner, outside in candidates for inside in inner]
    owner = [i for i, (inner, _) in enumerate(candidates) for _ in inner]
    with mock.patch.object(counting, "_COUNTED_AT_ONCE", counted_at_once):
        space = TfIdfSpace.of_bags(candidates)
    scores = space.score(query)
    expected = reference_cosines(bags, query)
    for i in range(len(candidates)):
        own = [score for score, candidate in zip(expected, owner, strict=True) if candidate == i]
        assert scores.cosine[i] == pytest.approx(max(own), abs=1e-9)
        internal, external, bag = scores.parts(i)
        assert owner[bag] == i
        assert expected[bag] == pytest.approx(max(own), abs=1e-9)
        assert internal + external == pytest.approx(scores.cosine[i])
        assert internal >= 0.0
        assert external >= 0.0
