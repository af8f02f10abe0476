"""Supporting sentences that readers judged: citances of a folder of drafts and papers, and grades.

The data folder has drafts (`wild`, `drafts`), JOSS papers, CRAFT articles, a library of PDFs, and
full texts with citances (`evidence`). From drafts, we take citations of entries with a known
abstract; from papers, citations of another paper in the same folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Annotated, Literal

import msgspec
import numpy as np

from pincite.contexts.windows import extract
from pincite.library.same_work import WorkMatcher
from pincite.matching.sentence_features import FittedSentences, SentenceFeatures
from pincite.model.contexts import CitationContext
from pincite.model.papers import BibEntry, ReferencePaper
from pincite.model.problems import InputError
from pincite.parsing.bibtex import read_bibliography
from pincite.settings import Window
from pincite.text.stemming import stemmer

from ..collection import CollectionPaper, read_article, text_of_paper
from ..drafts.projects import project_sources, read_project
from ..processes import Workers, tracked
from ..results import grouped
from ..sentence_training import Sample
from .marked import has_marked, read_marked

#: The number of negative sentences from a work that is not cited.
_OF_OTHERS = 3
_GRADES = (0, 1, 2)
#: The grades of a sentence by one or more readers.
_Given = Annotated[tuple[Literal[0, 1, 2], ...], msgspec.Meta(min_length=1)]
#: The grades of the sentences of citances, by their ids.
Judgements = Mapping[str, Mapping[str, tuple[int, ...]]]


class _Judged(msgspec.Struct):
    citances: dict[str, dict[str, _Given]]


@dataclass(frozen=True, eq=False)
class CitedPassage:
    """A citation, at `offset` of `text`, of the work `cited` by the draft or paper `project`.

    `group` is its collection, `others` citances of other papers, `grades` readers' means by
    position.
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
        """The 20 words on each side, and the citance."""
        return extract(self.text, self.offset, Window(20, 20))

    @property
    def id(self) -> str:
        """The id in a list of judgements, which depends on letters and digits only."""
        return f"{self.project}>{self.cited}#{text_id(self.context.citance)}"


def text_id(text: str) -> str:
    """Return an id of a text by its letters and digits: 12 hexadecimal digits of SHA-256."""
    letters = re.sub(r"[\W_]+", "", text.casefold())
    return sha256(letters.encode("utf-8", "replace")).hexdigest()[:12]


def cited_passages(data: Path, jobs: int = 1) -> Iterator[CitedPassage]:
    """Yield all citations of a data folder; missing parts are skipped."""
    lists = (data / each / "drafts.json" for each in ("wild", "drafts", "articles/joss"))
    for names in filter(Path.is_file, lists):
        for project in map(read_project, project_sources([names])[0]):
            for place in project.places:
                for key in map(project.keys.__getitem__, place.cited):
                    paper = project.candidates[key].paper
                    if paper.basis == "abstract" and paper.sentences:
                        of = names.parent.name, project.name, key, paper
                        yield CitedPassage(*of, project.text.text, place.start)
    if (folder := data / "articles/craft").is_dir():
        files = {path.parent.name: path for path in sorted(folder.glob("*/article.xml"))}
        papers = _readable(files, jobs)
        works = (
            BibEntry(name, "article", {"title": paper.title, "doi": paper.doi}, folder)
            for name, paper in papers.items()
        )
        yield from _between(folder.name, papers, WorkMatcher(works))
    if (folder := data / "pdf-library").is_dir():
        entries = read_bibliography(folder / "library.bib").entries
        papers = _readable({key: folder / f"{key}.pdf" for key in entries}, jobs)
        of_papers = (entry for key, entry in entries.items() if key in papers)
        yield from _between(folder.name, papers, WorkMatcher(of_papers))
    if has_marked(folder := data / "evidence"):
        for item in read_marked(folder)[0]:
            if item.paper.basis == "full text":
                of = item.source, item.id, item.work, item.paper
                yield CitedPassage(*of, item.citance, len(item.citance))


