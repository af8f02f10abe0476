"""Compare resolved citation markers with the cite spans of S2ORC papers.

    python -m benchmarks.marker_resolution PAPERS [--sample N] [--seed N]

PAPERS is a `papers.jsonl.gz` of papers in the S2ORC schema; papers named in `test-papers.txt`
beside it are left out. A pair is a place in a paragraph and the reference cited there; two places
are the same where they overlap. The collection's markers were found by a regular expression, and
references without a link were made from them: so those that differ in spelling only are made one,
years get the letter and lists the unknown co-authors that the markers name. What remains is not
always our error: `--sample` prints some differences for judging.
"""

import random
import re
from collections import Counter, defaultdict
from typing import Any

from pincite.model.papers import Reference, Sentence
from pincite.parsing.papers.citations import find_markers
from pincite.text.sentences import sentence_spans

from .shared import Given, measurement, papers, share

ET_AL = re.compile(r"\bet\b.{0,3}\bal\b")
YEAR_LETTER = re.compile(r"\d{4}\s?([a-z])\b")
LETTER = re.compile(r"[^\W\d_]")
#: A co-author whose name the collection does not have.
UNKNOWN = "Unknown"

#: Offsets in a paragraph, and the index of the reference.
Pair = tuple[int, int, int]


def reference_list(parse: dict[str, Any]) -> tuple[dict[str, int], list[Reference]]:
    """Return the references of a paper as its list would have them, and the index of each id."""
    printed: dict[str, list[str]] = defaultdict(list)
    for paragraph in (*parse["abstract"], *parse["body_text"]):
        for span in paragraph["cite_spans"]:
            printed[span["ref_id"]].append(span["text"])
    indices: dict[str, int] = {}
    references: list[Reference] = []
    known: dict[tuple[str, str], int] = {}
    for identifier, entry in parse["bib_entries"].items():
        markers = printed[identifier]
        surnames = [author["last"] for author in entry["authors"]]
        if not entry["link"] and all(ET_AL.search(marker) for marker in markers):
            surnames += [UNKNOWN, UNKNOWN]
        letters = {letter for marker in markers for letter in YEAR_LETTER.findall(marker)}
        year = f"{entry['year'] or ''}{letters.pop() if len(letters) == 1 else ''}"
        same = ("".join(LETTER.findall("".join(surnames))).casefold(), year)
        indices[identifier] = known.setdefault(same, len(references))
        if indices[identifier] == len(references):
            references.append(Reference(entry["title"] or "", tuple(surnames), year))
    return indices, references


def unmatched(pairs: set[Pair], others: set[Pair]) -> set[Pair]:
    """Return the pairs that overlap none of the others of the same reference."""
    return {
        (start, end, one)
        for start, end, one in pairs
        if not any(a < end and start < b and one == other for a, b, other in others)
    }


@measurement("papers", sample=0, seed=0)
def main(given: Given) -> None:
    counted: Counter[str] = Counter()
    differences: list[str] = []
    for paper in papers(given.papers, without_tests=True):
        parse = paper["pdf_parse"]
        indices, references = reference_list(parse)
        paragraphs = [*parse["abstract"], *parse["body_text"]]
        texts = [paragraph["text"] for paragraph in paragraphs]
        # Paragraph, and offsets in it, of each sentence.
        spans = [(at, *span) for at, text in enumerate(texts) for span in sentence_spans(text)]
        sentences = [Sentence(texts[at][start:end]) for at, start, end in spans]
        found: list[set[Pair]] = [set() for _ in paragraphs]
        for marker in find_markers(sentences, references):
            number, offset, _ = spans[marker.sentence]
            counted["markers"] += 1
            counted["unresolved"] += not marker.references
            for index in marker.references:
                found[number].add((offset + marker.start, offset + marker.end, index))
        counted["papers"] += 1
        for paragraph, text, ours in zip(paragraphs, texts, found, strict=True):
            cited = paragraph["cite_spans"]
            wanted = {(span["start"], span["end"], indices[span["ref_id"]]) for span in cited}
            missed, extra = unmatched(wanted, ours), unmatched(ours, wanted)
            counted.update(given=len(wanted), found=len(ours), missed=len(missed), extra=len(extra))
            for kind, pairs in (("missed", missed), ("extra", extra)):
                for start, end, reference in sorted(pairs):
                    work = references[reference]
                    who = f"{', '.join(work.surnames)} {work.year} {work.title[:30]}"
                    before, after = text[max(0, start - 70) : start], text[end : end + 40]
                    shown = f"{before}⟦{text[start:end]}⟧{after}"
                    differences.append(f"{kind} {paper['paper_id']} {who}\n    {shown}")
    recall = 1 - share(counted["missed"], counted["given"])
    precision = 1 - share(counted["extra"], counted["found"])
    print(f"{counted['papers']} papers, {counted['given']} given pairs, {counted['found']} found")
    print(f"recall {recall:.4f}  precision {precision:.4f}")
    print(f"{counted['markers']} markers, {counted['unresolved']} of them unresolved")
    random.Random(given.seed).shuffle(differences)
    for difference in differences[: given.sample]:
        print(difference)
