r"""The evidence at a place in a draft: what the author knows there, and nothing after it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pincite.model.papers import BibEntry, Candidate, Candidates, InlinkContext, ReferencePaper
from pincite.ranking import features as features_module
from pincite.ranking.at_place import FAR
from pincite.ranking.base import Keys
from pincite.ranking.text_features import ranks
from small_places import FeaturesByKey, Opened, evidence_of, features_at, place_in, work

TITLES = {
    "zeta": ("Entity grids", "Barzilay", "2008"),
    "alpha": ("Dependency parsing", "Nivre", "2006"),
    "mu": ("Trust region policy optimization", "Schulman", "2015"),
    "beta": ("Word vectors", "Mikolov", "2013"),
    "gamma": ("GloVe: global vectors", "Pennington", "2014"),
    "delta": ("Citation contexts", "Ritchie", "2009"),
}


def works(*order):
    return [work(key, *TITLES[key]) for key in order or TITLES]


def at(text, *order):
    return features_at(text, works(*order))


def test_features_have_the_same_order_whatever_is_known_of_the_entries():
    fields = {"title": "Entity grids", "journal": "Computational Linguistics"}
    entry = BibEntry("zeta", "article", fields, Path("refs.bib"))
    context = InlinkContext("citing.pdf", ("entity",), ("grids",))
    paper = ReferencePaper("Entity grids", "title")
    known = Candidate("zeta", paper, entry, inlink_contexts=(context,))
    text = r"Entity grids in Computational Linguistics \cite{|}"
    assert features_at(text, [known]).found.names == at(text).found.names


# Names


def test_an_author_named_before_the_braces_is_as_near_as_the_words_between():
    found = at(r"As Barzilay and others have shown \cite{|}")
    assert found["zeta", "name.any"] == 4.0
    assert found["alpha", "name.any"] == FAR


def test_a_year_is_as_near_as_its_author():
    found = at(r"Nivre (2006) parses. \cite{|}")
    assert found["alpha", "name.year"] == 1.0
    assert found["alpha", "name.any"] == 2.0
    assert found["zeta", "name.year"] == FAR


def test_an_acronym_names_the_title_that_it_abbreviates():
    found = at(r"We train with TRPO \cite{|}")
    assert found["mu", "name.acronym"] == 0.0
    assert found["beta", "name.acronym"] == FAR


def test_a_word_in_small_letters_is_no_acronym():
    assert at(r"We train with trpo \cite{|}")["mu", "name.acronym"] == FAR


# What was cited before


def test_what_is_cited_after_the_place_is_not_known():
    before, behind = at(r"Grids. \cite{|}"), at(r"Grids. \cite{|} And parsing \cite{zeta}.")
    names = [name for name in before.found.names if name.startswith(("cited.", "cocited.", "own."))]
    for name in names:
        assert behind.of(name) == before.of(name), name


def test_citations_are_counted():
    found = at(
        "\\section{One}\nOnce \\cite{alpha}.\n\n\\section{Two}\nTwice \\cite{zeta}.\n\n"
        "Thrice \\cite{mu} and here \\cite{|}"
    )
    assert found.of("cited.count") == dict.fromkeys(TITLES, 0.0) | {"alpha": 1, "zeta": 1, "mu": 1}


def test_what_one_command_cites_is_as_recent():
    found = at(r"One \cite{alpha}, two \cite{zeta, mu, beta}, three \cite{|}")
    assert [found[key, "cited.recency_rank"] for key in ("zeta", "mu", "beta", "alpha")] == [
        *(0.0, 0.0, 0.0),
        3.0,
    ]


def test_what_follows_the_work_that_was_just_cited():
    found = at("Grids \\cite{zeta}, then \\cite{mu}.\n\nGrids \\cite{zeta}, and \\cite{|}")
    assert found.of("cocited.follow") == dict.fromkeys(TITLES, 0.0) | {"mu": 1.0}


def test_the_words_of_earlier_citations_are_compared_with_those_here():
    best = at(
        "Trees of dependencies \\cite{alpha}.\n\nFrogs and trees of ponds \\cite{mu}.\n\n"
        "Trees of dependencies \\cite{|}"
    ).of("own.both.best")
    assert best["alpha"] > best["mu"] > best["zeta"] == 0.0


def test_what_a_paragraph_cites_together_is_found_together():
    together = at(
        "Grids \\cite{zeta} and trees \\cite{alpha}.\n\nMore grids \\cite{mu}.\n\n"
        "Of trees \\cite{alpha} and \\cite{|}"
    ).of("cocited.paragraph")
    assert together == dict.fromkeys(TITLES, 0.0) | {"zeta": pytest.approx(0.5**0.5)}


def test_the_paragraph_of_the_place_is_no_evidence_of_what_is_cited_together():
    found = at(r"Grids \cite{zeta} and trees \cite{alpha} and \cite{|}")
    assert not any(found.of("cocited.paragraph").values())


# The habits of the draft


def habits(text):
    found = at(text)
    names = ("titled", "soon", "known")
    return tuple(round(found["zeta", f"habit.{name}"], 2) for name in names)


def test_a_draft_that_writes_titles_is_known_by_it():
    titled = r"Entity grids \cite{zeta}, dependency parsing \cite{alpha}, word vectors \cite{beta}."
    assert habits(titled + r" And \cite{|}")[::2] == (1.0, 0.0)
    other = titled.replace("Entity grids", "Texts").replace("parsing", "frogs")
    assert 0.0 < habits(other + r" And \cite{|}")[0] < 1.0


def test_a_draft_that_repeats_works_is_known_by_it():
    again = r"A \cite{zeta}. B \cite{zeta}. C \cite{zeta}. D \cite{|}"
    assert habits(again)[1:] == (1.0, pytest.approx(0.68, abs=0.01))
    far = "".join(f" \\cite{{{key}}}." for key in TITLES)
    assert habits(f"A {far} B \\cite{{zeta}}. D \\cite{{|}}")[1] == 0.0


def test_of_too_few_citations_no_habits_are_known():
    assert np.isnan(habits(r"A \cite{zeta}. B \cite{alpha}. C \cite{|}")).all()


# Words that several languages share


def test_words_that_begin_alike_in_two_languages_are_cognates():
    found = features_at(r"Die Optimierung der Parameter \cite{|}", works(), language="de")
    starts = found.of("title.sentence.start")
    assert starts == dict.fromkeys(TITLES, 0.0) | {"mu": pytest.approx(starts["mu"])}
    assert starts["mu"] > 0.0
    assert found["mu", "title.sentence.start.rel"] == 1.0


def test_a_short_word_is_no_cognate():
    assert not any(at(r"Our wor \cite{|}").of("title.sentence.start").values())


# The order of the bibliography


def test_neighbours_of_what_was_just_cited_are_near():
    near = at(r"Grids \cite{zeta}, and \cite{|}").of("bib.near1")
    assert near["alpha"] == 1.0
    assert near["delta"] == 5.0


@pytest.mark.parametrize("order", [sorted(TITLES), sorted(TITLES, reverse=True)])
def test_a_bibliography_sorted_by_key_has_no_neighbours(order):
    assert Keys.of(order).in_order
    near = at(r"Grids \cite{zeta}, and \cite{|}", *order).of("bib.near1")
    assert np.isnan(list(near.values())).all()


def test_a_bibliography_in_the_order_of_citation_has_no_neighbours():
    keys = [*TITLES, "epsilon", "eta", "theta", "iota"]
    listed = [work(key, f"Work {number}") for number, key in enumerate(keys)]
    in_order = " ".join(f"Words \\cite{{{key}}}." for key in keys[:9])
    near = features_at(f"{in_order} Words \\cite{{|}}", listed).of("bib.near1")
    assert np.isnan(list(near.values())).all()


def test_only_features_of_the_order_depend_on_it():
    text = r"Grids \cite{zeta, mu}. Vectors \cite{beta}. Word vectors and parsing \cite{|}"
    one, other = at(text), at(text, *reversed(TITLES))
    for name in one.found.names:
        if not name.startswith("bib.") and "every" not in name:
            assert one.of(name) == pytest.approx(other.of(name), nan_ok=True), name


def test_equal_values_rank_alike():
    expected = np.log1p([[1, 0, 1, 4]])
    assert ranks(np.asarray([[2.0, 3.0, 2.0, 0.0]])) == pytest.approx(expected)


# Long lists


@pytest.fixture(name="short_lists")
def look_at_few(monkeypatch):
    monkeypatch.setattr(features_module, "MAX_WHOLE", 40)
    monkeypatch.setattr(features_module, "_MAX_BY_TEXT", 10)
    monkeypatch.setattr(features_module, "_MAX_CITED", 20)


def many(number):
    found = [work(f"k{at:03}", f"Frogs of pond {at}") for at in range(number)]
    return [*found, work("grid", "Entity grids", "Barzilay"), work("last", "Nothing")]


def positions_at(text, listed):
    by_key = Candidates.of(listed)
    evidence = evidence_of(by_key)
    found = evidence.at(place_in(Opened(text), by_key, evidence))
    return FeaturesByKey(found, tuple(by_key)), found


@pytest.mark.usefixtures("short_lists")
def test_of_a_long_list_what_fits_is_named_or_was_cited_is_looked_at():
    text = r"Words \cite{k007} and \cite{last}. As Barzilay shows, entity grids \cite{|}"
    by_key, found = positions_at(text, many(100))
    assert {"k007", "last", "grid"} <= set(by_key.of("cited.count"))
    assert len(found.positions) <= 30
    assert (np.diff(found.positions) > 0).all()


@pytest.mark.usefixtures("short_lists")
def test_of_very_many_citations_the_latest_are_looked_at_and_all_are_counted():
    cited = " ".join(f"Words \\cite{{k{at:03}}}." for at in range(80))
    by_key, found = positions_at(f"{cited} Entity grids \\cite{{|}}", many(100))
    assert len(found.positions) <= 33
    counted = by_key.of("cited.count")
    assert all(counted[f"k{at:03}"] == 1.0 for at in range(70, 80))
    assert by_key["grid", "list.distinct"] == pytest.approx(80 / 102)
    assert by_key["k079", "cited.share"] == pytest.approx(1 / 80)


@pytest.mark.usefixtures("short_lists")
def test_a_long_list_has_the_features_of_a_whole_one(monkeypatch):
    text = r"Frogs \cite{k007}, ponds \cite{last, k008}. As Barzilay shows, grids \cite{|}"
    few, _ = positions_at(text, many(100))
    monkeypatch.setattr(features_module, "MAX_WHOLE", 1_000)
    whole, _ = positions_at(text, many(100))
    for name in ("title.both.bm25", "own.both.best", "name.any", "cited.since_events", "bib.near3"):
        expected = whole.of(name)
        for key, value in few.of(name).items():
            assert value == pytest.approx(expected[key], nan_ok=True), (name, key)
