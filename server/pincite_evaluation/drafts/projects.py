"""Drafts and articles → `Project`: candidates, text in reading order, and the places that cite.

Generated keys often number references in the order of citation (``B12``, ``ref018``), and
bibliographies are often in that order, too. So ties are broken by the contents of entries
(`Project.digests`), and rankers must use neither keys nor positions.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from hashlib import blake2b
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from pincite.contexts.citing_text import text_of_draft, text_of_paper
from pincite.library.index import PaperIndex
from pincite.library.same_work import WorkMatcher
from pincite.model.citing_text import CitingText
from pincite.model.drafts import CITATION_MARK
from pincite.model.papers import BibEntry, Candidate, Candidates, ReferencePaper
from pincite.model.problems import InputError, Problem
from pincite.parsing.encoding import read_text
from pincite.parsing.markups import LATEX
from pincite.project.bibliographies import candidates_of
from pincite.project.workspace import Workspace
from pincite.recommend import draft_language
from pincite.text.languages import identified

from ..collection import article_files, fields_of, is_article, read_article

#: What a ranker may know at a place: everything to its left; the text on both sides and the
#: citations before it; the text alone.
Situation = Literal["writing", "revising", "text only"]
SITUATIONS: tuple[Situation, ...] = ("writing", "revising", "text only")

#: A shorter paragraph may be a title page, a heading or a formula.
_PARAGRAPH_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class ProjectSource:
    """The source of a project: a main file of a draft, or an article; `group` is its PATH."""

    name: str
    group: str
    main: Path


@dataclass(frozen=True, slots=True)
class Place:
    """A citation at an offset of the text, with the positions of the candidates it cites."""

    start: int
    cited: tuple[int, ...]
    is_first: bool
    file: Path | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What a ranker may know at a place: the text on both sides, and the places before it."""

    before: str
    after: str
    places: tuple[Place, ...]


@dataclass(frozen=True, eq=False)
class Project:
    """A draft or an article with its bibliography; two are equal when they are the same object.

    `keys`, `digests` and the positions in `Place.cited` follow the order of `candidates`.
    `with_abstract` and `cited_share` are fractions of the bibliography, 0 for an empty one.
    """

    name: str
    group: str
    candidates: Candidates
    keys: tuple[str, ...]
    digests: tuple[str, ...]
    text: CitingText
    places: tuple[Place, ...]
    language: str | None
    with_abstract: float
    cited_share: float
    problems: tuple[Problem, ...] = ()

    def seen(self, place: int, situation: Situation) -> Seen:
        """Return what a ranker may know at a place, given by its index."""
        start = self.places[place].start
        text = self.text.text
        return Seen(
            text[:start],
            "" if situation == "writing" else text[start + len(CITATION_MARK) :],
            () if situation == "text only" else self.places[:place],
        )

    @cached_property
    def tie_order(self) -> npt.NDArray[np.intp]:
        """For each candidate, the rank of its digest; equal entries have the same."""
        return np.unique(np.asarray(self.digests), return_inverse=True)[1]


def project_sources(paths: Sequence[Path]) -> tuple[tuple[ProjectSource, ...], list[Problem]]:
    """Return the projects given as main files, articles, lists in JSON and folders, in order."""
    found: dict[ProjectSource, None] = {}
    problems: list[Problem] = []
    for path in dict.fromkeys(paths):
        if path.is_dir():
            listed = _in_folder(path)
        elif path.suffix.lower() == ".json":
            listed = _listed(path)
        else:
            if not path.is_file():
                raise InputError(f"{path}: no such file")
            listed = {path.stem: path}
        for name, main in listed.items():
            if main.is_file():
                found[ProjectSource(name, str(path), main.absolute())] = None
            else:
                problems.append(Problem(main, None, "no such file", broken=True))
    if not found:
        reason = f" ({problems[0]})" if problems else ""
        raise InputError(f"no draft to evaluate{reason}")
    return tuple(found), problems


def _in_folder(folder: Path) -> Mapping[str, Path]:
    """Return the projects that a folder's `drafts.json` names, else all in it."""
    if (named := folder / "drafts.json").is_file():
        return _listed(named)
    top = Path(os.path.normpath(folder.absolute()))
    drafts = [draft.root for draft in Workspace(top, index=_index()).drafts()]
    found = sorted({*drafts, *article_files(top)})
    if not found:
        raise InputError(f"{folder}: no draft and no article in this folder or below")
    return {path.relative_to(top).with_suffix("").as_posix(): path for path in found}


