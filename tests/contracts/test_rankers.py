"""What every ranker must do. A new ranker is added to RANKERS."""

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from pincite.cancellation import CancelledError, cancelled_by
from pincite.model.citing_text import CitedPlace, CitingText
from pincite.model.contexts import CitationContext, PlaceInText
from pincite.model.drafts import CITATION_MARK
from pincite.model.papers import Candidate, Candidates, InlinkContext, ReferencePaper, Sentence
from pincite.ranking.learned import LearnedRanker, packaged
from pincite.ranking.tfidf import TfIdfRanker
from pincite.representations import bags
from pincite.settings import RankingSettings, Window


class CountedWords:
    """Vectors of texts by how often each of a few words is in them."""

    def sentences(self, texts):
        words = "coherence coherent local dependency parsing parse word order german".split()
        counts = [[text.lower().split().count(word) for word in words] for text in texts]
        return np.asarray(counts, np.float32).reshape(-1, len(words))

    known = sentences


RANKERS = {
    "mixed": lambda: TfIdfRanker(bags.mixed(RankingSettings())),
    "learned": lambda: LearnedRanker(packaged(), "en", key_of=lambda key: key),
    "learned-encoder": lambda: LearnedRanker(
        packaged(with_meaning=True), "en", key_of=lambda key: key, vectors=CountedWords()
    ),
    "full text": lambda: TfIdfRanker(bags.Representation(bags.full_text)),
    "title and abstract": lambda: TfIdfRanker(bags.Representation(bags.title_abstract)),
    "inlink contexts": lambda: TfIdfRanker(
        bags.Representation(external=bags.inlink_contexts(Window(20, 20)))
    ),
}

CANDIDATES = [
    Candidate(
        "coherence",
        ReferencePaper(
            "Local coherence", "full text", (Sentence("Entities make texts coherent."),)
        ),
        inlink_contexts=(InlinkContext("other.tex", ("text", "coherence"), ("model",)),),
    ),
    Candidate(
        "parsing", ReferencePaper("Dependency parsing", "abstract", (Sentence("We parse."),))
    ),
    Candidate("title-only", ReferencePaper("Word order in German", "title")),
    Candidate("b-nothing", ReferencePaper("", "title")),
    Candidate("a-nothing", ReferencePaper("", "title")),
]
CONTEXT = CitationContext(("models", "of", "text", "coherence"), ("have", "been", "proposed"))


@pytest.fixture(params=RANKERS, name="ranker")
def fitted_ranker(request):
    ranker = RANKERS[request.param]()
    ranker.fit(Candidates.of(CANDIDATES))
    return ranker


def test_returns_every_candidate_once(ranker):
    assert sorted(entry.key for entry in ranker.rank(CONTEXT)) == sorted(c.key for c in CANDIDATES)


def test_scores_fall_and_are_fractions(ranker):
    scores = [entry.score for entry in ranker.rank(CONTEXT)]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)


def test_parts_add_up(ranker):
    for entry in ranker.rank(CONTEXT):
        if isinstance(ranker, LearnedRanker):
            # A probability has no parts; those are of the cosine.
            assert 0.0 <= entry.internal + entry.external <= 1.0 + 1e-6
            continue
        assert entry.internal + entry.external == pytest.approx(entry.score, abs=1e-9)


def test_ties_break_by_key(ranker):
    keys = [entry.key for entry in ranker.rank(CONTEXT) if entry.score == 0.0]
    assert keys == sorted(keys)


def test_the_order_of_the_bibliography_is_no_evidence(ranker):
    expected = [(entry.key, entry.score) for entry in ranker.rank(CONTEXT)]
    shuffled = CANDIDATES[:]
    random.Random(4).shuffle(shuffled)
    ranker.fit(Candidates.of(shuffled))
    assert [(entry.key, entry.score) for entry in ranker.rank(CONTEXT)] == expected


def test_ranking_is_pure(ranker):
    assert list(ranker.rank(CONTEXT)) == list(ranker.rank(CONTEXT))


