"""NEAL by hand: what is ranked and what is cut; what its layers learn; and how they are stored."""

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest

from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError
from pincite_evaluation.baselines.neal import (
    Instances,
    NealMatcher,
    NealModel,
    NealRecipe,
    TfIdfMatcher,
    TrainingPaper,
    learn,
    loss,
)


def paper(*sentences):
    return ReferencePaper("Toy", "full text", tuple(Sentence(text) for text in sentences))


def match(citance, *sentences, number=None, **parameters):
    matcher = NealMatcher(**parameters)
    return matcher.match(citance, matcher.fit(paper(*sentences)), number)


def positions(*arguments, **parameters):
    return [found.position for found in match(*arguments, **parameters)]


def layers(**words):
    """Each word's row of V and of W."""
    v, w = (np.asarray([rows[side] for rows in words.values()], np.float32) for side in (0, 1))
    return NealModel({word: row for row, word in enumerate(words)}, v, w)


MODEL = layers(
    cat=([0.5, 0.0], [0.1, 0.0]),
    dog=([0.0, 0.5], [0.0, 0.0]),
    feline=([9.0, 9.0], [0.4, 0.0]),
    canine=([9.0, 9.0], [0.0, 0.2]),
    chair=([9.0, 9.0], [-0.4, 0.0]),
)
SENTENCES = (
    "feline animals sleep feline",
    "canine animals bark",
    "cat animals purr",
    "chair cat dog",
)


def test_scores_are_the_mixture_moved_and_scaled_into_fractions():
    # G(cat dog cat) = (0.5, 0.5), each word once; the longest F is 0.4; h and t by hand.
    h = [0.5 * 0.4, 0.5 * 0.2, 0.5 * 0.1, 0.5 * (0.1 - 0.4)]
    idf = {"cat": log(5 / 3) + 1, "dog": log(5 / 2) + 1}
    rare, animals = idf["dog"], log(5 / 4) + 1
    citance = np.array([2 * idf["cat"], idf["dog"]])
    citance /= np.linalg.norm(citance)
    t = [
        *(0.0, 0.0),
        citance[0] * idf["cat"] / sqrt(idf["cat"] ** 2 + rare**2 + animals**2),
        citance @ [idf["cat"], idf["dog"]] / sqrt(idf["cat"] ** 2 + 2 * rare**2),
    ]
    bound = sqrt(0.5) * 0.4
    for mix in (0.0, 0.3, 1.0):
        sigma = [mix * a + (1 - mix) * b for a, b in zip(h, t, strict=True)]
        expected = [(s + mix * bound) / (2 * mix * bound + 1 - mix) for s in sigma]
        found = match("cat dog cat", *SENTENCES, number=4, model=MODEL, mix=mix, gamma=1.0)
        by_position = {one.position: one.score for one in found}
        assert by_position == pytest.approx(
            {position: score for position, score in enumerate(expected) if score > 0}
        )
        assert list(by_position) == sorted(by_position, key=lambda each: -sigma[each])


def test_the_ends_of_the_mixture():
    found = positions("cat dog", *SENTENCES, number=4, model=MODEL, mix=1.0, gamma=1.0)
    assert found == [0, 1, 2, 3]
    matcher = TfIdfMatcher()
    tfidf = matcher.match("cat dog", matcher.fit(paper(*SENTENCES)), 4)
    for model in (MODEL, NealModel()):
        assert match("cat dog", *SENTENCES, number=4, model=model, mix=0.0, gamma=1.0) == tfidf
    # Without a model, any share of h is a share of nothing.
    unmixed = match("cat dog", *SENTENCES, number=4, mix=0.1, gamma=1.0)
    assert [(one.position, one.score) for one in unmixed] == [
        (one.position, pytest.approx(one.score)) for one in tfidf
    ]


def test_sentences_of_two_words_or_fewer_are_dismissed():
    sentences = ("cat dog", "cat", "cat of the dog", "The dog barks")
    assert positions("cat dog", *sentences, gamma=1.0) == [2, 3]
    assert positions("cat dog", "cat dog", model=MODEL, mix=1.0) == []


def test_two_sentences_of_which_the_second_is_cut_if_it_repeats_the_first():
    sentences = ("cat dog mouse", "cat dog bird", "fish in water", "sun and moon")
    # Each word of the first two: twice cat and dog, one of its own.
    shared, own = log(5 / 3) + 1, log(5 / 2) + 1
    similarity = 2 * shared**2 / (2 * shared**2 + own**2)
    assert positions("cat dog fish", *sentences) == [0]
    assert positions("cat dog fish", *sentences, gamma=similarity - 1e-6) == [0]
    assert positions("cat dog fish", *sentences, gamma=similarity + 1e-6) == [0, 1]
    # What was cut is not replaced within two, and stands back where more are asked for.
    assert positions("cat dog fish", *sentences, number=3) == [0, 2]
    assert positions("cat dog fish", *sentences, k=3) == [0, 2]
    assert positions("cat dog fish", *sentences, number=1) == [0]
    assert positions("cat dog fish", *sentences, number=0) == []


