"""Compare the evaluation of citation resolution with a plain implementation of it.

    python -m benchmarks.resolution_baseline CORPUS TEST_PAPERS [--papers N] [--seed S]

The baseline fits a scikit-learn `TfidfVectorizer` (stop_words="english") for every row of Table 1
and every test paper. Both run in one process on the same sample of test papers, whose texts and
contexts are in memory; the accuracies of all rows must be the same.
"""

from __future__ import annotations

import random
import time

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from pincite.settings import Window
from pincite_evaluation.collection import read_collection, read_test_papers
from pincite_evaluation.resolution import protocol
from pincite_evaluation.resolution.counts import count
from pincite_evaluation.resolution.representations import TABLE_1, WINDOWS, named
from pincite_evaluation.resolution.table import PapersUnderTest, finished_rows

from .shared import options


def plain_accuracies(tests, candidates) -> dict[tuple[str, str], float]:
    correct: dict[tuple[str, str], int] = {}
    for name in TABLE_1:
        representation = named(name).representation
        for test in tests:
            bags = list(representation.bags(candidates[one] for one in test.candidates))
            vectorizer = TfidfVectorizer(stop_words="english", token_pattern=r"(?u)\b\w\w+\b")
            try:
                vectors = vectorizer.fit_transform(" ".join(b.internal + b.external) for b in bags)
            except ValueError:  # no candidate has any word, so all are tied
                vectors = None
            for window in WINDOWS:
                key = name, f"{window.left},{window.right}"
                for group in test.groups:
                    cosines = np.zeros(len(bags))
                    if vectors is not None:
                        query = vectorizer.transform([" ".join(group.words(window))])
                        cosines = (vectors @ query.T).toarray().ravel()
                    best: dict[int, float] = {}
                    for bag, cosine in zip(bags, np.round(cosines, 12), strict=True):
                        best[bag.candidate] = max(best.get(bag.candidate, 0.0), cosine)
                    order = sorted(best, key=lambda one, best=best: (-best[one], one))
                    first = {test.candidates[one] for one in order[: len(group.cited)]}
                    right = len(group.cited) if first & set(group.cited) else 0
                    correct[key] = correct.get(key, 0) + right
    outcomes = sum(test.outcomes for test in tests)
    return {key: right / outcomes for key, right in correct.items()}


def main() -> None:
    arguments = options(__doc__, "corpus", "test_papers", papers=10, seed=0)
    collection = read_collection(arguments.corpus)
    listed = read_test_papers(arguments.test_papers)
    ids, _ = protocol.chosen_papers(collection, listed, arguments.test_papers)
    every = list(protocol.papers_under_test(collection, ids, Window(30, 30), 8))
    tests = tuple(random.Random(arguments.seed).sample(every, min(arguments.papers, len(every))))
    candidates = protocol.candidates(collection, tests, frozenset(ids), Window(30, 30))
    representations = [named(name) for name in TABLE_1]

    start = time.process_time()
    inside, papers = count(candidates, tests, representations, WINDOWS)
    table = PapersUnderTest(tests, WINDOWS)
    finished = list(finished_rows(inside, papers, table, representations))
    ours_took = time.process_time() - start
    ours = {
        (row["representation"], row["window"]): row["accuracy"]
        for rows in finished
        for row in rows.rows
    }

    start = time.process_time()
    plain = plain_accuracies(tests, candidates)
    plain_took = time.process_time() - start

    different = [key for key in plain if abs(plain[key] - ours[key]) > 1e-12]
    outcomes = sum(test.outcomes for test in tests)
    print(f"{len(tests)} test papers, {outcomes} outcomes, {len(plain)} rows")
    ratio = plain_took / ours_took
    print(f"plain {plain_took:.1f} s CPU, ours {ours_took:.1f} s: {ratio:.1f} times")
    print(f"rows with another accuracy: {len(different)} {different[:5]}")


if __name__ == "__main__":
    main()
