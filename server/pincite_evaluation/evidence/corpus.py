"""Citances of real drafts and papers, each with the work that it cites, for readers to judge.

The data folder has theses (`wild`), JOSS papers (`articles/joss`), two pairs of CRAFT articles
(`articles/craft`) and a library of PDFs (`pdf-library`). From drafts, we take citations of entries
with a known abstract; from papers, citations of another paper in the same folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from pincite.contexts.citing_text import text_of_paper
from pincite.contexts.windows import extract
from pincite.library.same_work import WorkMatcher
from pincite.model.citing_text import CitingText
from pincite.model.contexts import CitationContext
from pincite.model.papers import BibEntry, ReferencePaper
from pincite.model.problems import InputError
from pincite.parsing.bibtex import read_bibliography
from pincite.parsing.papers import read_paper
from pincite.parsing.papers.xml import read_xml
from pincite.settings import Window

from ..drafts.projects import project_sources, read_project
from ..processes import Workers

_WINDOW = Window(20, 20)
_DRAFTS = ("wild/drafts.json", "articles/joss/drafts.json")
_ARTICLES = "articles/craft"
_LIBRARY = "pdf-library"
_NO_LETTER = re.compile(r"[\W_]+")
_ID_DIGITS = 12


@dataclass(frozen=True, eq=False)
class CitedPassage:
    """A citation of a work known by more than its title.

    `project` is the citing draft or paper, `group` its collection, `cited` the work's key there.
    The citation is at `offset` of `text`; `others` are the citances of other papers that cite the
    work. `grades` are the means of readers' grades, by the positions of the sentences judged.
    """

    group: str
    project: str
    cited: str
    paper: ReferencePaper
    text: str
    offset: int
    others: tuple[str, ...] = ()
    grades: Mapping[int, float] = field(default_factory=dict)

    @property
    def work(self) -> str:
        """The unit that is held out: the draft if it cites many works, else the cited paper."""
        return self.cited if self.paper.basis == "full text" else self.project

    @property
    def supporting(self) -> frozenset[int]:
        """The positions of the sentences that help a reader: those graded 1 or more."""
        return frozenset(position for position, grade in self.grades.items() if grade >= 1)

    @cached_property
    def context(self) -> CitationContext:
        """The context of the citation, as an author's."""
        return extract(self.text, self.offset, _WINDOW)

    @property
    def id(self) -> str:
        """The id in a list of judgements, which depends on letters and digits only."""
        return f"{self.project}>{self.cited}#{text_id(self.context.citance)}"


def text_id(text: str) -> str:
    """Return the id of a sentence, independent of spaces and punctuation."""
    letters = _NO_LETTER.sub("", text.casefold())
    return sha256(letters.encode("utf-8", "replace")).hexdigest()[:_ID_DIGITS]


def cited_passages(data: Path, jobs: int = 1) -> Iterator[CitedPassage]:
    """Yield all citations of a data folder; missing parts are skipped."""
    for names in _DRAFTS:
        if (data / names).is_file():
            yield from _of_drafts(data / names)
    if (data / _ARTICLES).is_dir():
        yield from _of_articles(data / _ARTICLES)
    if (data / _LIBRARY).is_dir():
        yield from _of_library(data / _LIBRARY, jobs)


def _of_drafts(names: Path) -> Iterator[CitedPassage]:
    sources, _ = project_sources([names])
    for source in sources:
        project = read_project(source)
        text = project.text.text
        for place in project.places:
            for number in place.cited:
                key = project.keys[number]
                paper = project.candidates[key].paper
                if paper.basis == "abstract" and paper.sentences:
                    group = names.parent.name
                    yield CitedPassage(group, project.name, key, paper, text, place.start)


def _of_articles(folder: Path) -> Iterator[CitedPassage]:
    papers: dict[str, ReferencePaper] = {}
    for path in sorted(folder.glob("*/article.xml")):
        with suppress(InputError):
            papers[path.parent.name] = read_xml(path)
    entries = [
        BibEntry(name, "article", {"title": paper.title, "doi": paper.doi}, folder)
        for name, paper in papers.items()
    ]
    yield from _between(folder.name, papers, WorkMatcher(entries))


def _of_library(folder: Path, jobs: int) -> Iterator[CitedPassage]:
    entries = read_bibliography(folder / "library.bib").entries
    paths = {key: folder / f"{key}.pdf" for key in entries}
    read = zip(paths, Workers(jobs).map(_read, list(paths.values())), strict=True)
    papers = {key: paper for key, paper in read if paper is not None}
    works = WorkMatcher(entry for key, entry in entries.items() if key in papers)
    yield from _between(folder.name, papers, works)


def _read(path: Path) -> ReferencePaper | None:
    try:
        return read_paper(path)
    except InputError:
        return None


def _between(
    group: str, papers: dict[str, ReferencePaper], works: WorkMatcher
) -> Iterator[CitedPassage]:
    """Yield the citations between papers, resolved by their reference lists."""
    found: list[CitedPassage] = []
    for name, paper in papers.items():
        named = [works.find(reference) for reference in paper.references]
        if not any(named):
            continue
        citing: CitingText = text_of_paper(paper, named.__getitem__)
        for place in citing.places:
            for key in place.keys:
                if key != name:
                    own = replace(papers[key], basis="full text")
                    found.append(CitedPassage(group, name, key, own, citing.text, place.start))
    for each in found:
        same = (other for other in found if other.cited == each.cited)
        others = dict.fromkeys(
            other.context.citance for other in same if other.project != each.project
        )
        yield replace(each, others=tuple(others))
