import numpy as np
import pytest

from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite_evaluation.baselines.encoders import open_encoder
from pincite_evaluation.baselines.ricci import ContextualMatcher, piece_frequencies
from tiny_transformer import tiny_transformer

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

KNOWN = ("entity", "grid", "##s", "text", "coherence", "the", "of", "a", "predicts", "本", "文")
SENTENCES = (
    "The reviewers.",
    "Entity grids, of the text (Jones, 1999).",
    "…",
    "Coherence of texts: a grid predicts it.",
    "本文",
    "漢",
)
PAPER = ReferencePaper("Grids", "full text", tuple(map(Sentence, SENTENCES)))
COUNTS = {"The": 50, "the": 400, "of": 300, "entity": 3, "grids": 2, "grid": 5, "text": 40}


@pytest.fixture(scope="module", name="encoder")
def tiny_encoder(tmp_path_factory):
    return open_encoder(tiny_transformer(tmp_path_factory.mktemp("contextual"), KNOWN))


@pytest.fixture(scope="module", name="vectors")
def word_counts():
    nothing = np.zeros((len(COUNTS), 2), np.float32)
    counts = np.array(list(COUNTS.values()))
    return WordVectors(tuple(COUNTS), nothing, np.ones(len(COUNTS), np.float32), counts, {"tokens": "1000"})  # fmt: skip


def naive(encoder, citance, d, weight, truncation=None):
    """The score of each sentence, piece by piece; texts have neither markers nor signs."""
    (ours,) = encoder.pieces([citance], truncation)
    weights = [weight(number) for number in ours.ids.tolist()]
    scores = []
    for sentence in SENTENCES:
        text = sentence.replace("(Jones, 1999)", " " * 13)
        (theirs,) = encoder.pieces([text], truncation)
        known = [
            vector for number, (start, end), vector
            in zip(theirs.ids, theirs.spans, theirs.vectors, strict=True)
            if number != encoder.unknown and text[start:end].isalnum()
        ]  # fmt: skip
        score = 0.0
        for share, vector in zip(weights, ours.vectors, strict=True):
            cosines = [
                vector @ other / np.linalg.norm(vector) / np.linalg.norm(other) for other in known
            ]
            score += share * max(0.0, *cosines) ** d if cosines else 0.0
        scores.append(score / sum(weights))
    return scores


@pytest.mark.parametrize(
    ("options", "d", "weighted"),
    [({}, 4, True), ({"d": 1.0}, 1, True), ({"weights": "uniform"}, 4, False)],
)
def test_scores_are_those_of_the_paper_over_pieces(encoder, vectors, options, d, weighted):
    matcher = ContextualMatcher(encoder, vectors, **options)
    frequencies = piece_frequencies(encoder, vectors)

    def weight(number):
        return 1e-4 / (1e-4 + frequencies.get(number, 0.0)) if weighted else 1.0

    expected = naive(encoder, "the entity grids of the text", d, weight)
    found = matcher.match("the entity grids of the text", matcher.fit(PAPER), 10)
    assert {one.position for one in found} == {0, 1, 3, 4}
    assert [one.score for one in found] == pytest.approx(
        [expected[one.position] for one in found], rel=1e-3
    )


def test_pieces_are_as_frequent_as_the_words_that_have_them(encoder, vectors):
    frequencies = piece_frequencies(encoder, vectors)
    number = {piece: encoder.ids([piece])[0][0] for piece in ("the", "grid", "text")}
    plural = encoder.ids(["grids"])[0][1]
    total = sum(COUNTS.values()) + COUNTS["grids"]
    assert frequencies[number["the"]] == pytest.approx(450 / total)
    assert frequencies[number["grid"]] == pytest.approx(7 / total)
    assert frequencies[plural] == pytest.approx(2 / total)
    assert sum(frequencies.values()) == pytest.approx(1.0)


def test_only_the_first_pieces_count(encoder, vectors):
    matcher = ContextualMatcher(encoder, vectors, truncation=2)
    fitted = matcher.fit(PAPER)
    assert len(fitted.vectors) == 2 + 2 + 2 + 2
    assert matcher.match("entity grid coherence", fitted) == matcher.match("entity grid", fitted)


def test_what_the_vocabulary_lacks_does_not_count(encoder, vectors):
    matcher = ContextualMatcher(encoder, vectors)
    fitted = matcher.fit(PAPER)
    assert matcher.match("漢", fitted) == []
    assert 5 not in {one.position for one in matcher.match("漢 本", fitted, 9)}


def test_whole_content_words_are_marked(encoder, vectors):
    matcher = ContextualMatcher(encoder, vectors)
    fitted = matcher.fit(PAPER)
    (best,) = matcher.match("Of the grids: entity", fitted, 1)
    assert best.position == 1
    assert [span.of(best.text) for span in best.matched] == ["Entity", "grids"]
    # Only the first piece of "texts" is in the citance.
    found = next(one for one in matcher.match("text coherence", fitted, 9) if one.position == 3)
    assert [span.of(found.text) for span in found.matched] == ["Coherence"]
