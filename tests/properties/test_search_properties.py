"""What typed words find, against a plain look through all texts."""

import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from pincite.model.papers import BibEntry, Candidate, Candidates, ReferencePaper
from pincite.model.results import RankedEntry
from pincite.project.search import Searchable, matching
from pincite.ranking.base import Keys, Ranking
from pincite.text.characters import folded

SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})

WORDS = st.text(st.sampled_from("abAoe1-_:'öÖü\u0308øßéﬁΣςж中"), min_size=1, max_size=5)
TEXTS = st.lists(WORDS, max_size=4).map(" ".join)
NAMES = st.lists(st.tuples(WORDS, WORDS).map(", ".join), max_size=2).map(" and ".join)
YEARS = st.sampled_from(["", "2014", "c. 2015", "forthcoming"])
FIELDS = st.fixed_dictionaries({}, optional={"title": TEXTS, "author": NAMES, "editor": NAMES})


@st.composite
def entries(draw):
    keys = draw(st.lists(WORDS, min_size=1, max_size=8, unique=True))
    aliases = st.lists(WORDS, max_size=2).map(tuple)
    return [
        BibEntry(
            key, "article", {**draw(FIELDS), "year": draw(YEARS)}, Path("refs.bib"), draw(aliases)
        )
        for key in keys
    ]


def candidate_of(entry):
    # As of a work whose text has a title that its entry lacks.
    paper = ReferencePaper(entry.title or "Abe's own title", "title")
    return Candidate(entry.key, paper, entry, entry.surnames)


def plain_spellings(text):
    composed = unicodedata.normalize("NFC", text).lower()
    return dict.fromkeys((folded(text), folded(composed.translate(SPELLED_OUT))))


def plain_found(typed, candidates):
    """Return the keys of candidates, which come best first, that have what is typed."""
    key = next(iter(plain_spellings(" ".join(typed.split()))))
    words = [list(plain_spellings(word)) for word in typed.split()]
    assume(all(spelled for word in words for spelled in word))

    def text(candidate):
        entry = candidate.entry
        people = (entry.fields.get(role, "") for role in ("author", "editor"))
        parts = [candidate.key, candidate.paper.title, *candidate.names, entry.year, *people]
        parts += entry.aliases
        return "\n".join(plain_spellings("\n".join(parts)))

    def have(pattern):
        return lambda candidate: all(
            any(re.search(pattern.format(re.escape(each)), text(candidate)) for each in word)
            for word in words
        )

    def own_keys(candidate):
        names = (candidate.key, *candidate.entry.aliases)
        return [spelling for name in names for spelling in plain_spellings(name)]

    ways = (
        lambda candidate: key in own_keys(candidate),
        lambda candidate: any(own.startswith(key) for own in own_keys(candidate)),
        have(r"(?<![^\W_]){}"),
        have("{}"),
    )
    ordered = {}
    for way in ways:
        ordered.update(dict.fromkeys(each.key for each in filter(way, candidates)))
    return list(ordered)


def ranking_of(candidates, scores):
    def ranked(position):
        score = scores[position]
        return RankedEntry(candidates[position], score, score, 0.0, ("title",))

    keys = Keys.of(candidate.key for candidate in candidates)
    return Ranking(keys, np.asarray(scores, dtype=np.float64), ranked)


@given(entries(), st.lists(WORDS, min_size=1, max_size=2).map(" ".join), st.data())
def test_what_is_typed_finds_what_a_look_through_all_texts_finds(entries, typed, data):
    made = {entry.key: candidate_of(entry) for entry in entries}
    candidates = Candidates({entry.key: entry for entry in entries}, made.__getitem__)
    scores = [data.draw(st.sampled_from([0.0, 0.25, 0.5])) for _ in entries]
    ranking = ranking_of(list(made.values()), scores)
    best_first = [entry.candidate for entry in ranking]
    found = plain_found(typed, best_first)
    assert [entry.key for entry in matching(typed, ranking, Searchable(candidates))] == found
    # Some of the entries were there before; others, and the titles of texts, were not the same.
    earlier = {e.key: data.draw(st.sampled_from([e, replace(e, aliases=("x",))])) for e in entries}
    texts = {key: Candidate(key, ReferencePaper("X", "title"), earlier[key], ()) for key in earlier}
    before = Searchable(Candidates(earlier, texts.__getitem__))
    again = Searchable(candidates, before)
    assert [entry.key for entry in matching(typed, ranking, again)] == found


def test_an_entry_without_any_word_is_found_by_its_sign():
    entry = BibEntry("-", "article", {"title": ":"}, Path("refs.bib"))
    searched = Searchable(Candidates.of([candidate_of(entry)]))
    assert searched.beginning(":").tolist() == searched.containing(":").tolist() == [True]


@given(entries(), st.lists(WORDS, min_size=1, max_size=2).map(" ".join))
def test_before_entries_are_looked_through_their_keys_are(entries, typed):
    candidates = [
        Candidate(e.key, ReferencePaper("", "title"), replace(e, source={}), ()) for e in entries
    ]
    ranking = ranking_of(candidates, [0.0] * len(candidates))
    keys = Searchable(Candidates.of(candidates), keys_only=True)
    listed = [entry.key for entry in matching(typed, ranking, keys)]
    assert listed == plain_found(typed, [entry.candidate for entry in ranking])


@given(st.lists(st.sampled_from([0.0, 0.0, 0.1, 0.2, 0.3]), min_size=1, max_size=700), st.data())
def test_rankings_are_in_the_order_of_score_and_key(scores, data):
    keys = data.draw(st.permutations([f"key{number}" for number in range(len(scores))]))
    candidates = [Candidate(key, ReferencePaper("", "title")) for key in keys]
    ranking = ranking_of(candidates, scores)
    plainly = sorted(zip(keys, scores, strict=True), key=lambda each: (-each[1], each[0]))
    listed = [entry.key for entry in ranking]
    assert listed == [key for key, _ in plainly]
    assert listed == [ranking[rank].key for rank in range(len(ranking))]
    assert [ranking.of(key).key for key in keys] == list(keys)
    assert ranking.of("absent") is ranking.of("key") is ranking.of("z") is None
    chosen = data.draw(st.sets(st.sampled_from(keys)))
    mask = np.asarray([key in chosen for key in keys])
    assert [entry.key for entry in ranking.among(mask)] == [k for k in listed if k in chosen]
