"""Our BM25 against Lucene itself, against bm25s and against rank-bm25."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from pincite.model.papers import ReferencePaper, Sentence
from pincite_evaluation.baselines.bm25 import Bm25Matcher
from pincite_evaluation.baselines.fields import FIELD_1, FIELD_2, FIELD_3, Field
from pincite_evaluation.baselines.systems import SYSTEMS

SENTENCES = (
    "The tagger's lexicon was built from a small corpus.",
    "Of the words -- and there are many -- most occur once , twice or never .",
    "PowerParser 2.0 reads state-of-the-art grammars, e.g. ours; it's fast.",
    "Morphology matters: morphological rules possibly cover what the lexicon of the tagger does not,"
    " as we show for one corpus after another, with and without the rules, for each of the languages"
    " in which the words of the corpus were counted by hand, which took the two of us more than a year"
    " and a half of work that nobody else would do.",
    "A lexicon",
    "The",
)
CITANCES = (
    "the lexicon of the tagger",
    "morphological rules of the PowerParser's grammars, of the corpus",
)
BM25 = SYSTEMS["bm25"].matcher()
#: What Lucene 8.3 (the filters of `fields.py`, BM25Similarity, all terms as SHOULD clauses) gives.
OF_LUCENE = {
    FIELD_1: (
        {0: 2.006725, 3: 1.3353717, 4: 1.0387924},
        {3: 2.9560647, 2: 1.691592, 0: 0.5550084},
    ),
    FIELD_2: (
        {0: 2.0252264, 3: 1.3761482, 4: 1.0412412},
        {3: 3.2698543, 2: 3.2445188, 0: 0.56012535},
    ),
    FIELD_3: (
        {3: 5.6815114, 0: 2.1978943, 2: 1.2221378, 1: 1.2070738, 4: 0.5179843, 5: 0.36565155},
        {3: 6.68762, 2: 4.143823, 1: 2.10258, 0: 1.027323, 5: 0.36565155},
    ),
}


def scores(matcher: Bm25Matcher, sentences, citance):
    """Return the scores of a matcher of one field, not divided by anything."""
    paper = ReferencePaper("Toy", "full text", tuple(Sentence(text) for text in sentences))
    (field,), (index,) = matcher.fields, matcher.fit(paper).fields
    return index.scores(Counter((term,) for term in field.analyse(citance).terms()))[0]


@pytest.mark.parametrize(
    "field", OF_LUCENE, ids=lambda field: field.tokenizer + str(field.stemming)
)
def test_scores_are_lucenes(field: Field):
    matcher = Bm25Matcher(fields=(replace(field, synonyms=False),), boost=1.0)
    for citance, expected in zip(CITANCES, OF_LUCENE[field], strict=True):
        found = scores(matcher, SENTENCES, citance)
        assert {at: found[at] for at in np.flatnonzero(found)} == pytest.approx(expected, rel=1e-6)


def collection(seed: int):
    """Return random sentences that no filter changes, short enough for exact lengths."""
    random = np.random.default_rng(seed)
    vocabulary = [f"w{number}" for number in range(120)]
    frequent = 1.0 / np.arange(1, 121)

    def sentence(most):
        return list(
            random.choice(vocabulary, random.integers(1, most), p=frequent / frequent.sum())
        )

    return [sentence(39) for _ in range(150)], [sentence(30) for _ in range(20)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (2.0, 1.0)])
def test_scores_are_those_of_bm25s(seed, k1, b):
    bm25s = pytest.importorskip("bm25s", reason="bm25s is not installed")
    sentences, citances = collection(seed)
    peer = bm25s.BM25(method="lucene", k1=k1, b=b, dtype="float64")
    peer.index(sentences, show_progress=False)
    ours = replace(BM25, k1=k1, b=b)
    for citance in citances:
        expected = peer.get_scores(citance)
        found = scores(ours, map(" ".join, sentences), " ".join(citance))
        assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_rank_bm25_with_lucenes_idf(seed):
    rank_bm25 = pytest.importorskip("rank_bm25", reason="rank-bm25 is not installed")
    sentences, citances = collection(seed)
    peer = rank_bm25.BM25Okapi(sentences, k1=1.2, b=0.75)
    # It has the older formula, which can be negative, and a factor k1 + 1.
    frequency = Counter(word for sentence in sentences for word in set(sentence))
    peer.idf = {
        word: np.log(1 + (len(sentences) - count + 0.5) / (count + 0.5))
        for word, count in frequency.items()
    }
    for citance in citances:
        expected = peer.get_scores(citance) / 2.2
        found = scores(BM25, map(" ".join, sentences), " ".join(citance))
        assert found == pytest.approx(expected, abs=1e-6)
