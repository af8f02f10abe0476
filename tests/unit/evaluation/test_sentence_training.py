"""Training the model of `fused`: experts, the gate, what samples count, and what they lack."""

from dataclasses import replace

import numpy as np
import pytest

from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.sentence_model import GATED_BY, Calibration, Expert, SentenceModel
from pincite.matching.vectors import WordVectors
from pincite.model.problems import InputError
from pincite_evaluation.sentence_training import Sample, train

NAMES = SentenceFeatures(AsymmetricMatcher(WordVectors.packaged())).names
SENTENCES = 40
ALL = np.ones(SENTENCES, np.bool_)


def sample(number, kind, informative, familiar, sentences=SENTENCES):
    """Sentence 3 of a work is right; the feature `informative` shows it, others are noise."""
    random = np.random.default_rng(number)
    values = random.normal(size=(sentences, len(NAMES)))
    values[:, NAMES.index(GATED_BY)] = familiar
    right = np.zeros(sentences)
    right[3] = 1.0
    values[3, NAMES.index(informative)] += 5.0
    return Sample(f"{kind} {number}", values, right, kind, True, ALL)


ANNOTATED = [sample(number, "annotated", "bm25", -4.0) for number in range(30)]
MARKED = [sample(100 + number, "marked", "rarest_3", -5.0) for number in range(30)]


def best(model, unseen):
    return int(model.relevance(unseen.values).argmax())


def test_each_expert_learns_its_own_convention():
    model = train([*ANNOTATED, *MARKED], NAMES)
    near = [sample(200 + number, "annotated", "bm25", -4.0) for number in range(10)]
    far = [sample(300 + number, "marked", "rarest_3", -5.0) for number in range(10)]
    assert np.mean([best(model, one) == 3 for one in near]) > 0.8
    assert np.mean([best(model, one) == 3 for one in far]) > 0.8
    shares = model.gate.probabilities(np.array([-4.0, -4.5, -5.0]))
    assert shares[0] > 0.7 > shares[1] > 0.3 > shares[2]
    assert (model.meta["annotated"], model.meta["marked"]) == (30, 30)


@pytest.mark.parametrize("samples", [ANNOTATED, MARKED])
def test_labels_of_one_kind_make_one_expert(samples, tmp_path):
    model = train(samples, NAMES)
    assert model.far is None
    assert (model.near.trees is None) is (samples is ANNOTATED)
    model.save(tmp_path / "model.json")
    read = SentenceModel.load(tmp_path / "model.json")
    found, again = (one.relevance(samples[0].values) for one in (model, read))
    np.testing.assert_allclose(found, again, atol=1e-3)


def test_the_same_samples_give_the_same_file(tmp_path):
    long = [sample(900 + number, "marked", "bm25", -5.0, sentences=90) for number in range(3)]
    for name in ("one", "two"):
        train([*ANNOTATED, *long], NAMES).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def claimed(number, accurate, *, cited=True):
    """A work with a claim; where it is accurate, the sentences have much of one feature."""
    own = sample(number, "marked", "bm25", -5.0)
    values = own.values.copy()
    values[:, NAMES.index("pairs")] += 4.0 if accurate else 0.0
    unknown = own.right if cited else np.full(SENTENCES, np.nan)
    given = {"values": values, "right": unknown, "cited": cited, "work": f"claimed {number // 2}"}
    return replace(own, **given, accurate=accurate if cited else None)


#: Each work has a claim of either kind.
CLAIMS = [claimed(2000 + number, number % 2 == 0) for number in range(160)]


def test_a_claim_is_accurate_if_the_best_sentences_are_like_those_of_accurate_ones():
    others = [claimed(1100 + number, accurate=False, cited=False) for number in range(10)]
    model = train([*ANNOTATED, *CLAIMS, *others], NAMES)
    assert model.meta["claims"] == 160
    basis = "full text"
    found = [
        [model.assess(one.values, ALL, basis).accurate for one in own]
        for own in (
            [claimed(1200 + number, accurate=True) for number in range(10)],
            [claimed(1300 + number, accurate=False) for number in range(10)],
        )
    ]
    assert np.mean(found[0]) > np.mean(found[1]) + 0.3


def test_claims_of_one_kind_teach_nothing():
    model = train([*ANNOTATED, *(claimed(1000 + n, accurate=True) for n in range(6))], NAMES)
    assert model.claim is None
    assert model.assess(MARKED[0].values, ALL, "full text").accurate is None


def test_sentences_are_probable_by_relevance_and_the_claim():
    judged = [replace(one, kind="judged", work=f"judged {one.work}") for one in CLAIMS]
    supported = [
        replace(one, right=np.where(ALL, one.right if one.accurate else 0.0, 0.0), accurate=None)
        for one in judged
    ]
    model = train([*ANNOTATED, *CLAIMS, *supported], NAMES)
    assert model.full_text.slope > 0
    assert model.full_text.rank <= 0
    assert model.full_text.claim > 0
    assert model.full_text.usual_claim != 0
    for one in CLAIMS[:8]:
        found = model.assess(one.values, ALL, "full text").probabilities
        assert (np.diff(found[np.argsort(-model.relevance(one.values))]) <= 0).all()


def test_without_the_claim_a_work_counts_as_one_that_is_usually_cited():
    """The claim is the second feature, and .5 in works that are usually cited."""
    calibration = Calibration(claim=1.0, usual_claim=0.5)
    near, claim = (Expert(np.array(weights)) for weights in ([1.0, 0.0], [0.0, 1.0]))
    model = SentenceModel(("one", "other"), near, full_text=calibration, claim=claim)
    usual, unlikely = (
        np.column_stack([[2.0, 1.0, 0.0], np.full(3, claimed)]) for claimed in (0.5, -4.0)
    )
    known = model.assess(usual, ALL[:3], "full text")
    unknown = model.assess(unlikely, ALL[:3], "full text", judges_claim=False)
    np.testing.assert_allclose(unknown.probabilities, known.probabilities)
    assert (known.accurate, unknown.accurate) == (pytest.approx(1 / (1 + np.exp(-0.5))), None)


def test_a_sentence_that_readers_call_support_is_probable_whatever_its_relevance():
    """The first feature is relevance, the second support."""
    calibration = Calibration(support=1.0, usual_support=0.5)
    near, support = (Expert(np.array(weights)) for weights in ([1.0, 0.0], [0.0, 1.0]))
    model = SentenceModel(("one", "other"), near, full_text=calibration, support=support)
    values = np.array([[1.0, -2.0], [0.0, 2.0]])
    found = model.assess(values, ALL[:2], "full text")
    assert found.relevance[0] > found.relevance[1]
    assert found.probabilities[0] < 0.5 < found.probabilities[1]
    # In another language, no sentence shares enough to be judged by.
    usual = model.assess(values, ALL[:2], "full text", judges_claim=False)
    np.testing.assert_allclose(usual.probabilities, 1 / (1 + np.exp([-1.5, -0.5])))


def test_nothing_to_train_on_is_reported():
    with pytest.raises(InputError, match="nothing to train on"):
        train([], NAMES)
    empty = Sample("w", ANNOTATED[0].values, np.zeros(SENTENCES), "marked", True, ALL)
    with pytest.raises(InputError, match="nothing to train on"):
        train([empty], NAMES)
