"""Measure the sentences read from PDFs against independent texts of the same papers.

Usage: python benchmarks/pdf_text.py PDFS PAPERS_JSONL_GZ [CORPUS] [--worst N] [--peers]

PDFS is a folder of `<id>.pdf`; PAPERS_JSONL_GZ holds S2ORC JSON, one paper a line; CORPUS a folder
of CL-SciSumm (`<id>/Reference_XML/<id>.xml`). Both texts become lower-case letter words; the
figures are recall and precision of their five-word sequences (as multisets). The reference
texts have errors of their own (missing paragraphs, broken hyphenation, tables run into prose).

`--peers` compares with the plain text of PDFium, pypdf and pdfminer.six on every fourth paper, in
the same run (`pip install pypdf fonttools pdfminer.six`); recall only, as they return everything.
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

import pypdfium2

from pincite.model.problems import InputError
from pincite.parsing.papers import read_paper

WORD = re.compile(r"[^\W\d_]+")
LINE_END_HYPHEN = re.compile(r"[-\ufffe\x02][ \t]*\r?\n\s*|[\ufffe\x02]")
SENTENCE = re.compile(r"<S\b[^>]*>(.*?)</S>", re.DOTALL)


def sequences(text: str) -> Counter[tuple[str, ...]]:
    """Count the five-word sequences; a hyphen or soft hyphen at a line end is undone.

    Raised digits (of notes) are left out: only we tell them from the word that they stand at.
    """
    text = re.sub("[⁰¹²³⁴-⁹⁻]+", "", text)
    text = re.sub(r"[\u00ad]\s*|(?<=[a-z])- (?=[a-z])", "", text)
    found = WORD.findall(text.lower())
    return Counter(zip(*(found[start:] for start in range(5)), strict=False))


def s2orc_text(paper: dict) -> str:
    parts = paper["pdf_parse"]["abstract"] + paper["pdf_parse"]["body_text"]
    return "\n".join(part["text"] for part in parts)


def xml_text(path: Path) -> str:
    content = path.read_bytes().decode("utf-8", "replace")
    return html.unescape(html.unescape(" ".join(SENTENCE.findall(content))))


def pdfium_text(path: Path) -> str:
    document = pypdfium2.PdfDocument(path)
    return "\n".join(page.get_textpage().get_text_bounded() for page in document)


def pypdf_text(path: Path) -> str:
    from pypdf import PdfReader

    return "\n".join(page.extract_text() for page in PdfReader(path).pages)


def pdfminer_text(path: Path) -> str:
    from pdfminer.high_level import extract_text
    from pdfminer.layout import LAParams

    # Without `all_texts` nothing inside form XObjects is laid out, and whole pages are.
    return extract_text(path, laparams=LAParams(all_texts=True))


def our_text(path: Path) -> str:
    return "\n".join(sentence.text for sentence in read_paper(path).sentences)


PEERS = {
    "PDFium, plain": pdfium_text,
    "Pincite": our_text,
    "pypdf": pypdf_text,
    "pdfminer.six": pdfminer_text,
}


def compare_with_peers(files: dict[str, Path], references: dict[str, str]) -> None:
    """Print recall and CPU time of each reader on every fourth paper that all of them read."""
    chosen = [name for name in files if name in references][::4]
    for reader, text_of in PEERS.items():
        recalls, spent, pages = [], 0.0, 0
        for name in chosen:
            began = time.process_time()
            try:
                # Hyphens at line ends are undone for all alike; PDFium has its own signs for them.
                text = LINE_END_HYPHEN.sub("", text_of(files[name]))
            except InputError:
                continue
            spent += time.process_time() - began
            pages += len(pypdfium2.PdfDocument(files[name]))
            got, wanted = sequences(text), sequences(references[name])
            recalls.append(sum((got & wanted).values()) / max(1, sum(wanted.values())))
        print(
            f"{reader:14} {len(recalls)} papers, recall mean {statistics.mean(recalls):.3f}"
            f" median {statistics.median(recalls):.3f}, {1e3 * spent / pages:.1f} ms CPU a page"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pdfs", type=Path)
    parser.add_argument("papers", type=Path)
    parser.add_argument("corpus", type=Path, nargs="?")
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("--peers", action="store_true")
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
    if arguments.peers:
        compare_with_peers(files, references)
        return
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
