"""Fetch what entries lack, and accept only records of the same work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from ..cancellation import check
from ..library.same_work.titles import letters_of
from ..model.fetched import ABSTRACT_FROM, CITED_BY, CITING, CITING_FROM, OPEN_ACCESS
from ..model.papers import BibEntry
from .service import NotAskedError, Service, ServiceError
from .sources import Ask, Source, Wanted, sent_doi
from .verification import verify_match

#: What the author was shown of each source, by its name.
Shown = Mapping[str, Collection[Wanted]]

#: After this many questions in a row without a proper answer, a source is asked no more.
_MAX_FAILURES: Final = 3


class Question(NamedTuple):
    """The entry about which sources are asked, and what is wanted."""

    entry: BibEntry
    wants_abstract: bool = True
    wants_citing: bool = True


class WrongDoi(NamedTuple):
    """The DOI of an entry belongs to another work, or to none if `other` is empty."""

    entry: BibEntry
    other: str
    source: str
    right: str = ""

    def __str__(self) -> str:
        doi = self.entry.doi
        text = f"the DOI {doi} belongs to {self.other}, according to {self.source}"
        if not self.other:
            text = f"the DOI {doi} is unknown to {self.source}"
        right = f"; the DOI of this work is {self.right}" if self.right else ""
        return f"{self.entry.key}: {text}{right}"


class Fetched(NamedTuple):
    """An entry, and the fields that were fetched for it: those of `model.fetched`."""

    entry: BibEntry
    fields: dict[str, str]


@dataclass(slots=True)
class Outcome:
    """The results of a run, and what went wrong."""

    fetched: list[Fetched] = field(default_factory=list)
    wrong_dois: list[WrongDoi] = field(default_factory=list)
    #: Why a source gave no answer, by its name; it may have answered other questions.
    given_up: dict[str, str] = field(default_factory=dict)
    #: Why the results could not be stored; "" if they were.
    not_stored: str = ""


def questions(entries: Iterable[BibEntry]) -> list[Question]:
    """Return what can be asked: about entries with a DOI, an arXiv identifier or a title."""
    return [Question(each) for each in entries if sent_doi(each) or each.title]


def fetch(
    asked: Sequence[Question],
    services: Sequence[Service],
    outcome: Outcome,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    shown: Shown | None = None,
) -> None:
    """Ask services in turn for what is missing, and send nothing that was not `shown`."""
    run = Run(services, outcome, shown)
    for done, question in enumerate(asked):
        check()
        progress(done, len(asked))
        found = run.look_up(question)
        if found.fields:
            outcome.fetched.append(found)
    progress(len(asked), len(asked))


class Run:
    """Questions to services; of a service that keeps failing, only cached answers are used."""

    def __init__(
        self, services: Sequence[Service], outcome: Outcome, shown: Shown | None = None
    ) -> None:
        self.services = services
        self.outcome = outcome
        self.not_asked: dict[tuple[str, Wanted], None] = {}
        self._shown = shown
        self._given_up: set[str] = set()
        self._in_a_row = Counter[str]()

    def look_up(self, question: Question) -> Fetched:
        """Return what services know about an entry: by DOI, which is free, else by title."""
        look_up = _LookUp(question, self)
        doi, title = sent_doi(question.entry), question.entry.title
        if doi:
            look_up.ask_all(doi)
        if title and not look_up.know:
            # First where a search is free.
            for service in sorted(self.services, key=lambda each: each.source.charges_for_searches):
                if not look_up.doi:
                    look_up.ask(service, Wanted("", title))
            if look_up.doi:
                look_up.ask_all(look_up.doi)
        for service in self.services:
            # A source may have the work without its DOI.
            if title and look_up.know and look_up.wants_citing(service.source):
                look_up.ask(service, Wanted("", title))
        if doi and doi == question.entry.doi and (wrong := look_up.wrong_doi()):
            self.outcome.wrong_dois.append(wrong)
        return look_up.fetched

    @contextmanager
    def asking(self, service: Service, wanted: Wanted, found_doi: str) -> Iterator[Ask]:
        """Ask a service; note that it has answered what was `wanted`, or why it did not.

        It is sent what the author saw, and as a service that they saw, a DOI found since.
        """
        name = service.source.name
        shown = {wanted} if self._shown is None else self._shown.get(name, ())
        is_found = bool(shown and wanted.doi and wanted.doi == found_doi)
        send = (wanted in shown or is_found) and name not in self._given_up
        try:
            yield partial(service.ask, send=send)
        except NotAskedError:
            self.not_asked[name, wanted] = None
        except ServiceError as error:
            self.outcome.given_up[name] = str(error)
            self._in_a_row[name] += 1
            if error.lasting or self._in_a_row[name] >= _MAX_FAILURES:
                self._given_up.add(name)
        else:
            self._in_a_row[name] = 0


class _LookUp:
    """What is known about one entry so far: `doi` is that of a verified work."""

    def __init__(self, question: Question, run: Run) -> None:
        self.fetched = Fetched(question.entry, {})
        self.doi = ""
        #: Sources that know the work, and those that were asked, with the DOI.
        self.know: set[str] = set()
        self._asked: set[tuple[str, str]] = set()
        self._question, self._run = question, run
        self._others: dict[str, BibEntry] = {}
        self._unknown: list[Source] = []

    def wants_citing(self, source: Source) -> bool:
        return (
            bool(source.by_id and self._question.wants_citing) and CITING not in self.fetched.fields
        )

    def ask_all(self, doi: str) -> None:
        for service in self._run.services:
            self.ask(service, Wanted(doi, ""))

    def ask(self, service: Service, wanted: Wanted) -> None:
        source, name = service.source, service.source.name
        wants_abstract = self._question.wants_abstract and "abstract" not in self.fetched.fields
        is_needed = wants_abstract or self.wants_citing(source)
        if not is_needed or name in self.know or (name, wanted.doi) in self._asked:
            return
        self._asked.add((name, wanted.doi))
        with self._run.asking(service, wanted, self.doi) as ask:
            works = list(source.works(wanted, ask))
            if (work := self._found(source, wanted, works)) is not None:
                self.know.add(name)
                self.doi = self.doi or work.fields.get("doi", "")
                self._take(source, work, wants_abstract=wants_abstract)
                if self.wants_citing(source) and (citing := source.citing(work, ask)):
                    self.fetched.fields.update({CITING: citing, CITING_FROM: name})

    def _found(self, source: Source, wanted: Wanted, works: list[BibEntry]) -> BibEntry | None:
        by_doi, entry = bool(wanted.doi), self._question.entry
        letters = letters_of(entry.title)
        # Of several candidates, prefer the one with exactly this title.
        for work in sorted(works, key=lambda work: letters_of(work.title) != letters):
            found = verify_match(entry, work, by_doi=by_doi)
            if found == "same":
                return work
            if found == "other" and by_doi:
                self._others[source.name] = work
        if by_doi and not works:
            self._unknown.append(source)
        return None

    def _take(self, source: Source, work: BibEntry, *, wants_abstract: bool) -> None:
        entry, known = self.fetched
        found = {name: work.fields.get(name, "") for name in (OPEN_ACCESS, CITED_BY)}
        if wants_abstract and work.abstract:
            found |= {"abstract": work.abstract, ABSTRACT_FROM: source.name}
        found["doi"] = "" if entry.doi else work.fields.get("doi", "")
        known.update((n, value) for n, value in found.items() if value and n not in known)

    def wrong_doi(self) -> WrongDoi | None:
        """Return that the DOI of the entry is wrong, if it is."""
        entry = self._question.entry
        right = self.doi if self.doi != entry.doi else ""
        if self.know and not right:
            return None
        for source, work in self._others.items():
            other = f"“{work.title}” ({work.author_year})"
            return WrongDoi(entry, other, source, right)
        # One alone may lack it, and Crossref lacks those that are registered elsewhere.
        if sum(each.has_all_registrars for each in self._unknown) > 1:
            return WrongDoi(entry, "", " and ".join(each.name for each in self._unknown), right)
        return None
