import numpy as np
import pytest

from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError
from pincite_evaluation.baselines.contextual import ContextualMatcher, piece_frequencies
from pincite_evaluation.baselines.encoders import open_encoder
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


def test_without_counts_all_pieces_weigh_the_same(encoder, vectors):
    uniform = ContextualMatcher(encoder, vectors, weights="uniform")
    uncounted = ContextualMatcher(encoder, WordVectors.empty())
    fitted = uniform.fit(PAPER)
    assert uncounted.match("the entity", fitted, 9) == uniform.match("the entity", fitted, 9)


def test_only_the_first_pieces_count(encoder, vectors):
    matcher = ContextualMatcher(encoder, vectors, truncation=2)
    fitted = matcher.fit(PAPER)
    assert len(fitted.vectors) == 2 + 2 + 2 + 2
    assert matcher.match("entity grid coherence", fitted) == matcher.match("entity grid", fitted)


def test_markers_and_signs_do_not_count(encoder, vectors):
    matcher = ContextualMatcher(encoder, vectors)
    fitted = matcher.fit(PAPER)
    assert matcher.match("(Smith et al., 2001)", fitted) == []
    assert matcher.match("… , ( )", fitted) == []
    bare, marked = (
        matcher.match(f"coherence of texts{marker}", fitted) for marker in ("", " (Smith, 2001)")
    )
    assert bare == marked


def test_what_the_vocabulary_lacks_does_not_count(encoder, vectors):
    matcher = ContextualMatcher(encoder, vectors)
    fitted = matcher.fit(PAPER)
    assert matcher.match("漢", fitted) == []
    assert 5 not in {one.position for one in matcher.match("漢 本", fitted, 9)}


def test_a_copy_comes_first_and_covers_all(encoder, vectors):
    matcher = ContextualMatcher(encoder, vectors)
    found = matcher.match(SENTENCES[3], matcher.fit(PAPER))
    assert (found[0].position, len(found)) == (3, 2)
    assert found[0].score == pytest.approx(1.0)


def test_whole_words_that_tell_anything_are_marked(encoder, vectors):
    matcher = ContextualMatcher(encoder, vectors)
    fitted = matcher.fit(PAPER)
    (best,) = matcher.match("Of the grids: entity", fitted, 1)
    assert best.position == 1
    assert [span.of(best.text) for span in best.matched] == ["Entity", "grids"]
    # Only the first piece of "texts" is in the citance.
    found = next(one for one in matcher.match("text coherence", fitted, 9) if one.position == 3)
    assert [span.of(found.text) for span in found.matched] == ["Coherence"]


def test_pairs_of_characters_are_marked_as_one(encoder, vectors):
    matcher = ContextualMatcher(encoder, vectors)
    (best, *_) = matcher.match("本文 grid", matcher.fit(PAPER), 9)
    assert best.position == 4
    assert [span.of(best.text) for span in best.matched] == ["本文"]


def test_a_paper_without_words(encoder, vectors):
    matcher = ContextualMatcher(encoder, vectors)
    assert matcher.match("grid", matcher.fit(ReferencePaper("", "title"))) == []
    assert matcher.match("", matcher.fit(PAPER)) == []


@pytest.mark.parametrize(
    "options", [{"d": 0.0}, {"alpha": 0.0}, {"alpha": float("inf")}, {"k": 0}, {"truncation": 0}]
)
def test_numbers_out_of_range_are_errors(encoder, vectors, options):
    (name,) = options
    with pytest.raises(InputError, match=f"{name}="):
        ContextualMatcher(encoder, vectors, **options)
