"""Collections of papers that cite each other, on which citation resolution is evaluated."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pincite.library.same_work import WorkMatcher
from pincite.model.papers import BibEntry
from pincite.model.problems import InputError, Problem
from pincite.parsing.encoding import read_text

from .corpora.papers import (
    CollectionPaper,
    article_files,
    fields_of,
    latex_projects,
    place_of_reference,
    read_articles,
    read_latex_papers,
)
from .corpora.s2orc import read_s2orc_papers, s2orc_files
from .progress import Progress, ignored

_COMMENT = re.compile(r"(?:^|\s)#.*")
#: The formats of collections: what finds their sources at a path, and what reads these.
_FORMATS = (
    (s2orc_files, read_s2orc_papers),
    (article_files, read_articles),
    (latex_projects, read_latex_papers),
)
_JSON_ITEM = re.compile(r'"(?:[^"\\]|\\.)*"|\d+')


@dataclass(frozen=True, slots=True)
class Collection:
    """Papers by id, in the order read, none of which links to itself; and problems."""

    papers: Mapping[str, CollectionPaper]
    problems: tuple[Problem, ...]


def read_collection(path: Path, progress: Progress = ignored) -> Collection:
    """Read papers in S2ORC's JSON (see `corpora.s2orc`), in JATS or TEI, or LaTeX projects.

    `path` is a folder, or a file in one of the first three formats. If no reference is linked, as
    in all formats except most of S2ORC's, references are matched to the collection's papers by
    title, authors, year and identifiers.

    Unusable papers are left out and reported in `problems`; of papers with the same id, the first
    counts. `progress` is called with the amount read and the total, in bytes or projects. Raises
    `InputError`, with the path, if there is no paper at all.
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
        for found in read(files, progress):
            if isinstance(found, Problem):
                problems.append(found)
            elif (first := papers.setdefault(found.id, found)) is not found:
                place = f"{first.path.name}:{first.line}"
                message = f"there already is a paper {found.id} ({place}); this one is left out"
                problems.append(Problem(found.path, found.line, message))
    if not papers:
        if problems:
            raise InputError(f"{path}: there is no paper that can be read ({problems[0]})")
        expected = (
            "papers in S2ORC's form (.json, .jsonl, also .gz), articles in JATS or TEI (.xml), "
            "or folders with LaTeX sources"
        )
        raise InputError(f"{path}: expected {expected}")
    if not any(any(paper.links) for paper in papers.values()):
        works = WorkMatcher(map(_entry, papers.values()))
        for name, paper in papers.items():
            links = tuple(works.find(one, one.label) or "" for one in paper.paper.references)
            papers[name] = paper._replace(links=links)
    for name, paper in papers.items():
        if name in paper.links:
            problems.append(_self_citation(paper))
            others = tuple("" if link == name else link for link in paper.links)
            papers[name] = paper._replace(links=others)
    return Collection(papers, tuple(problems))


def read_test_papers(path: Path) -> list[tuple[int, str]]:
    """Read a list of ids, each with its 1-based line, in file order."""
    text = read_text(path)
    if text.lstrip().startswith("["):
        listed = _json_list(text, path)
    else:
        lines = (_COMMENT.sub("", line).strip() for line in text.split("\n"))
        listed = [(number, name) for number, name in enumerate(lines, start=1) if name]
    if not listed:
        raise InputError(f"{path}: there is no id in it")
    return listed


def _json_list(text: str, path: Path) -> list[tuple[int, str]]:
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or not all(type(name) in (str, int) for name in names):
        raise InputError(f"{path}: expected a JSON list of ids")
    lines = (text.count("\n", 0, item.start()) + 1 for item in _JSON_ITEM.finditer(text))
    return [(line, str(name)) for line, name in zip(lines, names, strict=True)]


# Links -------------------------------------------------------------------------------------------


def _entry(found: CollectionPaper) -> BibEntry:
    """Return a paper as others would cite it."""
    return BibEntry(found.id, "misc", fields_of(found.paper), found.path)


def _self_citation(found: CollectionPaper) -> Problem:
    path, line = found.path, found.line
    number = found.links.index(found.id)
    if line is None:
        path, line = place_of_reference(path, found.paper.references[number].label)
    message = f"paper {found.id} cites itself (reference {number + 1}); the link is dropped"
    return Problem(path, line, message)
