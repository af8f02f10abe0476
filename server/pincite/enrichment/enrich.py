"""Fetch what is missing of entries, and believe only what is said of the same work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ..cancellation import check
from ..library.lent_texts import prose_label
from ..library.same_work import WorkMatcher, as_reference
from ..model.papers import BibEntry, Reference
from .service import Service, ServiceError
from .sources import CitingWork, FoundWork, Wanted

#: Between the years of an entry and of what is said of it: an issue appears after its articles.
_MOST_YEARS = 1


@dataclass(frozen=True, slots=True)
class Question:
    """What a source will be asked of an entry."""

    entry: BibEntry
    wanted: Wanted


@dataclass(frozen=True, slots=True)
class WrongDoi:
    """The DOI of an entry is that of another work, which a source describes."""

    entry: BibEntry
    other: str
    source: str

    def __str__(self) -> str:
        told = f"the DOI {self.entry.doi} is that of {self.other}, says {self.source}"
        return f"{self.entry.key}: {told}"


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
    def is_complete(self) -> bool:
        """Whether nothing more would be asked for."""
        return bool(self.abstract or prose_label(self.entry)) and bool(self.citing)


@dataclass(slots=True)
class Outcome:
    """What a run gave, with what went wrong."""

    fetched: list[Fetched] = field(default_factory=list)
    wrong_dois: list[WrongDoi] = field(default_factory=list)
    #: Why a source was given up, by its name.
    given_up: dict[str, str] = field(default_factory=dict)


def questions(entries: Iterable[BibEntry]) -> list[Question]:
    """Return what would be asked: the DOI of each entry that has one, else its title.

    Entries with neither cannot be asked for.
    """
    found = []
    for entry in entries:
        wanted = Wanted(entry.doi, "") if entry.doi else Wanted("", entry.title)
        if wanted.doi or wanted.title:
            found.append(Question(entry, wanted))
    return found


def fetch(
    asked: Sequence[Question],
    services: Sequence[Service],
    outcome: Outcome,
    progress: Callable[[int], None] = lambda _done: None,
) -> None:
    """Ask services in turn for what is missing; a service that fails is given up.

    `progress` is called with how many entries are done. Raises `CancelledError`; `outcome` has
    what came by then.
    """
    working = list(services)
    for done, question in enumerate(asked):
        check()
        progress(done)
        fetched = Fetched(question.entry)
        for service in tuple(working):
            if fetched.is_complete:
                break
            try:
                _ask(question, service, fetched, outcome)
            except ServiceError as error:
                working.remove(service)
                outcome.given_up[service.source.name] = str(error)
        if fetched.abstract or fetched.citing or fetched.doi:
            outcome.fetched.append(fetched)
        if not working:
            break
    progress(len(asked))


def _ask(question: Question, service: Service, fetched: Fetched, outcome: Outcome) -> None:
    source, entry = service.source, question.entry
    wants_abstract = not (fetched.abstract or prose_label(entry))
    if not (wants_abstract or (source.has_citing and not fetched.citing)):
        return
    work = _found(question, service, outcome)
    if work is None:
        return
    if wants_abstract and work.abstract:
        fetched.abstract, fetched.abstract_from = work.abstract, source.name
    fetched.doi = fetched.doi or ("" if entry.doi else work.doi)
    fetched.open_access = fetched.open_access or work.open_access
    fetched.cited_by = work.cited_by if fetched.cited_by is None else fetched.cited_by
    if source.has_citing and (citing := source.citing(work, service.ask)):
        fetched.citing, fetched.citing_from = citing, source.name


def _found(question: Question, service: Service, outcome: Outcome) -> FoundWork | None:
    """Return what a source says of the work of an entry; by its title if the DOI is wrong."""
    wanted, entry, source = question.wanted, question.entry, service.source
    works = WorkMatcher((entry,))
    if wanted.doi:
        for work in source.works(wanted, service.ask):
            if is_same_work(work, works):
                return work
            if work.title and entry.title:
                other = f"“{work.title}” ({work.entry().author_year})"
                if not any(wrong.entry is entry for wrong in outcome.wrong_dois):
                    outcome.wrong_dois.append(WrongDoi(entry, other, source.name))
    if not entry.title:
        return None
    found = source.works(Wanted("", entry.title), service.ask)
    return next((work for work in found if is_same_work(work, works)), None)


def is_same_work(work: FoundWork, works: WorkMatcher) -> bool:
    """Return whether a work is the one entry of `works`, by title, authors and year alone.

    Its DOI is no evidence: what is asked by a DOI has that DOI. Elsewhere the same title and
    authors are enough for a work and its preprint; what comes from others must be closer.
    """
    said, (entry,) = as_reference(work.entry()), works.entries
    if said.year and entry.year and abs(int(said.year[:4]) - int(entry.year)) > _MOST_YEARS:
        return False
    return works.find(Reference(said.title, said.surnames, said.year)) is not None
