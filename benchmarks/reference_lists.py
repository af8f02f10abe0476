"""Measure the reference lists and titles read from PDFs.

    python -m benchmarks.reference_lists PDFS PAPERS_JSONL_GZ [--worst N]

PDFS is a folder of `<id>.pdf` with its `library.bib`; PAPERS_JSONL_GZ holds S2ORC JSON, one paper
a line. Its `bib_entries` were made from the citations in the text and a catalogue, not from the
lists: works that no citation names are missing, some entries are not works ("August 2010"),
many have one author and no title, names are cut ("Karp" for "Held and Karp"), and of two works of
one author and year the catalogue may have the other. Precision is meaningless; recall is given
over all entries, over any author instead of the first, and over the entries with a title, which
are certainly works. Titles are compared where an entry has one and a reference has its first
author and year.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from typing import NamedTuple

from rapidfuzz import fuzz

from pincite.model.papers import Reference, ReferencePaper
from pincite.parsing.bibtex import read_bibliography

from .shared import Given, measurement, papers, read_papers

GOOD_TITLE = 90


class Work(NamedTuple):
    """An entry that has an author and a year; the surname of the first author as letters."""

    surname: str
    year: str
    title: str


def letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", unicodedata.normalize("NFKD", text).lower())


def wanted_works(paper: dict) -> list[Work]:
    return [
        Work(letters(entry["authors"][0]["last"]), str(entry["year"]), entry["title"] or "")
        for entry in paper["pdf_parse"]["bib_entries"].values()
        if entry["authors"] and entry["year"]
    ]


def is_same(work: Work, reference: Reference) -> bool:
    """Return whether years agree and the entry's first author is an author of the reference."""
    names = filter(None, map(letters, reference.surnames))
    return reference.year[:4] == work.year and any(
        name.endswith(work.surname) or work.surname.endswith(name) for name in names
    )


class Counts(Counter[str]):
    """What was found over all papers, and examples of what was not."""

    def __init__(self) -> None:
        super().__init__()
        self.examples: dict[str, list[str]] = defaultdict(list)

    def add(self, name: str, paper: ReferencePaper, works: list[Work]) -> None:
        references = paper.references
        self.update(lists=bool(references), references=len(references))
        for item in references:
            self["with authors"] += bool(item.surnames)
            self["with year"] += bool(item.year)
            self["with title"] += bool(item.title)
        wanted = Counter((work.surname, work.year) for work in works)
        got = Counter((letters(r.surnames[0]), r.year[:4]) for r in references if r.surnames)
        self.update(wanted=wanted.total(), got=got.total(), common=(wanted & got).total())
        for work in works:
            same = [item for item in references if is_same(work, item)]
            has_title = bool(work.title)
            self.update(works=1, found=bool(same), titled=has_title)
            self["titled found"] += bool(has_title and same)
            if not same:
                self.examples["not found"].append(f"{name}: {' '.join(work)}")
            first = [item for item in same if letters(item.surnames[0]).endswith(work.surname)]
            if has_title and first:
                ratios = [fuzz.ratio(work.title.lower(), item.title.lower()) for item in first]
                best = first[ratios.index(max(ratios))]
                is_good = max(ratios) >= GOOD_TITLE
                self.update({"titles": 1, "good titles": is_good})
                if not is_good:
                    lines = (f"{name}: {work.title}", best.title, best.text)
                    self.examples["other titles"].append("\n      ".join(lines))

    def of(self, part: str, whole: str) -> str:
        return f"{self[part]}/{self[whole]} ({self[part] / max(1, self[whole]):.3f})"


@measurement("pdfs", "papers", worst=0)
def main(given: Given) -> None:
    files = sorted(given.pdfs.glob("*.pdf"))
    names = {path.stem for path in files}
    works = {p["paper_id"]: wanted_works(p) for p in papers(given.papers) if p["paper_id"] in names}
    bibliography = read_bibliography(given.pdfs / "library.bib")
    titles = {key: entry.title for key, entry in bibliography.entries.items()}
    counts, pages, spent = Counts(), 0, 0.0
    counts["files"] = len(files)
    wrong_titles = []
    for path, read, seconds in read_papers(files):
        spent += seconds
        pages += read.page_count or 0
        title = titles.get(path.stem)
        if title and letters(title) == letters(read.title):
            counts["right titles"] += 1
        else:
            wrong_titles.append(f"{path.stem}: {title}\n      {read.title}")
        if path.stem in works:
            counts.add(path.stem, read, works[path.stem])
    print(f"{len(files)} files, {pages} pages, {1e3 * spent / max(1, pages):.1f} ms CPU a page")
    kinds = ("with authors", "with year", "with title")
    print(f"lists found {counts['lists']}, references {counts['references']}:", end=" ")
    print(", ".join(f"{kind} {counts.of(kind, 'references')}" for kind in kinds))
    print(f"first author and year: recall {counts.of('common', 'wanted')},", end=" ")
    print(f"precision {counts.of('common', 'got')}")
    print(f"any author and year: recall {counts.of('found', 'wanted')},", end=" ")
    print(f"with a title {counts.of('titled found', 'titled')}")
    print(f"titles of references with ratio >= {GOOD_TITLE}: {counts.of('good titles', 'titles')}")
    print(f"titles of papers: {counts.of('right titles', 'files')}")
    counts.examples["other titles of papers"] = wrong_titles
    for heading in ("not found", "other titles", "other titles of papers"):
        for number, example in enumerate(counts.examples[heading][: given.worst]):
            print(f"{heading if number == 0 else ''}\n  {example}")
