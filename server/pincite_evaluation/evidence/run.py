"""Supporting sentences that readers judged: how much of what is shown is support, and silence.

The data folder has theses (`wild`), JOSS papers, CRAFT articles and a library of PDFs. From drafts,
we take citations of entries with a known abstract; from papers, citations of another paper in the
same folder. `fused` and the probabilities come from models trained without the cited paper or, if
only abstracts are known, without the draft.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from pincite.contexts.windows import extract
from pincite.library.indexing import available_processors
from pincite.library.same_work import WorkMatcher
from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.base import SentenceMatcher
from pincite.matching.fused import FusedMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.strength import shown
from pincite.matching.vectors import WordVectors
from pincite.model.contexts import CitationContext
from pincite.model.papers import BibEntry, ReferencePaper
from pincite.model.problems import InputError
from pincite.model.results import SupportingSentence
from pincite.parsing.bibtex import read_bibliography
from pincite.parsing.papers import read_paper
from pincite.parsing.papers.xml import read_xml
from pincite.settings import Window
from pincite.text.stemming import stemmer

from ..baselines.encoders import CachingEncoder, open_encoder
from ..baselines.systems import System, chosen, named
from ..cited_text.model_training import Sample, dealt, samples_of_papers, train
from ..corpora.citing_papers import text_of_paper
from ..corpora.scisumm import AnnotatedPaper, read_scisumm
from ..drafts.projects import project_sources, read_project
from ..processes import Progress, Steps, Workers, ignored, reported, silent
from ..report import page
from ..report.page import Column, Table, fraction, percent
from ..results import Result, Row, calibration_error, ndcg, reliability

if TYPE_CHECKING:
    from rich.console import RenderableType

#: The default systems: those that need neither training nor a transformer.
SYSTEMS = ("fused", "asymmetric", "symmetric", "bm25-2field", "bm25-3field-sum", "bm25", "tfidf")
_DRAFTS = ("wild/drafts.json", "articles/joss/drafts.json")
_ARTICLES = "articles/craft"
_LIBRARY = "pdf-library"
_CORPUS = "cl-scisumm/data"
_FUSED = "fused"
#: The number of sentences of which some are shown, and those that count as the first.
_DEPTH = 10
_FIRST = 2
#: The number of negative sentences from a work that is not cited.
_OF_OTHERS = 3
_GRADES = (0, 1, 2)
#: The grades of the sentences of citances, by their ids.
Judgements = Mapping[str, Mapping[str, tuple[int, ...]]]
#: What a system found for each citance.
_Run = list[list[SupportingSentence]]
_Works = Sequence["CitedPassage | None"]


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
    for names in (data / each for each in _DRAFTS if (data / each).is_file()):
        for project in map(read_project, project_sources([names])[0]):
            for place in project.places:
                for key in map(project.keys.__getitem__, place.cited):
                    paper = project.candidates[key].paper
                    if paper.basis == "abstract" and paper.sentences:
                        of = names.parent.name, project.name, key, paper
                        yield CitedPassage(*of, project.text.text, place.start)
    if (folder := data / _ARTICLES).is_dir():
        papers: dict[str, ReferencePaper] = {}
        for path in sorted(folder.glob("*/article.xml")):
            with suppress(InputError):
                papers[path.parent.name] = read_xml(path)
        works = [
            BibEntry(name, "article", {"title": paper.title, "doi": paper.doi}, folder)
            for name, paper in papers.items()
        ]
        yield from _between(folder.name, papers, WorkMatcher(works))
    if (folder := data / _LIBRARY).is_dir():
        entries = read_bibliography(folder / "library.bib").entries
        read = Workers(jobs).map(_read, [folder / f"{key}.pdf" for key in entries])
        papers = {key: paper for key, paper in zip(entries, read, strict=True) if paper is not None}
        of_papers = (entry for key, entry in entries.items() if key in papers)
        yield from _between(folder.name, papers, WorkMatcher(of_papers))


def _read(path: Path) -> ReferencePaper | None:
    try:
        return read_paper(path)
    except InputError:
        return None


def _between(
    group: str, papers: dict[str, ReferencePaper], works: WorkMatcher
) -> Iterator[CitedPassage]:
    found: list[CitedPassage] = []
    for name, paper in papers.items():
        named = [works.find(reference) for reference in paper.references]
        if any(named):
            citing = text_of_paper(paper, named.__getitem__)
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


def read_judgements(path: Path) -> Judgements:
    """Read a file of judgements; raises `InputError` for anything else, or for other grades."""
    try:
        read = json.loads(path.read_text("utf-8"))["citances"]
        found = {
            str(citance): {str(sentence): tuple(given) for sentence, given in grades.items()}
            for citance, grades in read.items()
        }
        for given in (given for grades in found.values() for given in grades.values()):
            if not given or not set(given) <= set(_GRADES):
                raise ValueError(f"{given} are not grades")
        return found
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
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
    judged: Sequence[CitedPassage],
    features: SentenceFeatures,
    seed: int = 0,
    progress: Progress = ignored,
) -> list[Sample]:
    """Return samples of judged sentences, and of the best ones of works that are not cited."""
    found: list[Sample] = []
    pairs = zip(judged, of_others(judged, seed), strict=True)
    for each, other in reported(pairs, len(judged), progress):
        asked, full_text = each.context.asked, each.paper.basis == "full text"
        if features.words.reading.words(asked):
            fitted = features.fit(each.paper, stemmer("en"))
            row_of = {position: row for row, position in enumerate(fitted.paper.words.positions)}
            known = [(row_of[at], grade) for at, grade in each.grades.items() if at in row_of]
            if known:
                rows, grades = zip(*known, strict=True)
                read = features.cited_by(fitted, each.others)
                values = features.of(asked, read).values[list(rows)]
                found.append(Sample(each.work, values, np.array(grades) / 2, True, full_text))
            if other is not None:
                read = features.fit(other.paper, stemmer("en"))
                values = features.of(asked, features.cited_by(read, other.others)).values
                best = values[np.argsort(-values[:, 0], kind="stable")[:_OF_OTHERS]]
                right = np.zeros(len(best))
                found.append(Sample(each.work, best, right, True, full_text, cited=False))
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


def evaluate(
    data: Path,
    judgements: Path,
    systems: Sequence[str] = (),
    *,
    seed: int = 0,
    jobs: int | None = 1,
    progress: Steps = silent,
) -> Result:
    """Score systems on the pairs of a file of judgements, whose texts are in the folder `data`.

    There are two rows for each system on texts of one basis: `sentences` are the first two, or
    those with a strength, as authors see them. `answered` is the share of citances with a helpful
    sentence that get an answer, `silence_right` that of unanswered ones without, `silent_elsewhere`
    that for which nothing is shown from another, random work. With the CL-SciSumm corpus in `data`,
    `fused` is trained on it as well. Raises `InputError` for missing files, unknown systems, and
    without scikit-learn.
    """
    wanted = chosen(systems or SYSTEMS)
    read = read_judgements(judgements)
    known, missing = judged(cited_passages(data, jobs or available_processors()), read)
    if not known:
        raise InputError(f"{data}: contains none of the citances of {judgements}")
    vectors = WordVectors.packaged()
    corpus = data / _CORPUS
    papers = read_scisumm(corpus, "train").papers if corpus.is_dir() else ()
    held_out = {
        one.name: _held_out(one, known, papers, vectors, seed, progress)
        for one in {_FUSED: named(_FUSED), **{one.name: one for one in wanted}}.values()
        if issubclass(one.matcher_class, FusedMatcher)
    }
    rows: list[Row] = []
    calibration: dict[str, Any] = {}
    for basis in dict.fromkeys(each.paper.basis for each in known):
        own = [each for each in known if each.paper.basis == basis]
        # Each citance is asked of the work that it cites, and of another one.
        works: tuple[_Works, _Works] = (own, of_others(own, seed))
        strengths = {
            name: [_strengths(matchers, own, some) for some in works]
            for name, matchers in held_out.items()
        }
        for system in wanted:
            of_work: Mapping[str, SentenceMatcher[Any]] = held_out.get(system.name) or (
                dict.fromkeys((each.work for each in own), system.matcher(vectors))
            )
            step = progress(f"{system.name}, {basis}")
            runs = [_run(of_work, own, some) for some in reported(works, len(works), step)]
            strength = strengths.get(system.name, strengths[_FUSED])
            rows += _rows(system.name, basis, own, runs, strength)
        pairs = [
            (known_of[at], grade >= 1)
            for each, known_of in zip(own, strengths[_FUSED][0], strict=True)
            for at, grade in each.grades.items()
            if at in known_of
        ]
        curve = reliability([share for share, _ in pairs], [helps for _, helps in pairs])
        points = [each._asdict() for each in curve]
        calibration[basis] = {"error": calibration_error(curve), "curve": points}
    facts = {
        "citances": len(known),
        "pairs": sum(len(each.grades) for each in known),
        "missing": missing,
        "kappa": agreement(read),
    }
    return Result(facts=facts, rows=tuple(rows), more={"calibration": calibration})


def _held_out(
    system: System,
    known: Sequence[CitedPassage],
    papers: Sequence[AnnotatedPaper],
    vectors: WordVectors,
    seed: int,
    progress: Steps,
) -> dict[str, FusedMatcher]:
    """Return, for each work, a matcher whose model was trained without it."""
    encoder = CachingEncoder(open_encoder()) if system.uses_encoder else None
    given: dict[str, Any] = {"vectors": vectors, **system.parameters}
    given |= {} if encoder is None else {"encoder": encoder}
    features = SentenceFeatures(AsymmetricMatcher(vectors), encoder)
    reading = progress(f"Reading judged pairs, {system.name}")
    samples = samples_of_judged(known, features, seed, reading)
    reading = progress(f"Reading annotated papers, {system.name}")
    samples += samples_of_papers(papers, features, reading, seed=seed)
    folds = dealt((each.work for each in known), seed)
    found: dict[str, FusedMatcher] = {}
    for fold in reported(folds, len(folds), progress(f"Training {system.name}")):
        model = train(samples, features.names, seed=seed, held_out=fold)
        found |= dict.fromkeys(fold, system.matcher_class(**given, sentence_model=model))
    return found


def _strengths(
    of_work: Mapping[str, FusedMatcher], asked: Sequence[CitedPassage], works: _Works
) -> list[Mapping[int, float]]:
    matchers = [of_work[each.work] for each in asked]
    return [
        matcher.probabilities(each.context.asked, _fitted(matcher, work)) if work else {}
        for matcher, each, work in zip(matchers, asked, works, strict=True)
    ]


def _run(
    of_work: Mapping[str, SentenceMatcher[Any]], asked: Sequence[CitedPassage], works: _Works
) -> _Run:
    run: _Run = []
    for each, work in zip(asked, works, strict=True):
        found: Sequence[SupportingSentence] = ()
        if work is not None:
            matcher, number = of_work[each.work], len(work.paper.sentences)
            found = matcher.match(each.context.asked, _fitted(matcher, work), number)
        run.append([one for one in found if one.matched])
    return run


def _fitted(matcher: SentenceMatcher[Any], passage: CitedPassage) -> Any:  # noqa: ANN401
    fitted = matcher.fit(passage.paper)
    if isinstance(matcher, FusedMatcher):
        return matcher.cited_by(fitted, passage.others)
    return fitted


def _rows(
    system: str,
    basis: str,
    own: Sequence[CitedPassage],
    runs: Sequence[_Run],
    strengths: Sequence[Sequence[Mapping[int, float]]],
) -> list[Row]:
    """Return the rows of the run for the cited works, and of that for other works."""
    scores = []
    for each, found in zip(own, runs[0], strict=True):
        # Of the judged sentences in a system's order; those it leaves out are last.
        gains = [each.grades[one.position] for one in found if one.position in each.grades]
        gains += [0.0] * (len(each.grades) - len(gains))
        scores.append(ndcg(gains, sorted(each.grades.values(), reverse=True), _DEPTH))
    first = ([found[:_FIRST] for found in run] for run in runs)
    as_shown = (
        [
            shown(found[:_DEPTH], [known.get(one.position, 0.0) for one in found[:_DEPTH]])
            for found, known in zip(run, strength, strict=True)
        ]
        for run, strength in zip(runs, strengths, strict=True)
    )

    def share(of: Iterable[object]) -> float:
        listed = [bool(each) for each in of]
        return sum(listed) / max(1, len(listed))

    rows = []
    for sentences, (given, elsewhere) in (("first two", first), ("as shown", as_shown)):
        both = list(zip(own, given, strict=True))
        grades = [[each.grades.get(one.position) for one in some] for each, some in both]
        firsts = [some[0] for some in grades if some and some[0] is not None]
        silent_right = [not each.supporting for each, some in both if not some]
        figures = {
            "system": system,
            "basis": basis,
            "sentences": sentences,
            "citances": len(own),
            "first_relevant": share(grade > 1 for grade in firsts),
            "first_helps": share(grade >= 1 for grade in firsts),
            "irrelevant": share(one < 1 for some in grades for one in some if one is not None),
            "answered": share(some for each, some in both if each.supporting),
            "silence_right": share(silent_right) if silent_right else None,
            "silent_elsewhere": share(not some for some in elsewhere),
            "ndcg": float(np.mean(scores)),
            "shown_for_each": sum(map(len, given)) / max(1, sum(map(bool, given))),
            "unjudged": sum(one is None for some in grades for one in some),
        }
        rows.append(Row(system, figures))
    return rows


def text(result: Result) -> Iterator[RenderableType]:
    """Yield the table, the sizes and the calibration for a terminal."""
    shares = ("first_relevant", "first_helps", "irrelevant", "answered")
    columns: list[Column] = [
        ("percent", "system", str),
        ("text", "basis", str),
        ("sentences", "sentences", str),
        *((name.replace("_", " "), name, percent) for name in shares),
        ("silence right", "silence_right", lambda of: "-" if of is None else percent(of)),
        ("silent elsewhere", "silent_elsewhere", percent),
        ("nDCG", "ndcg", fraction),
        ("for each", "shown_for_each", page.number(2)),
        ("unjudged", "unjudged", str),
    ]
    yield Table.of("", columns, result.rows, words=3).text()
    of = result.facts
    readers = "one reader" if of["kappa"] is None else f"two readers (κ {of['kappa']:.2f})"
    yield f"{of['pairs']:,} pairs of {of['citances']:,} citances, judged by {readers}"
    if of["missing"]:
        yield f"{of['missing']:,} more pairs are not in the data, or their text has changed"
    for basis, found in result.more["calibration"].items():
        points = (f"{each['predicted']:.2f} → {each['observed']:.2f}" for each in found["curve"])
        yield f"{basis}: calibration error {found['error']:.3f} ({', '.join(points)})"
