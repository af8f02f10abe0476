"""The rankings of a real bibliography are those of a plain implementation."""

import gzip
import random
from itertools import pairwise
from pathlib import Path

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from pincite.contexts import windows
from pincite.model.drafts import BibliographySource, Draft
from pincite.project.workspace import Workspace
from pincite.representations.bags import words_of
from pincite.settings import MIXED_RANKER, RankingSettings, Settings
from pincite.text.tokens import terms

ANTHOLOGY = Path(__file__).parents[3] / "shared" / "data" / "anthology" / "anthology.bib.gz"
ENTRIES = 4_000
QUERIES = 60

pytestmark = pytest.mark.skipif(not ANTHOLOGY.is_file(), reason="the shared data is not here")


@pytest.fixture(name="recommender", scope="module")
def recommender_of_real_entries(tmp_path_factory):
    """A recommender of entries that were drawn at random, some with an abstract."""
    folder = tmp_path_factory.mktemp("anthology")
    with gzip.open(ANTHOLOGY, "rt", encoding="utf-8") as file:
        entries = file.read().split("\n@")
    drawn = random.Random(7).sample(entries[1:], ENTRIES)
    (folder / "refs.bib").write_text("".join(f"\n@{entry}" for entry in drawn), encoding="utf-8")
    main = folder / "main.tex"
    sources = (BibliographySource(folder / "refs.bib"),)
    settings = Settings(ranking=RankingSettings(ranker=MIXED_RANKER))
    return Workspace(folder, settings).recommender(Draft(main, main, (), bibliographies=sources))


@pytest.mark.slow
def test_a_real_bibliography_ranks_as_with_scikit_learn_and_a_sort(recommender):
    candidates = list(recommender.candidates.values())
    texts = [words_of(candidate).everything for candidate in candidates]
    assert max(map(len, texts)) <= Settings().ranking.passage_words
    vectorizer = TfidfVectorizer(analyzer=terms)
    matrix = vectorizer.fit_transform(texts)
    for candidate in random.Random(8).sample(candidates, QUERIES):
        # What another would write about it: its own words, some of them, in another order.
        known = words_of(candidate).everything
        words = random.Random(candidate.key).sample(known, min(len(known), 15))
        context = windows.extract(
            f"{' '.join(words)} ", len(" ".join(words)), Settings().ranking.window
        )
        query = vectorizer.transform([context.words])
        plain = dict(zip(recommender.candidates, (matrix @ query.T).toarray().ravel(), strict=True))
        ranked = list(recommender.rank(context))
        assert sorted(entry.key for entry in ranked) == sorted(plain)
        for entry, following in pairwise(ranked):
            assert entry.score == pytest.approx(plain[entry.key], abs=1e-9)
            if plain[entry.key] - plain[following.key] < 1e-9:  # a tie, but for the last digits
                assert entry.score > following.score or entry.key < following.key
                assert abs(plain[entry.key] - plain[following.key]) < 1e-9
