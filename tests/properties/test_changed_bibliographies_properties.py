"""Rankings of bibliographies that have changed, or of which only the titles are known."""

from pathlib import Path

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
from pincite.recommend import RankedFor, Recommender
from pincite.settings import MIXED_RANKER, RankingSettings, Settings

SETTINGS = {
    MIXED_RANKER: Settings(ranking=RankingSettings(ranker=MIXED_RANKER, passage_words=3)),
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
@settings(max_examples=150)
@given(BIBLIOGRAPHIES, BIBLIOGRAPHIES, st.data())
def test_a_patched_ranking_has_what_is_there_now(kind, before, changes, data):
    """Entries as they were rank among themselves as before, and the others are there, too."""
    ranked_for = RankedFor("en", frozenset({"daub"}), lambda key: key)
    earlier = Recommender(candidates_of(before.items()), SETTINGS[kind], pytest.fail, ranked_for)
    later = {key: work for key, work in before.items() if not data.draw(st.booleans(), key)}
    changed = {key for key, work in changes.items() if later.get(key) != work}
    works = dict(data.draw(st.permutations(list({**later, **changes}.items()))))
    now = candidates_of(works.items())
    patched = earlier.patched(now, changed, ranked_for)
    cited = data.draw(st.lists(st.sampled_from([*works]), max_size=3))
    context = context_of(data.draw(WORDS), data.draw(WORDS), cited)
    ranking, known = patched.rank(context), earlier.rank(context)
    keys = [entry.key for entry in ranking]
    assert sorted(keys) == sorted(works)
    same = [key for key in works if key not in changed]
    order = [entry.key for entry in known if entry.key in same]
    scores = [ranking.of(key).score for key in order]
    assert scores == sorted(scores, reverse=True)
    assert all(ranking[ranking.rank_of(key) - 1].key == key for key in keys)
    explained = patched.explain(context, list(ranking))
    assert [entry.key for entry in explained] == keys
    assert len(patched.bases()) == len(works)
    new = Recommender(candidates_of(works.items()), SETTINGS[kind], pytest.fail, ranked_for)
    if changed == works.keys():
        by_key = {
            entry.key: entry.matched for entry in new.explain(context, list(new.rank(context)))
        }
        assert {entry.key: entry.matched for entry in explained} == by_key


@settings(max_examples=50)
@given(BIBLIOGRAPHIES, WORDS)
def test_titles_alone_rank_like_entries_that_have_no_more(works, asked):
    titled = Candidates.of(
        Candidate(key, ReferencePaper(" ".join(title), "title"))
        for key, (title, *_) in works.items()
    )
    first, whole = (
        Recommender(candidates, SETTINGS[MIXED_RANKER], pytest.fail, extent=extent)
        for candidates, extent in ((candidates_of(works.items()), "titles"), (titled, "texts"))
    )
    one, other = (each.rank(context_of(asked, [], [])) for each in (first, whole))
    assert one.scores.tolist() == other.scores.tolist()
    assert [entry.key for entry in one] == [entry.key for entry in other]
    assert {entry.candidate.entry is None for entry in one} == {False}


@pytest.mark.parametrize("kind", SETTINGS)
def test_titles_rank_first_what_a_sentence_is_about(kind):
    works = {f"k{number}": (["reeds"], ["moss"], "title", [], [], "") for number in range(30)}
    works["k7"] = (["fern", "marshes"], [], "title", [], [], "")
    candidates = candidates_of(works.items())
    recommender = Recommender(candidates, SETTINGS[kind], pytest.fail, extent="titles")
    ranking = recommender.rank(context_of(["ferns", "of", "marshes"], [], []))
    assert ranking[0].key == "k7"
    assert sorted(entry.key for entry in ranking) == sorted(works)


@pytest.mark.parametrize("kind", SETTINGS)
@pytest.mark.parametrize("extent", ["keys", "titles"])
@pytest.mark.parametrize("number", [0, 3])
def test_candidates_that_are_not_read_are_all_there(kind, extent, number):
    works = {f"k{number}": (["reeds"], ["moss"], "title", [], [], "") for number in range(number)}
    candidates = candidates_of(works.items())
    recommender = Recommender(candidates, SETTINGS[kind], pytest.fail, extent=extent)
    ranking = recommender.rank(context_of(["reeds"], [], []))
    assert sorted(entry.key for entry in ranking) == [*works]


@pytest.mark.parametrize("extent", ["keys", "titles"])
def test_candidates_that_are_not_read_rank_by_what_the_draft_cites(extent):
    works = {f"k{number}": ([f"reed{number}"], [], "title", [], [], "") for number in range(30)}
    ranked_for = RankedFor("en", key_of=lambda key: key)
    recommender = Recommender(
        candidates_of(works.items()),
        SETTINGS["learned"],
        pytest.fail,
        ranked_for=ranked_for,
        extent=extent,
    )
    context = context_of(["fern"], [], ["k7", "k20", "k7"])
    assert {entry.key for entry in recommender.rank(context)[:2]} == {"k7", "k20"}
