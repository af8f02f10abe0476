"""What every sentence matcher must do. A new matcher is added to MATCHERS."""

import pytest

from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper, Sentence

MATCHERS = {
    "asymmetric, packaged vectors": lambda: AsymmetricMatcher(WordVectors.packaged()),
    "asymmetric, no vectors": lambda: AsymmetricMatcher(WordVectors.empty()),
}

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


@pytest.fixture(params=MATCHERS, name="matcher", scope="module")
def made_matcher(request):
    return MATCHERS[request.param]()


@pytest.fixture(name="fitted", scope="module")
def fitted_paper(matcher):
    return matcher.fit(PAPER)


def test_returns_sentences_of_the_paper_with_their_place(matcher, fitted):
    for found in matcher.match(CITANCE, fitted):
        sentence = PAPER.sentences[found.position]
        assert (found.text, found.page, found.page_label, found.section) == (
            sentence.text, sentence.page, sentence.page_label, sentence.section,
        )  # fmt: skip


def test_returns_k_sentences_best_first(matcher, fitted):
    found = matcher.match(CITANCE, fitted)
    assert len(found) == 2
    assert {sentence.position for sentence in found} == {1, 2}
    assert found[0].score >= found[1].score
    assert len(matcher.match(CITANCE, fitted, 1)) == 1


def test_scores_are_fractions(matcher, fitted):
    assert all(0.0 < found.score <= 1.0 for found in matcher.match(CITANCE, fitted, 10))


def test_matched_words_are_marked_inside_the_sentence(matcher, fitted):
    for found in matcher.match(CITANCE, fitted, 10):
        assert found.matched
        ends = 0
        for span in found.matched:
            assert ends <= span.start < span.end <= len(found.text)
            ends = span.end
    best = matcher.match(CITANCE, fitted)[0]
    assert {span.of(best.text) for span in best.matched} >= {"text", "coherence"} or {
        span.of(best.text) for span in best.matched
    } >= {"entity", "grid", "text"}


def test_is_pure(matcher, fitted):
    assert matcher.match(CITANCE, fitted) == matcher.match(CITANCE, fitted)


def test_citation_markers_do_not_count(matcher, fitted):
    assert matcher.match("The entity grid models text coherence.", fitted) == matcher.match(
        CITANCE, fitted
    )


@pytest.mark.parametrize("citance", ["", "…", "(Smith et al., 2001)", "of the"])
def test_a_citance_that_says_nothing_has_no_support(matcher, fitted, citance):
    assert matcher.match(citance, fitted) == []


def test_a_paper_without_sentences_has_no_support(matcher):
    assert matcher.match(CITANCE, matcher.fit(ReferencePaper("Title", "title"))) == []


def test_text_in_scripts_without_spaces_matches(matcher, fitted):
    found = matcher.match("本文讨论文本连贯性", fitted, 1)
    assert [sentence.position for sentence in found] == [4]
    assert [span.of(found[0].text) for span in found[0].matched] == ["文本连贯性"]


def test_an_exact_copy_is_found_first_and_covered_whole(matcher, fitted):
    found = matcher.match(PAPER.sentences[1].text, fitted)
    assert found[0].position == 1
    assert found[0].score == pytest.approx(1.0, abs=1e-5)
