"""Drafts and articles → `Project`, and the places that cite.

Generated keys often number references in the order of citation (``B12``, ``ref018``), and
bibliographies are often in that order, too. So ties are broken by the contents of entries
(`Project.digests`), and rankers must use neither keys nor positions.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from hashlib import blake2b
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pincite.contexts.citing_text import text_of_draft
from pincite.contexts.surroundings import SurroundedText
from pincite.library.index import PaperIndex
from pincite.library.same_work import WorkMatcher
from pincite.model.citing_text import CitingText
from pincite.model.drafts import CITATION_MARK
from pincite.model.encoders import TextVectors
from pincite.model.papers import BibEntry, Candidate, Candidates, ReferencePaper
from pincite.model.problems import InputError, Problem
from pincite.parsing.encoding import read_text
from pincite.parsing.markups import LATEX
from pincite.project.bibliographies import candidates_of
from pincite.project.workspace import Workspace
from pincite.ranking import features
from pincite.ranking.base import Keys
from pincite.ranking.draft_citations import DraftCitations
from pincite.ranking.meaning_features import Meanings
from pincite.recommend import draft_language
from pincite.representations.entry_terms import EntryReader, TermIds
from pincite.representations.fields import EntryFields
from pincite.text.languages import identified
from pincite.text.stemming import stemmer
from pincite.text.stop_words import function_words

from .. import collection
from ..ranker_training import KNOWLEDGE, CitingList, Lists, described_texts, without

#: What a ranker may know at a place: everything to its left; the text on both sides and the
#: citations before it; the text alone.
Situation = Literal["writing", "revising", "text only"]
SITUATIONS: tuple[Situation, ...] = ("writing", "revising", "text only")

#: A shorter paragraph may be a title page, a heading or a formula.
_PARAGRAPH_CHARACTERS = 200
#: Training lists per project: more lists of one thesis teach little about others.
_MAX_LISTS = 240
#: What papers in JSON have, and lists of projects do not.
_PAPER_FIELDS = frozenset(("paper_id", "body_text", "sections", "pdf_parse", "latex_parse"))


@dataclass(frozen=True, slots=True)
class ProjectSource:
    """The source of a project: a main file of a draft, or an article; `group` is its PATH.

    Of a file with several papers, `line` is the one of this. `kind` is what an `INDEX.tsv` beside
    the PATH calls it, in the column `kind` of its `name`.
    """

    name: str
    group: str
    main: Path
    line: int | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A citation at an offset of the text, with the positions of the candidates it cites."""

    start: int
    cited: tuple[int, ...]
    is_first: bool
    file: Path | None = None
    line: int | None = None


class Seen(NamedTuple):
    """What a ranker may know at a place: the text on both sides, and the places before it."""

    before: str
    after: str
    places: tuple[Place, ...]


