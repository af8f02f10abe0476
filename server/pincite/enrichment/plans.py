"""Plans of what is sent to services to complete or check entries, and their execution.

A plan is made by the same look-up as the run, with cached answers only. So it shows the most that
can be sent: where one source knows a work, others are asked for less. The results are stored as a
bibliography that every draft citing the same work falls back to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from ..cancellation import checked
from ..edits.bibtex_entries import written_bibliography
from ..library.fallback_texts import FallbackTexts, prose_label
from ..library.index import default_index_path
from ..library.library import Library
from ..model.fetched import fetched_path, is_fetched
from ..model.papers import BibEntry
from ..model.problems import InputError, Problem
from ..parsing.bibtex import parse_bibliography
from ..parsing.encoding import decoded
from ..whole_files import make_private_folder, rewrite
from .enrich import Fetched, Outcome, Question, Run, Shown, fetch, questions
from .known_works import Known, identifier_of, look_up
from .service import Answers, Service, opened
from .sources import SOURCES, ServiceRequest, Source, Wanted, plan_name

#: Go to Definition may open the file.
_REMARK: Final = "Fetched by Pincite from the network; changes made here may be lost."
#: Fields of the author's entry that identify a work.
_OF_THE_WORK: Final = ("author", "editor", "title", "subtitle", "year", "date", "doi")


@dataclass(frozen=True, slots=True)
class EnrichmentPlan:
    """What would be sent to whom, for which of `entries`.

    `without_abstract` of them have neither an abstract nor a full text, and services are asked
    about `asked`. `must_ask` is False if everything was answered before: then nothing is sent.
    `problems` are what could not be read. For `unanswered` of the questions, somebody is asked.
    """

    entries: int
    without_abstract: int
    unanswered: int
    requests: tuple[ServiceRequest, ...]
    email: str
    sources: Sequence[Source] = field(repr=False)
    #: With which it was made: none expires before it is carried out.
    answers: Answers = field(repr=False)
    shown: Shown = field(repr=False)
    questions: tuple[Question, ...] = field(repr=False)
    #: The entries that are to be checked, too.
    references: tuple[BibEntry, ...] = field(repr=False)
    problems: tuple[Problem, ...] = ()

    @property
    def asked(self) -> int:
        """About how many entries services are asked."""
        return len(self.questions) + len(self.references)

    @property
    def must_ask(self) -> bool:
        """Whether something is sent."""
        return self.unanswered > 0

    @property
    def name(self) -> str:
        """A hash of what it sends, with the e-mail address."""
        return plan_name(self.email, self.requests)


def sources(names: Iterable[str] = (), among: Mapping[str, Source] = SOURCES) -> list[Source]:
    """Return the sources with these names, by default all; raise `InputError` for other names."""
    names = tuple(names)
    if unknown := [name for name in names if name not in among]:
        raise InputError(f"unknown source {unknown[0]!r}; choose from {', '.join(among)}")
    return [source for name, source in among.items() if not names or name in names]


def places() -> tuple[Path, Answers]:
    """Return where what was fetched is stored for this user, and the cached answers."""
    path = fetched_path(default_index_path())
    return path, Answers(path.with_name("answers"))


def plan(
    entries: Collection[BibEntry],
    has_text: Callable[[BibEntry], bool],
    sources: Sequence[Source],
    references: Collection[BibEntry] = (),
    *,
    email: str = "",
    abstracts: bool = True,
    citing: bool = True,
) -> EnrichmentPlan:
    """Return what would be sent to sources; an entry that `has_text` needs no abstract.

    It is for `abstracts`, for `citing` sentences, or both. `references` are entries of which it is
    to be known whether the works exist as given there.
    """
    citing = citing and any(source.by_id for source in sources)
    lacking: list[Question] = []
    without = unanswered = 0
    for entry in checked(entries, 100):
        needs = not has_text(entry)
        without += needs
        wants_abstract = abstracts and needs
        if wants_abstract or citing:
            lacking += (
                each._replace(wants_abstract=wants_abstract, wants_citing=citing)
                for each in questions((entry,))
            )
    shown: dict[str, dict[Wanted, None]] = {source.name: {} for source in sources}
    answers = places()[1]
    cached = [Service(source, answers, offline=True) for source in sources]
    every: Sequence[Question | BibEntry] = (*lacking, *references)
    for each in checked(every):
        run = Run(cached, Outcome())
        if isinstance(each, Question):
            run.look_up(each)
        else:
            look_up(each, run)
        unanswered += bool(run.not_asked)
        for name, wanted in run.not_asked:
            shown[name][wanted] = None
    sent = tuple(
        ServiceRequest(
            source,
            tuple(wanted.doi for wanted in shown[source.name] if wanted.doi),
            tuple(wanted.title for wanted in shown[source.name] if not wanted.doi),
            email,
        )
        for source in sources
        if shown[source.name]
    )
    number = len({*map(id, (*entries, *references))})
    asked = sources, answers, shown, tuple(lacking), tuple(references)
    return EnrichmentPlan(number, without, unanswered, sent, email, *asked)


def known_of(entries: Iterable[BibEntry], sources: Sequence[Source]) -> Iterator[Known]:
    """Yield what services have answered about entries; this sends nothing."""
    answers = places()[1]
    if not answers.are_there():
        return (Known(entry, identifier_of(entry)) for entry in checked(entries))
    run = Run([Service(source, answers, offline=True) for source in sources], Outcome())
    return (look_up(entry, run) for entry in checked(entries))


def text_is_known(library: Library, fallbacks: FallbackTexts) -> Callable[[BibEntry], bool]:
    """Return a test for a text of the author's own, which a file that is not read yet is, too."""
    next(library.files(), None)  # lists the folders, in which files are found by their names

    def has_text(entry: BibEntry) -> bool:
        others = (other for other in fallbacks.get(entry.key, ()) if not is_fetched(other.path))
        if any(prose_label(each) for each in (entry, *others)):
            return True
        files = {*library.files_of((entry,), fallbacks)}
        if (found := library.locate(entry)) is not None:
            files.add(found)
        return bool(files - {path for path, _ in library.unusable(entry, fallbacks)})

    return has_text


