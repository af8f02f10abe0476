"""How many real entries are reported wrongly, and how many planted faults are found.

    python -m benchmarks.reference_checks DRAFTS [--entries 300] [--seed 1]

DRAFTS is a folder of drafts with .bib files. Services are not asked: their answers are made from
the entries, with what real records have (tests/recorded_references.py). So this measures how
entries and records are compared, and not which works the services know.
"""

import random
from collections import Counter

from pincite.checking.references import REFERENCE_KINDS, judge
from pincite.enrichment.known_works import is_covered
from recorded_references import FAULTS, Works, entries_of, known_of

from .shared import Given, measurement

INVENTED = ("wrong-identifier", "not-found")
PLANTED = 40


def real_entries(entries, works):
    """Return the judgements on entries that are as their authors have them."""
    return [(known, found) for known in known_of(entries, works) for found in judge(known)]


def planted(entries, works, seed=2):
    """Yield for each fault its name, the entries with it, and the kinds that are found of each."""
    chance = random.Random(seed)
    for name, (plant, with_doi, expected) in FAULTS.items():
        covered = [e for e in entries if is_covered(e) and len(e.title.split()) > 5
                   and e.year.isdecimal() and e.fields.get("author")]  # fmt: skip
        fitting = [e for e in covered if bool(e.doi) == with_doi and (e.doi or not e.arxiv)]
        changed = [plant(e, [o for o in covered if o is not e], chance) for e in fitting[:PLANTED]]
        # Only services that know the work itself can notice.
        kinds = [{found.kind for found in judge(known)} for known in known_of(changed, works)]
        yield name, expected, changed, kinds


@measurement("drafts", entries=300, seed=1)
def main(given: Given) -> None:
    entries = entries_of(given.drafts.iterdir(), given.entries, given.seed)
    works = Works(entries, given.seed)
    counts = Counter(each.kind for _, each in real_entries(entries, works))
    wrong, covered = sum(counts[kind] for kind in INVENTED), sum(map(is_covered, entries))
    print(f"{len(entries)} real entries, {covered} of them covered by services")
    print(f"  reported wrongly as invented: {wrong} ({100 * wrong / len(entries):.1f} in 100)")
    print("  " + ", ".join(f"{counts[kind]} {kind}" for kind in REFERENCE_KINDS))
    for name, expected, changed, kinds in planted(entries, Works(entries, lacking=0.0)):
        number = sum(bool(each & expected) for each in kinds)
        as_invented = sum(bool(each & {*INVENTED}) for each in kinds)
        extra = f", {as_invented} as invented" if name == "a wrong year alone" else ""
        print(f"{name}: {number} of {len(changed)} found{extra}")
