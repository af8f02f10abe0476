"""Properties of rankers that are kept on the disk."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.model.contexts import CitationContext
from pincite.model.papers import Candidate, Candidates, InlinkContext, ReferencePaper, Sentence
from pincite.ranking import kept
from pincite.recommend import MIXED, Recommender, fit
from pincite.representations.tfidf import TfIdfSpace
from pincite.settings import RankingSettings, Settings

WORDS = st.lists(
    st.sampled_from("tree Trees grammar größe 漢字 ﬁnite ñandú x 2014 aa a\u0308 zz".split())
    | st.text(max_size=4),
    max_size=8,
)
BASES = st.sampled_from(["full text", "abstract", "title"])
CANDIDATE = st.tuples(WORDS, BASES, st.lists(st.tuples(WORDS, WORDS), max_size=2))
SETTINGS = [
    Settings(ranking=RankingSettings(ranker=MIXED, passage_words=3)),
    Settings(ranking=RankingSettings(ranker="learned")),
]


def vocabularies(fitted):
    if isinstance(fitted.index, TfIdfSpace):
        return [fitted.index.vocabulary]
    return [fitted.index.terms, fitted.index.names]


def candidate(key, words, basis, contexts):
    inlinks = tuple(InlinkContext("other", tuple(left), tuple(right)) for left, right in contexts)
    paper = ReferencePaper(" ".join(words[:2]), basis, (Sentence(" ".join(words)),))
    return Candidate(key, paper, inlink_contexts=inlinks)


@pytest.mark.parametrize("ranking", SETTINGS, ids=["mixed", "learned"])
@settings(deadline=None, max_examples=60)
@given(st.dictionaries(st.text(min_size=1, max_size=4), CANDIDATE, min_size=1, max_size=6), WORDS)
def test_what_is_read_is_what_was_written(ranking, works, context):
    candidates = Candidates.of(candidate(key, *work) for key, work in works.items())
    fitted = fit(candidates, ranking)
    with TemporaryDirectory() as folder:
        kept.write(Path(folder), fitted)
        found = kept.read(Path(folder), tuple(candidates))
        before, after = (
            Recommender(candidates, ranking, lambda: None, each) for each in (fitted, found)
        )
        context = CitationContext(tuple(context), ())
        assert np.array_equal(before.rank(context).scores, after.rank(context).scores)
        assert before.explain(context, before.rank(context)) == after.explain(
            context, after.rank(context)
        )
        assert before.bases() == after.bases()
        for own, other in zip(vocabularies(found), vocabularies(fitted), strict=True):
            assert dict(own) == other
            for term in ("", "a", "zzz", "\U0010ffff", *context.words):
                assert own.get(term) == other.get(term)
