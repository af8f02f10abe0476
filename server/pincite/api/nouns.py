"""The results of the API: immutable values, named with the terms of the field."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import regex

from ..checking.decisions import Decision as Decision
from ..checking.draft_report import KIND_TITLES as KIND_TITLES
from ..checking.library_health import EntryHealth as EntryHealth
from ..checking.library_health import LibraryHealth as LibraryHealth
from ..checking.library_health import LibraryProblem as LibraryProblem
from ..checking.numbers import AttributedNumber as AttributedNumber
from ..checking.references import REFERENCE_KINDS as REFERENCE_KINDS
from ..checking.verdicts import Verdict as Verdict
from ..checking.verdicts import VerdictCounts as VerdictCounts
from ..checking.whole_draft import KINDS as KINDS
from ..checking.whole_draft import OF_PAPERS as OF_PAPERS
from ..checking.whole_draft import CheckedCitation as CheckedCitation
from ..checking.whole_draft import Finding as Finding
from ..checking.whole_draft import Place as Place
from ..model.contexts import CitationContext
from ..model.papers import NO_BREAK_SPACE, OTHERS, Basis, BibEntry, Candidate
from ..model.problems import PinciteError as PinciteError
from ..model.problems import Problem as Problem
from ..model.results import Languages, RankedEntry, Strength, SupportingSentence
from ..parsing.paths import relative
from ..project.suggestions import nothing_fits
from ..settings import MIXED_RANKER

if TYPE_CHECKING:
    from ..model.drafts import Draft, DraftFile
    from ..project.around import Around
    from ..ranking.base import Ranking as RankedEntries
    from ..recommend import Recommender

#: The path of a file or a folder.
AnyPath: TypeAlias = str | os.PathLike[str]
#: One path, or several.
Paths: TypeAlias = AnyPath | Iterable[AnyPath]
#: Called with how many steps are done, and of how many.
Progress: TypeAlias = Callable[[int, int], None]
#: Where a problem was found: in the draft, in an entry, while a bibliography was read, while
#: Pincite's own files or Zotero were read, while papers were read.
ProblemSource = Literal["draft", "entries", "bibliographies", "setup", "papers"]
#: The words in a draft without spaces are pairs of characters that overlap.
_UNSPACED_PAIR = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]{2}")


def no_progress(done: int, total: int) -> None:
    """Show no progress."""


def listed(paths: Paths) -> list[Path]:
    """Return paths as a list: a string is one path, not many of one letter."""
    return [Path(paths)] if isinstance(paths, str | os.PathLike) else [*map(Path, paths)]


@dataclass(frozen=True, slots=True)
class Citation:
    r"""A citation in a draft, at its beginning.

    `keys` are all its keys as written, each of which stands at one of the `key_places`; `cited`
    leaves out those that are only a placeholder, such as ``?`` and ``TODO``. No bibliography of the
    draft has the `undefined` keys. `command` names the way of citing, such as ``citep``, and
    `written` is how an author knows it: ``\citep``. A `listed_only` citation (``\nocite``) adds to
    the bibliography and cites nothing at its place.
    """

    place: Place
    keys: tuple[str, ...]
    key_places: tuple[Place, ...]
    cited: tuple[str, ...]
    undefined: tuple[str, ...]
    command: str
    written: str
    listed_only: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a bibliography, or a work that a draft lists itself.

    `type` is in lower case, without ``@``. `authors` are the names of the authors, or else of the
    editors, as the entry has them; `author_year` is a label, such as ``Duma and Klein 2014``. `doi`
    is in lower case, without an address. `fields` maps names in lower case to values as a reader
    sees them: accents decoded, abbreviations resolved, fields of parents inherited. `file` is the
    bibliography. What is unknown is empty.
    """

    key: str
    type: str
    title: str
    authors: tuple[str, ...]
    year: str
    author_year: str
    doi: str
    fields: Mapping[str, str]
    file: Path

    @property
    def label(self) -> str:
        """Author, year and title, in one line."""
        return " · ".join(filter(None, (self.author_year, self.title)))


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An entry that may be cited at a place, and why.

    `rank` starts at 1. `score` orders the suggestions. `probability` is the probability, from 0 to
    1, that the work is cited here; only the ranker ``learned`` knows it, and its `reasons` are in
    words, the strongest first. `internal` and `external` are how similar the context is to the
    work itself, and to what others write where they cite it: parts of a cosine, from 0 to 1.
    `matched` are words of the context that were found in the work, the strongest first. `basis`
    is what the ranking rests on. `languages` are the codes (ISO 639-1) of the draft's and the
    work's languages, where these are known to differ.
    """

    key: str
    rank: int
    score: float
    probability: float | None
    internal: float
    external: float
    basis: tuple[Basis, ...]
    reasons: tuple[str, ...]
    matched: tuple[str, ...]
    languages: Languages | None
    entry: Entry


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence of a cited work that supports what a draft says.

    `probability`, from 0 to 1, is the probability that a reader calls it support, `strength` a
    label for that, and `score` what the matcher ranks sentences by. `page` is the page of the PDF,
    which starts at 1, `page_label` the number printed on it. `matched` are the words that made the
    sentence match, as half-open pairs of offsets (code points) into `text`. `highlighted` is
    whether you highlighted it in Zotero, `comment` what you noted there. `location` is the page
    and section in words.
    """

    text: str
    page: int | None
    page_label: str | None
    section: str | None
    strength: Strength | None
    probability: float | None
    score: float
    matched: tuple[tuple[int, int], ...]
    highlighted: bool
    comment: str
    location: str


