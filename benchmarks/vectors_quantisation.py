"""F1 of the asymmetric matcher on CL-SciSumm's annotated training papers, model by model.

    python -m benchmarks.vectors_quantisation CORPUS [MODEL...]

CORPUS is the data folder of scisumm-corpus; a MODEL is a file made by `pincite vectors train`. The
packaged model and "no vectors" are always among the rows. Scores are F1 by citances, in percent.
"""

import time

from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.vectors import WordVectors
from pincite_evaluation.cited_text.overlap import Scorer
from pincite_evaluation.corpora.scisumm import AnnotatedCorpus, read_scisumm
from pincite_evaluation.results import Measure, total

from .shared import Given, measurement


def measure(corpus: AnnotatedCorpus, vectors: WordVectors) -> Measure:
    matcher = AsymmetricMatcher(vectors)
    counts = []
    for annotated in corpus.papers:
        fitted = matcher.fit(annotated.paper)
        answers = [
            [annotated.sids[found.position] for found in matcher.match(citance.text, fitted)]
            for citance in annotated.citances
        ]
        counts.append(Scorer(annotated).citance(answers))
    return total(counts).measure


@measurement("corpus", "models*")
def main(given: Given) -> None:
    corpus = read_scisumm(given.corpus, "train")
    print(f"{len(corpus.papers)} papers, {corpus.citances} citances")
    models = {
        "no vectors": WordVectors.empty(),
        "packaged": WordVectors.packaged(),
        **{path.name: WordVectors.load(path) for path in given.models},
    }
    print(f"{'model':28} {'words':>7}     P     R    F1  seconds")
    for name, vectors in models.items():
        start = time.perf_counter()
        found = measure(corpus, vectors)
        seconds = time.perf_counter() - start
        figures = " ".join(f"{100 * score:5.2f}" for score in found)
        print(f"{name:28} {len(vectors):7} {figures} {seconds:8.1f}")
