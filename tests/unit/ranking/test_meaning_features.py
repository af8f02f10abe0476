"""Features of meaning: their values for each entry, and where they have none."""

import numpy as np
import pytest

from pincite.model.citing_text import CitingText
from pincite.model.contexts import CitationContext, PlaceInText
from pincite.model.drafts import CITATION_MARK
from pincite.model.papers import Candidates
from pincite.ranking.learned import LearnedRanker, packaged
from pincite.ranking.meaning_features import MEANING, described
from small_places import work

#: Words of one subject have one direction.
SUBJECTS = (("frog", "frogs", "pond", "amphibian", "newts"), ("parser", "grammar", "syntax"))


class BySubject:
    """An encoder that knows the subjects of words, and texts that it has not encoded yet."""

    def __init__(self, unknown=()):
        self.unknown, self.asked = unknown, []

    def sentences(self, texts):
        self.asked += texts
        rows = [[sum(map(text.lower().split().count, own)) for own in SUBJECTS] for text in texts]
        return np.asarray(rows, np.float32).reshape(-1, 2) * 3.0

    def known(self, texts):
        found = self.sentences(texts)
        found[[text in self.unknown for text in texts]] = 0.0
        return found


WORKS = (work("newts", "Newts"), work("syntax", "Syntax"), work("nothing", ""))


def ranker(vectors, works=WORKS):
    made = LearnedRanker(packaged(with_meaning=True), "en", vectors=vectors)
    made.fit(Candidates.of(works))
    return made


def at(written, after=""):
    text = f"{written} {CITATION_MARK}{after}"
    place = PlaceInText(CitingText.of(text, ()), text.index(CITATION_MARK))
    return CitationContext(tuple(written.split()), (), place=place)


def features(made, context):
    found = made._look(context).found
    return {name: found.column(name).tolist() for name in MEANING}


def test_a_work_that_shares_no_word_is_found_by_its_meaning():
    ranked = list(ranker(BySubject()).rank(at("Every frog lives near a pond")))
    assert ranked[0].key == "newts"
    assert ranked[0].score > ranked[1].score


def test_its_reason_is_that_it_is_similar():
    made = ranker(BySubject())
    context = at("Every frog lives near a pond")
    first = made.explain(context, made.rank(context)[:1])[0]
    assert first.reasons == ("similar in meaning",)
    assert first.matched == ()


def test_of_many_works_that_are_similar_only_the_nearest_three_are_called_so():
    words = ("pond", "parser")
    works = [work(f"w{n}", " ".join((words[0],) * (9 - n) + (words[1],) * n)) for n in range(8)]
    made, context = ranker(BySubject(), works), at("Every frog lives in such water")
    explained = made.explain(context, made.rank(context))
    called = {entry.key for entry in explained if "similar in meaning" in entry.reasons}
    assert called <= {"w0", "w1", "w2"}
    assert called


def test_cosine_distance_to_the_best_and_rank():
    found = features(ranker(BySubject()), at("Every frog lives near a pond"))
    assert found["meaning.cos"][:2] == [1.0, 0.0]
    assert found["meaning.below"][:2] == [0.0, -1.0]
    assert found["meaning.rank"][:2] == pytest.approx([0.0, np.log(2.0)])


def test_nothing_is_known_of_a_work_without_title_or_not_yet_encoded():
    found = features(ranker(BySubject(unknown=("Syntax",))), at("Every frog lives near a pond"))
    for values in found.values():
        assert np.isnan(values).tolist() == [False, True, True]


@pytest.mark.parametrize("written", ["", "42 of them"])
def test_a_sentence_without_meaning_does_no_harm(written):
    ranked = list(ranker(BySubject()).rank(at(written)))
    assert sorted(entry.key for entry in ranked) == ["newts", "nothing", "syntax"]


def test_the_beginning_of_a_sentence_is_read_with_the_words_before_it():
    vectors = BySubject()
    ranker(vectors).rank(at("Frogs live in ponds. This was shown by"))
    assert vectors.asked[-1] == "Frogs live in ponds This was shown by"


def test_what_follows_in_the_sentence_counts_where_it_is_known():
    vectors = BySubject()
    ranker(vectors).rank(at("As was shown", after=" for the frogs of a pond. Grammar differs."))
    assert vectors.asked[-1].endswith("for the frogs of a pond")


def test_an_entry_is_encoded_by_its_title_and_the_beginning_of_its_abstract():
    long = " ".join(f"word{number}" for number in range(300))
    assert described(work("a", "Newts", abstract="They swim.")) == "Newts. They swim."
    assert described(work("a", "Newts")) == "Newts"
    assert described(work("a", "")) == ""
    assert len(described(work("a", "Newts", abstract=long)).split()) == 81


def test_in_a_long_bibliography_what_is_near_in_meaning_is_among_the_candidates():
    others = [work(f"other{number}", f"Ponds and lakes {number}") for number in range(600)]
    context = at("Every frog is by lakes and ponds")
    ranked = list(ranker(BySubject(), (*others, *WORKS)).rank(context))
    assert any(entry.key == "newts" and entry.score > 0.0 for entry in ranked)


def test_a_key_that_is_typed_asks_the_encoder_no_more():
    vectors = BySubject()
    made = ranker(vectors)
    made.rank(at("Every frog lives near a pond"))
    number = len(vectors.asked)
    made.rank(at("Every frog lives near a pond"))
    assert len(vectors.asked) == number
