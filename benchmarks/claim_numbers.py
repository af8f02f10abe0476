"""Count the numbers of claims that the cited full text has, or lacks.

    python -m benchmarks.claim_numbers FOLDER

FOLDER has sources of marked sentences (``pincite evaluate evidence``). A claim with a number that
the text lacks is *flagged*; most of those that people found accurate should not be. The texts of
these sources have no tables, and a claim may be several sentences that cite other works too, so an
author sees fewer false ones.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from pincite.checking.numbers import attributed_numbers
from pincite.model.contexts import CitationContext
from pincite.model.papers import Candidate
from pincite.text.quantities import quantities
from pincite_evaluation.evidence.marked import by_source, read_marked

from .shared import Given, measurement, table

_LABELS = {True: "accurate", False: "not accurate"}


@measurement("folder")
def main(given: Given) -> None:
    read, problems = read_marked(given.folder)
    items = [each for each in read if each.paper.basis == "full text"]
    for problem in problems:
        print(problem)

    def rows() -> Iterator[tuple[object, ...]]:
        for source, own in by_source(items).items():
            for label, name in _LABELS.items():
                claims = [each for each in own if each.accurate is label]
                counts: Counter[str] = Counter()
                flagged = with_numbers = 0
                for each in claims:
                    # Without a reader of tables there is no `missing`.
                    candidate = Candidate(each.work, replace(each.paper, numbers=()))
                    context = CitationContext((), (), asked=each.citance, clause=each.citance)
                    found = [one.status for one in attributed_numbers(context, candidate, ())]
                    counts.update(found)
                    with_numbers += bool(quantities(each.citance))
                    flagged += "missing" in found
                if claims:
                    of_all = f"{flagged} ({flagged / max(1, with_numbers):.1%})"
                    figures = (len(claims), with_numbers, counts["elsewhere"], counts["missing"])
                    yield source, name, *figures, of_all

    table(("source", "claims", "all", "with numbers", "found", "missing", "flagged"), rows())
