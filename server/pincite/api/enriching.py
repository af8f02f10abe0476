"""Fetch what entries lack from the network; a plan comes first, which sends nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from ..edits.entries import fields_added
from ..enrichment.enrich import Outcome, WrongDoi, fetch, questions
from ..enrichment.plans import EnrichmentPlan as EnrichmentPlan
from ..enrichment.plans import plan, run, sources, text_is_known
from ..enrichment.service import Answers, opened
from ..enrichment.sources import SOURCES, Source
from ..library.index import PaperIndex
from ..model.edits import TextEdit, applied
from ..model.fetched import by_service
from ..model.papers import BibEntry
from ..model.problems import InputError, Problem
from ..model.results import FromService
from ..parsing import bibtex
from ..parsing.bibliographies import parse_bibliography
from ..parsing.encoding import UNICODE, Decoded, decoded, read_text
from ..project.workspace import Workspace
from ..settings import EMAIL, Settings, Zotero
from ..whole_files import rewrite
from .nouns import AnyPath, Paths, Progress, listed, no_progress

#: A work that every service knows (Salton, Wong and Yang 1975).
_KNOWN: Final = """@article{known, author = {Salton, Gerard and Wong, A. and Yang, C. S.},
  title = {A vector space model for automatic indexing}, year = 1975,
  doi = {10.1145/361219.361220}}"""


def plan_enrichment(
    bibliographies: Paths,
    *,
    services: Iterable[str] = (),
    email: str = "",
    zotero: Zotero = "off",
) -> EnrichmentPlan:
    """Return what `enrich` would send for the entries of bibliographies; this sends nothing.

    `services` are ``openalex``, ``crossref`` and ``semantic-scholar``, by default all; OpenAlex and
    Crossref ask for an `email`. Texts that you have beside the bibliographies, and in Zotero with
    `zotero` set to ``auto``, do not count as missing. Raises `PinciteError` if there are no
    entries, or for a wrong name.

    >>> plan = plan_enrichment(["examples/references.bib"], services=["crossref"])
    >>> plan.entries, plan.without_abstract
    (25, 5)
    """
    asked = chosen_sources(services, email)
    has_text: dict[Path, Callable[[BibEntry], bool]] = {}
    entries: list[BibEntry] = []
    problems: list[Problem] = []
    index = PaperIndex()
    for path in dict.fromkeys(path.absolute() for path in listed(bibliographies)):
        read_text(path)  # raises what is wrong with it
        workspace = Workspace(path.parent, Settings(zotero=zotero), index)
        draft = workspace.without_text(path, (path,))
        bibliography = workspace.bibliography(draft)
        problems += bibliography.problems
        entries += bibliography.sound_entries()
        has_text[path] = text_is_known(workspace.library(draft), workspace.fallback_texts(draft))
    if not entries:
        names = ", ".join(map(str, listed(bibliographies)))
        raise InputError(f"{names}: no entries; give a bibliography, such as refs.bib")
    planned = plan(entries, lambda entry: has_text[entry.path](entry), asked, email=email)
    return replace(planned, problems=tuple(problems))


def enrich(plan: EnrichmentPlan, *, progress: Progress = no_progress) -> Enriched:
    """Send what a plan shows, and cache the answers for all drafts with the same works.

    Call this only once the author agrees. Answers are cached even if this is interrupted; the
    same plan, made again, resumes from there. Raises `PinciteError` if httpx is missing or
    nothing can be cached.
    """
    outcome = Outcome()
    run(plan, outcome, progress)
    return Enriched(outcome)


class Enriched:
    """What was fetched.

    `found` is the number of entries of which anything was learned, `by_service` the number of
    abstracts and of citing sentences by service. `given_up` is why a service gave no answer, by its
    name; `not_cached` why the answers could not be cached, empty if they were.
    """

    def __init__(self, outcome: Outcome) -> None:
        """Use `enrich` instead."""
        self._outcome = outcome
        self.found = len(outcome.fetched)
        self.by_service: tuple[FromService, ...] = by_service(
            each.fields for each in outcome.fetched
        )
        self.given_up: Mapping[str, str] = outcome.given_up
        self.not_cached = outcome.not_stored

    @property
    def wrong_dois(self) -> tuple[Problem, ...]:
        """Entries whose DOI is that of another work, or of none."""
        return tuple(map(_located, self._outcome.wrong_dois))

    def write(self, bibliography: AnyPath) -> int:
        """Add abstracts and missing DOIs to a .bib; return the number of entries that changed.

        Everything else in the file stays as it is. Raises `PinciteError` if it cannot be written.
        """
        path = Path(bibliography)
        edits: list[TextEdit] = []

        def with_fields(data: bytes) -> bytes:
            text, encoding = _decoded(path, data)
            now = bibtex.parse_bibliography(text, path)
            added = {
                each.entry.key: {n: v for n, v in each.fields.items() if n in ("abstract", "doi")}
                for each in self._outcome.fetched
                if each.entry.path == path.absolute()
                and (entry := now.entries.get(each.entry.key)) is not None
                and (entry.title, entry.doi) == (each.entry.title, each.entry.doi)
            }
            edits[:] = fields_added(now, added, encoding)
            return applied(text, edits).encode("utf-8")

        if not path.is_file():
            raise InputError(f"{path}: no longer exists, so nothing was written")
        rewrite(path, with_fields)
        return len(edits)


def check_bibliography_path(path: AnyPath) -> None:
    """Raise `PinciteError` if `Enriched.write` could not write a bibliography."""
    path = Path(path)
    if path.suffix.lower() != ".bib":
        raise InputError(f"{path}: only .bib files can be written")
    try:
        if not path.stat().st_mode & 0o222:
            raise InputError(f"{path}: is read-only, so nothing was written")
        _decoded(path, path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def check_services(
    services: Iterable[str] = (), email: str = ""
) -> Sequence[tuple[str, str, bool]]:
    """Ask each service for one well-known work; this sends its DOI and title, and nothing else.

    Return the name of each service, what it answered, and whether it knows the work.
    """
    (entry,) = parse_bibliography(_KNOWN, Path("known.bib")).entries.values()
    answered = []
    for source in chosen_sources(services, email):
        # No cache: this tests the service itself.
        outcome = Outcome()
        with opened([source], Answers(None), email) as asked:
            fetch(questions([entry]), asked, outcome)
        found = outcome.fetched[0] if outcome.fetched else None
        answer = "answers, but does not know the work"
        if found is not None:
            words = len(found.fields.get("abstract", "").split())
            abstract = f"abstract of {words} words" if words else ""
            number = sum(each.sentences for each in by_service([found.fields]))
            citing = f"{number} citing sentence{'' if number == 1 else 's'}" if number else ""
            answer = ", ".join(filter(None, (abstract, citing)))
            answer = answer or "knows the work, but has no abstract"
        answer = outcome.given_up.get(source.name, f"{source.name}: {answer}")
        answered.append((source.name, answer, found is not None))
    return answered


def chosen_sources(
    names: Iterable[str], email: str, among: Mapping[str, Source] = SOURCES
) -> list[Source]:
    """Return the services with these names; raises `PinciteError` for other names."""
    check_email(email)
    return sources(names, among)


def check_email(email: str) -> None:
    """Raise `PinciteError` if something is given that is no address."""
    if email and EMAIL.fullmatch(email) is None:
        raise InputError(f"email: {email!r} is not an e-mail address")


def _decoded(path: Path, data: bytes) -> Decoded:
    encoding = decoded(data).encoding
    if encoding not in UNICODE:
        raise InputError(f"{path}: is in {encoding}, not UTF-8, so nothing was written")
    return Decoded(data.decode("utf-8"), encoding)  # a byte order mark stays


def _located(wrong: WrongDoi) -> Problem:
    path = wrong.entry.path
    place = None
    with suppress(InputError):  # it may be gone by now
        read = parse_bibliography(read_text(path), path)
        place = read.place(wrong.entry.key) if wrong.entry.key in read.all_entries else None
    return Problem(path, None if place is None else place.line, str(wrong))