@dataclass(frozen=True, eq=False)
class Project:
    """A draft or an article with its bibliography; equal only to itself.

    `keys` and the positions in `Place.cited` follow the order of `candidates`.
    """

    name: str
    group: str
    candidates: Candidates
    text: CitingText
    places: tuple[Place, ...]
    language: str | None
    problems: tuple[Problem, ...] = ()

    def seen(self, place: int, situation: Situation) -> Seen:
        """Return the text and the places that may be used at a place; never the place itself."""
        start, text = self.places[place].start, self.text.text
        after = "" if situation == "writing" else text[start + len(CITATION_MARK) :]
        return Seen(text[:start], after, () if situation == "text only" else self.places[:place])

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys of the candidates."""
        return tuple(self.candidates)

    @property
    def with_abstract(self) -> float:
        """The share of candidates with an abstract, perhaps of another bibliography."""
        abstracts = [bool(each.paper.abstract) for each in self.candidates.values()]
        return sum(abstracts) / max(1, len(abstracts))

    @property
    def cited_share(self) -> float:
        """The share of candidates that are cited."""
        return len({at for place in self.places for at in place.cited}) / max(1, len(self.keys))

    @cached_property
    def surrounded(self) -> SurroundedText:
        """The text with its paragraphs and sentences."""
        return SurroundedText(self.text)

    @cached_property
    def tie_order(self) -> npt.NDArray[np.intp]:
        """For each candidate, the rank of its digest; equal entries have the same."""
        digests = np.asarray([_digest(each) for each in self.candidates.values()])
        return np.unique(digests, return_inverse=True)[1]


def project_sources(paths: Sequence[Path]) -> tuple[tuple[ProjectSource, ...], list[Problem]]:
    """Return the projects given as main files, articles, lists in JSON and folders, in order."""
    found: dict[ProjectSource, None] = {}
    problems: list[Problem] = []
    for path in dict.fromkeys(paths):
        if not path.exists():
            raise InputError(f"{path}: no such file")
        for name, main in (_in_folder(path) if path.is_dir() else _in_file(path)).items():
            if not main.is_file():
                problems.append(Problem(main, None, "no such file", broken=True))
            elif collection.is_json(main):
                for paper in collection.json_papers(main):
                    if isinstance(paper, Problem):
                        problems.append(paper)
                    else:
                        own = name if collection.suffix(main) == ".json" else paper.id
                        found[ProjectSource(own, str(path), main.absolute(), paper.line)] = None
            else:
                kind = _kinds(path.parent / "INDEX.tsv").get(name, "")
                found[ProjectSource(name, str(path), main.absolute(), kind=kind)] = None
    if not found:
        reason = f" ({problems[0]})" if problems else ""
        raise InputError(f"no draft to evaluate{reason}")
    return tuple(found), problems


@cache
def _kinds(index: Path) -> Mapping[str, str]:
    """Return the kinds of projects by name, none if there is no such index."""
    if not index.is_file():
        return {}
    rows = csv.DictReader(read_text(index).splitlines(), delimiter="\t")
    return {row.get("name") or "": row.get("kind") or "" for row in rows}


def _in_folder(folder: Path) -> Mapping[str, Path]:
    """Return the projects that a folder's `drafts.json` names, else all in it."""
    if (named := folder / "drafts.json").is_file():
        return _in_file(named)
    top = Path(os.path.normpath(folder.absolute()))
    drafts = [draft.root for draft in Workspace(top, index=_index()).drafts()]
    # JSON beside drafts is seldom a paper.
    articles = collection.files_of(top, collection.is_article)
    found = sorted({*drafts, *articles}) or collection.files_of(top, collection.is_json)
    if not found:
        raise InputError(f"{folder}: no draft and no article in this folder or below")
    return {path.relative_to(top).with_suffix("").as_posix(): path for path in found}


def _in_file(path: Path) -> Mapping[str, Path]:
    """Return the project in a file, or those that it names."""
    if path.suffix.lower() != ".json":
        return {path.stem: path}
    try:
        named = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error})") from None
    if isinstance(named, dict) and not _PAPER_FIELDS.isdisjoint(named):
        return {path.stem: path}
    if not isinstance(named, dict) or not all(isinstance(main, str) for main in named.values()):
        raise InputError(f"{path}: expected an object of main files by name")
    return {name: path.parent / main for name, main in named.items()}


@cache
def _index() -> PaperIndex:
    # One index for all projects of a process, as each keeps a file open.
    return PaperIndex()


def read_project(source: ProjectSource) -> Project:
    """Read a draft or an article; raises `InputError` if it cannot be read."""
    is_paper = collection.is_article(source.main) or collection.is_json(source.main)
    return (_read_article if is_paper else _read_draft)(source)


def _project(
    source: ProjectSource,
    candidates: Candidates,
    text: CitingText,
    cited: Sequence[tuple[int, tuple[int, ...]]],
    where: Mapping[int, tuple[Path, int]],
    language: str | None = None,
    problems: tuple[Problem, ...] = (),
) -> Project:
    """Return a project; `cited` are offsets and positions, `where` files and lines."""
    places = []
    before: set[int] = set()
    for start, positions in cited:
        file, line = where.get(start, (None, None))
        places.append(Place(start, positions, before.isdisjoint(positions), file, line))
        before.update(positions)
    paragraphs = text.text.replace(CITATION_MARK, " ").split("\n\n")
    prose = " ".join(part for part in paragraphs if len(part) >= _PARAGRAPH_CHARACTERS)
    known = language or identified(prose)
    return Project(source.name, source.group, candidates, text, tuple(places), known, problems)


