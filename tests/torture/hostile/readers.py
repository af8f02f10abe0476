"""The readers of what a project or the network has, each with an entry point for bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from torture.hostile import pdf

BBL = b"\n%%% main.bbl\n"
#: Small files of each format, and what its files are made of.
_SEEDS = Path(__file__).with_name("seeds")
_WORDS = {
    kind: words
    for kind, *words in map(str.split, (_SEEDS / "words.txt").read_text("utf-8").splitlines())
}


def seeds(kind: str) -> list[bytes]:
    """Return small files of a format, valid but for their ends."""
    if kind == "pdf":
        links = "/Rotate 90 /Annots [<< /Subtype /Link /A << /URI (x) >> >>]"
        drawn = b"1 0 0 1 5 40 cm q BT /F1 9 Tf [(Se) -20 (als) 300 <72697365>] TJ ET Q " * 9
        turned = pdf.Pdf.of(pdf.shown(pdf.LINES[:3]), page=links)
        return [pdf.paper(), turned.written(), pdf.Pdf.of(drawn).written()]
    found = [path.read_bytes() for path in sorted(_SEEDS.glob(f"[0-9].{kind}"))]
    if kind == "tex":
        printed = (
            rb"\begin{thebibliography}{1}\bibitem{a} A. Tern. Seals. 2001.\end{thebibliography}"
        )
        found.append(found[0] + BBL + printed)
    return found


@dataclass(frozen=True)
class Reader:
    """A reader; `read` reads a file completely."""

    name: str
    suffix: str
    seeds: Sequence[bytes]
    words: Sequence[str]
    read: Callable[[Path], None]

    @property
    def longest(self) -> int:
        return 16384 if self.suffix == ".pdf" else 4096

    def read_bytes(self, data: bytes, folder: Path) -> None:
        """Read a file with these bytes."""
        path = folder / f"main{self.suffix}"
        if self.name == "LaTeX paper":
            data, _, printed = data.partition(BBL)
            path.with_suffix(".bbl").write_bytes(printed)
        path.write_bytes(data)
        self.read(path)


def _bibliography(path: Path) -> None:
    from pincite.library.file_fields import entry_files, missing_file
    from pincite.parsing.bibliographies import parse_bibliography
    from pincite.parsing.encoding import read_text
    from pincite.parsing.papers import READABLE_SUFFIXES

    found = parse_bibliography(read_text(path), path)
    edited = parse_bibliography("@article{new, " + found.text, path)
    for bibliography in (found, edited):
        for entry in bibliography.all_entries.values():
            dict(entry.fields)
            _ = (entry.title, entry.abstract, entry.year, entry.doi, entry.arxiv, entry.surnames)
            entry_files(entry, (path.parent,), READABLE_SUFFIXES)
            missing_file(entry)
        _ = (
            bibliography.faults,
            bibliography.problems,
            bibliography.names.aliases,
            bibliography.strings,
        )
        _ = (dict(bibliography.places), bibliography.repeated, bibliography.names.folded_aliases)


def _draft(path: Path) -> None:
    from pincite.contexts.inlinks import inlink_contexts
    from pincite.parsing.drafts import DraftReader
    from pincite.settings import STORED_WINDOW

    reader = DraftReader()
    draft = reader.read(path)
    for file in draft.files:
        _ = (file.citations, file.placeholders, file.bib_items, file.prose.text)
        list(inlink_contexts(file, STORED_WINDOW))


def _project(name: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        folder = path.parent / f"project {name}"
        folder.mkdir(exist_ok=True)
        (folder / "_config.yml").write_text("bibtex_bibfiles: [refs.bib]\n", encoding="utf-8")
        (folder / name).write_bytes(path.read_bytes())
        for chapter in ("main.md", "x.md"):
            (folder / chapter).write_text("So it is [@tern2001].\n", encoding="utf-8")
        _draft(folder / "main.md")

    return read


def _answer(path: Path) -> None:
    """Read a file as what a service answers to each question."""
    import httpx

    from pincite.enrichment import service
    from pincite.enrichment.service import Answers
    from pincite.enrichment.sources import SOURCES, Wanted

    data = path.read_bytes()
    coding = "gzip" if data.startswith(b"\x1f\x8b") else "identity"
    answers = httpx.MockTransport(
        lambda _: httpx.Response(200, headers={"Content-Encoding": coding}, content=iter([data]))
    )
    service._FIRST_WAIT_SECONDS = 0.0
    for source in SOURCES.values():
        asked = service.Service(source, Answers(path.parent / "answers"))
        asked._pause = 0.0
        asked._client = httpx.Client(transport=answers)
        for wanted in (Wanted("10.1234/seal.5", ""), Wanted("", "Seals at high tide")):
            with suppress(service.ServiceError):
                for work in source.works(wanted, asked.ask):
                    source.citing(work, asked.ask)


def _paper(path: Path) -> None:
    from pincite.contexts.inlinks import paper_contexts
    from pincite.library.stored import pack
    from pincite.model.papers import CitingPaper
    from pincite.parsing.papers import read_paper
    from pincite.settings import STORED_WINDOW

    # As the product's reading process does.
    paper = read_paper(path)
    contexts = tuple(paper_contexts(paper, "", STORED_WINDOW))
    pack(paper, CitingPaper(paper.references, contexts))


def _settings(path: Path) -> None:
    from pincite.lsp.configuration import read_settings

    try:
        options = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return  # no client's message: the protocol's reader refuses it
    for home in (path.parent, None):
        read_settings(options, home)


_PROJECTS = (
    *("_quarto.yml", "_bookdown.yml", "_config.yml", "_toc.yml", "myst.yml", "defaults.yaml"),
)
#: Name, suffix, kinds of seeds and of words, and what reads such a file.
READERS = tuple(
    Reader(name, suffix, seeds(kind), _WORDS[words], read)
    for name, suffix, kind, words, read in (
        ("BibTeX", ".bib", "bib", "bib", _bibliography),
        ("CSL JSON", ".json", "csl.json", "csl.json", _bibliography),
        ("CSL YAML", ".yaml", "csl.yaml", "yaml", _bibliography),
        ("Hayagriva", ".yml", "hayagriva.yaml", "yaml", _bibliography),
        ("LaTeX draft", ".tex", "tex", "tex", _draft),
        ("LaTeX paper", ".tex", "tex", "tex", _paper),
        ("Markdown draft", ".md", "md", "md", _draft),
        ("Typst draft", ".typ", "typ", "typ", _draft),
        ("PDF", ".pdf", "pdf", "pdf", _paper),
        ("GROBID TEI", ".tei.xml", "tei.xml", "xml", _paper),
        ("JATS", ".nxml", "jats.xml", "xml", _paper),
        ("S2ORC JSON", ".json", "s2orc.json", "s2orc.json", _paper),
        ("Markdown", ".md", "md", "md", _paper),
        ("plain text", ".txt", "txt", "txt", _paper),
        *(
            (f"project in {name}", ".txt", "project.yaml", "yaml", _project(name))
            for name in _PROJECTS
        ),
        ("answer of a service", ".json", "answer.json", "csl.json", _answer),
        ("settings", ".settings", "settings.json", "settings.json", _settings),
    )
)
BY_NAME = {reader.name: reader for reader in READERS}
