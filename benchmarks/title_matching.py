"""Measure how reliably files and references are matched to the works of a large bibliography.

    python -m benchmarks.title_matching BIB_GZ PDFS PAPERS_JSONL_GZ [TEST_PAPERS]

BIB_GZ is a `.bib` file of the ACL Anthology, PDFS a folder of `<id>.pdf`, PAPERS_JSONL_GZ holds
S2ORC JSON whose references have a `link` to such an id; papers listed in TEST_PAPERS are left out.
An entry is the right one when its `url` ends in the id. Tables, with a row for each threshold, of
files (the PDFs, their names hidden), abstracts (front pages made of title, authors and abstract)
and references (the linked ones, as given and damaged as reference lists are). `right`, `twin` (the
same title by one of the same authors: published twice), `wrong` and `none` are counted once with
the right entry in the bibliography and once without it.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pypdfium2

from pincite.library.same_work import WorkMatcher, as_reference, titles
from pincite.library.same_work.titles import letters_of
from pincite.model.papers import BibEntry, Reference, ReferencePaper

from .shared import Given, anthology, measurement, papers, read_papers

THRESHOLDS = (70, 75, 80, 85, 88, 90, 92, 94, 96, 98)
FRONT = 1500


class Case(NamedTuple):
    """A question to `WorkMatcher` and its right answer."""

    entry: BibEntry
    question: Reference | ReferencePaper

    def ask(self, works: WorkMatcher) -> str | None:
        if isinstance(self.question, Reference):
            return works.find(self.question)
        return works.find_paper(self.question, "x")


def table(name: str, cases: Sequence[Case], bibliography: Sequence[BibEntry]) -> None:
    """Print what is found at each threshold, with the right entries and without them."""
    sought = {case.entry.key for case in cases}
    whole = WorkMatcher(bibliography)
    rest = WorkMatcher(entry for entry in bibliography if entry.key not in sought)
    by_key = {entry.key: entry for entry in bibliography}
    chosen = titles.TITLE_SCORE, titles.PASSAGE_SCORE
    print(f"\n{name}: {len(cases)} cases")
    print("threshold   right  twin wrong  none   without: twin wrong  none")
    for scores in (chosen, *((each, each) for each in THRESHOLDS)):
        set_thresholds(*scores)
        cells = []
        for known in (whole, rest):
            verdicts = [judge(one.entry, by_key.get(one.ask(known) or "")) for one in cases]
            cells.append([verdicts.count(each) for each in ("right", "twin", "wrong", "none")])
        label = "as chosen" if scores is chosen else f"{scores[0]:9}"
        print(label, *(f"{number:6}" for number in cells[0]), end="")
        print("        ", *(f"{number:5}" for number in cells[1][1:]))
    set_thresholds(*chosen)


def set_thresholds(title: float, passage: float) -> None:
    """Set the least scores at which titles, and titles within a text, match."""
    vars(titles).update(TITLE_SCORE=title, PASSAGE_SCORE=passage)


def judge(right: BibEntry, found: BibEntry | None) -> str:
    if found is None:
        return "none"
    if found.key == right.key:
        return "right"
    same_title = letters_of(found.title) == letters_of(right.title)
    same_authors = set(found.surnames) & set(right.surnames)
    return "twin" if same_title and (same_authors or not right.surnames) else "wrong"


def file_cases(pdfs: Iterable[Path], by_id: dict[str, BibEntry]) -> list[Case]:
    cases = []
    for path, paper, _ in read_papers(pdfs):
        front = paper.front
        if not front:
            page = pypdfium2.PdfDocument(path)[0]
            front = page.get_textpage().get_text_bounded()[:FRONT]
        # Sentences are not looked at; DOIs would decide without the title.
        paper = replace(paper, front=front, sentences=(), doi="", arxiv="")
        cases.append(Case(by_id[path.stem], paper))
    return cases


def abstract_cases(bibliography: Iterable[BibEntry]) -> list[Case]:
    cases = []
    for entry in bibliography:
        if abstract := entry.fields.get("abstract"):
            authors = entry.fields.get("author", "").replace(" and ", "\n")
            front = f"{entry.title}\n{authors}\nAbstract\n{abstract}"[:FRONT]
            paper = ReferencePaper("", "full text", front=front, page_count=1)
            cases.append(Case(entry, paper))
    return cases


def linked_references(path: Path, without: set[str], by_id: dict[str, BibEntry]) -> list[Case]:
    """Return each cited work once, with its first reference."""
    cases: dict[str, Case] = {}
    read = (paper for paper in papers(path) if paper["paper_id"] not in without)
    for item in (item for paper in read for item in paper["pdf_parse"]["bib_entries"].values()):
        link = item.get("link")
        if link in by_id and link not in cases and item["title"]:
            surnames = tuple(author["last"] for author in item["authors"])
            given = Reference(item["title"], surnames, str(item["year"] or ""))
            cases[link] = Case(by_id[link], given)
    return list(cases.values())


VENUE = "In Proceedings of the Annual Meeting of the Association"


def hyphenated(title: str, chance: random.Random) -> str:
    """Break a long word as at the end of a line, and misread a letter elsewhere."""
    words = title.split()
    broken = chance.randrange(len(words))
    words[broken] = words[broken][:3] + "- " + words[broken][3:]
    wrong = chance.randrange(len(words))
    return " ".join(words).replace(words[wrong], words[wrong].replace("m", "rn"), 1)


def damaged(entry: BibEntry, chance: random.Random) -> dict[str, Reference]:
    """Return variants of an entry with one typical fault of reference lists each."""
    plain = replace(as_reference(entry), doi="", arxiv="", label="")
    text = f"{', '.join(plain.surnames)}. {plain.year}. {plain.title}. {VENUE}"
    place = f"{', '.join(plain.surnames)}, Proc. ACL, {entry.fields.get('pages')} ({plain.year})"
    year = str(int(plain.year) - 1) if plain.year else ""
    words = plain.title.split()
    return {
        "another year": replace(plain, year=year),
        "title cut": replace(plain, title=" ".join(words[: max(4, len(words) * 2 // 3)])),
        "title runs on": replace(plain, title=f"{plain.title} {VENUE}"),
        "hyphenated": replace(plain, title=hyphenated(plain.title, chance)) if words else plain,
        "no authors": replace(plain, surnames=()),
        "text only": Reference(text=text),
        "title is venue": replace(plain, title=VENUE, text=text),
        "no title": replace(plain, title="", text=place),
    }


@measurement("bibliography", "pdfs", "papers", "test_papers?")
def main(given: Given) -> None:
    entries = tuple(anthology(given.bibliography).entries.values())
    by_id = {entry.fields["url"].rpartition("/")[2]: entry for entry in entries}

    cases = file_cases(sorted(given.pdfs.glob("*.pdf")), by_id)
    table("files", cases, entries)
    table("abstracts", abstract_cases(entries)[::4], entries)

    listed = given.test_papers.read_text("utf-8").split() if given.test_papers else ()
    linked = linked_references(given.papers, set(listed), by_id)
    table("references", linked, entries)
    chance = random.Random(0)
    faults: dict[str, list[Case]] = {}
    for entry in (case.entry for case in linked[::3]):
        for fault, reference in damaged(entry, chance).items():
            faults.setdefault(fault, []).append(Case(entry, reference))
    for fault, cases in faults.items():
        table(f"references, {fault}", cases, entries)
