"""What every ranker must do. A new ranker is added to RANKERS."""

import random

import pytest

from pincite.model.contexts import CitationContext
from pincite.model.papers import Candidate, Candidates, InlinkContext, ReferencePaper, Sentence
from pincite.ranking.tfidf import TfIdfRanker
from pincite.representations import external, internal
from pincite.representations.mixed import Representation, mixed
from pincite.settings import RankingSettings, Window

RANKERS = {
    "mixed": lambda: TfIdfRanker(mixed(RankingSettings())),
    "full text": lambda: TfIdfRanker(Representation(internal.full_text, external.nothing)),
    "title and abstract": lambda: TfIdfRanker(
        Representation(internal.title_abstract, external.nothing)
    ),
    "inlink contexts": lambda: TfIdfRanker(
        Representation(internal.nothing, external.inlink_contexts(Window(20, 20)))
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


def test_says_what_the_ranking_rests_on(ranker):
    basis = {entry.key: entry.basis for entry in ranker.rank(CONTEXT)}
    assert basis["coherence"] == ("full text", "inlink contexts")
    assert basis["parsing"] == ("abstract",)
    assert basis["title-only"] == ("title",)
