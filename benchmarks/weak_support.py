"""How much of a citance its best supporting sentence covers, in the cited paper and in others.

Usage: python benchmarks/weak_support.py CORPUS [--others N] [--seed N]

CORPUS is the `data` folder of CL-SciSumm; of it, the annotated training papers are read. Each
citance is matched with the paper that it cites and with some that it does not, by the default
system. `pincite.checking.support.WEAK_BELOW` was chosen from what this prints.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np

from pincite.checking.support import FEWEST_TERMS, WEAK_BELOW
from pincite.evaluation.corpora.scisumm import read_scisumm
from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.vectors import WordVectors
from pincite.model.contexts import CitationContext
from pincite.model.papers import Candidate, Candidates
from pincite.recommend import Recommender
from pincite.settings import Settings
from pincite.text.tokens import terms, words

SHARES = (1, 5, 10, 25, 50, 75, 90)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--others", type=int, default=5, help="papers not cited, for each citance")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    papers = {one.paper.title: one for one in read_scisumm(arguments.corpus, "train").papers}
    candidates = [Candidate(title, one.paper) for title, one in papers.items()]
    matcher = AsymmetricMatcher(WordVectors.packaged())
    recommender = Recommender(Candidates.of(candidates), Settings(), lambda: matcher)

    def best(citance: str, title: str) -> float:
        found = recommender.supporting(CitationContext((), (), citance), title, 1)
        return found[0].score if found else 0.0

    choose = random.Random(arguments.seed)
    lengths, cited, others = [], [], []
    for title, one in papers.items():
        for citance in one.citances:
            lengths.append(len(terms(words(citance.text))))
            cited.append(best(citance.text, title))
            chosen = choose.sample([each for each in papers if each != title], arguments.others)
            others += [best(citance.text, each) for each in chosen]
    print(f"{len(cited)} citances of {min(lengths)} terms and more (judged from {FEWEST_TERMS})")
    print("share     ", *(f"{share:6}%" for share in SHARES))
    for name, scores in (("cited", cited), ("not cited", others)):
        print(f"{name:10}", *(f"{score:7.3f}" for score in np.percentile(scores, SHARES)))
    for name, scores in (("cited", cited), ("not cited", others)):
        print(f"below {WEAK_BELOW}: {np.mean(np.array(scores) < WEAK_BELOW):.1%} of the {name}")
    ranks = np.searchsorted(np.sort(others), cited) / len(others)
    print(f"a cited paper's score is above {ranks.mean():.1%} of the others'")


if __name__ == "__main__":
    main()
