"""Collections of papers that cite each other: S2ORC's JSON, JATS or TEI, LaTeX projects, or PDFs.

S2ORC, and unarXive in the same form, have one paper per `.json` file, or per line of `.jsonl`, both
perhaps compressed. The release of 2020 stores metadata separately, in files or a folder named
`metadata`, joined by `paper_id`.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import BufferedIOBase, StringIO
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from pincite.library.same_work import WorkMatcher
from pincite.model.citing_text import PARAGRAPH_BREAK, CitedPlace, CitingText, TextHeading
from pincite.model.drafts import CITATION_MARK
from pincite.model.papers import NO_BREAK_SPACE, BibEntry, Reference, ReferencePaper
from pincite.model.problems import InputError, Problem
from pincite.parsing.encoding import read_text
from pincite.parsing.papers import read_paper, stem
from pincite.parsing.papers.latex import is_latex_folder, latex_sources
from pincite.parsing.papers.paragraphs import plain
from pincite.parsing.papers.s2orc import linked_papers, s2orc_paper

from .processes import ignored, step, tracked
from .results import grouped

#: A longer line or file is not a paper.
_MAX_BYTES = 64 << 20
_METADATA = "metadata"
_READING = "Reading papers"
_COMMENT = re.compile(r"(?:^|\s)#.*")
_CITED = re.compile(r"\[ref\]\s*(\d{1,9})")
_JSON_ITEM = re.compile(r'"(?:[^"\\]|\\.)*"|\d+')


class CollectionPaper(NamedTuple):
    """A paper, under the id by which the others of its collection cite it."""

    id: str
    paper: ReferencePaper
    links: tuple[str, ...]
    path: Path
    line: int | None


@dataclass(frozen=True, slots=True)
class Collection:
    """Papers by id, in the order read, none of which links to itself; and problems."""

    papers: Mapping[str, CollectionPaper]
    problems: tuple[Problem, ...]


def read_collection(path: Path) -> Collection:
    """Read papers in S2ORC's JSON, in JATS or TEI, LaTeX projects or PDFs: a folder, or a file.

    If no reference is linked, they are matched to the papers by title, authors, year and
    identifiers. Unusable papers are left out and reported in `problems`; of papers with the same
    id, the first counts. Raises `InputError`, with the path, if there is no paper at all.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    papers: dict[str, CollectionPaper] = {}
    problems: list[Problem] = []
    # Other JSON files are common beside and in LaTeX projects.
    for sources, read in _FORMATS:
        if papers or not (files := sources(path)):
            continue
        problems = []
        for found in read(files):
            if isinstance(found, Problem):
                problems.append(found)
            elif (first := papers.setdefault(found.id, found)) is not found:
                place = f"{first.path.name}:{first.line}"
                message = f"there already is a paper {found.id} ({place}); this one is left out"
                problems.append(Problem(found.path, found.line, message))
    if not papers:
        if problems:
            raise InputError(f"{path}: there is no paper that can be read ({problems[0]})")
        raise InputError(
            f"{path}: expected papers in S2ORC's form (.json, .jsonl, also .gz), articles in JATS "
            "or TEI (.xml), folders with LaTeX sources, or PDFs"
        )
    if not any(any(paper.links) for paper in papers.values()):
        works = WorkMatcher(
            BibEntry(name, "misc", fields_of(found.paper), found.path)  # as others would cite it
            for name, found in papers.items()
        )
        for name, paper in papers.items():
            links = tuple(works.find(one, one.label) or "" for one in paper.paper.references)
            papers[name] = paper._replace(links=links)
    for name, paper in papers.items():
        if name in paper.links:
            number = paper.links.index(name)
            at = paper.path, paper.line
            if paper.line is None:
                at = _place_of_reference(paper.path, paper.paper.references[number].label)
            message = f"paper {name} cites itself (reference {number + 1}); the link is dropped"
            problems.append(Problem(*at, message))
            others = tuple("" if link == name else link for link in paper.links)
            papers[name] = paper._replace(links=others)
    return Collection(papers, tuple(problems))


