"""Measure how well cue words predict which sentences have a citation.

    python -m benchmarks.missing_citations PAPERS [DRAFTS]

PAPERS is a `papers.jsonl.gz` of papers in the S2ORC schema (those named in `test-papers.txt` beside
it are left out), DRAFTS a folder of LaTeX projects. Only claims about others' work can be judged in
papers, where author and year are what a citation looks like; the share with a citation in the
sentence or beside it approximates the precision: an existing citation was needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pincite.checking.claims import _CLAIM, _cited_nearby, missing_citations
from pincite.checking.numbers import OF_THE_DRAFT
from pincite.model.drafts import CITATION_MARK
from pincite.model.problems import InputError
from pincite.project.workspace import Workspace
from pincite.text.sentences import sentence_spans

from .shared import options, papers


def paragraphs(path: Path) -> Iterator[str]:
    """Yield the paragraphs of the papers, citations as in a draft's prose."""
    for paper in papers(path, without_tests=True):
        for paragraph in paper["pdf_parse"]["body_text"]:
            text = paragraph["text"]
            for span in reversed(paragraph["cite_spans"]):
                text = text[: span["start"]] + CITATION_MARK + text[span["end"] :]
            yield text


def count(text: str, counted: Counter[str]) -> None:
    spans = sentence_spans(text)
    for (start, end), cited in zip(spans, _cited_nearby(text, spans), strict=True):
        sentence = text[start:end]
        counted.update(sentences=1, cited=cited)
        if _CLAIM.search(sentence) and not OF_THE_DRAFT.search(sentence):
            counted.update(claims=1, cited_claims=cited)


def show(name: str, counted: Counter[str]) -> None:
    print(
        f"{name}: {counted['sentences']} sentences, {counted['cited'] / counted['sentences']:.0%}"
        f" with a citation near; {counted['claims']} claims,"
        f" {counted['cited_claims'] / max(1, counted['claims']):.0%} with a citation near"
    )


def main() -> None:
    arguments = options(__doc__, "papers", "drafts?")
    counted: Counter[str] = Counter()
    for text in paragraphs(arguments.papers):
        count(text, counted)
    show("papers", counted)
    for folder in sorted(arguments.drafts.iterdir()) if arguments.drafts else ():
        workspace, counted, seen = Workspace(folder), Counter(), set()
        found = []
        for path in workspace.draft_files():
            try:
                files = workspace.draft(path).files
            except InputError:
                continue
            for file in files:
                if file.path not in seen:
                    seen.add(file.path)
                    count(file.prose.text, counted)
                    found += [(file, finding) for finding in missing_citations(file)]
        if counted["sentences"]:
            show(folder.name, counted)
        for file, finding in found[:8]:
            print(f"    {finding.scope.of(file.text)[:150]!r} {finding.message}")


if __name__ == "__main__":
    main()
