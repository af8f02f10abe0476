import numpy as np
import pytest

from pincite.model.papers import ReferencePaper, Sentence
from pincite_evaluation.baselines.encoders import open_encoder
from pincite_evaluation.baselines.sbert import Content, SbertMatcher
from tiny_transformer import tiny_transformer

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

SENTENCES = (
    "An entity grid records how entities move through a text.",
    "We thank the reviewers.",
    "However.",
    "…",
    "The entity grid predicts text coherence; text coherence matters (Jones, 1999).",
    "Maximum entropy models of text predict entities.",
    "Reviewers move through a grid.",
)
PAPER = ReferencePaper("Grids", "full text", tuple(map(Sentence, SENTENCES)))
#: What is left of each sentence that has words.
CONTENTS = (
    "entity grid records entities text",
    "thank reviewers",
    "",
    "entity grid predicts text coherence text coherence matters",
    "maximum entropy models text predict entities",
    "reviewers grid",
)
CITANCE = "The text coherence of an entity grid (Smith et al., 2001) predicts reviewers."
#: The bigrams it has in common with each of these, in its own order.
SHARED = {0: "entity grid", 3: "text coherence entity grid grid predicts"}
LEFT = "text coherence entity grid predicts reviewers"


@pytest.fixture(scope="module", name="encoder")
def tiny_encoder(tmp_path_factory):
    words = " ".join(CONTENTS).split()
    return open_encoder(tiny_transformer(tmp_path_factory.mktemp("sbert"), words))


def cosine(left, right):
    return float(left @ right / np.sqrt(left @ left) / np.sqrt(right @ right))


def naive(encoder, wce=False, remove=lambda vector: vector):
    """The cosine with each sentence that has words, one pair at a time."""
    found = []
    for index, content in enumerate(CONTENTS):
        pair = [LEFT, content]
        if wce and index in SHARED:
            pair = [f"{text} {SHARED[index]}" for text in pair]
        ours, theirs = (remove(encoder.sentences([text])[0]) for text in pair)
        found.append(cosine(ours, theirs) if content else 0.0)
    return found


def test_preprocessing_leaves_words_in_lower_case_without_stop_words_and_markers():
    content = Content.of("However, the L\u00e9vy-Parser (Smith et al., 2001) is NOT 3x faster!")
    assert content == Content(("l\u00e9vy", "parser", "3x", "faster"), "l\u00e9vy parser 3x faster")
    assert Content.of("And so it is … (Smith, 2001)") == Content((), "")


@pytest.mark.parametrize("wce", [False, True])
def test_scores_are_cosines_of_what_is_left_of_both(encoder, wce):
    matcher = SbertMatcher(encoder, wce=wce)
    found = matcher.cosines(CITANCE, matcher.fit(PAPER))
    np.testing.assert_allclose(found, naive(encoder, wce), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("m", [1, 3, 99])
@pytest.mark.parametrize("wce", [False, True])
def test_denoising_takes_out_what_sentences_have_in_common(encoder, m, wce):
    sentences = encoder.sentences([content for content in CONTENTS if content]).astype(np.float64)
    values, components = np.linalg.eigh(sentences.T @ sentences)
    first = np.argsort(-values)[:m]
    total = sum(max(0.0, values[index]) for index in first)

    def remove(vector):
        rest = vector.astype(np.float64)
        for index in first:
            component = components[:, index]
            rest = rest - max(0.0, values[index]) / total * (vector @ component) * component
        return rest

    matcher = SbertMatcher(encoder, m=m, wce=wce, denoise=True)
    found = matcher.cosines(CITANCE, matcher.fit(PAPER))
    np.testing.assert_allclose(found, naive(encoder, wce, remove), rtol=1e-3, atol=1e-5)


def test_content_words_of_the_citance_are_marked(encoder):
    matcher = SbertMatcher(encoder)
    (best, *_) = matcher.match("The text coherence of a grid", matcher.fit(PAPER), 1)
    assert best.position == 4
    assert [span.of(best.text) for span in best.matched] == ["grid", "text", "coherence", "text", "coherence"]  # fmt: skip
