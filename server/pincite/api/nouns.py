"""What the API returns: values that never change, in the words of the field."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from ..checking.whole_draft import KINDS as KINDS
from ..checking.whole_draft import OF_PAPERS as OF_PAPERS
from ..checking.whole_draft import FindingKind
from ..model.basis import Basis
from ..model.problems import PinciteError as PinciteError
from ..model.problems import Problem as Problem
from ..model.results import Languages, Strength

#: The path of a file or a folder.
AnyPath: TypeAlias = str | os.PathLike[str]
#: One path, or several.
Paths: TypeAlias = AnyPath | Iterable[AnyPath]
#: Called with how many steps are done, and of how many.
Progress: TypeAlias = Callable[[int, int], None]


def no_progress(done: int, total: int) -> None:
    """Show no progress."""


def listed(paths: Paths) -> list[Path]:
    """Return paths as a list: a string is one path, not many of one letter."""
    return [Path(paths)] if isinstance(paths, str | os.PathLike) else [*map(Path, paths)]


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file of a draft; `line` and `column` start at 1, columns count code points.

    >>> str(Place(Path("thesis.tex"), 98, 61))
    'thesis.tex:98:61'
    """

    file: Path
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


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
    says what the ranking rests on. `languages` are the codes (ISO 639-1) of the draft's and the
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
    sentence match, as half-open pairs of offsets (code points) into `text`. `highlighted` says
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
    `remarks` explain why there are no sentences, or what was not read. For `basis` and `languages`
    see `Suggestion`.
    """

    place: Place
    key: str
    entry: Entry | None
    citance: str
    basis: tuple[Basis, ...]
    languages: Languages | None
    sentences: tuple[Evidence, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at in a draft before it is submitted.

    `kind` is one of ``undefined-key``, ``placeholder``, ``weak-support``, ``missing-citation`` and
    ``title-only``. `key` is the key concerned, empty for a placeholder and a missing citation.
    `excerpt` is the source around the place, `sentence` the sentence that it is in, without
    citations. `start` and `end` are offsets (code points) into the file.
    """

    kind: FindingKind
    place: Place
    message: str
    key: str
    excerpt: str
    sentence: str
    start: int
    end: int


def problem_text(problem: Problem) -> str:
    """Return a problem in one line, with file and line.

    Paths below the current folder are relative.

    >>> problem_text(Problem(Path("refs.bib").absolute(), 3, "no comma"))
    'refs.bib:3: no comma'
    """
    if problem.path is not None:
        relative = os.path.relpath(problem.path)
        if not relative.startswith(".."):
            problem = replace(problem, path=Path(relative))
    return str(problem).replace("\n", " ").replace("\r", " ")
