"""Measure the sentences read from PDFs against independent texts of the same papers.

Usage: python benchmarks/pdf_text.py PDFS PAPERS_JSONL_GZ [CORPUS] [--worst N]

PDFS is a folder of `<id>.pdf`; PAPERS_JSONL_GZ holds S2ORC JSON, one paper a line; CORPUS a folder
of CL-SciSumm (`<id>/Reference_XML/<id>.xml`). Both texts become lower-case letter words; the
figures are the recall and precision of their five-word sequences (as multisets). The reference
texts have errors of their own (missing paragraphs, broken hyphenation, tables run into prose).
"""

from __future__ import annotations

import argparse
import gzip
import html
import json
import re
import statistics
import time
from collections import Counter
from pathlib import Path

from pincite.model.problems import InputError
from pincite.parsing.papers import read_paper

WORD = re.compile(r"[^\W\d_]+")
SENTENCE = re.compile(r"<S\b[^>]*>(.*?)</S>", re.DOTALL)


def sequences(text: str) -> Counter[tuple[str, ...]]:
    """Count the five-word sequences; a hyphen or soft hyphen at a line end is undone."""
    text = re.sub(r"[\u00ad]\s*|(?<=[a-z])- (?=[a-z])", "", text)
    found = WORD.findall(text.lower())
    return Counter(zip(*(found[start:] for start in range(5)), strict=False))


def s2orc_text(paper: dict) -> str:
    parts = paper["pdf_parse"]["abstract"] + paper["pdf_parse"]["body_text"]
    return "\n".join(part["text"] for part in parts)


def xml_text(path: Path) -> str:
    content = path.read_bytes().decode("utf-8", "replace")
    return html.unescape(html.unescape(" ".join(SENTENCE.findall(content))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pdfs", type=Path)
    parser.add_argument("papers", type=Path)
    parser.add_argument("corpus", type=Path, nargs="?")
    parser.add_argument("--worst", type=int, default=0)
    arguments = parser.parse_args()
    files = {path.stem: path for path in sorted(arguments.pdfs.glob("*.pdf"))}
    references: dict[str, str] = {}
    if arguments.corpus:
        for path in sorted(arguments.corpus.rglob("Reference_XML/*.xml")):
            if path.stem in files:
                references[path.stem] = xml_text(path)
    else:
        with gzip.open(arguments.papers, "rt", encoding="utf-8") as lines:
            for line in lines:
                paper = json.loads(line)
                if paper["paper_id"] in files:
                    references[paper["paper_id"]] = s2orc_text(paper)
    pages = 0
    seconds: list[float] = []
    rows = []
    for name, path in files.items():
        began = time.process_time()
        try:
            paper = read_paper(path)
        except InputError as error:
            print(f"{name}: {error}")
            continue
        spent = time.process_time() - began
        pages += paper.page_count or 0
        seconds.append(spent / max(1, paper.page_count or 1))
        if name in references:
            got = sequences("\n".join(sentence.text for sentence in paper.sentences))
            wanted = sequences(references[name])
            common = sum((got & wanted).values())
            rows.append(
                (common / max(1, sum(wanted.values())), common / max(1, sum(got.values())), name)
            )
    print(f"{len(files)} files, {pages} pages, {1e3 * statistics.mean(seconds):.1f} ms CPU a page")
    print(
        f"{len(rows)} compared: recall mean {statistics.mean(row[0] for row in rows):.3f}", end=""
    )
    print(f" median {statistics.median(row[0] for row in rows):.3f};", end=" ")
    print(f"precision mean {statistics.mean(row[1] for row in rows):.3f}", end="")
    print(f" median {statistics.median(row[1] for row in rows):.3f}")
    for recall, precision, name in sorted(rows)[: arguments.worst]:
        print(f"  {name} recall {recall:.3f} precision {precision:.3f}")
    for recall, precision, name in sorted(rows, key=lambda row: row[1])[: arguments.worst]:
        print(f"  {name} precision {precision:.3f} recall {recall:.3f}")


if __name__ == "__main__":
    main()
