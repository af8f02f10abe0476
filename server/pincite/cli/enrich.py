"""``pincite enrich``: fetch from the network what is missing of a bibliography's entries."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from ..edits.fields import fields_added
from ..enrichment.answers import Answers
from ..enrichment.enrich import Outcome, WrongDoi, fetch, questions
from ..enrichment.missing import Plan, plan, text_is_known
from ..enrichment.running import SOURCES, places, sources
from ..enrichment.running import run as run_plan
from ..enrichment.service import Service, has_key
from ..library.index import PaperIndex
from ..model.edits import TextEdit, applied
from ..model.papers import BibEntry
from ..model.problems import InputError, Problem
from ..parsing import bibtex
from ..parsing.bibliographies import parse_bibliography
from ..parsing.encoding import UNICODE, Decoded, decoded, read_text
from ..project.workspace import Workspace
from ..settings import Settings
from ..whole_files import rewrite
from .inputs import progress_bar, report
from .output import console, counted, echo, show, wrapped

if TYPE_CHECKING:
    from ..enrichment.sources import Source

__all__ = ["SOURCES", "check", "run"]

#: A work that every service knows (Salton, Wong and Yang 1975).
_KNOWN: Final = """@article{known, author = {Salton, Gerard and Wong, A. and Yang, C. S.},
  title = {A vector space model for automatic indexing}, year = 1975,
  doi = {10.1145/361219.361220}}"""
#: So many DOIs and titles are named of each service before the author is asked.
_MOST_NAMED: Final = 10


def run(
    bibliographies: Sequence[Path],
    names: Sequence[str],
    email: str,
    *,
    agreed: bool,
    only_show: bool,
    write: bool = False,
) -> int:
    """Run the command and return its exit status: 2 where a source could not be asked.

    Nothing is sent before the author agrees, on the terminal or by an option. To `write` is to add
    abstracts and DOIs to the bibliographies, too.
    """
    asked = sources(names)
    if write:
        for path in bibliographies:
            _require_writable(path)
    path, answers = places()
    planned = _planned(bibliographies, asked, answers)
    _show(planned, email, all_of_it=only_show)
    if only_show or not planned.questions:
        return 0
    if planned.unanswered and not agreed:
        if not sys.stdin.isatty():
            raise InputError("nothing was sent: say yes with --yes, as no terminal is there to ask")
        if not typer.confirm("Send this?", default=False):
            echo("Nothing was sent.")
            return 0
    outcome = Outcome()
    with progress_bar("Fetching") as bar:
        given = (planned, asked, answers, path, outcome)
        try:
            run_plan(*given, email=email, progress=bar)
        except KeyboardInterrupt:
            echo("pincite: what came is kept; run the command again for the rest", err=True)
            raise
    _tell(outcome, len(planned.questions))
    if write:
        for path in bibliographies:
            _write(path, outcome)
    return 2 if outcome.given_up or outcome.not_kept else 0


def check(names: Sequence[str], email: str) -> int:
    """Ask each service for one well-known work; return 1 if any does not know it."""
    asked, screen = sources(names), console()
    (entry,) = parse_bibliography(_KNOWN, Path("known.bib")).entries.values()
    failed = False
    for source in asked:
        # Nothing is taken from the disk: the service itself is meant.
        service, outcome = Service(source, Answers(None), email), Outcome()
        fetch(questions([entry]), [service], outcome)
        service.close()
        found = outcome.fetched[0] if outcome.fetched else None
        reason = outcome.given_up.get(source.name, "")
        if found is None:
            said = "answers, and does not know the work"
        else:
            abstract = f"abstract of {len(found.abstract.split())} words" if found.abstract else ""
            sentences = sum(len(each.sentences) for each in found.citing)
            citing = counted(sentences, "citing sentence") if sentences else ""
            said = ", ".join(filter(None, (abstract, citing))) or "knows the work, and no abstract"
        failed |= found is None
        show(screen, reason or f"{source.name}: {said}", 0)
    return 1 if failed else 0


def _planned(bibliographies: Sequence[Path], asked: Sequence[Source], answers: Answers) -> Plan:
    """Return what would be sent for the entries of bibliographies.

    What the author has beside them, or in Zotero, is not missing.
    """
    has_text: dict[Path, Callable[[BibEntry], bool]] = {}
    entries: list[BibEntry] = []
    index = PaperIndex()
    for path in dict.fromkeys(each.absolute() for each in bibliographies):
        read_text(path)  # raises what is wrong with it
        workspace = Workspace(path.parent, Settings(zotero="auto"), index)
        draft = workspace.without_text(path, (path,))
        bibliography = workspace.bibliography(draft)
        report(bibliography.problems)
        entries += bibliography.sound_entries()
        has_text[path] = text_is_known(workspace.library(draft), workspace.lent_texts(draft))
    if not entries:
        raise InputError("there are no entries")
    return plan(entries, lambda entry: has_text[entry.path](entry), asked, answers)


def _show(planned: Plan, email: str, *, all_of_it: bool) -> None:
    screen = console()
    number = counted(planned.entries, "entry", "entries")
    show(screen, f"{number}, {planned.without_abstract:,} without an abstract or a full text", 0)
    if not planned.unanswered:
        show(screen, "Nothing has to be sent: all that could be asked for was answered.", 0)
        return
    for sent in planned.sent:
        source = sent.source
        parts = [counted(len(sent.dois), "DOI")] if sent.dois else []
        parts += [counted(len(sent.titles), "title")] if sent.titles else []
        parts += [f"your address {email}"] if email and source.wants_email else []
        parts += ["your key"] if has_key(source) else []
        host = source.address.removeprefix("https://")
        show(screen, f"to {source.name} ({host}): at most {', '.join(parts)}", 2)
        each = [*sent.dois, *sent.titles]
        for value in each if all_of_it else each[:_MOST_NAMED]:
            show(screen, value, 4)
        if not all_of_it and len(each) > _MOST_NAMED:
            show(screen, f"… and {len(each) - _MOST_NAMED:,} more (--show lists all)", 4)
    wrapped(
        screen,
        "A title is sent only where a DOI is missing, unknown or wrong; the DOI that is found with "
        "it is sent to the others. Nothing of a draft, no notes, no names of files are sent.",
        2,
    )


def _require_writable(path: Path) -> None:
    """Raise `InputError` before the work begins if a bibliography cannot be written as it is."""
    if path.suffix.lower() != ".bib":
        raise InputError(f"{path}: only .bib files can be written")
    try:
        if not path.stat().st_mode & 0o222:
            raise InputError(f"{path}: may only be read, so nothing is written into it")
        _read(path, path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def _read(path: Path, data: bytes) -> Decoded:
    encoding = decoded(data).encoding
    if encoding not in UNICODE:
        raise InputError(
            f"{path}: is not in UTF-8 but in {encoding}, so nothing is written into it"
        )
    return Decoded(data.decode("utf-8"), encoding)  # a byte order mark stays


def _write(path: Path, outcome: Outcome) -> None:
    """Add what was fetched to a bibliography as it is now, where an entry is what it was."""
    edits: list[TextEdit] = []

    def with_fields(data: bytes) -> bytes:
        text, encoding = _read(path, data)
        now = bibtex.parse_bibliography(text, path)
        added = {
            each.entry.key: {n: v for n, v in (("abstract", each.abstract), ("doi", each.doi)) if v}
            for each in outcome.fetched
            if each.entry.path == path.absolute()
            and (entry := now.entries.get(each.entry.key)) is not None
            and (entry.title, entry.doi) == (each.entry.title, each.entry.doi)
        }
        edits[:] = fields_added(text, now, path, added, encoding)
        return applied(text, edits).encode("utf-8")

    if not path.is_file():
        raise InputError(f"{path}: is gone, so nothing is written into it")
    rewrite(path, with_fields)
    show(console(), f"{path}: fields were added to {counted(len(edits), 'entry', 'entries')}", 0)


def _tell(outcome: Outcome, asked: int) -> None:
    screen = console()
    for each in outcome.by_service():
        for number, noun in ((each.abstracts, "abstract"), (each.sentences, "citing sentence")):
            if number:
                show(screen, f"{counted(number, noun)} from {each.service}", 0)
    if not outcome.fetched:
        show(screen, f"Nothing was found of {counted(asked, 'entry', 'entries')}.", 0)
    report([_located(wrong) for wrong in outcome.wrong_dois])
    for reason in outcome.given_up.values():
        echo(f"pincite: {reason}; run the command again later, it goes on from here", err=True)
    if outcome.not_kept:
        echo(f"pincite: {outcome.not_kept}", err=True)


def _located(wrong: WrongDoi) -> Problem:
    """Return a wrong DOI as a problem with the line of its entry."""
    path = wrong.entry.path
    place = None
    with suppress(InputError):  # it may be gone by now
        place = parse_bibliography(read_text(path), path).places.get(wrong.entry.key)
    return Problem(path, None if place is None else place.line, str(wrong))
