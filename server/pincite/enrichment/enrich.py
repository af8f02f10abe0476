"""Fetch what entries lack, and accept only records of the same work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..cancellation import check
from ..model.papers import BibEntry
from ..model.results import FromService
from .service import CachedAnswers, NotAskedError, ServiceError
from .sources import CitingWork, FoundWork, Source, Wanted, is_sendable
from .verification import same_title, verify_match

#: What the author was shown of each source, by its name.
Shown = Mapping[str, Collection[Wanted]]

#: arXiv registers a DOI for each of its identifiers.
_ARXIV: Final = "10.48550/arxiv."
#: After this many questions in a row without a proper answer, a source is asked no more.
_MAX_FAILURES: Final = 3


@dataclass(frozen=True, slots=True)
class Question:
    """What a source will be asked of an entry, and whether that lacks an abstract."""

    entry: BibEntry
    wanted: Wanted
    wants_abstract: bool = True


@dataclass(frozen=True, slots=True)
class WrongDoi:
    """The DOI of an entry is that of another work, or of none if `other` is empty."""

    entry: BibEntry
    other: str
    source: str
    right: str = ""

    def __str__(self) -> str:
        doi = self.entry.doi
        text = f"the DOI {doi} is that of {self.other}, says {self.source}"
        if not self.other:
            text = f"the DOI {doi} is unknown to {self.source}"
        if self.right:
            text += f"; that of this work is {self.right}"
        return f"{self.entry.key}: {text}"


@dataclass(slots=True)
class Fetched:
    """What came in of an entry; `abstract_from` and `citing_from` name sources."""

    entry: BibEntry
    abstract: str = ""
    abstract_from: str = ""
    doi: str = ""
    citing: Sequence[CitingWork] = ()
    citing_from: str = ""
    open_access: str = ""
    cited_by: int | None = None

    @property
    def says_anything(self) -> bool:
        """Whether anything came in."""
        texts = (self.abstract, self.citing, self.doi, self.open_access)
        return any(texts) or self.cited_by is not None


@dataclass(slots=True)
class Outcome:
    """What a run gave, with what went wrong."""

    fetched: list[Fetched] = field(default_factory=list)
    wrong_dois: list[WrongDoi] = field(default_factory=list)
    #: Why a source gave no answer, by its name; it may have answered other questions.
    given_up: dict[str, str] = field(default_factory=dict)
    #: Why what came in could not be stored, "" where it was.
    not_stored: str = ""

    def by_service(self) -> tuple[FromService, ...]:
        """Return what each service gave, by name."""
        abstracts, sentences = Counter[str](), Counter[str]()
        for each in self.fetched:
            abstracts[each.abstract_from] += bool(each.abstract)
            sentences[each.citing_from] += sum(len(work.sentences) for work in each.citing)
        names = sorted(filter(None, {*abstracts, *sentences}))
        return tuple(FromService(name, abstracts[name], sentences[name]) for name in names)


def questions(entries: Iterable[BibEntry]) -> list[Question]:
    """Return what would be asked: the DOI (or arXiv identifier) of each entry, else its title."""
    found = []
    for entry in entries:
        doi = entry.doi or (f"{_ARXIV}{entry.arxiv}" if entry.arxiv else "")
        wanted = Wanted(doi, "") if doi and is_sendable(doi) else Wanted("", entry.title)
        if wanted.doi or wanted.title:
            found.append(Question(entry, wanted))
    return found


def fetch(
    asked: Sequence[Question],
    services: Sequence[CachedAnswers],
    outcome: Outcome,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    shown: Shown | None = None,
) -> None:
    """Ask services in turn for what is missing, and send nothing that was not `shown`."""
    working = Working(services, outcome, shown)
    for done, question in enumerate(asked):
        check()
        progress(done, len(asked))
        fetched = look_up(question, working)
        if fetched.says_anything:
            outcome.fetched.append(fetched)
    progress(len(asked), len(asked))


class Working:
    """The services, of which those that fail are given up: then their cached answers serve."""

    def __init__(
        self, services: Sequence[CachedAnswers], outcome: Outcome, shown: Shown | None = None
    ) -> None:
        self.services = tuple(services)
        self.outcome = outcome
        self.not_asked: dict[tuple[str, Wanted], None] = {}
        self._shown = shown
        self._given_up: set[str] = set()
        self._in_a_row = Counter[str]()

    def asked(self, service: CachedAnswers, wanted: Wanted, found_doi: str) -> CachedAnswers:
        """Return what answers a question: a service, or only its cached answers.

        It is sent if the author was shown it, or, to a service that the author was shown, if it is
        the DOI that was found for the entry.
        """
        name = service.source.name
        shown = {wanted} if self._shown is None else self._shown.get(name, ())
        may = wanted in shown or (shown and wanted.doi and wanted.doi == found_doi)
        if may and name not in self._given_up:
            return service
        return CachedAnswers(service.source, service.answers)

    def ended(self, service: CachedAnswers, wanted: Wanted, error: ServiceError | None) -> None:
        """Note that a service has answered what was `wanted`, or why it has not."""
        name = service.source.name
        if isinstance(error, NotAskedError):
            self.not_asked[name, wanted] = None
        elif error is None:
            self._in_a_row[name] = 0
        else:
            self.outcome.given_up[name] = str(error)
            self._in_a_row[name] += 1
            if error.lasting or self._in_a_row[name] >= _MAX_FAILURES:
                self._given_up.add(name)


def look_up(question: Question, working: Working) -> Fetched:
    """Return what services know of an entry; a wrong DOI is added to the outcome.

    By its DOI first, which is sure, and free of charge everywhere. By its title only where no
    source knows the work by a DOI; the first match by title gives the others its DOI.
    """
    looking = _LookUp(question, working)
    looking.run()
    return looking.fetched


class _LookUp:
    def __init__(self, question: Question, working: Working) -> None:
        self.fetched = Fetched(question.entry)
        self._question = question
        self._entry = question.entry
        self._working = working
        #: The DOI of a work that was believed.
        self._doi = ""
        #: Sources that were asked, with the DOI; and those that know the work.
        self._asked: set[tuple[str, str]] = set()
        self._know: set[str] = set()
        self._others: dict[str, FoundWork] = {}
        self._unknown: list[Source] = []

    def run(self) -> None:
        doi, title = self._question.wanted.doi, self._entry.title
        services = self._working.services
        if doi:
            self._ask_all(doi)
        if title and not self._know:
            # First where a search is free.
            for service in sorted(services, key=lambda each: each.source.charges_for_searches):
                if not self._doi:
                    self._ask(service, Wanted("", title))
            if self._doi:
                self._ask_all(self._doi)
        for service in services:
            # A source may have the work without its DOI.
            if title and self._know and self._wants_citing(service):
                self._ask(service, Wanted("", title))
        if doi and doi == self._entry.doi:
            self._note_wrong_doi()

    def _ask_all(self, doi: str) -> None:
        for service in self._working.services:
            self._ask(service, Wanted(doi, ""))

    @property
    def _wants_abstract(self) -> bool:
        return self._question.wants_abstract and not self.fetched.abstract

    def _wants_citing(self, service: CachedAnswers) -> bool:
        return service.source.has_citing and not self.fetched.citing

    def _ask(self, service: CachedAnswers, wanted: Wanted) -> None:
        name = service.source.name
        is_needed = self._wants_abstract or self._wants_citing(service)
        if not is_needed or name in self._know or (name, wanted.doi) in self._asked:
            return
        self._asked.add((name, wanted.doi))
        failed = None
        try:
            asked = self._working.asked(service, wanted, self._doi)
            if (work := self._found(asked, wanted)) is not None:
                self._take(asked, work)
        except ServiceError as error:
            failed = error
        self._working.ended(service, wanted, failed)

    def _found(self, service: CachedAnswers, wanted: Wanted) -> FoundWork | None:
        """Return the work of the entry, as a source knows it."""
        by_doi, works = bool(wanted.doi), list(service.source.works(wanted, service.ask))
        # Of several candidates, prefer the one with exactly this title.
        for work in sorted(works, key=lambda work: not same_title(self._entry, work)):
            found = verify_match(self._entry, work, by_doi=by_doi)
            if found == "same":
                return work
            if found == "other" and by_doi:
                self._others[service.source.name] = work
        if by_doi and not works:
            self._unknown.append(service.source)
        return None

    def _take(self, service: CachedAnswers, work: FoundWork) -> None:
        source, fetched = service.source, self.fetched
        self._know.add(source.name)
        self._doi = self._doi or work.doi
        if self._wants_abstract and work.abstract:
            fetched.abstract, fetched.abstract_from = work.abstract, source.name
        fetched.doi = fetched.doi or ("" if self._entry.doi else work.doi)
        fetched.open_access = fetched.open_access or work.open_access
        fetched.cited_by = work.cited_by if fetched.cited_by is None else fetched.cited_by
        if self._wants_citing(service) and (citing := source.citing(work, service.ask)):
            fetched.citing, fetched.citing_from = citing, source.name

    def _note_wrong_doi(self) -> None:
        right = self._doi if self._doi != self._entry.doi else ""
        if self._know and not right:
            return
        # One alone may lack it, and Crossref lacks those that are registered elsewhere.
        other, source = "", " and ".join(each.name for each in self._unknown)
        is_wrong = sum(each.has_all_registrars for each in self._unknown) > 1
        if self._others:
            source, work = next(iter(self._others.items()))
            other, is_wrong = f"“{work.title}” ({work.entry().author_year})", True
        if is_wrong:
            wrong = WrongDoi(self._entry, other, source, right)
            self._working.outcome.wrong_dois.append(wrong)