def _listed(path: Path) -> Mapping[str, Path]:
    try:
        named = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error})") from None
    if not isinstance(named, dict) or not all(isinstance(main, str) for main in named.values()):
        raise InputError(f"{path}: expected an object of main files by name")
    return {name: path.parent / main for name, main in named.items()}


def read_project(source: ProjectSource) -> Project:
    """Read a project; raises `InputError` for a main file that cannot be read."""
    return _article(source) if is_article(source.main) else _draft(source)


def _article(source: ProjectSource) -> Project:
    found = read_article(source.main)
    if isinstance(found, Problem):
        raise InputError(str(found))
    paper = found.paper
    works = []
    for number, reference in enumerate(paper.references, start=1):
        title = reference.title or reference.text
        note = reference.text if reference.text != title else ""
        # Its label is left out: most are numbers in the order of citation.
        fields = {**fields_of(reference), "title": title, "note": note}
        known = {name: value for name, value in fields.items() if value}
        entry = BibEntry(str(number), "misc", known, source.main)
        works.append(
            Candidate(entry.key, ReferencePaper(title, "title"), entry, reference.surnames)
        )
    candidates = Candidates.of(works)
    text = text_of_paper(paper, list(candidates).__getitem__)
    cited = [(place.start, tuple(int(key) - 1 for key in place.keys)) for place in text.places]
    return _project(source, candidates, text, cited)


@cache
def _index() -> PaperIndex:
    # One index for all projects of a process, as each keeps a file open.
    return PaperIndex()


def _draft(source: ProjectSource) -> Project:
    workspace = Workspace(source.main.parent, index=_index())
    draft = workspace.draft(source.main)
    bibliography = workspace.bibliography(draft)
    workspace.read_library(draft, jobs=1)
    library = workspace.library(draft)
    if next(library.files(), None) is not None:
        library.link(WorkMatcher(bibliography.entries.values()))
    # Without LaTeX sources and inlinks.
    left_out, fallbacks = frozenset(LATEX.suffixes), workspace.fallback_texts(draft)
    text_of = partial(library.paper, fallbacks=fallbacks, left_out=left_out)
    candidates = candidates_of(bibliography, text_of)
    positions = {key: position for position, key in enumerate(candidates)}
    read = text_of_draft(draft)
    cited: list[tuple[int, tuple[int, ...]]] = []
    for place in read.text.places:
        entries = filter(None, map(bibliography.find, place.keys))
        if found := tuple(dict.fromkeys(positions[entry.key] for entry in entries)):
            cited.append((place.start, found))
    where: dict[int, tuple[Path, int]] = {}
    for file in draft.files:
        for citation in file.citations:
            line, _ = file.line_column(citation.span.start)
            where[read.place_of(file.path, citation.span.start)] = (file.path, line)
    unread = workspace.library(draft).unreadable(bibliography.entries.values())
    problems = (*draft.problems, *bibliography.problems, *workspace.problems, *unread)
    return _project(source, candidates, read.text, cited, where, draft_language(draft), problems)


def _project(
    source: ProjectSource,
    candidates: Candidates,
    text: CitingText,
    cited: Sequence[tuple[int, tuple[int, ...]]],
    where: Mapping[int, tuple[Path, int]] | None = None,
    language: str | None = None,
    problems: Sequence[Problem] = (),
) -> Project:
    known = list(candidates.values())
    places = []
    before: set[int] = set()
    for start, positions in cited:
        file, line = (where or {}).get(start, (None, None))
        places.append(Place(start, positions, before.isdisjoint(positions), file, line))
        before.update(positions)
    paragraphs = text.text.replace(CITATION_MARK, " ").split("\n\n")
    prose = " ".join(part for part in paragraphs if len(part) >= _PARAGRAPH_CHARACTERS)
    abstracts = [each.entry is not None and each.entry.fields.get("abstract") for each in known]
    return Project(
        name=source.name,
        group=source.group,
        candidates=candidates,
        keys=tuple(candidates),
        digests=tuple(map(digest, known)),
        text=text,
        places=tuple(places),
        language=language or identified(prose),
        with_abstract=sum(map(bool, abstracts)) / max(1, len(known)),
        cited_share=len(before) / max(1, len(known)),
        problems=tuple(problems),
    )


def digest(candidate: Candidate) -> str:
    """Return a digest of an entry's title, authors, year and DOI."""
    entry = candidate.entry
    authors, year, doi = " and ".join(candidate.names), "", ""
    if entry is not None:
        authors = entry.fields.get("author") or entry.fields.get("editor") or authors
        year, doi = entry.year, entry.doi
    described = "\0".join((candidate.title, authors, year, doi))
    return blake2b(described.encode("utf-8", "replace"), digest_size=16).hexdigest()
