"""How many real entries are reported wrongly, and how many planted faults are found.

    python benchmarks/reference_checks.py DRAFTS [--entries 300]

DRAFTS is a folder of drafts with .bib files. Services are not asked: their answers are made from
the entries, with what real records have (tests/recorded_references.py). So this measures how
entries and records are compared, and not which works the services know.
"""

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from pincite.checking.references import REFERENCE_KINDS, judge
from pincite.enrichment.known_works import is_covered
from recorded_references import FAULTS, Works, entries_of, known_of

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
        # Only services that know the work by which it is told can tell.
        yield (
            name,
            expected,
            changed,
            [{found.kind for found in judge(known)} for known in known_of(changed, works)],
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("drafts", type=Path)
    parser.add_argument("--entries", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="show what is reported")
    given = parser.parse_args()
    entries = entries_of(given.drafts.iterdir(), given.entries, given.seed)
    works = Works(entries, given.seed)
    found = real_entries(entries, works)
    counts = Counter(each.kind for _, each in found)
    wrong = sum(counts[kind] for kind in INVENTED)
    print(
        f"{len(entries)} real entries, {sum(map(is_covered, entries))} of them covered by services"
    )
    print(f"  reported wrongly as invented: {wrong} ({100 * wrong / len(entries):.1f} in 100)")
    print("  " + ", ".join(f"{counts[kind]} {kind}" for kind in REFERENCE_KINDS))
    if given.show:
        for known, each in found:
            print(f"    {each.kind} {known.entry.key}: {each.message}")
    complete = Works(entries, lacking=0.0)
    for name, expected, changed, kinds in planted(entries, complete):
        number = sum(bool(each & expected) for each in kinds)
        as_invented = sum(bool(each & {*INVENTED}) for each in kinds)
        extra = f", {as_invented} as invented" if name == "a wrong year alone" else ""
        print(f"{name}: {number} of {len(changed)} found{extra}")
        if given.show:
            for entry, each in zip(changed, kinds, strict=True):
                if not each & expected:
                    print(f"    {entry.key} ({entry.entry_type}): {entry.title} {entry.doi} {each}")


if __name__ == "__main__":
    main()