@dataclass(frozen=True, slots=True)
class Support:
    """The evidence in a work for a place that cites it, or may cite it.

    `sentences` are the best ones: those that you highlighted first, then the strongest. `citance`
    is the sentence of the draft, without its citations. `entry` is None for an undefined key.
    `verdict` is the verdict on the citation; `remarks` have it in words where there are no
    sentences, with what to do, and what was not read. For `basis` and `languages` see `Suggestion`.
    """

    place: Place
    key: str
    entry: Entry | None
    citance: str
    basis: tuple[Basis, ...]
    languages: Languages | None
    sentences: tuple[Evidence, ...]
    remarks: tuple[str, ...]
    verdict: Verdict


class Ranking:
    """All entries of a project, as they fit at a place; its length is their number.

    `left` and `right` are the words around the place, `citance` is its sentence without citations.
    """

    def __init__(
        self,
        place: Place,
        context: CitationContext,
        ranked: RankedEntries,
        recommender: Recommender,
        key_of: Callable[[str], str | None],
    ) -> None:
        """Use `Project.rank` instead."""
        self.place, self.citance = place, context.citance
        self.left, self.right = _readable(context.left), _readable(context.right)
        self._context, self._ranked = context, ranked
        self._recommender, self._key_of = recommender, key_of

    def __repr__(self) -> str:
        return f"<Ranking of {len(self)} entries at {self.place}>"

    def __len__(self) -> int:
        return len(self._ranked)

    def rank_of(self, key: str) -> int | None:
        """Return the rank of an entry, from 1; None for an undefined key."""
        name = self._key_of(key)
        return None if name is None else self._ranked.rank_of(name)

    @property
    def nothing_fits(self) -> bool:
        """Whether none of the first five entries is likely (a fifth): the author may lack the work.

        False with ``mixed``, whose scores are no probabilities.
        """
        return nothing_fits(self._recommender, self._ranked)

    def best(self, top: int | None = 5) -> list[Suggestion]:
        """Return the entries that fit best, the best first; all if `top` is None."""
        recommender = self._recommender
        return suggestions(recommender, recommender.explain(self._context, self._ranked[:top]))


def suggestions(recommender: Recommender, ranked: Iterable[RankedEntry]) -> list[Suggestion]:
    """Return ranked entries, which are explained, with their ranks from 1 on."""
    is_learned = recommender.settings.ranking.ranker != MIXED_RANKER
    return [
        Suggestion(
            key=each.key,
            rank=rank,
            score=each.score,
            probability=each.score if is_learned else None,
            internal=each.internal,
            external=each.external,
            basis=each.basis,
            reasons=each.reasons,
            matched=each.matched,
            languages=recommender.languages(each.key),
            entry=entry_of(each.candidate),
        )
        for rank, each in enumerate(ranked, 1)
    ]


def discovered(
    found: Around, draft: Draft, file: DraftFile, offset: int, top: int | None
) -> list[Suggestion]:
    """Return the works of a list that fit a place best; their scores are no probabilities."""
    if not found.neighbours:
        return []
    ranked = found.ranked(found.recommender.context(draft, file, offset), top)
    shown = suggestions(found.recommender, ranked)
    return [replace(each, probability=None) for each in shown]


def _readable(words: Sequence[str]) -> str:
    """Return words as text, the overlapping character pairs of unspaced scripts joined again."""
    joined: list[str] = []
    for number, word in enumerate(words):
        pair = words[number - 1 : number + 1] if number else ()
        if len(pair) == 2 and all(map(_UNSPACED_PAIR.fullmatch, pair)) and pair[0][1] == word[0]:
            joined[-1] += word[1]
        else:
            joined.append(word)
    return " ".join(joined)


def entry_of(candidate: Candidate) -> Entry:
    """Return the entry of a work: a set has the names of its members."""
    entry = candidate.entry or BibEntry(candidate.key, "", {}, Path())
    who = entry.author_year or ", ".join(candidate.names)
    return replace(entry_from(entry), author_year=who, title=candidate.title)


def entry_from(entry: BibEntry) -> Entry:
    """Return the entry's own fields."""
    names = entry.fields.get("author") or entry.fields.get("editor") or ""
    authors = (name.replace(NO_BREAK_SPACE, " ").strip() for name in names.split(" and "))
    return Entry(
        key=entry.key,
        type=entry.entry_type,
        title=entry.title,
        authors=tuple(name for name in authors if name and not OTHERS.fullmatch(name)),
        year=entry.year,
        author_year=entry.author_year,
        doi=entry.doi,
        fields=entry.fields,
        file=entry.path,
    )


def evidence_from(sentence: SupportingSentence) -> Evidence:
    """Return a supporting sentence with its location in words."""
    parts = [sentence.section, sentence.marking]
    if sentence.page is not None:
        pdf_page = f" (PDF page {sentence.page})" if sentence.is_printed_otherwise else ""
        parts.insert(0, f"p. {sentence.printed_page}{pdf_page}")
    return Evidence(
        text=sentence.text,
        page=sentence.page,
        page_label=sentence.page_label,
        section=sentence.section,
        strength=sentence.strength,
        probability=sentence.probability,
        score=sentence.score,
        matched=tuple((span.start, span.end) for span in sentence.matched),
        highlighted=sentence.highlighted,
        comment=sentence.comment,
        location=", ".join(filter(None, parts)),
    )


def problem_text(problem: Problem) -> str:
    """Return a problem in one line, with file and line.

    Paths below the current folder are relative.

    >>> problem_text(Problem(Path("refs.bib").absolute(), 3, "no comma"))
    'refs.bib:3: no comma'
    """
    if problem.path is not None:
        path = relative(problem.path)
        if not path.startswith(".."):
            problem = replace(problem, path=Path(path))
    return str(problem).replace("\n", " ").replace("\r", " ")
