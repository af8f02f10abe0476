"""How probable a work of the author's library is beside the entries of a draft."""

import pytest

from pincite.model.contexts import CitationContext
from pincite.model.papers import Candidates
from pincite.model.results import RankedEntry
from pincite.ranking.learned import LearnedRanker, packaged
from pincite.ranking.library_prior import Familiar, probability_in_library
from small_places import work


@pytest.fixture(scope="module")
def draft():
    ranker = LearnedRanker(packaged(), "en")
    own = [
        work("cells", "Oxygen reduction in alkaline fuel cells", "Bockris, John"),
        work("platinum", "Chain reactions on platinum electrodes", "Marković, Nenad"),
        work("kinetics", "Kinetics of oxygen reduction at electrodes", "Damjanovic, A."),
        work("acid", "Oxygen electrodes of platinum in acid", "Appleby, A. J."),
        work("alloys", "Alloys of platinum for oxygen reduction", "Stamenković, V."),
        work("stack", "Platinum in a stack of fuel cells", "Grove, William"),
    ]
    ranker.fit(Candidates.of(own))
    return ranker


NOTHING = CitationContext(("as", "shown", "by"), ())


def of_library(draft, *works, score=0.5, context=NOTHING):
    entries = (RankedEntry(each, score, 0.0, 0.0, ("title",)) for each in works)
    return {entry.key: entry.score for entry in draft.of_library(context, entries)}


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
    assert found == probability_in_library(0.5, Familiar())


def test_words_of_many_titles_count_more_than_words_of_one():
    """They are of the subject, whereas any two works may have a word in common."""
    ranker = LearnedRanker(packaged(), "en")
    titles = ("Fuel cells", "Catalysts of fuel cells", "Membranes of fuel cells", "Life in deserts")
    ranker.fit(Candidates.of(work(str(at), title, "A, A.") for at, title in enumerate(titles)))
    found = of_library(
        ranker,
        work("deserts", "Heat and deserts", "Other, B."),
        work("cells", "Heat and cells", "Other, B."),
        work("neither", "Heat and rain", "Other, B."),
    )
    assert list(found) == ["cells", "deserts", "neither"]


def test_words_of_the_paragraph_make_a_work_more_probable(draft):
    surface = work("surface", "Oxygen reduction on electrodes of platinum", "Other, A.")
    words = ("the", "reduction", "of", "oxygen", "has", "four", "steps")
    (alone,) = of_library(draft, surface).values()
    (named,) = of_library(draft, surface, context=CitationContext(words, ())).values()
    (one,) = of_library(draft, surface, context=CitationContext(words[:2], ())).values()
    assert alone < one < named
