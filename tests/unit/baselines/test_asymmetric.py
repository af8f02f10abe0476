"""The matcher's arithmetic on a toy matrix, option by option."""

import numpy as np
import pytest

from pincite.matching.sentence_vocabulary import Reading, SentenceWords
from pincite.matching.vectors import UNKNOWN, WordVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError
from pincite_evaluation.baselines.ricci import AsymmetricMatcher, paper_stop_words

# cos(cat, dog) = 0.8, cos(cat, car) = 0, cos(cat, anti) = -1; "the" is half of all words.
TOY = {
    "the": [0, 0, 1],
    "cat": [1, 0, 0],
    "dog": [0.8, 0.6, 0],
    "car": [0, 1, 0],
    "anti": [-1, 0, 0],
}
COUNTS = {"the": 500, "cat": 1, "dog": 1, "car": 1, "anti": 1}
THE, CAT = 1e-4 / (1e-4 + 0.5), 1e-4 / (1e-4 + 0.001)


def model(vectors, counts=None):
    return WordVectors(
        list(vectors),
        np.asarray(list(vectors.values()), np.float32),
        np.ones(len(vectors), np.float32),
        np.asarray([(counts or COUNTS).get(word, 1) for word in vectors]),
        {"tokens": "1000"},
    )


VECTORS = model(TOY)
#: The same directions, lengths 2 for "cat" and 3 for "dog"; the mean squared length is 16 / 5.
LONG = model({**TOY, "cat": [2, 0, 0], "dog": [2.4, 1.8, 0]})


def paper(*sentences):
    return ReferencePaper("Toy", "full text", tuple(Sentence(text) for text in sentences))


def match(citance, *sentences, vectors=VECTORS, number=10, **options):
    matcher = AsymmetricMatcher(vectors, **options)
    return matcher.match(citance, matcher.fit(paper(*sentences)), number)


def score(citance, sentence, **options):
    found = match(citance, sentence, **options)
    return found[0].score if found else 0.0


def order(found):
    return [sentence.position for sentence in found]


def scores(found):
    return [sentence.score for sentence in found]


def marks(found):
    return [span.of(found.text) for span in found.matched]


def test_each_query_word_counts_with_its_best_match_to_the_power_d():
    assert score("cat", "dog car") == pytest.approx(0.8**4)
    assert score("cat", "dog car", d=1) == pytest.approx(0.8)
    assert score("cat", "dog car", d=2.5) == pytest.approx(0.8**2.5)


def test_an_infinite_d_leaves_the_same_words_only():
    found = match("cat car", "dog", "car dog", d=float("inf"))
    assert [(one.position, one.score) for one in found] == [(1, 0.5)]


def test_common_words_weigh_less():
    expected = (THE * 1 + CAT * 0.8**4) / (THE + CAT)
    assert score("the cat", "the dog") == pytest.approx(expected)
    the, cat = 0.1 / (0.1 + 0.5), 0.1 / (0.1 + 0.001)
    assert score("the cat", "the", alpha=0.1) == pytest.approx(the / (the + cat))


def test_a_word_counts_as_often_as_the_citance_has_it():
    assert score("cat cat car", "cat") == pytest.approx(2 / 3)
    assert score("cat cat car", "cat cat cat") == pytest.approx(2 / 3)


def test_extra_words_of_the_sentence_cost_nothing():
    assert score("cat", "the cat car anti dog") == 1.0


def test_negative_cosines_count_as_nothing():
    assert match("cat", "anti") == []


def test_uniform_weights():
    assert score("the cat", "the", weights="uniform") == pytest.approx(0.5)


def test_without_stop_words_the_others_weigh_the_same():
    citance = "The cat of dog"  # "dog" is covered, "cat" by 0.8, "The" and "of" do not count
    found = score(citance, "the dog of", weights="uniform-nostop", d=1)
    assert found == pytest.approx((1 + 0.8) / 2)
    assert match("of the", "of the cat", weights="uniform-nostop") == []
    assert match("of the", "of the", weights="uniform-nostop", direction="reverse") == []


