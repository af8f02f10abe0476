"""Measure how often support is missing, in the cited paper and in other papers.

    python -m benchmarks.weak_support CORPUS [--others N] [--seed N]

CORPUS is the `data` folder of CL-SciSumm; of it, the annotated training papers are read. Each
citance is matched with the paper that it cites and with some that it does not, by the default
system: `pincite.checking.verdicts.verdict` is what judges a citation everywhere. The packaged
model was trained on these papers, so the figures for the cited ones are somewhat optimistic.
"""

import random

from pincite.checking.verdicts import MIN_TERMS
from pincite.matching.fused import FusedMatcher
from pincite.matching.vectors import WordVectors
from pincite.model.contexts import CitationContext
from pincite.model.papers import Candidate, Candidates
from pincite.recommend import Recommender
from pincite.settings import Settings
from pincite.text.tokens import terms, words
from pincite_evaluation.corpora.scisumm import read_scisumm

from .shared import Given, measurement


@measurement("corpus", others=5, seed=0)
def main(given: Given) -> None:
    papers = {one.paper.title: one for one in read_scisumm(given.corpus, "train").papers}
    candidates = [Candidate(title, one.paper) for title, one in papers.items()]
    matcher = FusedMatcher(WordVectors.packaged())
    recommender = Recommender(Candidates.of(candidates), Settings(), lambda: matcher)

    def weak(citance: str, title: str) -> bool:
        found = recommender.supporting(CitationContext((), (), citance, citance), title, 1)
        return not any(sentence.strength for sentence in found)

    choose = random.Random(given.seed)
    cited, others = [], []
    for title, one in papers.items():
        for citance in one.citances:
            if len(terms(words(citance.text))) < MIN_TERMS:
                continue
            cited.append(weak(citance.text, title))
            chosen = choose.sample([each for each in papers if each != title], given.others)
            others += [weak(citance.text, each) for each in chosen]
    for name, found in (("cited", cited), ("not cited", others)):
        print(f"{name}: support is weak for {sum(found) / len(found):.1%} of {len(found):,}")