def _place_of_reference(folder: Path, key: str) -> tuple[Path, int | None]:
    """Return the file and 1-based line of a project's reference, or the folder if not found."""
    entry = re.compile(
        r"(?:@\w{1,30}\s{0,9}|\\entry\s{0,9}|\\bibitem\s{0,9}(?:\[[^]]{0,300}\]\s{0,9})?)"
        rf"\{{\s{{0,9}}{re.escape(key)}\s{{0,9}}[,}}]"
    )
    for file in latex_sources(folder):
        with suppress(InputError):
            text = read_text(file)
            if found := entry.search(text):
                return file, text.count("\n", 0, found.start()) + 1
    return folder, None


def fields_of(work: Reference | ReferencePaper) -> dict[str, str]:
    """Return the fields by which a bibliography would describe a work; some may be empty."""
    return {
        "title": work.title,
        # A name is treated as one word.
        "author": " and ".join(name.replace(" ", NO_BREAK_SPACE) for name in work.surnames),
        "year": work.year,
        "doi": work.doi,
        "eprint": work.arxiv,
    }


def files_of(path: Path, is_wanted: Callable[[Path], bool]) -> list[Path]:
    """Return `path` or the non-hidden files below it, by name, that are wanted."""
    if not path.is_dir():
        return [path] if path.is_file() and is_wanted(path) else []
    return sorted(
        file
        for file in path.rglob("*")
        if is_wanted(file)
        and not any(part.startswith(".") for part in file.relative_to(path).parts)
        and file.is_file()
    )


# Articles in XML, and LaTeX projects


def is_article(path: Path) -> bool:
    """Return whether a path has the suffix of an article in JATS or TEI."""
    return path.suffix.lower() in (".xml", ".nxml")


def read_article(path: Path) -> CollectionPaper | Problem:
    """Read a paper, none of whose references is linked, or return why it cannot be read."""
    try:
        paper = read_paper(path)
    except InputError as error:
        return Problem(path, None, str(error), broken=True)
    return CollectionPaper(stem(path), paper, ("",) * len(paper.references), path, None)


def is_json(path: Path) -> bool:
    """Return whether a path has the suffix of papers in JSON, one in a file or one in a line."""
    return suffix(path) in (".json", ".jsonl")


def json_papers(path: Path, line: int | None = None) -> Iterator[CollectionPaper | Problem]:
    """Yield the papers in a file in S2ORC's form, unarXive's or CiteRAG's, or that of one `line`.

    One without an id has the name of the file, or the number of its line.
    """
    for record in _records(path, ignored, line):
        if isinstance(record, Problem):
            yield record
            continue
        name = _id(record) or str(record.line)
        yield _found(record._replace(data={"paper_id": name, **citerag_paper(record.data)}))


def _read_articles(files: list[Path]) -> Iterator[CollectionPaper | Problem]:
    names = [file.name for file in files]
    for file in tracked(files, _READING, len(files)):
        found = read_article(file)
        if isinstance(found, CollectionPaper) and names.count(file.name) > 1:
            found = found._replace(id=file.parent.name)
        yield found


def _latex_projects(folder: Path) -> list[Path]:
    """Return the folders in a folder, by name, if one of them is a LaTeX project; else none."""
    inside = folder.iterdir() if folder.is_dir() else ()
    folders = sorted(path for path in inside if path.name[0] != "." and path.is_dir())
    return folders if any(map(is_latex_folder, folders)) else []


def _read_projects(folders: list[Path]) -> Iterator[CollectionPaper | Problem]:
    for folder in tracked(folders, _READING, len(folders)):
        found = read_article(folder)
        if isinstance(found, CollectionPaper) and not found.paper.title:
            yield Problem(folder, None, "it has no title by which others could cite it")
        yield found


# S2ORC


class _Record(NamedTuple):
    path: Path
    line: int
    data: Mapping[str, Any]