def test_the_stop_list_is_that_of_the_paper():
    stopped = paper_stop_words()
    assert {"a", "yourselves", "disambiguation", "couldn", "ll", "t", "let"} <= stopped
    assert not {"#", "method", "within", "card", "we've"} & stopped
    assert len(stopped) == 149


def test_a_word_without_a_vector_matches_itself_and_nothing_else():
    assert score("MaltParser", "the MaltParser") == 1.0
    assert score("MaltParser", "maltparser") == 1.0
    assert match("MaltParser", "cat dog Other") == []


def test_only_the_first_words_of_a_sentence_count():
    assert match("cat", "car car cat", truncation=2) == []
    assert score("cat", "car cat car", truncation=2) == 1.0
    assert score("cat dog", "cat", truncation=1) == 1.0
    assert score("cat", "car " * 100 + "cat", truncation=None) == 1.0
    assert match("cat", "car " * 100 + "cat") == []


def test_uncased_words_are_those_of_lower_case():
    assert match("Cat", "dog") == []
    assert score("Cat", "DOG", cased=False) == pytest.approx(0.8**4)


def test_kept_markers_are_words():
    marked = "cat (Smith, 2001)"
    assert match("car (Smith, 2001)", marked) == []
    assert score("car (Smith, 2001)", marked, markers="keep", weights="uniform") == pytest.approx(
        2 / 3
    )
    assert marks(match(marked, marked)[0]) == ["cat"]
    assert marks(match(marked, marked, markers="keep")[0]) == ["cat", "Smith", "2001"]


def test_reverse_sums_over_the_words_of_the_sentence():
    found = match("cat", "dog", "dog car dog", "the", direction="reverse", d=1, weights="uniform")
    # Sums 0.8, 1.6 and 0, of at most three words.
    assert order(found) == [1, 0]
    assert scores(found) == pytest.approx([1.6 / 3, 0.8 / 3])


def test_reverse_weighs_the_words_of_the_sentence():
    heaviest = THE + CAT
    found = match("the cat", "the", "the dog", direction="reverse")
    assert scores(found) == pytest.approx([(THE + CAT * 0.8**4) / heaviest, THE / heaviest])


def test_reverse_keeps_the_tolerance_of_case_for_unknown_words():
    assert score("MaltParser", "MALTPARSER", direction="reverse") == 1.0


def test_dot_products_are_fractions_of_the_greatest():
    # cat·dog = 2·3·0.8 = 4.8, cat·cat = 4: "dog" is the better match for "cat".
    found = match("cat", "cat", "dog", vectors=LONG, similarity="dot", d=2)
    assert order(found) == [1, 0]
    assert scores(found) == pytest.approx([1.0, (4 / 4.8) ** 2])


def test_a_word_without_a_vector_has_the_mean_squared_length():
    # Unknown with itself: (1 + 4 + 9 + 1 + 1) / 5 = 3.2; dog·dog = 9.
    found = match("dog Malt", "Malt", "dog", vectors=LONG, similarity="dot", d=1, weights="uniform")
    assert order(found) == [1, 0]
    assert scores(found) == pytest.approx([9 / 9 / 2, 3.2 / 9 / 2])
    empty = match("Malt", "Malt", vectors=WordVectors.empty(), similarity="dot")
    assert scores(empty) == [1.0]


def test_dot_products_that_are_all_negative_match_nothing():
    assert match("cat", "anti", vectors=LONG, similarity="dot") == []


