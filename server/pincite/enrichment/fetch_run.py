"""Carry out a plan and store the results, for the command and the server alike.

It is stored as a bibliography that every draft citing the same work falls back to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing, suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from ..edits.bibtex_entries import written_bibliography
from ..library.index import default_index_path
from ..model.fetched import (
    ABSTRACT_FROM,
    CITED_BY,
    CITING,
    CITING_FROM,
    OPEN_ACCESS,
    fetched_path,
    written_citing,
)
from ..model.papers import BibEntry
from ..model.problems import InputError
from ..parsing.bibtex import parse_bibliography
from ..parsing.encoding import decoded
from ..whole_files import make_private_folder, rewrite
from .enrich import Fetched, Outcome, fetch
from .missing import Plan
from .service import Answers, CachedAnswers, Service, has_key
from .sources import Crossref, OpenAlex, SemanticScholar, Source

_SOURCES: Final[dict[str, Callable[[], Source]]] = {
    "openalex": OpenAlex,
    "crossref": Crossref,
    "semantic-scholar": SemanticScholar,
}
#: Go to Definition may open the file.
_REMARK: Final = "Fetched by Pincite from the network; what is changed here may be lost."
#: Fields of the author's entry that identify a work.
_OF_THE_WORK: Final = ("author", "editor", "title", "subtitle", "year", "date", "doi")


def sources(names: Iterable[str] = ()) -> list[Source]:
    """Return the sources with these names, by default all; raise `InputError` for other names."""
    names = tuple(names)
    if unknown := [name for name in names if name not in _SOURCES]:
        raise InputError(f"no source {unknown[0]!r}; there are {', '.join(_SOURCES)}")
    return [source() for name, source in _SOURCES.items() if not names or name in names]


def places() -> tuple[Path, Answers]:
    """Return where what was fetched is stored for this user, and the cached answers."""
    path = fetched_path(default_index_path())
    return path, Answers(path.with_name("answers"))


def name_of(plan: Plan, email: str) -> str:
    """Return a hash of what a plan sends, with the e-mail address."""
    sent = [
        (each.source.name, tuple(each.dois), tuple(each.titles), has_key(each.source))
        for each in plan.sent
    ]
    return blake2b(repr((email, sent)).encode("utf-8", "replace"), digest_size=16).hexdigest()


def run(
    plan: Plan,
    asked: Sequence[Source],
    answers: Answers,
    path: Path,
    outcome: Outcome,
    *,
    email: str = "",
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> None:
    """Query sources for what a plan lacks, and store it in the bibliography at `path`.

    Results received so far are stored, and added to `outcome`, even if this is cancelled or
    interrupted. If all responses are cached, nothing is sent. Raises `InputError` where httpx is
    missing or nothing could be stored.
    """
    _check_place(path)
    with ExitStack() as opened:
        services = [
            opened.enter_context(closing(Service(source, answers, email)))
            if plan.unanswered
            else CachedAnswers(source, answers)
            for source in asked
        ]
        try:
            fetch(plan.questions, services, outcome, progress, plan.shown())
        finally:
            if outcome.fetched:
                try:
                    store(path, outcome.fetched)
                except OSError as error:
                    outcome.not_stored = f"{path} cannot be written: {error.strerror or error}"


def _check_place(path: Path) -> None:
    """Raise `InputError` where nothing can be stored, before anything is sent."""
    try:
        make_private_folder(path.parent)
        with suppress(PermissionError):  # it is somebody else's
            path.parent.chmod(0o700)
        with TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise InputError(
            f"nothing was sent, as the results cannot be stored in {path.parent}:"
            f" {error.strerror or error}"
        ) from None
    if path.is_dir():
        raise InputError(f"nothing was sent, as {path} is a folder")


def store(path: Path, fetched: Iterable[Fetched]) -> None:
    """Add works to the bibliography at a path; newer values replace those stored before.

    Raises `OSError` if it cannot be written; then it is as before.
    """
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
    own = fetched.entry
    values = {
        "doi": fetched.doi,
        "abstract": fetched.abstract,
        ABSTRACT_FROM: fetched.abstract_from,
        CITING: written_citing((each.title, each.sentences) for each in fetched.citing),
        CITING_FROM: fetched.citing_from,
        OPEN_ACCESS: fetched.open_access,
        CITED_BY: "" if fetched.cited_by is None else str(fetched.cited_by),
    }
    fields = {name: own.fields[name] for name in _OF_THE_WORK if own.fields.get(name)}
    fields |= {name: value for name, value in values.items() if value}
    # Two letters to the editor may differ in their DOIs alone.
    work = repr((own.title.casefold(), own.surnames, own.year, fetched.doi or own.doi))
    key = f"w{blake2b(work.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"
    return BibEntry(key, "misc", fields, path)