def suffix(file: Path) -> str:
    """Return the suffix in lower case, without that of its compression."""
    name = file.name.lower()
    return Path(name.removesuffix(".gz")).suffix or Path(name).suffix


def _is_metadata(file: Path) -> bool:
    return file.name.lower().startswith(_METADATA) or file.parent.name.lower() == _METADATA


def _s2orc_files(path: Path) -> list[Path]:
    """Return the files of a collection: `path`, or those below it, metadata first, then by name."""
    found = files_of(path, lambda file: suffix(file) in (".json", ".jsonl", ".gz"))
    # Lists of ids may be beside the papers.
    found = [file for file in found if file == path or not file.name.startswith("test-papers")]
    return sorted(found, key=lambda file: not _is_metadata(file))


def _read_s2orc(files: list[Path]) -> Iterator[CollectionPaper | Problem]:
    progress = step(_READING)
    sizes = [file.stat().st_size for file in files]

    def report(start: int, read: int) -> None:
        progress(start + read, sum(sizes))

    described: dict[str, _Record] = {}
    joined: set[str] = set()
    for file, start in zip(files, accumulate(sizes, initial=0), strict=False):
        for record in _records(file, partial(report, start)):
            if isinstance(record, Problem):
                yield record
                continue
            name = _id(record)
            if not _is_metadata(file):
                joined.add(name)
                if name in described:
                    is_parse = "body_text" in record.data
                    text = {"pdf_parse": record.data} if is_parse else record.data
                    record = record._replace(data={**described[name].data, **text})
                yield _found(record)
            elif not name:
                yield Problem(file, record.line, "the metadata has no paper_id")
            elif name in described:
                yield Problem(file, record.line, f"repeats the metadata of {name}; left out")
            else:
                described[name] = record
    for name, record in described.items():
        if name not in joined:
            yield _found(record)


def _records(
    file: Path, progress: Callable[[int], None], only: int | None = None
) -> Iterator[_Record | Problem]:
    """Yield the objects in a file, or the one of a line; other lines are not decoded."""
    number = 0
    is_empty = True
    try:
        with file.open("rb") as raw:
            is_compressed = file.suffix.lower() == ".gz"
            stream: BufferedIOBase = gzip.GzipFile(fileobj=raw) if is_compressed else raw
            read = stream.read if suffix(file) == ".json" else stream.readline
            while line := read(_MAX_BYTES + 1):
                number += 1
                if len(line) > _MAX_BYTES:
                    message = "too long for a paper; the rest of the file is not read"
                    yield Problem(file, number, message)
                    return
                if not line.isspace():
                    is_empty = False
                    if only in (None, number):
                        yield _decoded(file, number, line)
                progress(raw.tell())
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        yield Problem(file, number + 1, f"the file cannot be read from here on ({reason})")
        return
    if is_empty:
        yield Problem(file, None, "the file is empty")


def _decoded(file: Path, number: int, line: bytes) -> _Record | Problem:
    try:
        # An error after the end of a line would be reported in the next one.
        data = json.loads(line.rstrip())
    except json.JSONDecodeError as error:
        message = f"the JSON is broken ({error.msg}, column {error.colno})"
        return Problem(file, number + error.lineno - 1, message)
    except UnicodeDecodeError:
        return Problem(file, number, "the JSON is broken (it is not in UTF-8)")
    except (ValueError, RecursionError):
        return Problem(file, number, "the JSON is broken (too deep, or with too long a number)")
    if not isinstance(data, dict):
        return Problem(file, number, "this is JSON, but not an object with a paper")
    return _Record(file, number, data)


def _id(record: _Record) -> str:
    """Return the id of a paper, or its file's name, or an empty string."""
    for value in map(record.data.get, ("paper_id", "corpusid")):
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            # As `linked_papers` reads the ids of others.
            return plain(str(value).encode("utf-8", "replace").decode())
    is_alone = suffix(record.path) == ".json"
    return Path(record.path.name.removesuffix(".gz")).stem if is_alone else ""


