"""Read the same works as BibTeX, CSL JSON and CSL YAML; print processor seconds.

    python -m benchmarks.item_bibliographies BIB_GZ

BIB_GZ is a large `.bib` file, such as that of the ACL Anthology.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from pincite.edits.csl_items import csl_item, markdown
from pincite.parsing.bibliographies import parse_bibliography


def main() -> None:
    """Print a row for each format."""
    with gzip.open(sys.argv[1], "rt", encoding="utf-8") as file:
        text = file.read()
    entries = parse_bibliography(text, Path("a.bib")).entries.values()
    in_yaml = {"references": [csl_item(entry, markdown) for entry in entries]}
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    texts = {
        "a.bib": text,
        "a.json": json.dumps([csl_item(entry) for entry in entries], indent=2, ensure_ascii=False),
        "a.yaml": yaml.dump(in_yaml, Dumper=dumper, allow_unicode=True, sort_keys=False),
    }
    print("file      MB  entries  keys  all fields  all faults")
    for name, each in texts.items():
        best = _seconds(lambda: parse_bibliography(each, Path(name)), 3)  # noqa: B023
        file = parse_bibliography(each, Path(name))
        read = _seconds(lambda: [len(entry.fields) for entry in file.entries.values()], 1)  # noqa: B023
        faults = _seconds(lambda: parse_bibliography(each, Path(name)).faults, 1)  # noqa: B023
        size = len(each) / 1e6
        print(
            f"{name:8} {size:3.0f}  {len(file.entries):7} {best:5.2f} {read:11.2f} {faults:11.2f}"
        )


def _seconds(work: Callable[[], object], runs: int) -> float:
    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(once() for _ in range(runs))


if __name__ == "__main__":
    main()