def test_a_sentence_is_compared_with_those_that_stay():
    sentences = ("one cat dog fox", "two cat dog mouse bird", "three mouse bird cow cat")
    best = match("cat dog fox mouse", *sentences, number=3, gamma=1.0)
    assert [each.position for each in best] == [0, 1, 2]
    # The last repeats the second, which is cut, more than the first, which stays.
    assert positions("cat dog fox mouse", *sentences, number=3, gamma=0.3) == [0, 2]
    assert positions("cat dog fox mouse", *sentences, number=3, gamma=0.05) == [0]


# Learning -----------------------------------------------------------------------------------------

COLOURS = ("red", "green", "blue", "white")
TASTES = ("sweet", "sour", "salty", "bitter")
#: Citances and the sentences that they target share no word.
TOY = TrainingPaper(
    [
        *(f"sentence of {taste} things here".split() for taste in TASTES),
        *(f"filler {number} says nothing at all".split() for number in "abcdefgh"),
        ["short", "one"],
    ],
    [
        (f"{opening} {colour} work".split(), frozenset([number]))
        for opening in ("the", "another")
        for number, colour in enumerate(COLOURS)
    ],
)
RECIPE = NealRecipe(dimensions=8, epochs=60, negatives=11, rate=0.05, batch=4)


def test_gradients_are_those_of_the_loss():
    instances = Instances.of([TOY], RECIPE)
    draw = np.random.default_rng(1)
    v, w = draw.normal(0.0, 0.1, (2, len(instances.words), 3))
    batch = np.asarray([0, 3, 5])
    margin, step = 0.1, 1e-6
    value, *gradients = loss(instances, batch, v, w, margin)
    # Some of the ranks are right already, by the margin: no gradient comes from those.
    assert value > 0.0
    for layer, gradient in zip((v, w), gradients, strict=True):
        expected = np.zeros_like(layer)
        for place in np.ndindex(layer.shape):
            before = layer[place]
            values = []
            for moved in (before + step, before - step):
                layer[place] = moved
                values.append(loss(instances, batch, v, w, margin)[0])
            layer[place] = before
            expected[place] = (values[0] - values[1]) / (2 * step)
        np.testing.assert_allclose(gradient, expected, atol=1e-6)
        assert np.count_nonzero(expected) > 10


def test_a_similarity_without_shared_words_is_learnt():
    model = learn(Instances.of([TOY], RECIPE), RECIPE)
    matcher = NealMatcher(model, mix=1.0)
    fitted = matcher.fit(paper(*map(" ".join, TOY.sentences)))
    for words, targets in TOY.citances:
        best = matcher.match(" ".join(words), fitted, 1)
        assert {found.position for found in best} == targets
    assert NealMatcher(mix=1.0).match("red work", fitted) == []
    again = learn(Instances.of([TOY], RECIPE), RECIPE)
    assert (again.v.tobytes(), again.w.tobytes()) == (model.v.tobytes(), model.w.tobytes())
    for layer in (model.v, model.w):
        np.testing.assert_allclose(np.linalg.norm(layer, axis=0), 1.0, rtol=1e-5)


def test_false_targets_are_ranked_sentences_of_the_same_paper_that_nobody_chose():
    other = TrainingPaper([["x", "y", "z"], ["u", "v", "w"]], [(["q"], frozenset([0, 1]))])
    both = TrainingPaper(TOY.sentences, [(["q"], frozenset([0, 2, 12]))])
    instances = Instances.of([other, both, TOY], replace(RECIPE, negatives=9))
    # `other` has no false target; the short sentence of `both` is never ranked.
    first = len(other.sentences)
    assert instances.cited[:2].tolist() == [1, 1]
    assert instances.true[:2].tolist() == [first, first + 2]
    for false in instances.false[:2]:
        assert set(false) <= {first + number for number in (1, *range(3, 12))}
        assert len(set(false)) == 9
    start = first + len(both.sentences)
    assert instances.false[2:].min() >= start
    assert instances.false[2:].max() < start + 12
    assert (instances.false[2:] != instances.true[2:, None]).all()


# Files --------------------------------------------------------------------------------------------


def test_a_model_is_read_as_it_was_written(tmp_path):
    model = replace(MODEL, vocabulary={"größe": 0, "文本": 1, "c": 2, "d": 3, "e": 4})
    model.save(tmp_path)
    again = NealModel.load(tmp_path)
    assert again.vocabulary == model.vocabulary
    assert np.array_equal(again.v, model.v)
    assert np.array_equal(again.w, model.w)
    before = (tmp_path / "neal.npz").read_bytes()
    again.save(tmp_path)
    assert (tmp_path / "neal.npz").read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"text", {"words": np.frombuffer(b"cat", np.uint8)}])
def test_files_that_are_no_model_are_input_errors(tmp_path, content):
    if isinstance(content, bytes):
        (tmp_path / "neal.npz").write_bytes(content)
    else:
        layers = dict.fromkeys("vw", np.zeros((2, 3), np.float32))
        np.savez(tmp_path / "neal.npz", **layers, **content)
    with pytest.raises(InputError, match="is not a NEAL model"):
        NealModel.load(tmp_path)


def test_a_folder_without_a_model_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        NealModel.load(tmp_path)
