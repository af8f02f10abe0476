"""Time the asymmetric and the fused matcher per citance, and other implementations beside them.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.sentence_matching CORPUS

CORPUS is the data folder of scisumm-corpus, of which the training paper nearest to 250 sentences is
read. Each row is the median over citances of the best of several runs, and how many times that of
our matcher it is. What the others need, words as vectors or an index, is made before; ours also
reads the citance, picks the sentences and marks their words. Scores of the plain numpy loop are
those of the matcher. maxsim-cpu sums the best dot products: our row with d = 1 and uniform weights,
for words with a vector; its scores are compared as well. Version 0.1.0 gives wrong sums, or
crashes, for products of more than 64³ multiplications, so it gets a citance in pieces of eight
words. BM25 is another score, on the same words. Both are left out where they are not installed.
"""

import statistics
import time
import timeit
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from pincite.matching.asymmetric import FittedPaper
from pincite.matching.fused import FusedMatcher
from pincite.matching.sentence_vocabulary import Reading
from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite_evaluation.baselines.ricci import AsymmetricMatcher, weights_of
from pincite_evaluation.corpora.scisumm import read_scisumm

from .shared import Given, measurement

Query = TypeVar("Query")

RUNS = 15
SENTENCES = 250
#: Eight words, a hundred in a sentence and 300 dimensions are just below 64³.
PIECE = 8
PREPARED = "words in memory"


class Words(NamedTuple):
    """The words of one sentence as a plain loop needs them; numbers stand for equal words."""

    words: npt.NDArray[np.int64]
    lowered: npt.NDArray[np.int64]
    known: npt.NDArray[np.bool_]
    unit: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float64]


def words_of(words: Sequence[str], matcher: AsymmetricMatcher) -> Words:
    rows = matcher.vectors.rows(words)
    exact, lowered = (np.array(list(map(hash, each))) for each in (words, map(str.lower, words)))
    weights = weights_of(matcher, words)
    return Words(exact, lowered, rows >= 0, matcher.vectors.unit(rows), weights)


def looped(query: Words, sentences: Sequence[Words], d: float) -> list[float]:
    """Equation 1 of Ricci et al. (2022), one sentence after the other."""
    scores = []
    for sentence in sentences:
        similar = np.clip(query.unit @ sentence.unit.T, 0.0, 1.0)
        same = query.words[:, None] == sentence.words
        same |= ~query.known[:, None] & (query.lowered[:, None] == sentence.lowered)
        closest = np.where(same, 1.0, similar).max(axis=1)
        scores.append(float(query.weights @ closest**d / query.weights.sum()))
    return scores


def ours(matcher: AsymmetricMatcher, citance: str, fitted: FittedPaper) -> list[float]:
    """Scores of all sentences that have words, in the order of the paper."""
    every = len(fitted.words.positions)
    found = {one.position: one.score for one in matcher.match(citance, fitted, every)}
    return [found.get(position, 0.0) for position in fitted.words.positions]


def show(
    name: str, work: Callable[[Query], object], queries: Sequence[Query], reference: float = 0.0
) -> float:
    """Print the median over queries beside a reference, itself if there is none; return it."""
    best = [min(timeit.repeat(lambda: work(query), number=1, repeat=RUNS)) for query in queries]  # noqa: B023
    milliseconds = 1000 * statistics.median(best)
    times = milliseconds / (reference or milliseconds)
    print(f"{name:52} {milliseconds:8.3f} ms {times:7.2f} x")
    return milliseconds


def timed_fit(matcher: Any, paper: ReferencePaper) -> tuple[Any, float]:
    start = time.perf_counter()
    return matcher.fit(paper), time.perf_counter() - start