def test_threads_get_what_one_alone_gets(ranker):
    sentences = (*(("grammar", "of", "text"), ("coherence",), ("parse",)), CONTEXT.left, ())
    contexts = [CitationContext(words, CONTEXT.right) for words in sentences]

    def found(context):
        ranked = ranker.rank(context)
        return ranker.explain(context, list(ranked))

    alone = [found(context) for context in contexts]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(found, contexts * 10)) == alone * 10


def test_with_others_in_the_list_the_order_stays_and_nothing_becomes_likelier(ranker, request):
    other = RANKERS[request.node.callspec.params["ranker"]]()
    other.fit(Candidates.of([replace(each, key=f"other {each.key}") for each in CANDIDATES[:2]]))
    alone, both = list(ranker.rank(CONTEXT)), list(ranker.rank(CONTEXT, other))
    assert [entry.key for entry in both] == [entry.key for entry in alone]
    for one, same in zip(alone, both, strict=True):
        assert same.score <= one.score


def test_explaining_keeps_order_and_scores(ranker):
    ranked = list(ranker.rank(CONTEXT))
    for asked in (ranked, ranked[::-1], ranked[1:3], []):
        explained = ranker.explain(CONTEXT, asked)
        bare = [replace(entry, matched=(), reasons=()) for entry in explained]
        assert bare == asked


def test_ranking_and_explaining_can_be_cancelled(ranker):
    before = list(ranker.rank(CONTEXT))
    with cancelled_by(lambda: True):
        with pytest.raises(CancelledError):
            list(ranker.rank(CONTEXT))
        with pytest.raises(CancelledError):
            ranker.explain(CONTEXT, before)
    assert list(ranker.rank(CONTEXT)) == before


def test_a_place_in_a_draft_ranks_every_candidate_once(ranker):
    text = f"Models of coherence {CITATION_MARK} parse. They are many {CITATION_MARK}."
    first, second = (at for at, sign in enumerate(text) if sign == CITATION_MARK)
    cited = (CitedPlace(first, ("coherence", "gone")), CitedPlace(second, ("parsing",)))
    for at in (0, first, second, len(text)):
        context = replace(CONTEXT, place=PlaceInText(CitingText.of(text, cited), at))
        ranked = list(ranker.rank(context))
        assert sorted(e.key for e in ranked) == sorted(c.key for c in CANDIDATES)
        assert ranked == sorted(ranked, key=lambda entry: (-entry.score, entry.key))


def test_an_empty_context_ranks_by_key(ranker):
    keys = [entry.key for entry in ranker.rank(CitationContext((), ()))]
    assert keys == sorted(keys)


def test_matched_words_are_words_of_the_context(ranker):
    for entry in ranker.explain(CONTEXT, ranker.rank(CONTEXT)):
        assert set(entry.matched) <= {word.lower() for word in CONTEXT.words}
        assert bool(entry.matched) == (entry.score > 0.0)


def test_only_what_is_asked_for_is_explained(ranker):
    ranked = ranker.rank(CONTEXT)
    assert all(not entry.matched for entry in ranked)
    (first,) = ranker.explain(CONTEXT, ranked[:1])
    assert first.matched
    assert first.key == ranked[0].key


def test_an_entry_is_found_wherever_it_ranks(ranker):
    ranked = ranker.rank(CONTEXT)
    for rank, entry in enumerate(ranked, 1):
        assert ranked.of(entry.key) == ranked[rank - 1] == entry
        assert ranked.rank_of(entry.key) == rank
    assert ranked.of("unknown") is None
    assert ranked.rank_of("unknown") is None


def test_no_candidates_rank_to_nothing(ranker):
    ranker.fit(Candidates.of([]))
    assert list(ranker.rank(CONTEXT)) == []


def test_shows_what_the_ranking_rests_on(ranker):
    basis = {entry.key: entry.basis for entry in ranker.rank(CONTEXT)}
    assert basis["coherence"] == ("full text", "inlink contexts")
    assert basis["parsing"] == ("abstract",)
    assert basis["title-only"] == ("title",)
