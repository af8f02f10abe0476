"""Benchmark material: bibliographies, a thesis, full texts and PDFs of realistic size.

Everything is generated once, with a fixed seed, and cached in a folder. The ACL Anthology's .bib,
the resolution collection and the PDF library are taken from the folder of shared data; without it,
all of them are synthetic.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from .words import Entry, Words, entries_of, invented_entries, is_sound

#: Increase this when any material is generated differently.
_RECIPE = 1
_PASSAGE_WORDS = 350
#: Some keys have a comma in them.
_KEY_LINE = re.compile(r"@\w+\{[^\s,{}]+,\n")
_QUOTED = re.compile(r'^  \w+ = "(.*?)",?$', re.MULTILINE | re.DOTALL)
_ANTHOLOGY_ID = re.compile(r"/([A-Z]\d\d-\d{4})")
_SENTENCES_A_PARAGRAPH = 6
_EQUATION = ("\\begin{equation}", "  x_{i} = \\sum_j a_{ij} y_j % a note", "\\end{equation}")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of everything there is."""

    entries: int = 48_952
    full_texts: int = 2_000
    passages: int = 60_000
    files: int = 60
    lines: int = 20_000
    citations: int = 3_000
    pdfs: int = 500


#: For a run that only shows that everything works.
QUICK = Sizes(entries=2_500, full_texts=30, passages=300, files=4, lines=400, citations=60, pdfs=12)


