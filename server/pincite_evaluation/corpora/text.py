"""English running text for training word vectors, as lists of cased words.

Supported: papers in the S2ORC schema (JSON, or JSON lines), CL-SciSumm XML, plain text and
Markdown, each also compressed (`.gz`), and folders of them; JATS and TEI, LaTeX with its includes,
PDFs, and the titles and abstracts of bibliographies. A passage is a sentence of CL-SciSumm and of
papers, an entry, or otherwise a paragraph.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import regex

from pincite.model.problems import InputError
from pincite.parsing.bibtex import parse_bibliography
from pincite.parsing.encoding import decoded
from pincite.parsing.papers import read_paper
from pincite.text.markers import Markers, without_markers
from pincite.text.tokens import words

from .annotations import SOFT_HYPHEN

#: The files of a folder that are read.
_IN_FOLDERS = frozenset({".json", ".jsonl", ".xml", ".txt", ".md"})
_PAPERS = frozenset({".xml", ".nxml", ".tei", ".tex", ".ltx", ".pdf"})
#: Annotations and summaries of CL-SciSumm are not text of a paper.
_ADDED_FOLDERS = frozenset({"annotation", "summary"})

#: CL-SciSumm's XML is often malformed, its sentences hardly ever; bounds keep this linear.
_XML_SENTENCE = regex.compile(r"<S\b[^<>]{0,500}>([^<]*+)")
#: The elements of JATS and TEI.
_ARTICLE = regex.compile(r"<(?:article|TEI)\b")
_BLANK_LINE = regex.compile(r"\n[^\S\n]*+\n")


def sentences(
    paths: Iterable[Path],
    exclude: Collection[str] = frozenset(),
    markers: Markers = "remove",
    *,
    only: Collection[str] | None = None,
) -> Iterator[list[str]]:
    """Yield the words of every passage under `paths`: `passages`, then `passage_words`."""
    found = passages(paths, exclude, only=only)
    return filter(None, (passage_words(passage, markers) for passage in found))


def passages(
    paths: Iterable[Path],
    exclude: Collection[str] = frozenset(),
    *,
    only: Collection[str] | None = None,
) -> Iterator[str]:
    """Yield the text of every passage under `paths`, in a fixed order."""
    excluded, seen = frozenset(exclude), set(exclude)
    for path in paths:
        for file in _files(path):
            named = {file.stem, file.parent.name}
            if not excluded.isdisjoint(named):
                continue
            for identity, found in _papers(file):
                wanted = only is None or not named.union({identity}).isdisjoint(only)
                if wanted and identity not in seen:
                    seen.add(identity)
                    yield from found


def passage_words(passage: str, markers: Markers = "remove") -> list[str]:
    """Return the words of a passage as written, with citation markers removed or kept."""
    text = SOFT_HYPHEN.sub("", passage)
    found = words(without_markers(text) if markers == "remove" else text)
    # One string per word, not per occurrence, saves memory for millions of words.
    return [sys.intern(word) for word in found]


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        if _kind(path) not in _IN_FOLDERS | _PAPERS | {".bib"}:
            raise InputError(
                f"{path}: expected .json, .jsonl, .xml, .txt or .md (also .gz), .tex, .pdf or .bib"
            )
        return [path]
    return [
        file
        for file in sorted(path.rglob("*"))
        if _kind(file) in _IN_FOLDERS
        and not _ADDED_FOLDERS.intersection(file.relative_to(path).parts)
        and file.is_file()
    ]


def _kind(path: Path) -> str:
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return name.suffix.lower()


def _papers(file: Path) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the papers of a file, each an id and its passages."""
    kind = _kind(file)
    if kind == ".jsonl":
        for number, line in enumerate(_lines(file), start=1):
            if line.strip():
                yield from _s2orc(line, f"{file}:{number}")
    elif kind == ".json":
        yield from _s2orc(_text(file), str(file))
    elif kind == ".xml" and not _ARTICLE.search(text := _text(file)):
        yield (
            file.name.split(".")[0],
            # Some files are escaped twice: "&amp;quot;".
            (html.unescape(html.unescape(found)) for found in _XML_SENTENCE.findall(text)),
        )
    elif kind in _PAPERS:
        try:
            paper = read_paper(file)
        except InputError as error:
            raise InputError(f"{file}: {error}") from error
        yield str(file), (sentence.text for sentence in paper.sentences)
    elif kind == ".bib":
        entries = parse_bibliography(_text(file), file).entries.values()
        yield str(file), (f"{entry.title}. {entry.abstract}" for entry in entries)
    else:
        text = _text(file)
        yield hashlib.sha256(text.encode()).hexdigest(), iter(_BLANK_LINE.split(text))


def _lines(file: Path) -> Iterator[str]:
    try:
        with gzip.open(file) if file.suffix.lower() == ".gz" else file.open("rb") as stream:
            for line in stream:
                yield decoded(line).text
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{file}: cannot be read ({error})") from error


def _text(file: Path) -> str:
    return "".join(_lines(file))


def _s2orc(text: str, place: str) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the one paper that S2ORC JSON describes; nothing for JSON of another schema."""
    try:
        paper = json.loads(text)
    except ValueError as error:
        raise InputError(f"{place}: not JSON ({error})") from error
    parsed = paper
    if isinstance(paper, dict):
        parsed = paper.get("pdf_parse") or paper.get("latex_parse") or paper
    if isinstance(parsed, dict) and "body_text" in parsed:
        abstract = parsed.get("abstract") or paper.get("abstract") or []
        if isinstance(abstract, str):
            abstract = [{"text": abstract}]
        passages = [*abstract, *(parsed["body_text"] or [])]
        yield (
            str(paper.get("paper_id") or place),
            (str(passage["text"]) for passage in passages if "text" in passage),
        )