def _found(record: _Record) -> CollectionPaper | Problem:
    path, line, data = record
    name = _id(record)
    try:
        paper = s2orc_paper(data, path)
    except InputError as error:
        return Problem(path, line, f"{name}: {error}" if name else str(error))
    if not name:
        return Problem(path, line, "the paper has no paper_id")
    return CollectionPaper(name, paper, linked_papers(data), path, line)


#: The formats of collections: what finds their sources at a path, and what reads these.
_FORMATS = (
    (_s2orc_files, _read_s2orc),
    (partial(files_of, is_wanted=is_article), _read_articles),
    (_latex_projects, _read_projects),
    (partial(files_of, is_wanted=lambda file: file.suffix.lower() == ".pdf"), _read_articles),
)


def read_test_papers(path: Path) -> list[tuple[int, str]]:
    """Read a list of ids, each with its 1-based line, in file order."""
    text = read_text(path)
    if text.lstrip().startswith("["):
        try:
            names = json.loads(text)
        except (ValueError, RecursionError):
            names = None
        if not isinstance(names, list) or not all(type(name) in (str, int) for name in names):
            raise InputError(f"{path}: expected a JSON list of ids")
        lines = (text.count("\n", 0, item.start()) + 1 for item in _JSON_ITEM.finditer(text))
        listed = [(line, str(name)) for line, name in zip(lines, names, strict=True)]
    else:
        written = (_COMMENT.sub("", line).strip() for line in text.split("\n"))
        listed = [(number, name) for number, name in enumerate(written, start=1) if name]
    if not listed:
        raise InputError(f"{path}: there is no id in it")
    return listed


def citerag_paper(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a paper of CiteRAG (Zheng et al. 2026, task 2) in S2ORC's form, others as they are.

    It has `sections`, texts by their headings in which ``[ref]7`` cites a work, and
    `reference_labels`, the `title` of each work by its `index`; markers of unknown works stay text.
    """
    sections, labels = data.get("sections"), data.get("reference_labels")
    if not isinstance(sections, Mapping) or not isinstance(labels, list):
        return data
    body = []
    for heading, text in sections.items():
        spans = [
            {"start": found.start(), "end": found.end(), "text": found[0], "ref_id": found[1]}
            for found in _CITED.finditer(text if isinstance(text, str) else "")
        ]
        body.append({"text": text, "section": heading, "cite_spans": spans})
    return {
        "title": data.get("title", ""),
        "abstract": data.get("abstract", ""),
        "body_text": body,
        "bib_entries": {
            str(each.get("index")): {"title": each.get("title")}
            for each in labels
            if isinstance(each, Mapping)
        },
    }


def text_of_paper(paper: ReferencePaper, names: Callable[[int], str | None]) -> CitingText:
    """Return a paper's text; `names` are the keys of its references, None for those to leave out.

    If the paper's paragraphs are unknown, each section is one. A section's name is its heading.
    """
    text = StringIO()
    places: list[CitedPlace] = []
    headings: list[TextHeading] = []
    markers = grouped(paper.markers, lambda marker: marker.sentence)
    section = None
    for index, sentence in enumerate(paper.sentences):
        if sentence.section != section:
            section = sentence.section
            text.write(PARAGRAPH_BREAK)
            if section:
                headings.append(TextHeading(text.tell(), text.tell() + len(section), 2))
                text.write(section + PARAGRAPH_BREAK)
        last = 0
        for marker in markers.get(index, ()):
            text.write(sentence.text[last : marker.start])
            found = (names(reference) for reference in marker.references)
            if keys := tuple(dict.fromkeys(name for name in found if name is not None)):
                places.append(CitedPlace(text.tell(), keys))
            text.write(CITATION_MARK)
            last = marker.end
        text.write(sentence.text[last:] + " ")
    return CitingText.of(text.getvalue(), tuple(places), tuple(headings))
