"""The results of ranking and matching, with the parts that explain them."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import shorten
from typing import Final, Literal, TypeAlias

from .papers import Basis, Candidate
from .spans import TextSpan

#: How strongly a sentence supports a citance, as shown to authors.
Strength = Literal["strong", "partial"]
#: The codes (ISO 639-1) of a draft's and a work's languages, if they certainly differ.
Languages: TypeAlias = tuple[str, str]
#: An author's comment is cut to so many characters where it stands beside a sentence.
_MAX_COMMENT: Final = 200


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """A candidate with its score, a fraction.

    `internal` is the similarity of the context to its own text, `external` that to its inlink
    contexts: the two parts of a cosine, which is the score itself for the `mixed` ranker. For the
    learned ranker, the score is the probability that the work is cited here, and `reasons` are the
    main reasons for it, strongest first. `matched` lists the words of the context found in it,
    strongest first; `bag` is the index of the ranker's bag (such as a passage) that scored.
    """

    candidate: Candidate
    score: float
    internal: float
    external: float
    basis: tuple[Basis, ...]
    matched: tuple[str, ...] = ()
    bag: int = 0
    reasons: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Citation key of the entry."""
        return self.candidate.key


@dataclass(frozen=True, slots=True)
class SupportingSentence:
    """A sentence of the cited paper that supports a citance.

    `score` is the matcher's score, a fraction; `probability` is the probability that a reader would
    call it support, independent of the matcher, and `strength` a label for that; both are None
    until they are known. `matched` has the offsets of the words in `text` that made it match;
    `page` is the 1-based page of the PDF, `page_label` the number printed on it. `highlighted` is
    whether the author has highlighted it, `comment` what the author noted there, `annotation` the
    key of that highlight in Zotero.
    """

    text: str
    score: float
    matched: tuple[TextSpan, ...] = ()
    page: int | None = None
    page_label: str | None = None
    section: str | None = None
    position: int = 0
    probability: float | None = None
    strength: Strength | None = None
    highlighted: bool = False
    comment: str = ""
    annotation: str = ""

    @property
    def marking(self) -> str:
        """What the author did with it, in words; "" if nothing."""
        if not self.highlighted:
            return ""
        comment = shorten(self.comment, _MAX_COMMENT, placeholder=" …")
        return f"you highlighted this: “{comment}”" if comment else "you highlighted this"

    @property
    def printed_page(self) -> str:
        """The page as authors cite it: the number printed on it, else that of the PDF; or ""."""
        return self.page_label or ("" if self.page is None else str(self.page))

    @property
    def is_printed_otherwise(self) -> bool:
        """Whether another number is printed on the page than it has in the PDF."""
        return self.page is not None and self.printed_page != str(self.page)


@dataclass(frozen=True, slots=True)
class LibraryCounts:
    """Entries by what is known about them, and by what is wrong; `cited` are those the draft cites.

    `named_files` are entries that name files, `missing_files` those of them without any file and
    without another full text. `scanned`, `encrypted` and `unreadable` count files, `duplicates`
    entries of the same work as an earlier one, `repeated_keys` entries that are ignored.
    `from_zotero` are entries whose full text or abstract is Zotero's.
    """

    entries: int
    cited: int
    full_text: int
    abstract: int
    title: int
    named_files: int
    missing_files: int
    scanned: int
    encrypted: int
    unreadable: int
    duplicates: int
    repeated_keys: int
    without_year: int
    broken: int
    from_zotero: int


@dataclass(frozen=True, slots=True)
class CommonFolder:
    """The folder, as the entries name it, that `shared` of the missing files are in."""

    folder: str
    shared: int


@dataclass(frozen=True, slots=True)
class FromService:
    """What is in use from one service: abstracts of entries, and citing sentences."""

    service: str
    abstracts: int
    sentences: int
