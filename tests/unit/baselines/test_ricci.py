"""The arithmetic of the matchers with word vectors on a toy matrix, option by option."""

import numpy as np
import pytest

from pincite.matching.vectors import UNKNOWN, WordVectors
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
#: The same directions, lengths 2 for "cat" and 3 for "dog"; the mean squared length is 16 / 5.
LONG = model({**TOY, "cat": [2, 0, 0], "dog": [2.4, 1.8, 0]})


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
        # Each word of the citance counts with its best match, to the power d.
        ("cat", "dog car", {}, 0.8**4),
        ("cat", "dog car", {"d": 1}, 0.8),
        ("cat", "dog car", {"d": 2.5}, 0.8**2.5),
        ("cat", "anti", {}, 0),
        ("cat", "the cat car anti dog", {}, 1),
        # Common words weigh less, and a word counts as often as the citance has it.
        ("the cat", "the dog", {}, (THE + CAT * 0.8**4) / (THE + CAT)),
        ("the cat", "the", {"weights": "uniform"}, 1 / 2),
        ("the cat", "the", {"alpha": 0.1}, (0.1 / 0.6) / (0.1 / 0.6 + 0.1 / 0.101)),
        ("cat cat car", "cat cat cat", {}, 2 / 3),
        # "dog" is covered, "cat" by 0.8, "The" and "of" do not count.
        ("The cat of dog", "the dog of", {"weights": "uniform-nostop", "d": 1}, 1.8 / 2),
        ("of the", "of the cat", {"weights": "uniform-nostop"}, 0),
        ("of the", "of the", {"weights": "uniform-nostop", "direction": "reverse"}, 0),
        # A word without a vector matches itself only.
        ("MaltParser", "the maltparser", {}, 1),
        ("MaltParser", "MALTPARSER", {"direction": "reverse"}, 1),
        ("cat", "anti", {"vectors": LONG, "similarity": "dot"}, 0),
        ("MaltParser", "cat dog Other", {}, 0),
        ("cat", "car car cat", {"truncation": 2}, 0),
        ("cat dog", "cat", {"truncation": 1}, 1),
        ("cat", "car " * 100 + "cat", {"truncation": None}, 1),
        ("cat", "car " * 100 + "cat", {}, 0),
        ("Cat", "dog", {}, 0),
        ("Cat", "DOG", {"cased": False}, 0.8**4),
        ("car (Smith, 2001)", "cat (Smith, 2001)", {}, 0),
        (
            "car (Smith, 2001)",
            "cat (Smith, 2001)",
            {"markers": "keep", "weights": "uniform"},
            2 / 3,
        ),
    ],
)
def test_the_score_of_a_sentence(citance, sentence, options, score):
    assert found(citance, sentence, **options) == ({0: score} if score else {})


def test_the_stop_list_is_that_of_the_paper():
    stopped = paper_stop_words()
    assert {"a", "yourselves", "disambiguation", "couldn", "ll", "t", "let"} <= stopped
    assert not {"#", "method", "within", "card", "we've"} & stopped
    assert len(stopped) == 149


def test_reverse_sums_over_the_words_of_the_sentence():
    options = {"direction": "reverse", "d": 1, "weights": "uniform"}
    # Sums 0.8, 1.6 and 0, of at most three words.
    assert found("cat", "dog", "dog car dog", "the", **options) == {1: 1.6 / 3, 0: 0.8 / 3}
    scores = found("the cat", "the", "the dog", direction="reverse")
    assert scores == {1: (THE + CAT * 0.8**4) / (THE + CAT), 0: THE / (THE + CAT)}


def test_dot_products_are_fractions_of_the_greatest():
    # cat·dog = 2·3·0.8 = 4.8, cat·cat = 4: "dog" is the better match for "cat".
    options = {"vectors": LONG, "similarity": "dot"}
    assert found("cat", "cat", "dog", d=2, **options) == {1: 1.0, 0: (4 / 4.8) ** 2}
    # An unknown word with itself: (1 + 4 + 9 + 1 + 1) / 5 = 3.2; dog·dog = 9.
    scores = found("dog Malt", "Malt", "dog", d=1, weights="uniform", **options)
    assert scores == {1: 9 / 9 / 2, 0: 3.2 / 9 / 2}
    assert found("Malt", "Malt", vectors=WordVectors.empty(), similarity="dot") == {0: 1.0}


def test_greedy_takes_what_the_chosen_sentences_lack():
    sentences = ("cat dog", "cat dog the", "car")
    options = {"weights": "uniform", "d": 1.0}
    # Alone, the first two cover "cat dog car" by 2.6 of 3; beside the first, the third adds 0.4.
    assert list(found("cat dog car", *sentences, **options)) == [0, 1, 2]
    chosen = found("cat dog car", *sentences, optimisation="greedy", **options)
    assert chosen == {0: 2.6 / 3, 2: 0.4 / 3}  # the second adds nothing


def test_unknown_words_are_one_word_if_wished():
    vectors = model({**TOY, UNKNOWN: [0.6, 0, 0.8]}, {**COUNTS, UNKNOWN: 99})
    weight = 1e-4 / (1e-4 + 0.099)
    expected = (weight + CAT * 0.6**4) / (weight + CAT)
    assert found("Malt cat", "Turbo", vectors=vectors, unk=True) == {0: expected}
    assert found("Malt", "Turbo", vectors=vectors) == {}
    (one,) = match("Malt", "car Turbo cat Maxi Turbo", vectors=vectors, unk=True)
    assert marks(one) == ["Turbo", "Maxi", "Turbo"]
    for kind in (AsymmetricMatcher, SymmetricMatcher):
        with pytest.raises(InputError, match=r"no \[UNK\].*--unknown"):
            kind(VECTORS, unk=True)


def test_sentences_are_returned_where_nothing_can_be_marked():
    both = match("the cat", "the", "dog")
    assert [(one.position, marks(one)) for one in both] == [(1, ["dog"]), (0, [])]
    (one,) = match("cat (Smith, 2001)", "cat (Smith, 2001)", markers="keep")
    assert marks(one) == ["cat", "Smith", "2001"]


# Averages of word vectors

AVERAGED = {"the": [0, 0, 1], "cat": [2, 0, 0], "dog": [0, 1, 0], "anti": [-1, 0, 0]}
OTHER_COUNTS = {"the": 500, "dog": 100, UNKNOWN: 9}


def test_averages_weigh_by_inverse_frequency_and_know_one_unknown_word():
    cat, dog = 1e-4 / (1e-4 + 0.001), 1e-4 / (1e-4 + 0.1)
    given = {"kind": SymmetricMatcher, "vectors": model(AVERAGED, OTHER_COUNTS)}
    scores = found("cat", "cat dog", weights="inverse-frequency", **given)
    assert scores == {0: 2 * cat / np.hypot(2 * cat, dog)}
    given["vectors"] = model({**AVERAGED, UNKNOWN: [0, 2, 0]}, OTHER_COUNTS)
    assert found("cat", "cat Malt", unk=True, **given) == {0: 0.5**0.5}


def test_averages_come_best_first_with_shared_words_marked():
    given = {"kind": SymmetricMatcher, "vectors": model(AVERAGED, OTHER_COUNTS)}
    sentences = ("cat dog", "cat", "dog cat", "cat")
    assert list(found("cat", *sentences, number=None, **given)) == [1, 3]
    assert list(found("cat", *sentences, number=3, **given)) == [1, 3, 0]
    (one,) = match("the cat of anti dog", "The cat and the DOG of a cat", **given)
    assert marks(one) == ["cat", "cat"]
