"""What every sentence matcher must do: all of `SYSTEMS`, and the default without vectors."""

from dataclasses import replace

import numpy as np
import pytest

from pincite.matching.fused import FusedMatcher
from pincite.matching.vectors import UNKNOWN, WordVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite.settings import SYSTEM_NAMES
from pincite.text.tokens import words
from pincite_evaluation.baselines.bm25 import RerankerMatcher
from pincite_evaluation.baselines.encoders import open_encoder
from pincite_evaluation.baselines.neal import NealMatcher, NealModel
from pincite_evaluation.baselines.systems import SYSTEMS
from pincite_evaluation.training import ModelFolder
from pincite_evaluation.vector_training import save
from tiny_transformer import tiny_transformer

NO_VECTORS = "asymmetric, no vectors"

PAPER = ReferencePaper(
    "Entities",
    "full text",
    (
        Sentence("We thank the reviewers.", page=1, section="Thanks"),
        Sentence(
            "An entity grid records how entities move through a text.", page=2, page_label="7"
        ),
        Sentence("The grid predicts text coherence better than a baseline.", page=3),
        Sentence("…", page=3),
        Sentence("文本连贯性的模型", page=4),
    ),
)
CITANCE = "The entity grid models text coherence (Smith et al., 2001)."


class AllAlike:
    """A cross-encoder to which all sentences are alike."""

    def probabilities(self, citance, sentences):
        return np.full(len(sentences), 0.5)


@pytest.fixture(scope="module", name="with_unknown")
def vectors_with_unknown(tmp_path_factory):
    """The packaged vectors of a few words, and one of [UNK]."""
    packaged = WordVectors.packaged()
    words = ["The", "the", "entity", "text", "coherence", "models", "predicts", "a", "than", "in"]
    rows = packaged.vectors(packaged.rows(words))
    path = tmp_path_factory.mktemp("unknown") / "unknown.safetensors"
    counts = [1000, 5000, 10, 30, 5, 90, 5, 3000, 200, 2000]
    save(path, [*words, UNKNOWN], np.vstack([rows, rows.mean(axis=0)]), [*counts, 400], {"tokens": "20000"})  # fmt: skip
    return WordVectors.load(path)


@pytest.fixture(params=[*SYSTEMS, NO_VECTORS], name="matcher", scope="module")
def made_matcher(request, with_unknown, tmp_path_factory):
    if request.param == NO_VECTORS:
        return SYSTEMS["asymmetric"].matcher(WordVectors.empty())
    if SYSTEMS[request.param].uses_encoder:
        folder = tmp_path_factory.mktemp("transformer")
        texts = [*(sentence.text for sentence in PAPER.sentences), CITANCE]
        known = [word for text in texts for word in words(text) if word.isascii()]
        tiny = tiny_transformer(folder / "all", [*known, *"文本连贯性的模型讨论"])
        if request.param == "fused-encoder":
            return FusedMatcher(WordVectors.packaged(), encoder=open_encoder(tiny))
        system = replace(SYSTEMS[request.param], model=ModelFolder(folder, "citret"))
        return system.matcher(WordVectors.packaged())
    if request.param == "bm25-rerank":
        return RerankerMatcher(AllAlike())
    if request.param == "neal":
        # By TF-IDF, and without the cut, which would leave one of two like sentences.
        return NealMatcher(NealModel(), gamma=1.0)
    vectors = with_unknown if request.param == "asymmetric-unk" else WordVectors.packaged()
    return SYSTEMS[request.param].matcher(vectors)


@pytest.fixture(name="fitted", scope="module")
def fitted_paper(matcher):
    return matcher.fit(PAPER)


def test_returns_sentences_of_the_paper_with_their_place(matcher, fitted):
    for found in matcher.match(CITANCE, fitted):
        sentence = PAPER.sentences[found.position]
        assert (found.text, found.page, found.page_label, found.section) == (
            sentence.text, sentence.page, sentence.page_label, sentence.section,
        )  # fmt: skip


def test_returns_the_best_first_and_no_more_than_asked_for(matcher, fitted):
    found = matcher.match(CITANCE, fitted)
    assert {sentence.position for sentence in found[:2]} == {1, 2}
    scores = [sentence.score for sentence in matcher.match(CITANCE, fitted, 10)]
    assert scores == sorted(scores, reverse=True)
    assert matcher.match(CITANCE, fitted, 1) == found[:1]
    assert matcher.match(CITANCE, fitted, 0) == []


def test_scores_are_fractions(matcher, fitted):
    assert all(0.0 < found.score <= 1.0 for found in matcher.match(CITANCE, fitted, 10))


def test_matched_words_are_marked_inside_the_sentence(matcher, fitted):
    for found in matcher.match(CITANCE, fitted, 10):
        ends = 0
        for span in found.matched:
            assert ends <= span.start < span.end <= len(found.text)
            ends = span.end
    best = matcher.match(CITANCE, fitted)[0]
    marked = " ".join(span.of(best.text) for span in best.matched)
    assert "entity grid" in marked or "text coherence" in marked


def test_is_pure(matcher, fitted):
    assert matcher.match(CITANCE, fitted) == matcher.match(CITANCE, fitted)


def test_citation_markers_do_not_count(matcher, fitted):
    if getattr(matcher, "markers", "remove") == "keep":
        pytest.skip("keeps them, as its name shows")
    assert matcher.match("The entity grid models text coherence.", fitted) == matcher.match(
        CITANCE, fitted
    )
    assert matcher.match("(Smith et al., 2001)", fitted) == []


@pytest.mark.parametrize("citance", ["", "…", "( ) –"])
def test_a_citance_without_words_has_no_support(matcher, fitted, citance):
    assert matcher.match(citance, fitted) == []


def test_a_paper_without_sentences_has_no_support(matcher):
    assert matcher.match(CITANCE, matcher.fit(ReferencePaper("Title", "title"))) == []


def test_text_in_scripts_without_spaces_matches(matcher, fitted):
    if type(matcher).__name__ == "SymmetricMatcher" or getattr(matcher, "unk", False):
        pytest.skip("cannot match words without a vector of their own")
    found = matcher.match("本文讨论文本连贯性", fitted, 1)
    assert [sentence.position for sentence in found] == [4]
    assert [span.of(found[0].text) for span in found[0].matched] == ["文本连贯性"]


def test_an_exact_copy_is_found_first(matcher, fitted):
    found = matcher.match(PAPER.sentences[1].text, fitted)
    assert found[0].position == 1


def test_every_system_has_a_name_that_settings_know():
    assert tuple(SYSTEMS) == SYSTEM_NAMES