def _readable(files: Mapping[str, Path], jobs: int) -> dict[str, ReferencePaper]:
    read = zip(files, Workers(jobs).map(read_article, list(files.values())), strict=True)
    return {name: found.paper for name, found in read if isinstance(found, CollectionPaper)}


def _between(
    group: str, papers: dict[str, ReferencePaper], works: WorkMatcher
) -> Iterator[CitedPassage]:
    found: list[CitedPassage] = []
    for name, paper in papers.items():
        named = [works.find(reference) for reference in paper.references]
        citing = text_of_paper(paper, named.__getitem__)
        for start, key in ((place.start, key) for place in citing.places for key in place.keys):
            if key != name:
                own = replace(papers[key], basis="full text")
                found.append(CitedPassage(group, name, key, own, citing.text, start))
    same = grouped(found, lambda one: one.cited)
    for each in found:
        others = (one.context.citance for one in same[each.cited] if one.project != each.project)
        yield replace(each, others=tuple(dict.fromkeys(others)))


def read_judgements(path: Path) -> Judgements:
    """Read a file of judgements; raises `InputError` for anything else, or for other grades."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Judged).citances
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path}: not a file of judgements ({error})") from error


def judged(
    passages: Iterable[CitedPassage], judgements: Judgements
) -> tuple[list[CitedPassage], int]:
    """Return the citances with mean grades, and the number of pairs that are not in the data."""
    found: list[CitedPassage] = []
    missing = dict(judgements)
    pairs = 0
    for passage in passages:
        if (grades := missing.pop(passage.id, None)) is not None:
            sentences = enumerate(passage.paper.sentences)
            positions = {text_id(sentence.text): position for position, sentence in sentences}
            known = {positions[one]: fmean(grades[one]) for one in grades if one in positions}
            pairs += len(grades) - len(known)
            found.append(replace(passage, grades=known))
    return found, pairs + sum(map(len, missing.values()))


def agreement(judgements: Judgements) -> float | None:
    """Return Cohen's κ of the first two readers, weighted linearly; None with one reader."""
    every = (given for grades in judgements.values() for given in grades.values())
    pairs = [given[:2] for given in every if len(given) > 1]
    if not pairs:
        return None
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*pairs, strict=True)
    if len({*first, *second}) == 1:
        return 1.0
    return float(cohen_kappa_score(first, second, weights="linear", labels=list(_GRADES)))


def samples_of_judged(
    judged: Sequence[CitedPassage], features: SentenceFeatures, seed: int = 0
) -> list[Sample]:
    """Return a sample of each citance's work, and one of a work that is not cited.

    Of the latter, the best sentences are wrong.
    """
    found: list[Sample] = []
    papers: dict[int, FittedSentences] = {}
    pairs = zip(judged, of_others(judged, seed), strict=True)
    for each, other in tracked(pairs, "Judged pairs", len(judged)):
        asked, full_text = each.context.asked, each.paper.basis == "full text"
        is_read = bool(features.words.reading.words(asked))
        for of in filter(None, (each, other) if is_read else ()):
            if id(of.paper) not in papers:
                papers[id(of.paper)] = features.fit(of.paper, stemmer("en"))
            fitted = papers[id(of.paper)]
            read = features.of(asked, features.cited_by(fitted, of.others))
            right = np.full(len(read.values), np.nan)
            if of is each:
                grades = [each.grades.get(at, np.nan) for at in fitted.paper.words.positions]
                right[:] = np.asarray(grades, np.float64) / 2
            else:
                right[np.argsort(-read.values[:, 0], kind="stable")[:_OF_OTHERS]] = 0.0
            if of is other or np.isfinite(right).any():
                known = full_text, read.eligible, of is each
                found.append(Sample(each.work, read.values, right, "judged", *known))
    return found


def of_others(judged: Sequence[CitedPassage], seed: int = 0) -> list[CitedPassage | None]:
    """Return, for each citance, a citation of another work with the same basis."""
    random = np.random.default_rng(seed)
    found: list[CitedPassage | None] = []
    for each in judged:
        basis, cited = each.paper.basis, each.cited
        same = [other for other in judged if other.paper.basis == basis and other.cited != cited]
        found.append(same[int(random.integers(len(same)))] if same else None)
    return found
