"""How probable a work of the author's library is beside the entries of a draft."""

import pytest

from pincite.model.papers import Candidates
from pincite.model.results import RankedEntry
from pincite.ranking.learned import LearnedRanker, packaged
from pincite.ranking.library_prior import probability_in_library
from small_places import work


@pytest.fixture(scope="module")
def draft():
    ranker = LearnedRanker(packaged(), "en")
    own = [
        work("cells", "Oxygen reduction in alkaline fuel cells", "Bockris, John"),
        work("platinum", "Chain reactions on platinum electrodes", "Marković, Nenad"),
    ]
    ranker.fit(Candidates.of(own))
    return ranker


def of_library(draft, *works, score=0.5):
    entries = (RankedEntry(each, score, 0.0, 0.0, ("title",)) for each in works)
    return {entry.key: entry.score for entry in draft.of_library(entries)}


def test_words_of_titles_and_authors_of_the_bibliography_make_a_work_more_probable(draft):
    found = of_library(
        draft,
        work("narrative", "Unsupervised learning of narrative event chains", "Chambers, N."),
        work("surface", "Oxygen reduction on electrodes of platinum", "Other, A."),
        work("same", "Oxygen reduction on electrodes of platinum", "Bockris, John"),
    )
    assert list(found) == ["same", "surface", "narrative"]
    assert found["narrative"] < 0.5 * found["surface"]
    assert all(0.0 < score < 1.0 for score in found.values())


def test_a_work_without_any_evidence_stays_without(draft):
    surface = work("surface", "Oxygen reduction on platinum", "Bockris, John")
    assert of_library(draft, surface, score=0.0) == {"surface": 0.0}


def test_beside_an_empty_bibliography_every_work_is_of_another_subject():
    ranker = LearnedRanker(packaged())
    ranker.fit(Candidates.of(()))
    (found,) = of_library(ranker, work("any", "Oxygen reduction", "Bockris, John")).values()
    assert found == probability_in_library(0.5, 0.0, False)
