"""BM25 by hand, and how the fields of an ensemble come to one answer."""

from dataclasses import replace
from math import log

import pytest

from pincite.model.papers import ReferencePaper, Sentence
from pincite_evaluation.baselines import systems
from pincite_evaluation.baselines.bm25 import Bm25Matcher
from pincite_evaluation.baselines.fields import PLAIN

NAMES = ("bm25-2field", "bm25-3field", "bm25-2field-sum", "bm25-3field-sum", "bm25")
SYSTEMS = tuple(systems.SYSTEMS[name].matcher() for name in NAMES)
BM25_2FIELD, BM25_3FIELD, BM25_2FIELD_SUM, BM25_3FIELD_SUM, BM25 = SYSTEMS


def paper(*sentences: str) -> ReferencePaper:
    return ReferencePaper("Toy", "full text", tuple(Sentence(text) for text in sentences))


def match(matcher, citance, *sentences, number=None):
    return matcher.match(citance, matcher.fit(paper(*sentences)), number)


def positions(*arguments, **options):
    return [found.position for found in match(*arguments, **options)]


def marked(found):
    return [span.of(found.text) for span in found.matched]


def test_the_first_third_of_a_paper_is_boosted():
    sentences = ["cat"] * 10
    boosted = replace(BM25, boost=1.5, k=10)
    scores = [
        one.score for one in sorted(match(boosted, "cat", *sentences), key=lambda x: x.position)
    ]
    assert scores[:3] == [pytest.approx(1.5 * scores[3])] * 3
    assert len(set(scores[3:])) == 1


def test_results_are_boosted_or_all_sentences():
    sentences = ("cat sat there with many more", "dog", "cat sat", "dog")
    results = replace(BM25, boost=1.5, candidates=1, k=1)
    assert positions(results, "cat", *sentences) == [2]
    assert positions(replace(results, boost_first=True), "cat", *sentences) == [0]


def test_a_word_and_the_shingle_that_begins_with_it_are_one_clause():
    # N = 3; "cat" in two sentences, "cat sat" in one; lengths 3, 1, 2 and 5 + 1 + 3 terms.
    matcher = replace(BM25, fields=(replace(PLAIN, shingles=2),))
    found = match(matcher, "cat sat", "cat sat cat", "dog", "cat fish")
    idf = {"cat": log(1 + 1.5 / 2.5), "sat": log(1 + 2.5 / 1.5)}

    def gained(times, length):
        return times / (times + 1.2 * (1 - 0.75 + 0.75 * length / 3))

    # "cat" twice and "cat sat" once are three occurrences of what two sentences have.
    first = idf["cat"] * gained(3, 3) + idf["sat"] * gained(1, 3)
    assert found[0].score == pytest.approx(first / sum(idf.values()))
    assert found[1].score == pytest.approx(idf["cat"] * gained(1, 2) / sum(idf.values()))
    alone = match(replace(matcher, clauses="terms"), "cat sat", "cat sat cat", "dog", "cat fish")
    assert alone[0].score != found[0].score


# "parsers" is "parser" to the fields with stemming only, "the" is a word to field 3 only.
STEMMED, EXACT, NEITHER = "Our parsers run", "A parser runs", "The weather is fine"


def test_a_strict_majority_of_the_fields_must_return_a_sentence():
    sentences = (NEITHER, STEMMED, EXACT, "No more")
    assert positions(BM25_2FIELD, "the parser", *sentences) == [2]
    assert sorted(positions(BM25_3FIELD, "the parser", *sentences)) == [1, 2]
    assert sorted(positions(BM25_2FIELD_SUM, "the parser", *sentences)) == [1, 2]
    assert sorted(positions(BM25_3FIELD_SUM, "the parser", *sentences)) == [0, 1, 2]


def test_each_field_returns_its_best_k_to_the_vote():
    sentences = [f"cat number{n}" for n in range(20)]
    assert positions(BM25_2FIELD, "cat", *sentences) == [0, 1, 2, 3]
    assert positions(BM25_2FIELD, "cat", *sentences, number=10) == [0, 1, 2, 3]
    assert positions(BM25_2FIELD, "cat", *sentences, number=1) == [0]
    assert positions(replace(BM25_2FIELD, k=7), "cat", *sentences) == list(range(7))


def test_a_sum_is_over_the_sentences_that_a_field_returned():
    # "grid" is the best of the fields that know "grids" for it, and the next best of the other.
    sentences = ("entity", "entity entity grids", "dog", "dog", "dog", "dog", "dog", "dog")
    both = Bm25Matcher(
        (PLAIN, replace(PLAIN, stemming="porter")), "sum", boost=1.0, candidates=1, k=1
    )
    alone = replace(both, fields=(PLAIN,))
    assert positions(alone, "entity grid", *sentences) == [0]
    (first,) = match(both, "entity grid", *sentences)
    assert first.position == 1
    assert marked(first) == ["entity", "entity", "grids"]


def test_more_sentences_than_candidates_may_be_asked_for():
    sentences = ["cat"] * 20
    assert len(match(BM25_2FIELD_SUM, "cat", *sentences)) == 4
    assert len(match(BM25_2FIELD_SUM, "cat", *sentences, number=15)) == 15
    assert match(BM25_2FIELD_SUM, "cat", *sentences, number=0) == []


def test_words_are_marked_where_they_are():
    sentence = "The HMM's Tagging of f(x), by hidden Markov models"
    (found,) = match(BM25_2FIELD, "a tagged HMM with g(y) tagging", "Nothing", sentence)
    assert marked(found) == ["HMM", "Tagging", "f(x)", "hidden Markov models"]


def test_stop_words_score_in_field_3_but_are_not_marked():
    (one,) = match(replace(BM25_3FIELD_SUM, k=1), "as the parser", "as the dog", "x", "y", "z")
    assert (one.position, one.matched) == (0, ())