def _digest(candidate: Candidate) -> str:
    entry = candidate.entry
    authors, year, doi = " and ".join(candidate.names), "", ""
    if entry is not None:
        authors = entry.fields.get("author") or entry.fields.get("editor") or authors
        year, doi = entry.year, entry.doi
    described = "\0".join((candidate.title, authors, year, doi))
    return blake2b(described.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _read_article(source: ProjectSource) -> Project:
    if collection.is_json(source.main):
        gone = Problem(source.main, source.line, "this paper is no longer in the file")
        found = next(collection.json_papers(source.main, source.line), gone)
    else:
        found = collection.read_article(source.main)
    if isinstance(found, Problem):
        raise InputError(str(found))
    works = []
    for number, reference in enumerate(found.paper.references, start=1):
        title = reference.title or reference.text
        note = reference.text if reference.text != title else ""
        # Its label is left out: most are numbers in the order of citation.
        fields = {**collection.fields_of(reference), "title": title, "note": note}
        known = {name: value for name, value in fields.items() if value}
        entry = BibEntry(str(number), "misc", known, source.main)
        work = ReferencePaper(title, "title")
        works.append(Candidate(entry.key, work, entry, reference.surnames))
    candidates = Candidates.of(works)
    text = collection.text_of_paper(found.paper, list(candidates).__getitem__)
    cited = [(place.start, tuple(int(key) - 1 for key in place.keys)) for place in text.places]
    return _project(source, candidates, text, cited, {})


def _read_draft(source: ProjectSource) -> Project:
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
    language = draft_language(draft)
    return _project(source, candidates, read.text, cited, where, language, problems)


def lacking(project: Project, left_out: Collection[int]) -> Project:
    """Return a project without the candidates at some positions.

    The places stay, and cite what is left: perhaps nothing.
    """
    others = [position for position in range(len(project.keys)) if position not in left_out]
    position_of = {before: now for now, before in enumerate(others)}
    works = list(project.candidates.values())
    places = (
        replace(place, cited=tuple(position_of[at] for at in place.cited if at in position_of))
        for place in project.places
    )
    candidates = Candidates.of(works[position] for position in others)
    return replace(project, candidates=candidates, places=tuple(places))


class ProjectEvidence:
    """The features of a project's candidates; `knowledge` draws what is dropped from entries.

    With `vectors` of texts, there are features of meaning.
    """

    def __init__(
        self,
        project: Project,
        knowledge: np.random.Generator | None = None,
        vectors: TextVectors | None = None,
    ) -> None:
        language, self._project = project.language, project
        ids = TermIds(stemmer(language), left_out=function_words(language))
        names: dict[str, int] = {}
        reader = EntryReader(ids, names)
        entries = (reader.read(each) for each in project.candidates.values())
        if knowledge is not None:
            entries = (without(entry, knowledge) for entry in entries)
        fields = EntryFields.of(entries, ids, names)
        has_order = not Keys.of(project.keys).in_order
        meanings = None
        if vectors is not None:
            meanings = Meanings(vectors, described_texts(project.candidates.values(), knowledge))
        self._evidence = features.Evidence(fields, ids, has_order=has_order, meanings=meanings)
        text = project.surrounded
        starts = [each.start for each in project.places]
        cited = [each.cited for each in project.places]
        self._citations = DraftCitations.of(text, starts, cited, ids)
        self._none = DraftCitations.of(text, (), (), ids)

    def at(self, place: int, situation: Situation) -> features.Features:
        """Return the features of all candidates at a place."""
        known = self._none if situation == "text only" else self._citations
        start, right = self._project.places[place].start, situation != "writing"
        return self._evidence.at(features.Place(known, start, right))


def lists_of(project: Project, seed: int = 0, vectors: TextVectors | None = None) -> Lists:
    """Return a project's training lists: a random sample of its places in every situation.

    With `vectors` of texts, they have features of meaning.
    """
    random = np.random.default_rng([seed, *project.name.encode()])
    number = len(project.places) * len(SITUATIONS)
    drawn = np.sort(random.choice(number, min(number, _MAX_LISTS), replace=False))
    complete = ProjectEvidence(project, None, vectors)
    dropped = ProjectEvidence(project, random, vectors)
    found: list[CitingList] = []
    for place, situation in zip(*np.divmod(drawn, len(SITUATIONS)), strict=True):
        evidence = dropped if random.random() < KNOWLEDGE else complete
        known = evidence.at(int(place), SITUATIONS[situation])
        found.append(CitingList.of(known, project.places[place].cited, random))
    return Lists(project.name, tuple(found))
