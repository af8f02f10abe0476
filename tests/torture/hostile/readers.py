"""The readers of what a project or the network has, each with an entry point for bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import torture.hostile.seeds as seeds

BBL = b"\n%%% main.bbl\n"


@dataclass(frozen=True)
class Reader:
    """A reader; `read` reads a file completely."""

    name: str
    suffix: str
    seeds: Sequence[bytes]
    words: Sequence[str]
    read: Callable[[Path], None]
    longest: int = 4096

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
            bibliography.excerpt(entry.key)
        _ = (bibliography.faults, bibliography.problems, bibliography.aliases, bibliography.strings)
        _ = (dict(bibliography.places), bibliography.repeated, bibliography.folded_aliases)


def _draft(path: Path) -> None:
    from pincite.contexts.inlinks import inlink_contexts
    from pincite.parsing.drafts import DraftReader
    from pincite.settings import KEPT_WINDOW

    reader = DraftReader()
    draft = reader.read(path)
    for file in draft.files:
        _ = (file.citations, file.placeholders, file.bib_items, file.prose.source_starts)
        list(inlink_contexts(file, "", KEPT_WINDOW))


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

    from pincite.enrichment import running, service
    from pincite.enrichment.answers import Answers
    from pincite.enrichment.sources import Wanted

    data = path.read_bytes()
    coding = "gzip" if data.startswith(b"\x1f\x8b") else "identity"
    answers = httpx.MockTransport(
        lambda _: httpx.Response(200, headers={"Content-Encoding": coding}, content=iter([data]))
    )
    service._FIRST_WAIT_SECONDS = 0.0
    for source in running.sources():
        source.pause = 0.0
        asked = service.Service(source, Answers(path.parent / "answers"))
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
    from pincite.settings import KEPT_WINDOW

    # As the product's reading process does.
    paper = read_paper(path)
    contexts = tuple(paper_contexts(paper, "", KEPT_WINDOW))
    pack(paper, CitingPaper(paper.references, contexts))


def _settings(path: Path) -> None:
    from pincite.lsp.configuration import Configuration

    try:
        options = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return  # no client's message: the protocol's reader refuses it
    configuration = Configuration()
    configuration.take("initialize", options, path.parent)
    configuration.take("pushed", options, None)


READERS = (
    Reader("BibTeX", ".bib", seeds.BIBTEX, seeds.BIBTEX_WORDS, _bibliography),
    Reader("CSL JSON", ".json", seeds.CSL_JSON, seeds.CSL_JSON_WORDS, _bibliography),
    Reader("CSL YAML", ".yaml", seeds.CSL_YAML, seeds.YAML_WORDS, _bibliography),
    Reader("Hayagriva", ".yml", seeds.HAYAGRIVA, seeds.YAML_WORDS, _bibliography),
    Reader("LaTeX draft", ".tex", seeds.LATEX, seeds.LATEX_WORDS, _draft),
    Reader(
        "LaTeX paper",
        ".tex",
        (
            *seeds.LATEX,
            seeds.LATEX[0] + BBL + rb"\begin{thebibliography}{1}\bibitem{a} A. Tern. Seals. 2001."
            rb"\end{thebibliography}",
        ),
        seeds.LATEX_WORDS,
        _paper,
    ),
    Reader("Markdown draft", ".md", seeds.MARKDOWN, seeds.MARKDOWN_WORDS, _draft),
    Reader("Typst draft", ".typ", seeds.TYPST, seeds.TYPST_WORDS, _draft),
    Reader("PDF", ".pdf", seeds.PDF, seeds.PDF_WORDS, _paper, 16384),
    Reader("GROBID TEI", ".tei.xml", seeds.TEI, seeds.XML_WORDS, _paper),
    Reader("JATS", ".nxml", seeds.JATS, seeds.XML_WORDS, _paper),
    Reader("S2ORC JSON", ".json", seeds.S2ORC, seeds.S2ORC_WORDS, _paper),
    Reader("Markdown", ".md", seeds.MARKDOWN, seeds.MARKDOWN_WORDS, _paper),
    Reader("plain text", ".txt", seeds.PLAIN, seeds.PLAIN_WORDS, _paper),
    *(
        Reader(f"project in {name}", ".txt", seeds.PROJECT, seeds.YAML_WORDS, _project(name))
        for name in (
            *("_quarto.yml", "_bookdown.yml", "_config.yml", "_toc.yml", "myst.yml"),
            "defaults.yaml",
        )
    ),
    Reader("answer of a service", ".json", seeds.ANSWER, seeds.CSL_JSON_WORDS, _answer),
    Reader("settings", ".settings", seeds.SETTINGS, seeds.SETTINGS_WORDS, _settings),
)
BY_NAME = {reader.name: reader for reader in READERS}
