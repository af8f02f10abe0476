"""Compare sentence boundaries with those of the CL-SciSumm reference papers.

    python -m benchmarks.sentence_boundaries CORPUS

CORPUS is a folder below which `Reference_XML/*.xml` lie (Task1 of the training set). The given
sentences of a section are joined with a space and split again; a boundary is the offset where a
sentence starts. The corpus' own sentences were split by a program, so its errors count against us.
"""

import re
from itertools import accumulate

from pincite.text.sentences import sentence_spans
from pincite_evaluation.corpora.scisumm import marked_sentences
from pincite_evaluation.results import Counts

from .shared import Given, measurement

SECTION = re.compile(r"<(ABSTRACT|SECTION)\b[^>]*>(.*?)</\1>", re.DOTALL)


@measurement("corpus")
def main(given: Given) -> None:
    counts, papers = Counts(), sorted(given.corpus.rglob("Reference_XML/*.xml"))
    for path in papers:
        for section in SECTION.finditer(path.read_bytes().decode("utf-8", "replace")):
            texts = [sentence.text for sentence in marked_sentences(section[2]) if sentence.text]
            wanted = set(accumulate(len(text) + 1 for text in texts[:-1]))
            got = {start for start, _ in sentence_spans(" ".join(texts))[1:]}
            counts += Counts(len(got & wanted), len(got - wanted), len(wanted - got))
    precision, recall, f1 = counts.measure
    print(f"papers {len(papers)}, boundaries {counts.tp + counts.fn}")
    print(f"precision {precision:.4f}  recall {recall:.4f}  F1 {f1:.4f}")
