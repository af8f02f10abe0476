"""The main job's last step: which supporting sentences an author is shown."""

import pytest

from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.vectors import WordVectors
from pincite.model.contexts import CitationContext
from pincite.model.papers import Candidate, ReferencePaper, Sentence
from pincite.recommend import Recommender
from pincite.settings import Settings

SENTENCES = (
    "The history of the problem is as long as that of the field.",
    "An entity grid records how entities move through a text.",
    "It is the one that most of us would use.",
    "The grid predicts coherence.",
)


@pytest.fixture(scope="module", name="recommender")
def made_recommender():
    paper = ReferencePaper("Entities", "full text", tuple(map(Sentence, SENTENCES)))
    matcher = AsymmetricMatcher(WordVectors.packaged())
    return Recommender([Candidate("grid", paper)], Settings(), matcher)


def context(citance: str, around: str = "") -> CitationContext:
    return CitationContext(citance=citance, left=tuple(around.split()), right=())


def positions(found):
    return [sentence.position for sentence in found]


def test_shows_as_many_sentences_as_the_paper_of_the_matcher_says(recommender):
    found = recommender.supporting(context("The entity grid predicts coherence."), "grid")
    assert sorted(positions(found)) == [1, 3]


def test_shows_no_sentence_in_which_nothing_can_be_marked(recommender):
    found = recommender.supporting(context("The entity grid of that one field"), "grid", 4)
    assert 2 not in positions(found)
    assert all(sentence.matched for sentence in found)


def test_a_citance_of_common_words_is_matched_by_the_text_around_it(recommender):
    assert recommender.supporting(context("of the"), "grid") == []
    found = recommender.supporting(context("of the", "coherence is predicted"), "grid")
    assert positions(found)[:1] == [3]


def test_an_entry_that_there_is_not_has_no_support(recommender):
    assert recommender.supporting(context("The entity grid"), "gone") == []