class Material:
    """The material in a folder; each part is generated on first use."""

    def __init__(self, folder: Path, sizes: Sizes, data: Path | None) -> None:
        self.sizes = sizes
        self.data = data if data is not None and data.is_dir() else None
        # By all that it depends on: other sizes or data have a folder of their own.
        name = "real" if self.data else "invented"
        self.folder = folder / f"{name}-{_RECIPE}-{'-'.join(map(str, asdict(sizes).values()))}"
        self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def is_real(self) -> bool:
        return self.data is not None

    def _rng(self, part: str) -> np.random.Generator:
        return np.random.default_rng([_RECIPE, *part.encode()])

    def _made(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return a part's path; what an interrupted run left incomplete is not kept."""
        path = self.folder / name
        if not path.exists():
            under_way = self.folder / f"{name}.part"
            if under_way.is_dir():
                shutil.rmtree(under_way)
            under_way.parent.mkdir(parents=True, exist_ok=True)
            make(under_way)
            under_way.rename(path)
        return path

    # Bibliographies

    @cached_property
    def bibliography(self) -> Path:
        """The large bibliography."""

        def make(path: Path) -> None:
            if self.data:
                with gzip.open(self.data / "anthology" / "anthology.bib.gz") as packed:
                    text = packed.read().decode("utf-8")
                if self.sizes.entries < text.count("\n@"):
                    ends = [match.end() for match in re.finditer(r"^\}\n\n", text, re.MULTILINE)]
                    text = text[: ends[self.sizes.entries - 1]]
            else:
                entries = invented_entries(self.sizes.entries, self._rng("entries"))
                text = "\n".join(entry.bibtex() for entry in entries)
            path.write_text(text, "utf-8")

        return self._made("bibliography.bib", make)

    @cached_property
    def entries(self) -> list[Entry]:
        return entries_of(self.bibliography.read_text("utf-8"))

    @cached_property
    def words(self) -> Words:
        return Words(self.entries, self._rng("words"))

    @cached_property
    def sound_bibliography(self) -> Path:
        """The large bibliography without entries at which strict parsers fail."""

        def make(path: Path) -> None:
            text = self.bibliography.read_text("utf-8")
            sound = (
                entry
                for entry in re.split(r"\n\n(?=@)", text.strip())
                if _KEY_LINE.match(entry) and all(map(is_sound, _QUOTED.findall(entry)))
            )
            path.write_text("\n\n".join(sound) + "\n", "utf-8")

        return self._made("strictly-sound.bib", make)

    def bibliography_of(self, number: int) -> Path:
        """Return a bibliography with this many entries: real ones as far as there are, then new."""

        def make(path: Path) -> None:
            words = Words(self.entries, self._rng(f"bibliography {number}"))
            # A part has the years and the abstracts of the whole.
            order = words.rng.permutation(len(self.entries))[:number].tolist()
            real = (self.entries[index] for index in order)
            with path.open("w", encoding="utf-8") as file:
                for entry in chain(real, words.new_entries(max(0, number - len(order)))):
                    file.write(f"{entry.bibtex()}\n")

        return self._made(f"bibliographies/{number}.bib", make)

    # Drafts

    def project(self, name: str, bibliography: Path, main: str | None = None) -> Path:
        """Return a folder with a short draft over a bibliography, which is `refs.bib` there."""

        def make(folder: Path) -> None:
            folder.mkdir(parents=True)
            shutil.copyfile(bibliography, folder / "refs.bib")
            (folder / "main.tex").write_text(main or self._short_draft(), "utf-8")

        return self._made(f"projects/{name}", make)

    def _short_draft(self) -> str:
        words = Words(self.entries, self._rng("short draft"))
        cited = words.rng.integers(0, len(self.entries), 40).tolist()
        lines = (self._line(words, self.entries[index], index % 2 == 0) for index in cited)
        body = "\n".join(chain.from_iterable(lines))
        return (
            "\\documentclass{article}\n\\begin{document}\n\\section{Introduction}\n"
            f"{body}\n\\bibliography{{refs}}\n\\end{{document}}\n"
        )

    @cached_property
    def thesis(self) -> Path:
        """The folder of a thesis: `main.tex` and its chapters in files of their own."""

        def make(folder: Path) -> None:
            (folder / "chapters").mkdir(parents=True)
            shutil.copyfile(self.bibliography, folder / "refs.bib")
            chapters = self._chapters()
            for number, lines in enumerate(chapters):
                path = folder / "chapters" / f"chapter{number:02}.tex"
                path.write_text("\n".join(lines) + "\n", "utf-8")
            inputs = [f"\\input{{chapters/chapter{number:02}}}" for number in range(len(chapters))]
            (folder / "main.tex").write_text(_framed(inputs), "utf-8")

        return self._made("thesis", make)

    @cached_property
    def thesis_in_one(self) -> Path:
        """The folder of the same thesis in one file."""

        def make(folder: Path) -> None:
            folder.mkdir(parents=True)
            shutil.copyfile(self.bibliography, folder / "refs.bib")
            lines = list(chain.from_iterable(self._chapters()))
            (folder / "main.tex").write_text(_framed(lines), "utf-8")

        return self._made("thesis-in-one", make)

    @property
    def chapters(self) -> list[Path]:
        return sorted((self.thesis / "chapters").glob("*.tex"))

    def _chapters(self) -> list[list[str]]:
        sizes, words = self.sizes, Words(self.entries, self._rng("thesis"))
        # Most of what a thesis cites its author has read: half has its full text here.
        read = [entry for entry in self.entries if entry.key in self.keys_with_full_text]
        lines_a_file = sizes.lines // sizes.files
        citations_a_file = sizes.citations // sizes.files
        chapters = []
        for number in range(sizes.files):
            lines = [f"\\section{{{' '.join(words.sentence(self.entries[number], 5))}}}"]
            cited = 0
            while len(lines) < lines_a_file:
                pool = read if words.rng.random() < 0.5 else self.entries
                entry = pool[int(words.rng.integers(len(pool)))]
                is_cited = cited * lines_a_file <= len(lines) * citations_a_file
                cited += is_cited
                lines += self._line(words, entry, is_cited)
                if len(lines) % 40 == 7:
                    lines += ["", f"\\subsection{{{entry.title}}}".replace("_", " ")]
                elif len(lines) % 40 == 23:
                    lines += _EQUATION
            chapters.append(lines[:lines_a_file])
        return chapters

    @staticmethod
    def _line(words: Words, entry: Entry, is_cited: bool) -> Iterator[str]:
        """Yield a sentence as a line of LaTeX."""
        text = " ".join(words.sentence(entry, int(words.rng.integers(8, 18)))).capitalize()
        yield f"{text}~\\cite{{{entry.key}}}." if is_cited else f"{text}."

    # Full texts

    @cached_property
    def keys_with_full_text(self) -> frozenset[str]:
        return frozenset(path.stem for path in self.library.glob("*.json"))

    @cached_property
    def library(self) -> Path:
        """A folder with a paper in S2ORC's JSON for each of many entries, named by their keys."""

        def make(folder: Path) -> None:
            folder.mkdir(parents=True)
            keys = {
                match[1]: entry.key
                for entry in self.entries
                if (match := _ANTHOLOGY_ID.search(entry.url))
            }
            written, passages = set(), 0
            for paper in islice(self._real_papers(), self.sizes.full_texts):
                if (key := keys.get(paper["paper_id"])) is not None:
                    (folder / f"{key}.json").write_text(json.dumps(paper), "utf-8")
                    written.add(key)
                    passages += _passages(paper)
            others = [entry for entry in self.entries if entry.key not in written]
            others.sort(key=lambda entry: (not entry.abstract, entry.key))
            missing = self.sizes.full_texts - len(written)
            words = Words(self.entries, self._rng("full texts"))
            for entry in others[:missing]:
                number = max(1, (self.sizes.passages - passages) // missing)
                paper = self._paper(words, entry, number)
                (folder / f"{entry.key}.json").write_text(json.dumps(paper), "utf-8")

        return self._made("library", make)

    def _real_papers(self) -> Iterator[dict[str, Any]]:
        if self.data:
            path = self.data / "acl-resolution" / "papers.jsonl.gz"
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                yield from map(json.loads, lines)

    def _paper(self, words: Words, entry: Entry, passages: int) -> dict[str, Any]:
        """Return the text of a work that fills some half-overlapping passages."""
        left = (passages + 1) * _PASSAGE_WORDS // 2
        cited = [self.entries[i] for i in words.rng.integers(0, len(self.entries), 12).tolist()]
        marked = cycle(range(len(cited)))
        paragraphs = []
        while left > 0:
            text = ""
            for _ in range(_SENTENCES_A_PARAGRAPH):
                sentence = " ".join(words.sentence(entry, int(words.rng.integers(14, 32))))
                left -= sentence.count(" ") + 1
                text += f"{sentence.capitalize()}. "
            number = next(marked)
            marker = f"({cited[number].surname}, {cited[number].year})"
            end = len(text) + len(marker)
            spans = [{"start": len(text), "end": end, "ref_id": f"B{number}"}]
            paragraphs.append({"text": f"{text}{marker}.", "cite_spans": spans, "section": "Text"})
        references = {
            f"B{number}": {
                "title": other.title,
                "authors": [{"first": "", "last": other.surname}],
                "year": other.year,
            }
            for number, other in enumerate(cited)
        }
        abstract = [{"text": entry.abstract}] if entry.abstract else []
        parse = {"abstract": abstract, "body_text": paragraphs, "bib_entries": references}
        return {"paper_id": entry.key, "title": entry.title, "year": entry.year, "pdf_parse": parse}

    @cached_property
    def pdfs(self) -> Path:
        """A folder of PDFs; if there are too few, copies with other digests are added."""

        def make(folder: Path) -> None:
            folder.mkdir(parents=True)
            originals = self._original_pdfs()
            for number in range(self.sizes.pdfs):
                name, content = originals[number % len(originals)]
                copy = number // len(originals)
                # What stands behind the end of a PDF is read by nobody, but changes its digest.
                content += b"\n%% copy %d\n" % copy if copy else b""
                (folder / f"{name}-{copy}.pdf").write_bytes(content)

        return self._made("pdfs", make)

    def _original_pdfs(self) -> Sequence[tuple[str, bytes]]:
        if self.data and (paths := sorted((self.data / "pdf-library").glob("*.pdf"))):
            return [(path.stem, path.read_bytes()) for path in paths[: self.sizes.pdfs]]
        from fpdf import FPDF

        words = Words(self.entries, self._rng("PDFs"))
        written = []
        for entry in self.entries[: min(10, self.sizes.pdfs)]:
            pdf = FPDF()
            pdf.set_font("Helvetica", size=10)
            for _ in range(4):
                pdf.add_page()
                page = " ".join(words.sentence(entry, 500)).encode("latin-1", "replace")
                pdf.multi_cell(0, 5, page.decode("latin-1"))
            written.append((entry.key, bytes(pdf.output())))
        return written


def _framed(lines: Sequence[str]) -> str:
    head = ["\\documentclass{book}", "\\usepackage{natbib}", "\\begin{document}"]
    return "\n".join((*head, *lines, "\\bibliography{refs}", "\\end{document}", ""))


def _passages(paper: dict[str, Any]) -> int:
    parse = paper["pdf_parse"]
    texts = (part["text"] for part in (*parse["abstract"], *parse["body_text"]))
    half = _PASSAGE_WORDS // 2
    return max(1, -(-(sum(len(text.split()) for text in texts) - half) // half))
