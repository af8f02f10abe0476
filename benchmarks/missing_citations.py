"""Measure how well cue words predict which sentences have a citation.

    python -m benchmarks.missing_citations PAPERS

PAPERS is a `papers.jsonl.gz` of papers in the S2ORC schema; those named in `test-papers.txt` beside
it are left out. Only claims about others' work can be judged, as author and year are what a
citation looks like here; the share with a citation in the sentence or beside it approximates the
precision: an existing citation was needed.
"""

from collections import Counter

from pincite.checking.claims import _CLAIM, _cited_nearby
from pincite.checking.numbers import OF_THE_DRAFT
from pincite.model.drafts import CITATION_MARK
from pincite.text.sentences import sentence_spans

from .shared import Given, measurement, papers, share


def prose(paragraph: dict) -> str:
    """Return the text of a paragraph, citations as in a draft's prose."""
    text = paragraph["text"]
    for span in reversed(paragraph["cite_spans"]):
        text = text[: span["start"]] + CITATION_MARK + text[span["end"] :]
    return text


@measurement("papers")
def main(given: Given) -> None:
    counted: Counter[str] = Counter()
    for paper in papers(given.papers, without_tests=True):
        for text in map(prose, paper["pdf_parse"]["body_text"]):
            spans = sentence_spans(text)
            for (start, end), cited in zip(spans, _cited_nearby(text, spans), strict=True):
                sentence = text[start:end]
                counted.update(sentences=1, cited=cited)
                if _CLAIM.search(sentence) and not OF_THE_DRAFT.search(sentence):
                    counted.update(claims=1, cited_claims=cited)
    near = (
        f"{counted[what]} {what}, {share(counted[cited], counted[what]):.0%} with a citation near"
        for what, cited in (("sentences", "cited"), ("claims", "cited_claims"))
    )
    print(f"papers: {'; '.join(near)}")