def test_greedy_takes_what_the_chosen_sentences_lack():
    sentences = ("cat dog", "cat dog the", "car")
    options = {"weights": "uniform", "d": 1.0}
    # Alone, the first two cover "cat dog car" by 2.6 of 3; beside the first, the third adds 0.4.
    assert order(match("cat dog car", *sentences, **options)) == [0, 1, 2]
    found = match("cat dog car", *sentences, optimisation="greedy", **options)
    assert order(found) == [0, 2]  # the second adds nothing, and is not given
    assert scores(found) == pytest.approx([2.6 / 3, 0.4 / 3])


def test_unknown_words_are_one_word_if_wished():
    vectors = model({**TOY, UNKNOWN: [0.6, 0, 0.8]}, {**COUNTS, UNKNOWN: 99})
    citance, weight = "Malt cat", 1e-4 / (1e-4 + 0.099)
    assert score(citance, "Turbo", vectors=vectors, unk=True) == pytest.approx(
        (weight + CAT * 0.6**4) / (weight + CAT)
    )
    assert match("Malt", "Turbo", vectors=vectors) == []


def test_vectors_without_a_word_for_unknown_ones_cannot_serve_unk():
    with pytest.raises(InputError, match=r"no \[UNK\].*--unknown"):
        AsymmetricMatcher(VECTORS, unk=True)


@pytest.mark.parametrize(
    "options",
    [{"d": 0}, {"d": float("nan")}, {"alpha": 0}, {"alpha": float("inf")}, {"k": 0},
     {"truncation": 0}],
)  # fmt: skip
def test_numbers_out_of_range_are_named(options):
    with pytest.raises(InputError, match=f"^{next(iter(options))}="):
        AsymmetricMatcher(VECTORS, **options)


def test_k_is_what_is_returned_unless_a_number_is_given():
    sentences = ["cat"] * 4
    matcher = AsymmetricMatcher(VECTORS, k=3)
    fitted = matcher.fit(paper(*sentences))
    assert order(matcher.match("cat", fitted)) == [0, 1, 2]
    assert order(matcher.match("cat", fitted, 1)) == [0]
    assert matcher.match("cat", fitted, 0) == []


def test_sentences_are_returned_where_nothing_can_be_marked():
    found = match("the cat", "the", "dog")
    assert [(one.position, marks(one)) for one in found] == [(1, ["dog"]), (0, [])]


@pytest.mark.parametrize("d", [1, 4, 10])
@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_words_are_marked_by_their_cosine_alone(d, similarity):
    # cos(cat, dog) = 0.8 is marked, cos(dog, car) = 0.6 is not.
    found = match("cat", "dog Car", vectors=LONG, d=d, similarity=similarity)
    assert marks(found[0]) == ["dog"]
    assert marks(match("car", "dog", vectors=LONG, d=d, similarity=similarity)[0]) == []


def test_marks_stay_at_their_words_when_unknown_words_are_one():
    vectors = model({**TOY, UNKNOWN: [0, 0, 1]})
    found = match("Malt", "car Turbo cat Maxi Turbo", vectors=vectors, unk=True)
    assert marks(found[0]) == ["Turbo", "Maxi", "Turbo"]


def test_kept_markers_are_words_of_the_paper():
    read = paper("The cat (Smith, 2001) sat.")
    assert SentenceWords.of(read, Reading()).vocabulary == ("The", "cat", "sat")
    kept = SentenceWords.of(read, Reading(markers="keep"))
    assert kept.vocabulary == ("The", "cat", "Smith", "2001", "sat")


def test_sentence_words_know_where_they_stand():
    read = SentenceWords.of(paper("…", "the cat the", "", "dog"), Reading())
    assert read.positions == (1, 3)
    assert read.columns.tolist() == [0, 1, 0, 2]
    assert read.starts.tolist() == [0, 3]
    assert read.owners.tolist() == [0, 0, 0, 1]
    assert [read.places(index) for index in (0, 1)] == [slice(0, 3), slice(3, 4)]
    assert read.listed(read.vocabulary) == [["the", "cat", "the"], ["dog"]]
    assert read.spans.tolist() == [[0, 3], [4, 7], [8, 11], [0, 3]]
