"""Abstracts and citing sentences that are taken away come back through the services.

This tests the plumbing, on works of the resolution collection, and no more: the servers are ours.
"""

import gzip
import json
import re
from collections import defaultdict

import pytest

from metadata_services import Work, serving
from pincite.cli import enrich
from pincite.enrichment.enrich import Fetched
from pincite.enrichment.plans import store
from pincite.enrichment.sources import CitingWork
from pincite.library.index import PaperIndex
from pincite.model.fetched import fetched_path
from pincite.parsing.bibtex import parse_bibliography
from pincite.project.workspace import Workspace

pytest.importorskip("httpx", reason="httpx is not installed")

WORKS, PLACES, WORDS = 100, 30, 40
NO_PROSE = re.compile(r"[^\w .,;:()'-]|_")


@pytest.fixture(scope="module", name="papers")
def papers_of_the_collection(shared):
    with gzip.open(shared / "data/acl-resolution/papers.jsonl.gz", "rt", encoding="utf-8") as file:
        papers = [json.loads(line) for line in file]
    return {paper["paper_id"]: paper for paper in papers if paper["doi"] and paper["authors"]}


def plain(text):
    return " ".join(NO_PROSE.sub(" ", text).split())


def cited_in(papers):
    """Return for each paper what others say of it: their titles and words before the citation."""
    found = defaultdict(lambda: defaultdict(dict))
    for paper in papers.values():
        entries = paper["pdf_parse"]["bib_entries"]
        for part in paper["pdf_parse"]["body_text"]:
            for span in part["cite_spans"]:
                link = entries.get(span["ref_id"], {}).get("link")
                words = plain(part["text"][: span["start"]]).split()[-WORDS:]
                if link in papers and link != paper["paper_id"] and len(words) > WORDS // 2:
                    found[link][plain(paper["title"])][" ".join(words)] = None
    return found


def work_of(paper, citing):
    return Work(
        paper["doi"].lower(),
        plain(paper["title"]),
        [(author["last"], author["first"]) for author in paper["authors"]],
        paper["year"],
        # Some have the whole paper as their abstract.
        plain(" ".join(part["text"] for part in paper["pdf_parse"]["abstract"]))[:3000],
        [(title, list(said)[:5]) for title, said in sorted(citing.items())][:20],
    )


def bibliography(works, *, abstracts):
    def entry(number, work):
        authors = " and ".join(f"{last}, {first}" for last, first in work.authors)
        abstract = f", abstract = {{{work.abstract}}}" if abstracts and work.abstract else ""
        return (
            f"@article{{w{number}, title = {{{work.title}}}, author = {{{authors}}}, "
            f"year = {work.year}, doi = {{{work.doi}}}{abstract}}}\n"
        )

    return "".join(entry(number, work) for number, work in enumerate(works))


def rankings(folder, cache):
    index = PaperIndex(cache / "index.sqlite")
    workspace = Workspace(folder, index=index)
    draft = workspace.draft(folder / "main.tex")
    recommender = workspace.recommender(draft)
    (file,) = draft.files
    found = [
        [
            (entry.key, round(entry.score, 6))
            for entry in recommender.rank(recommender.context(draft, file, placeholder.span.start))[
                :10
            ]
        ]
        for placeholder in file.placeholders
    ]
    bases = list(recommender.bases())
    index.close()
    return found, bases


def test_rankings_are_those_of_before(papers, tmp_path, monkeypatch):
    said = cited_in(papers)
    chosen = sorted(said, key=lambda each: (-len(said[each]), each))[:WORKS]
    works = [work_of(papers[each], said[each]) for each in chosen]
    assert sum(bool(work.abstract) for work in works) > WORKS // 2
    # Of each of the most cited, a place from which its citing sentences did not come.
    places = [list(said[each].values())[-1] for each in chosen[:PLACES]]
    text = "".join(f"{next(iter(place))} \\cite{{}}.\n\n" for place in places)
    results = []
    for name in ("before", "without", "after"):
        folder, cache = tmp_path / name, tmp_path / f"cache-{name}"
        folder.mkdir()
        monkeypatch.setenv("PINCITE_CACHE", str(cache))
        bib = folder / "refs.bib"
        bib.write_text(bibliography(works, abstracts=name == "before"), encoding="utf-8")
        (folder / "main.tex").write_text(
            f"\\documentclass{{article}}\n\\begin{{document}}\n{text}\\bibliography{{refs}}\n\\end{{document}}\n",
            encoding="utf-8",
        )
        if name == "before":
            entries = parse_bibliography(bib.read_text(encoding="utf-8"), bib).entries
            known = [
                Fetched(entry, citing=[CitingWork(*each) for each in work.citing])
                for entry, work in zip(entries.values(), works, strict=True)
            ]
            store(fetched_path(cache / "index.sqlite"), known)
        elif name == "after":
            with serving(works) as services:
                monkeypatch.setenv("PINCITE_SERVICES", services.address)
                assert enrich.run([bib], (), "", agreed=True, only_show=False) == 0
        results.append(rankings(folder, cache))
    before, without, after = results
    assert after == before
    assert without[0] != before[0]
