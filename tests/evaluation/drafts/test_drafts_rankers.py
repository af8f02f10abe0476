"""Rankers: what each orders by, and that none sees what its author could not."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite_evaluation.drafts import rankers
from pincite_evaluation.drafts.projects import SITUATIONS, ProjectSource, read_project
from pincite_evaluation.drafts.rankers import chosen
from pincite_evaluation.drafts.run import best_rank, outcome_of
from small_drafts import WORKS, draft, two_files


def read(main):
    return read_project(ProjectSource("draft", "here", main))


def prepared(kind, project):
    """Return a ranker of a project, with the packaged model where it learns."""
    return kind.prepare(project, kind.load(None))


def scores(name, project, place, situation="writing"):
    (kind,) = chosen([name])
    return dict(zip(project.keys, prepared(kind, project)(place, situation), strict=True))


def best_first(found):
    return sorted(found, key=found.get, reverse=True)


# Each ranker


def test_alphabetical_is_as_printed_and_not_by_key(tmp_path):
    found = scores("alphabetical", read(two_files(tmp_path)), 0)
    # Aalto 1998, Aalto 2015, Berg and Aalto 2003, Cole, Dahl, Evans
    assert best_first(found) == ["moss", "reed", "lichen", "fern", "kelp", "oak"]


def test_alphabetical_goes_by_title_without_authors_and_ignores_accents(tmp_path):
    works = {
        "a": ("Zebra", "Émile, Ann", "2000", ""),
        "b": ("Fish", "", "1990", ""),
        "c": ("Cats", "Dodd, Al", "2000", ""),
    }
    found = scores("alphabetical", read(draft(tmp_path, [("Fish", ["b"])], works)), 0)
    assert best_first(found) == ["c", "a", "b"]


def test_most_cited_and_most_recent_count_the_places_before(tmp_path):
    project = read(two_files(tmp_path))
    cited = scores("most-cited", project, 6)
    assert cited == {"moss": 2, "lichen": 1, "fern": 1, "kelp": 1, "reed": 2, "oak": 0}
    recent = scores("most-recent", project, 6)
    assert recent == {"moss": 5, "lichen": 2, "fern": 4, "kelp": 3, "reed": 6, "oak": 0}
    for name in ("most-cited", "most-recent"):
        assert scores(name, project, 6, "revising") == scores(name, project, 6)
        assert not any(scores(name, project, 6, "text only").values())
        assert not any(scores(name, project, 0).values())


def test_mixed_and_bm25_find_the_words_around(tmp_path):
    parts = [
        ("Damp walls of the north", ["moss"]),
        ("And then there is more", ["reed"]),
        ("Reeds hold the marsh together", ["reed"]),
    ]
    project = read(draft(tmp_path, parts))
    for name in ("mixed", "bm25"):
        assert best_first(scores(name, project, 0))[0] == "moss"
        assert best_first(scores(name, project, 2))[0] == "reed"
        assert scores(name, project, 1, "revising") == scores(name, project, 1, "text only")
    # The reeds are to the right of the second place.
    assert scores("mixed", project, 1, "revising")["reed"] > scores("mixed", project, 1)["reed"]


def test_bm25_searches_all_that_a_reader_of_the_bibliography_sees(tmp_path):
    works = {"a": ("Fish", "Dodd, Al", "2000", ""), "b": ("Birds", "Eve, Ann", "1990", "")}
    for words, key in (("As Dodd says", "a"), ("As in 1990", "b")):
        project = read(draft(tmp_path / key, [(f"Fish and birds. {words}", [key])], works))
        found = scores("bm25", project, 0)
        # Only the sentence is the query.
        assert found[key] > 0.0 == found[{"a": "b", "b": "a"}[key]]


def test_dense_fuses_the_ranks_of_bm25_and_of_an_encoder(tmp_path, monkeypatch):
    class Lengths:
        """Encodes a text as whether it has an even number of words."""

        def sentences(self, texts):
            even = [len(text.split()) % 2 for text in texts]
            return np.eye(2, dtype=np.float32)[even]

    monkeypatch.setattr(rankers, "open_encoder", Lengths)
    works = {"a": ("Big fish", "", "2000", ""), "b": ("Birds", "", "1990", "")}
    project = read(draft(tmp_path, [("Two fish", ["a"]), ("A fish swims", ["a"])], works))
    both, apart = (scores("dense", project, place) for place in (0, 1))
    assert both["a"] == pytest.approx(2 / 61)
    assert both["b"] == pytest.approx(2 / 62)
    assert apart == pytest.approx(dict.fromkeys(works, 1 / 61 + 1 / 62))


def test_a_bibliography_without_a_word_ranks_nothing_first(tmp_path):
    works = dict.fromkeys(("a", "b"), ("", "", "2000", ""))
    project = read(draft(tmp_path, [("Moss", ["a"])], works))
    for kind in chosen():
        for situation in SITUATIONS:
            found = prepared(kind, project)(0, situation)
            assert found.shape == (2,)
            assert not np.isnan(found).any()


# Ranks


def ranked(values, cited, ties):
    return best_rank(np.asarray(values, dtype=np.float64), cited, np.asarray(ties))


def test_ties_go_by_content():
    assert ranked([1, 1, 1], [1], [5, 3, 4]) == 1
    assert ranked([1, 1, 1], [0], [5, 3, 4]) == 3
    assert ranked([1, 1, 2], [0], [5, 3, 4]) == 3
    # Noise is no difference.
    assert ranked([0.1 + 0.2, 0.3], [1], [1, 0]) == 1
    # An entry and its double cannot be distinguished.
    assert ranked([1, 1, 0], [0], [2, 2, 1]) == 2
    assert ranked([1, 1, 0], [1], [2, 2, 1]) == 2
    assert ranked([1, 1, 0], [0, 1], [2, 2, 1]) == 1
    # An item counts at the best of what it cites.
    assert ranked([3, 2, 1], [1, 2], [0, 1, 2]) == 2
    assert ranked([1, 2, 3], [2, 0], [0, 1, 2]) == 1


# What rankers may see

SENTENCES = (
    "Moss grows on damp walls",
    "Reeds hold the marsh",
    "Shade under glass",
    "Granite",
    "In hedges of oak",
    "Nothing at all",
)
PARTS = st.lists(
    st.tuples(
        st.sampled_from(SENTENCES),
        st.lists(st.sampled_from(list(WORKS)), min_size=1, max_size=3, unique=True),
    ),
    min_size=1,
    max_size=4,
)


def all_scores(folder, parts, places, situation, **changed):
    project = read(draft(folder, parts, **changed))
    assert len(project.places) == len(parts)
    return {
        kind.name: [ranker(place, situation).round(9).tolist() for place in range(places)]
        for kind in chosen()
        for ranker in [prepared(kind, project)]
    }


@settings(max_examples=25, deadline=None)
@given(PARTS, PARTS, PARTS)
def test_writing_uses_nothing_to_the_right(before, after, other):
    # The last place of `before` has its own keys, and these are not seen either.
    changed = [*before[:-1], (before[-1][0], other[0][1]), *other]
    with tempfile.TemporaryDirectory() as name:
        found = [
            all_scores(Path(name) / str(number), parts, len(before), "writing")
            for number, parts in enumerate(([*before, *after], changed))
        ]
    assert found[0] == found[1]


@settings(max_examples=15, deadline=None)
@given(PARTS, PARTS)
def test_revising_sees_no_later_citation_and_text_only_none(parts, others):
    keys = [cited for _, cited in others] * len(parts)
    later = [*parts[:1], *((text, keys[n]) for n, (text, _) in enumerate(parts[1:]))]
    anywhere = [(text, keys[n]) for n, (text, _) in enumerate(parts)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        one = all_scores(folder / "one", parts, 1, "revising")
        assert all_scores(folder / "two", later, 1, "revising") == one
        assert all_scores(folder / "three", anywhere, 1, "revising") == one
        blind = all_scores(folder / "four", parts, len(parts), "text only")
        assert all_scores(folder / "five", anywhere, len(parts), "text only") == blind


def ranks_of(main, kinds):
    models = [kind.load(None) for kind in kinds]
    found = outcome_of((ProjectSource("draft", "here", main), models), kinds).ranks
    return {key: ranks.tolist() for key, ranks in found.items()}


# A double, so that there are ties that no content breaks.
DOUBLED = {**WORKS, "double": WORKS["moss"]}


@settings(max_examples=25, deadline=None)
@given(PARTS, st.permutations(list(WORKS)), st.permutations(list(WORKS)))
def test_neither_keys_nor_the_order_of_entries_are_evidence(parts, names, order):
    keys = dict(zip(WORKS, names, strict=True))
    kinds = [kind for kind in chosen() if not kind.train]
    with tempfile.TemporaryDirectory() as name:
        one = draft(Path(name) / "one", parts, DOUBLED)
        two = draft(Path(name) / "two", parts, DOUBLED, keys, [*order, "double"])
        assert ranks_of(one, kinds) == ranks_of(two, kinds)


@settings(max_examples=25, deadline=None)
@given(PARTS, st.permutations(range(10, 10 + len(DOUBLED))))
def test_generated_keys_and_the_order_by_them_are_no_evidence(parts, numbers):
    kinds = chosen()
    found = []
    with tempfile.TemporaryDirectory() as name:
        for folder, given_numbers in (("one", sorted(numbers)), ("two", numbers)):
            keys = {key: f"ref{at}" for key, at in zip(DOUBLED, given_numbers, strict=True)}
            order = sorted(DOUBLED, key=keys.__getitem__)
            found.append(ranks_of(draft(Path(name) / folder, parts, DOUBLED, keys, order), kinds))
    assert found[0] == found[1]
