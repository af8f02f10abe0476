"""Read the same works as BibTeX, CSL JSON and CSL YAML; print processor seconds.

    python -m benchmarks.item_bibliographies BIB_GZ

BIB_GZ is a large `.bib` file, such as that of the ACL Anthology.
"""

import gzip
import json
from pathlib import Path

import yaml

from pincite.edits.csl_items import csl_item, markdown
from pincite.parsing.bibliographies import parse_bibliography

from .shared import Given, measurement, processor_seconds


@measurement("bib_gz")
def main(given: Given) -> None:
    text = gzip.decompress(given.bib_gz.read_bytes()).decode("utf-8")
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
        scan = lambda each=each, name=name: parse_bibliography(each, Path(name))  # noqa: E731
        best, file = processor_seconds(scan, 3), scan()
        read = processor_seconds(lambda: [len(entry.fields) for entry in file.entries.values()])  # noqa: B023
        faults = processor_seconds(lambda: scan().faults)  # noqa: B023
        figures = f"{len(file.entries):7} {best:5.2f} {read:11.2f} {faults:11.2f}"
        print(f"{name:8} {len(each) / 1e6:3.0f}  {figures}")
