"""Fetch what a plan shows, and keep what comes in: what the command and the server do alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from ..library.index import default_index_path
from ..model.fetched import fetched_path
from ..model.problems import InputError
from ..whole_files import make_private_folder
from .answers import Answers
from .crossref import Crossref
from .enrich import Outcome, fetch
from .kept import keep
from .missing import Plan
from .openalex import OpenAlex
from .semantic_scholar import SemanticScholar
from .service import KeptAnswers, Service, has_key
from .sources import Source

SOURCES: Final[Mapping[str, Callable[[], Source]]] = {
    "openalex": OpenAlex,
    "crossref": Crossref,
    "semantic-scholar": SemanticScholar,
}


def sources(names: Iterable[str] = ()) -> list[Source]:
    """Return the sources with these names, by default all; raise `InputError` for other names."""
    names = tuple(names)
    if unknown := [name for name in names if name not in SOURCES]:
        raise InputError(f"no source {unknown[0]!r}; there are {', '.join(SOURCES)}")
    return [source() for name, source in SOURCES.items() if not names or name in names]


def places() -> tuple[Path, Answers]:
    """Return where what was fetched is kept for this user, and the kept answers."""
    path = fetched_path(default_index_path())
    return path, Answers(path.with_name("answers"))


def name_of(plan: Plan, email: str) -> str:
    """Return what tells a plan with an e-mail address from those that send anything else."""
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
    """Ask sources for what a plan lacks, and keep it in the bibliography at `path`.

    What came in by then is kept, and in `outcome`, also if this is cancelled or interrupted. If all
    was answered before, nobody is asked. Raises `InputError` where httpx is missing or nothing
    could be kept.
    """
    _check_place(path)
    with ExitStack() as opened:
        services = [
            opened.enter_context(closing(Service(source, answers, email)))
            if plan.unanswered
            else KeptAnswers(source, answers)
            for source in asked
        ]
        try:
            fetch(plan.questions, services, outcome, progress, plan.shown())
        finally:
            if outcome.fetched:
                try:
                    keep(path, outcome.fetched)
                except OSError as error:
                    outcome.not_kept = f"{path} cannot be written: {error.strerror or error}"


def _check_place(path: Path) -> None:
    """Raise `InputError` where nothing can be kept, before anything is sent."""
    try:
        make_private_folder(path.parent)
        with suppress(PermissionError):  # it is somebody else's
            path.parent.chmod(0o700)
        with TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise InputError(
            f"nothing was sent, as what comes cannot be kept in {path.parent}:"
            f" {error.strerror or error}"
        ) from None
    if path.is_dir():
        raise InputError(f"nothing was sent, as {path} is a folder")