def beside_loop(citances: list[str], paper: ReferencePaper) -> float:
    """Print the default matcher and the loop; return the time of the former."""
    vectors = WordVectors.packaged()
    matcher, fused = AsymmetricMatcher(vectors), FusedMatcher(vectors)
    (fitted, seconds), (of_fused, more) = (timed_fit(each, paper) for each in (matcher, fused))
    print(f"fit {1000 * seconds:.1f} ms\n")
    whole = show("asymmetric", lambda text: matcher.match(text, fitted), citances)
    print(f"fused, fit {1000 * more:.1f} ms")
    show("fused, the default", lambda text: fused.match(text, of_fused), citances, whole)

    reading = matcher.reading
    queries = [words_of(reading.words(text), matcher) for text in citances]
    sentences = [
        words_of(words, matcher) for one in paper.sentences if (words := reading.words(one.text))
    ]
    for text, query in zip(citances, queries, strict=True):
        scores = ours(matcher, text, fitted)
        np.testing.assert_allclose(scores, looped(query, sentences, matcher.d), atol=1e-6)
    name = f"numpy, a loop over sentences, {PREPARED}"
    show(name, lambda query: looped(query, sentences, matcher.d), queries, whole)
    return whole


def beside_maxsim(citances: list[str], paper: ReferencePaper, whole: float) -> None:
    try:
        from maxsim_cpu import maxsim_scores_variable
    except ImportError:
        print("maxsim-cpu is not installed (pip install maxsim-cpu)")
        return
    vectors = WordVectors.packaged()
    matcher = AsymmetricMatcher(vectors, d=1.0, weights="uniform", markers="keep")
    # Words with a vector only, and the text of them: the same input for both.
    texts = [known for one in paper.sentences if (known := with_vectors(one.text, vectors))]
    asked = [known for text in citances if (known := with_vectors(text, vectors))]
    fitted = matcher.fit(replace(paper, sentences=tuple(map(Sentence, texts))))
    sentences = [vectors.unit(vectors.rows(text.split())) for text in texts]
    queries = [
        [query[start : start + PIECE] for start in range(0, len(query), PIECE)]
        for query in (vectors.unit(vectors.rows(text.split())) for text in asked)
    ]

    def theirs(pieces: list[npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
        return np.sum([maxsim_scores_variable(piece, sentences) for piece in pieces], axis=0)

    for text, pieces in zip(asked, queries, strict=True):
        query = np.concatenate(pieces)
        closest = np.array([(query @ sentence.T).max(axis=1) for sentence in sentences])
        np.testing.assert_allclose(theirs(pieces), closest.sum(axis=1), rtol=1e-4, atol=1e-4)
        covered = len(query) * np.array(ours(matcher, text, fitted))
        # Ours counts negative cosines as nothing.
        np.testing.assert_allclose(covered, closest.clip(0.0).sum(axis=1), rtol=1e-4, atol=1e-4)
    name = "asymmetric, d = 1, uniform"
    show(name, lambda text: matcher.match(text, fitted), asked, whole)
    show(f"maxsim-cpu, {PREPARED}", theirs, queries, whole)


def with_vectors(text: str, vectors: WordVectors) -> str:
    return " ".join(word for word in Reading().words(text) if word in vectors)


def beside_bm25s(citances: list[str], paper: ReferencePaper, whole: float) -> None:
    try:
        import bm25s
    except ImportError:
        print("bm25s is not installed (pip install bm25s)")
        return
    reading = Reading(cased=False)
    index = bm25s.BM25()
    index.index([list(reading.words(one.text)) for one in paper.sentences], show_progress=False)
    queries = [list(reading.words(text)) for text in citances]

    def best_two(query: list[str]) -> object:
        return index.retrieve([query], k=2, show_progress=False)

    show(f"bm25s, the best two, {PREPARED}", best_two, queries, whole)
    show(f"bm25s, scores only, {PREPARED}", index.get_scores, queries, whole)


@measurement("corpus")
def main(given: Given) -> None:
    papers = read_scisumm(given.corpus, "train").papers
    annotated = min(papers, key=lambda one: abs(len(one.paper.sentences) - SENTENCES))
    paper, citances = annotated.paper, [citance.text for citance in annotated.citances]
    print(f"{paper.title}: {len(paper.sentences)} sentences, {len(citances)} citances")
    whole = beside_loop(citances, paper)
    beside_maxsim(citances, paper, whole)
    beside_bm25s(citances, paper, whole)
