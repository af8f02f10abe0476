"""Measure the reference lists and titles read from PDFs.

Usage: python benchmarks/reference_lists.py PDFS PAPERS_JSONL_GZ [--worst N]

PDFS is a folder of `<id>.pdf` with its `library.bib`; PAPERS_JSONL_GZ holds S2ORC JSON, one paper
a line. Its `bib_entries` were made from the citations in the text and a catalogue, not from the
lists: works that no citation names are missing, some entries are not works ("August 2010"),
many have one author and no title, names are cut ("Karp" for "Held and Karp"), and of two works of
one author and year the catalogue may have the other. Precision is meaningless; recall is given
over all entries, over any author instead of the first, and over the entries with a title, which
are certainly works. Titles are compared where an entry has one and a reference has its first
author and year.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
import unicodedata
from collections import Counter
from pathlib import Path

from rapidfuzz import fuzz

from pincite.model.papers import Reference, ReferencePaper
from pincite.model.problems import InputError
from pincite.parsing.bibtex import read_bibliography
from pincite.parsing.papers import read_paper

GOOD_TITLE = 90

#: Surnames as letters, year, title.
Work = tuple[list[str], str, str]


def letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", unicodedata.normalize("NFKD", text).lower())


def wanted_works(paper: dict) -> list[Work]:
    """Return surnames, year and title of the entries that have an author and a year."""
    entries = paper["pdf_parse"]["bib_entries"].values()
    return [
        (
            [letters(author["last"]) for author in entry["authors"]],
            str(entry["year"] or ""),
            entry["title"],
        )
        for entry in entries
        if entry["authors"] and entry["year"]
    ]


def is_same(surnames: list[str], year: str, reference: Reference) -> bool:
    """Return whether years agree and the entry's first author is an author of the reference."""
    names = [letters(name) for name in reference.surnames]
    wanted = surnames[0]
    return reference.year[:4] == year and any(
        name == wanted or name.endswith(wanted) or wanted.endswith(name) for name in names if name
    )


def title_of(entries: dict[str, str], name: str, paper: ReferencePaper) -> bool:
    return bool(entries.get(name)) and letters(entries[name]) == letters(paper.title)


class Counts:
    """What was found over all papers."""

    def __init__(self) -> None:
        self.pairs: Counter[str] = Counter()
        self.kind: Counter[str] = Counter()
        self.titles: Counter[str] = Counter()
        self.lists = 0
        self.references = 0
        self.missed: list[str] = []
        self.bad_titles: list[str] = []

    def add(
        self, name: str, paper: ReferencePaper, works: list[tuple[list[str], str, str]]
    ) -> None:
        references = paper.references
        self.lists += bool(references)
        self.references += len(references)
        self.kind["with authors"] += sum(bool(item.surnames) for item in references)
        self.kind["with year"] += sum(bool(item.year) for item in references)
        self.kind["with title"] += sum(bool(item.title) for item in references)
        wanted = Counter((surnames[0], year) for surnames, year, _ in works)
        got = Counter(
            (letters(item.surnames[0]), item.year[:4]) for item in references if item.surnames
        )
        self.pairs["wanted"] += sum(wanted.values())
        self.pairs["got"] += sum(got.values())
        self.pairs["common"] += sum((wanted & got).values())
        for surnames, year, title in works:
            same = [item for item in references if is_same(surnames, year, item)]
            self.pairs["found"] += bool(same)
            self.pairs["catalogued"] += bool(title)
            self.pairs["catalogued found"] += bool(title and same)
            if not same:
                self.missed.append(f"{name}: {surnames[0]} {year} {title}")
            first = [item for item in same if letters(item.surnames[0]).endswith(surnames[0])]
            if title and first:
                best = max(first, key=lambda item: fuzz.ratio(title.lower(), item.title.lower()))
                self.titles["wanted"] += 1
                if fuzz.ratio(title.lower(), best.title.lower()) >= GOOD_TITLE:
                    self.titles["good"] += 1
                else:
                    self.bad_titles.append(
                        f"{name}: {title}\n      {best.title}\n      {best.text}"
                    )


def share(part: int, whole: int) -> str:
    return f"{part}/{whole} ({part / max(1, whole):.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pdfs", type=Path)
    parser.add_argument("papers", type=Path)
    parser.add_argument("--worst", type=int, default=0)
    arguments = parser.parse_args()
    works = {}
    with gzip.open(arguments.papers, "rt", encoding="utf-8") as lines:
        for line in lines:
            paper = json.loads(line)
            if (arguments.pdfs / f"{paper['paper_id']}.pdf").exists():
                works[paper["paper_id"]] = wanted_works(paper)
    bibliography = read_bibliography(arguments.pdfs / "library.bib")
    titles = {key: entry.title for key, entry in bibliography.entries.items()}
    counts, right_titles, pages, spent = Counts(), 0, 0, 0.0
    wrong_titles = []
    files = sorted(arguments.pdfs.glob("*.pdf"))
    for path in files:
        began = time.process_time()
        try:
            read = read_paper(path)
        except InputError as error:
            print(f"{path.stem}: {error}")
            continue
        spent += time.process_time() - began
        pages += read.page_count or 0
        if title_of(titles, path.stem, read):
            right_titles += 1
        else:
            wrong_titles.append(f"{path.stem}: {titles.get(path.stem)}\n      {read.title}")
        if path.stem in works:
            counts.add(path.stem, read, works[path.stem])
    print(f"{len(files)} files, {pages} pages, {1e3 * spent / max(1, pages):.1f} ms CPU a page")
    print(f"lists found {counts.lists}, references {counts.references}:", end=" ")
    print(", ".join(f"{name} {share(n, counts.references)}" for name, n in counts.kind.items()))
    pairs = counts.pairs
    print(f"first author and year: recall {share(pairs['common'], pairs['wanted'])},", end=" ")
    print(f"precision {share(pairs['common'], pairs['got'])}")
    print(f"any author and year: recall {share(pairs['found'], pairs['wanted'])},", end=" ")
    print(f"with a title {share(pairs['catalogued found'], pairs['catalogued'])}")
    print(f"titles of references with ratio >= {GOOD_TITLE}:", end=" ")
    print(share(counts.titles["good"], counts.titles["wanted"]))
    print(f"titles of papers: {share(right_titles, len(files))}")
    for heading, examples in (
        ("not found", counts.missed),
        ("other titles", counts.bad_titles),
        ("other titles of papers", wrong_titles),
    ):
        for number, example in enumerate(examples[: arguments.worst]):
            print(f"{heading if number == 0 else ''}\n  {example}")


if __name__ == "__main__":
    main()
