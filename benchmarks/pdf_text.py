"""Measure the sentences read from PDFs against independent texts of the same papers.

    python -m benchmarks.pdf_text PDFS PAPERS_JSONL_GZ [CORPUS] [--peers]

PDFS is a folder of `<id>.pdf`; PAPERS_JSONL_GZ holds S2ORC JSON, one paper a line; CORPUS a folder
of CL-SciSumm (`<id>/Reference_XML/<id>.xml`). Both texts become lower-case letter words; the
figures are recall and precision of their five-word sequences (as multisets). The reference
texts have errors of their own (missing paragraphs, broken hyphenation, tables run into prose).

`--peers` compares with the plain text of PDFium, pypdf and pdfminer.six on every fourth paper, in
the same run (`pip install pypdf fonttools pdfminer.six`); recall only, as they return everything.
"""

import re
import time
from collections import Counter
from pathlib import Path
from statistics import mean, median

import pypdfium2

from pincite.model.papers import ReferencePaper
from pincite.model.problems import InputError
from pincite.parsing.papers import read_paper
from pincite_evaluation.corpora.scisumm import marked_sentences

from .shared import Given, measurement, papers, read_papers, share

WORD = re.compile(r"[^\W\d_]+")
LINE_END_HYPHEN = re.compile(r"[-\ufffe\x02][ \t]*\r?\n\s*|[\ufffe\x02]")


def sequences(text: str) -> Counter[tuple[str, ...]]:
    """Count the five-word sequences; a hyphen or soft hyphen at a line end is undone.

    Raised digits (of notes) are left out: only we separate them from their word.
    """
    text = re.sub("[⁰¹²³⁴-⁹⁻]+", "", text)
    text = re.sub(r"[\u00ad]\s*|(?<=[a-z])- (?=[a-z])", "", text)
    found = WORD.findall(text.lower())
    return Counter(zip(*(found[start:] for start in range(5)), strict=False))


def texts_of(files: dict[str, Path], given: Path, corpus: Path | None) -> dict[str, str]:
    """Return the reference texts of the files that have one."""
    if corpus is None:
        return {
            name: "\n".join(part["text"] for part in (*parse["abstract"], *parse["body_text"]))
            for paper in papers(given)
            if (name := paper["paper_id"]) in files and (parse := paper["pdf_parse"])
        }
    found = {}
    for path in sorted(corpus.rglob("Reference_XML/*.xml")):
        if path.stem in files:
            content = path.read_bytes().decode("utf-8", "replace")
            found[path.stem] = " ".join(one.text for one in marked_sentences(content))
    return found


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


def our_text(paper: ReferencePaper) -> str:
    return "\n".join(sentence.text for sentence in paper.sentences)


PEERS = {
    "PDFium, plain": pdfium_text,
    "Pincite": lambda path: our_text(read_paper(path)),
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
            recalls.append(share((got & wanted).total(), wanted.total()))
        figures = f"mean {mean(recalls):.3f} median {median(recalls):.3f}"
        cost = f"{1e3 * spent / pages:.1f} ms CPU a page"
        print(f"{reader:14} {len(recalls)} papers, recall {figures}, {cost}")


@measurement("pdfs", "papers", "corpus?", peers=False)
def main(given: Given) -> None:
    files = {path.stem: path for path in sorted(given.pdfs.glob("*.pdf"))}
    references = texts_of(files, given.papers, given.corpus)
    if given.peers:
        compare_with_peers(files, references)
        return
    pages, seconds, rows = 0, [], []
    for path, paper, spent in read_papers(files.values()):
        pages += paper.page_count or 0
        seconds.append(spent / max(1, paper.page_count or 1))
        if path.stem in references:
            got, wanted = sequences(our_text(paper)), sequences(references[path.stem])
            common = (got & wanted).total()
            rows.append((share(common, wanted.total()), share(common, got.total())))
    print(f"{len(files)} files, {pages} pages, {1e3 * mean(seconds):.1f} ms CPU a page")
    recall, precision = zip(*rows, strict=True)
    print(f"{len(rows)} compared: recall mean {mean(recall):.3f}", end=" ")
    print(f"median {median(recall):.3f}; precision mean {mean(precision):.3f}", end=" ")
    print(f"median {median(precision):.3f}")
