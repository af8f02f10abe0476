"""`fused` with a transformer: one more feature, and each text encoded once in an evaluation."""

import numpy as np
import pytest

from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite.text.stemming import stemmer
from pincite_evaluation.baselines.encoders import CachingEncoder, open_encoder
from tiny_transformer import tiny_transformer

pytest.importorskip("onnxruntime", reason="needs the extra pincite[transformers]")

WORDS = ("entity", "grid", "frogs", "ponds", "coherence", "text", "the", "of", "in", "live")
PAPER = ReferencePaper(
    "Entities",
    "full text",
    (
        Sentence("The entity grid of the text (Lee, 1999) predicts its coherence."),
        Sentence("Frogs live in the ponds of the town."),
        Sentence("…"),
    ),
)


@pytest.fixture(name="encoder", scope="module")
def tiny_encoder(tmp_path_factory):
    return open_encoder(tiny_transformer(tmp_path_factory.mktemp("tiny"), WORDS))


def test_the_cosine_of_a_citance_and_a_sentence_is_evidence(encoder):
    features = SentenceFeatures(AsymmetricMatcher(WordVectors.packaged()), encoder)
    fitted = features.fit(PAPER, stemmer("en"))
    citance = "Frogs of the ponds (Smith, 2001)"
    found = dict(zip(features.names, features.of(citance, fitted).values.T, strict=True))
    # Markers of citations are not encoded.
    texts = [
        "The entity grid of the text  predicts its coherence.",
        "Frogs live in the ponds of the town.",
        "Frogs of the ponds ",
    ]
    one, other, asked = encoder.sentences(texts)
    expected = [
        each @ asked / np.linalg.norm(each) / np.linalg.norm(asked) for each in (one, other)
    ]
    np.testing.assert_allclose(found["encoded"], expected, rtol=1e-4)
    assert found["encoded_rank"].tolist() == [pytest.approx(np.log(2)), 0]


def test_a_text_is_encoded_once(encoder):
    asked = []

    class Counting:
        dimensions = encoder.dimensions

        def sentences(self, texts):
            asked.extend(texts)
            return encoder.sentences(texts)

    caching = CachingEncoder(Counting())
    first = caching.sentences(["frogs", "the grid", "frogs"])
    again = caching.sentences(["the grid", "text"])
    assert asked == ["frogs", "the grid", "text"]
    np.testing.assert_array_equal(first[0], first[2])
    np.testing.assert_array_equal(first[1], again[0])
    assert caching.sentences([]).shape == (0, encoder.dimensions)
