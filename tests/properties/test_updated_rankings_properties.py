"""A ranker that goes on from an earlier one ranks like one that was fitted to all entries."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.model.citing_text import CitedPlace, CitingText
from pincite.model.contexts import CitationContext, PlaceInText
from pincite.model.drafts import CITATION_MARK
from pincite.model.papers import (
    BibEntry,
    Candidate,
    Candidates,
    InlinkContext,
    ReferencePaper,
    Sentence,
)
from pincite.ranking import kept
from pincite.recommend import MIXED, RankedFor, Recommender, Since, fit
from pincite.settings import RankingSettings, Settings

SETTINGS = {
    MIXED: Settings(ranking=RankingSettings(ranker=MIXED, passage_words=3)),
    "learned": Settings(ranking=RankingSettings(ranker="learned")),
}
#: "the" is a stop word, "Daub" counts as one of the draft's commonest.
WORDS = st.lists(
    st.sampled_from("reeds Reed marsh marshes moss fern BERT the Daub 2014 ferns".split()),
    max_size=8,
)
BASES = st.sampled_from(["full text", "abstract", "title"])
NAMES = st.lists(st.sampled_from(["Abe, A.", "Brown, B.", "de Groot, C."]), max_size=2)
KEYS = st.sampled_from([f"{name}{year}" for name in ("abe", "brown", "moss") for year in (1, 2, 3)])
CONTEXTS = st.lists(st.tuples(st.sampled_from("pq"), WORDS, WORDS), max_size=2)
WORKS = st.tuples(WORDS, WORDS, BASES, NAMES, CONTEXTS, st.sampled_from(["", "1999", "2014"]))
BIBLIOGRAPHIES = st.dictionaries(KEYS, WORKS, min_size=1, max_size=7)


def candidates_of(works):
    return Candidates.of(candidate_of(key, *work) for key, work in works)


def candidate_of(key, title, words, basis, names, contexts, year):
    fields = {"title": " ".join(title), "author": " and ".join(names), "year": year}
    entry = BibEntry(key, "article", {k: v for k, v in fields.items() if v}, Path("refs.bib"))
    paper = ReferencePaper(entry.title, basis, (Sentence(" ".join(words)),))
    inlinks = tuple(
        InlinkContext(citing, tuple(left), tuple(right)) for citing, left, right in contexts
    )
    return Candidate(key, paper, entry, entry.surnames, inlinks)


def context_of(left, right, cited):
    """Return the place behind some words, before which some works are cited."""
    mark, text, places = CITATION_MARK, "", []
    for key in cited:
        text += "Moss and reeds "
        places.append(CitedPlace(len(text), (key,)))
        text += f"{mark}. "
    text += " ".join(left) + " "
    offset = len(text)
    place = PlaceInText(CitingText.of(f"{text}{mark} {' '.join(right)}", tuple(places)), offset)
    return CitationContext(tuple(left), tuple(right), place=place)


@pytest.mark.parametrize("kind", SETTINGS)
@settings(deadline=None, max_examples=150)
@given(BIBLIOGRAPHIES, BIBLIOGRAPHIES, st.data())
def test_an_edited_bibliography_ranks_like_one_counted_as_a_whole(kind, before, changes, data):
    later = {key: work for key, work in before.items() if not data.draw(st.booleans(), key)}
    changed = {key for key, work in changes.items() if later.get(key) != work}
    works = data.draw(st.permutations(list({**later, **changes}.items())))
    first, now = candidates_of(before.items()), candidates_of(works)
    ranked_for = RankedFor("en", frozenset({"daub"}), lambda key: key)

    def recommender(candidates, fitted=None, since=None):
        return Recommender(candidates, SETTINGS[kind], pytest.fail, fitted, ranked_for, since)

    earlier = recommender(first)
    if data.draw(st.booleans(), "from the disk"):
        earlier = recommender(first, read_back(fit(first, SETTINGS[kind], ranked_for), first))
    cited = data.draw(st.lists(st.sampled_from([*later, *changes]), max_size=3))
    context = context_of(data.draw(WORDS), data.draw(WORDS), cited)
    # Words of queries have numbers, too.
    earlier.rank(context)
    updated, whole = recommender(now, since=Since(earlier, changed)), recommender(now)
    one, other = updated.rank(context), whole.rank(context)
    np.testing.assert_allclose(one.scores, other.scores, rtol=1e-9, atol=1e-12)
    assert [entry.key for entry in one] == [entry.key for entry in other]
    assert updated.bases() == whole.bases()
    assert updated.keys.by_key.tolist() == whole.keys.by_key.tolist()
    matched, expected = (
        {
            each.key: (set(each.matched), each.reasons)
            for each in own.explain(context, list(ranking))
        }
        for own, ranking in ((updated, one), (whole, other))
    )
    assert matched == expected


def read_back(fitted, candidates):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        kept.write(Path(folder), fitted)
        return kept.read(Path(folder), tuple(candidates))


@pytest.mark.parametrize("kind", SETTINGS)
def test_entries_that_are_listed_only_are_all_there(kind):
    works = {f"k{number}": (["reeds"], ["moss"], "title", [], [], "") for number in range(3)}
    candidates = candidates_of(works.items())
    listed = Recommender(candidates, SETTINGS[kind], pytest.fail, listed=True)
    assert sorted(entry.key for entry in listed.rank(context_of(["reeds"], [], []))) == [*works]


def test_listed_entries_rank_by_what_the_draft_cites():
    works = {f"k{number}": (["reeds"], ["moss"], "title", [], [], "") for number in range(30)}
    ranked_for = RankedFor("en", key_of=lambda key: key)
    listed = Recommender(
        candidates_of(works.items()),
        SETTINGS["learned"],
        pytest.fail,
        ranked_for=ranked_for,
        listed=True,
    )
    context = context_of(["reeds"], [], ["k7", "k20", "k7"])
    assert {entry.key for entry in listed.rank(context)[:2]} == {"k7", "k20"}
