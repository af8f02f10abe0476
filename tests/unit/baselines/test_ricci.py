"""The matchers with word vectors on a toy matrix: what they do by default.

The formulas of all options are those of `tests/properties/test_matching_properties.py`.
"""

import numpy as np
import pytest

from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError
from pincite_evaluation.baselines.ricci import AsymmetricMatcher, SymmetricMatcher, paper_stop_words

# cos(cat, dog) = 0.8, cos(cat, car) = 0, cos(cat, anti) = -1; "the" is half of all words.
TOY = {"the": [0, 0, 1], "cat": [1, 0, 0], "dog": [0.8, 0.6, 0], "car": [0, 1, 0]}
TOY["anti"] = [-1, 0, 0]
COUNTS = {"the": 500}
THE, CAT = 1e-4 / (1e-4 + 0.5), 1e-4 / (1e-4 + 0.001)


def model(vectors, counts=COUNTS):
    return WordVectors(
        list(vectors),
        np.asarray(list(vectors.values()), np.float32),
        np.ones(len(vectors), np.float32),
        np.asarray([counts.get(word, 1) for word in vectors]),
        {"tokens": "1000"},
    )


VECTORS = model(TOY)


def match(citance, *sentences, kind=AsymmetricMatcher, vectors=VECTORS, number=10, **options):
    matcher = kind(vectors, **options)
    read = ReferencePaper("Toy", "full text", tuple(Sentence(text) for text in sentences))
    return matcher.match(citance, matcher.fit(read), number)


def found(*arguments, **options):
    return {one.position: pytest.approx(one.score) for one in match(*arguments, **options)}


def marks(found):
    return [span.of(found.text) for span in found.matched]


@pytest.mark.parametrize(
    ("citance", "sentence", "options", "score"),
    [
        # Each word of the citance counts with its best match, to the power of four.
        ("cat", "dog car", {}, 0.8**4),
        ("cat", "anti", {}, 0),
        # Common words weigh less, and a word counts as often as the citance has it.
        ("the cat", "the dog", {}, (THE + CAT * 0.8**4) / (THE + CAT)),
        ("cat cat car", "cat cat cat", {}, 2 / 3),
        # A word without a vector matches itself only.
        ("MaltParser", "the maltparser", {}, 1),
        ("MaltParser", "cat dog Other", {}, 0),
        ("Malt", "Malt", {"vectors": WordVectors.empty(), "similarity": "dot"}, 1),
        ("cat", "car " * 100 + "cat", {}, 0),
        ("Cat", "dog", {}, 0),
        ("car (Smith, 2001)", "cat (Smith, 2001)", {}, 0),
    ],
)
def test_the_score_of_a_sentence(citance, sentence, options, score):
    assert found(citance, sentence, **options) == ({0: score} if score else {})


def test_a_model_without_a_word_for_unknown_ones_is_refused():
    for kind in (AsymmetricMatcher, SymmetricMatcher):
        with pytest.raises(InputError, match=r"no \[UNK\].*--unknown"):
            kind(VECTORS, unk=True)


def test_the_stop_list_is_that_of_the_paper():
    stopped = paper_stop_words()
    assert {"a", "yourselves", "disambiguation", "couldn", "ll", "t", "let"} <= stopped
    assert not {"#", "method", "within", "card", "we've"} & stopped
    assert len(stopped) == 149


AVERAGED = {"the": [0, 0, 1], "cat": [2, 0, 0], "dog": [0, 1, 0], "anti": [-1, 0, 0]}


OTHER_COUNTS = {"the": 500, "dog": 100}


def test_averages_come_best_first_with_shared_words_marked():
    given = {"kind": SymmetricMatcher, "vectors": model(AVERAGED, OTHER_COUNTS)}
    sentences = ("cat dog", "cat", "dog cat", "cat")
    assert list(found("cat", *sentences, number=None, **given)) == [1, 3]
    assert list(found("cat", *sentences, number=3, **given)) == [1, 3, 0]
    (one,) = match("the cat of anti dog", "The cat and the DOG of a cat", **given)
    assert marks(one) == ["cat", "cat"]


# Averages of word vectors
