"""Training the model of `fused`: experts, the gate, what samples count, and what they lack."""

import numpy as np
import pytest

from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.sentence_model import GATED_BY, SentenceModel
from pincite.matching.vectors import WordVectors
from pincite.model.problems import InputError
from pincite_evaluation.sentence_training import Sample, train

NAMES = SentenceFeatures(AsymmetricMatcher(WordVectors.packaged())).names
SENTENCES = 40


def sample(number, kind, telling, familiar, sentences=SENTENCES):
    """Sentence 3 of a work is right; the feature `telling` says so, others are noise."""
    random = np.random.default_rng(number)
    values = random.normal(size=(sentences, len(NAMES)))
    values[:, NAMES.index(GATED_BY)] = familiar
    right = np.zeros(sentences)
    right[3] = 1.0
    values[3, NAMES.index(telling)] += 5.0
    return Sample(f"{kind} {number}", values, right, kind, full_text=True)


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


def test_nothing_to_train_on_is_told():
    with pytest.raises(InputError, match="nothing to train on"):
        train([], NAMES)
    empty = Sample("w", ANNOTATED[0].values, np.zeros(SENTENCES), "marked", full_text=True)
    with pytest.raises(InputError, match="nothing to train on"):
        train([empty], NAMES)