def run(
    plan: EnrichmentPlan,
    outcome: Outcome,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> None:
    """Carry out a plan; what came in is stored and in `outcome` even if this is interrupted."""
    path, _ = places()
    try:
        make_private_folder(path.parent)
        with suppress(PermissionError):  # it is somebody else's
            path.parent.chmod(0o700)
        with TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise InputError(
            f"nothing was sent, because the results cannot be stored in {path.parent}:"
            f" {error.strerror or error}"
        ) from None
    if path.is_dir():
        raise InputError(f"nothing was sent, because {path} is a folder")
    with opened(plan.sources, plan.answers, plan.email, offline=not plan.must_ask) as services:
        total = plan.asked
        try:
            fetch(plan.questions, services, outcome, lambda at, _: progress(at, total), plan.shown)
            asking = Run(services, outcome, plan.shown)
            for done, entry in enumerate(checked(plan.references), len(plan.questions)):
                progress(done, total)
                look_up(entry, asking)
            progress(total, total)
        finally:
            if outcome.fetched:
                try:
                    store(path, outcome.fetched)
                except OSError as error:
                    outcome.not_stored = f"{path} cannot be written: {error.strerror or error}"


def store(path: Path, fetched: Iterable[Fetched]) -> None:
    """Add works to a bibliography, or newer values to its works; raise `OSError`."""
    entries = [_entry(each, path) for each in fetched]

    def with_entries(data: bytes) -> bytes:
        # It is a cache: of a damaged one, what can be read stays.
        known = dict(parse_bibliography(decoded(data).text, path).entries.items())
        for entry in entries:
            before = known.get(entry.key)
            fields = {**(before.fields if before else {}), **entry.fields}
            known[entry.key] = BibEntry(entry.key, "misc", fields, path)
        # In one order, whatever was fetched first.
        return b"".join(written_bibliography(_REMARK, (known[key] for key in sorted(known))))

    rewrite(path, with_entries)


def _entry(fetched: Fetched, path: Path) -> BibEntry:
    own, fields = fetched
    of_work = {name: value for name in _OF_THE_WORK if (value := own.fields.get(name))}
    # Two letters to the editor may differ in their DOIs alone.
    doi = fields.get("doi") or own.doi
    work = repr((own.title.casefold(), own.surnames, own.year, doi))
    key = f"w{blake2b(work.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"
    return BibEntry(key, "misc", {**of_work, **fields}, path)
