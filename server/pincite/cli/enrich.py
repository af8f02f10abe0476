"""``pincite enrich``: fetch from the network what is missing of a bibliography's entries."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from ..cancellation import CancelledError
from ..edits.fields import fields_added
from ..enrichment.answers import Answers
from ..enrichment.crossref import Crossref
from ..enrichment.enrich import Outcome, Question, fetch, questions
from ..enrichment.kept import keep
from ..enrichment.openalex import OpenAlex
from ..enrichment.semantic_scholar import SemanticScholar
from ..enrichment.service import Service
from ..library.index import default_index_path
from ..library.lent_texts import prose_label
from ..model.edits import applied
from ..model.fetched import fetched_path
from ..model.papers import BibEntry
from ..model.problems import InputError
from ..parsing import bibtex
from ..parsing.bibliographies import parse_bibliography
from ..parsing.encoding import read_text
from .inputs import progress_bar
from .output import console, counted, echo, show, wrapped

if TYPE_CHECKING:
    from ..enrichment.sources import Source

SOURCES: Final[Mapping[str, Callable[[], Source]]] = {
    "openalex": OpenAlex,
    "crossref": Crossref,
    "semantic-scholar": SemanticScholar,
}
#: A work that every service knows (Salton, Wong and Yang 1975).
_KNOWN: Final = """@article{known, author = {Salton, Gerard and Wong, A. and Yang, C. S.},
  title = {A vector space model for automatic indexing}, year = 1975,
  doi = {10.1145/361219.361220}}"""
_MOST_NAMED: Final = 20


def run(
    bibliographies: Sequence[Path],
    names: Sequence[str],
    email: str,
    *,
    agreed: bool,
    only_show: bool,
    write: bool = False,
    addresses: Sequence[str] = (),
) -> int:
    """Run the command and return its exit status: 2 where a source could not be asked.

    Nothing is sent before the author agrees, on the terminal or by an option. To `write` is to add
    abstracts and DOIs to the bibliographies, too.
    """
    sources = _sources(names)
    if write:
        for path in bibliographies:
            _writable(path)
    entries = _entries(bibliographies)
    asked = [question for question in questions(entries) if _lacks(question.entry, sources)]
    _show(entries, asked, sources, email)
    if only_show or not asked:
        return 0
    if not agreed:
        if not sys.stdin.isatty():
            raise InputError("nothing was sent: say yes with --yes, as no terminal is there to ask")
        if not typer.confirm("Send this?", default=False):
            echo("Nothing was sent.")
            return 0
    outcome = Outcome()
    path = fetched_path(default_index_path())
    with ExitStack() as opened, progress_bar("Fetching") as bar:
        answers = Answers(path.with_name("answers"))
        services = [
            Service(source, answers, email, address)
            for source, address in zip(sources, _addresses(addresses, sources), strict=True)
        ]
        for service in services:
            opened.callback(service.close)
        try:
            fetch(asked, services, outcome, lambda done: bar(done, len(asked)))
        except (KeyboardInterrupt, CancelledError):
            _keep(path, outcome)
            raise KeyboardInterrupt from None
        _keep(path, outcome)
    _tell(outcome, asked)
    if write:
        for path in bibliographies:
            _write(path, outcome)
    return 2 if outcome.given_up else 0


def check(names: Sequence[str], email: str, addresses: Sequence[str] = ()) -> int:
    """Ask each service for one well-known work; return 1 if any does not know it."""
    sources, screen = _sources(names), console()
    (entry,) = parse_bibliography(_KNOWN, Path("known.bib")).entries.values()
    failed = False
    for source, address in zip(sources, _addresses(addresses, sources), strict=True):
        # Nothing is taken from the disk: the service itself is meant.
        service, outcome = Service(source, Answers(None), email, address), Outcome()
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
            said = ", ".join(filter(None, (abstract, citing)))
        failed |= found is None
        show(screen, reason or f"{source.name}: {said}", 0)
    return 1 if failed else 0


def _sources(names: Sequence[str]) -> list[Source]:
    if unknown := [name for name in names if name not in SOURCES]:
        raise InputError(f"no source {unknown[0]!r}; there are {', '.join(SOURCES)}")
    return [source() for name, source in SOURCES.items() if not names or name in names]


def _addresses(addresses: Sequence[str], sources: Sequence[Source]) -> Sequence[str]:
    return addresses or [""] * len(sources)


def _entries(bibliographies: Sequence[Path]) -> list[BibEntry]:
    entries: list[BibEntry] = []
    for path in bibliographies:
        entries += parse_bibliography(read_text(path), path).entries.values()
    if not entries:
        raise InputError("there are no entries")
    return entries


def _lacks(entry: BibEntry, sources: Iterable[Source]) -> bool:
    return not prose_label(entry) or any(source.has_citing for source in sources)


def _show(
    entries: Sequence[BibEntry], asked: Sequence[Question], sources: Sequence[Source], email: str
) -> None:
    screen = console()
    without = sum(not prose_label(entry) for entry in entries)
    show(screen, f"{counted(len(entries), 'entry', 'entries')}, {without:,} without an abstract", 0)
    dois = sum(bool(question.wanted.doi) for question in asked)
    titles = len(asked) - dois
    for source in sources:
        show(screen, f"{source.name} ({source.address.removeprefix('https://')})", 2)
    what = [counted(dois, "DOI"), counted(titles, "title")]
    what += ["the title of each entry whose DOI is not known there or is wrong"] if dois else []
    what += [f"your address {email}"] if email else []
    wrapped(
        screen, f"are sent at most {', '.join(what)}; nothing of a draft, no notes, no files.", 2
    )
    for question in asked[:_MOST_NAMED]:
        show(screen, question.wanted.doi or question.wanted.title, 4)
    if len(asked) > _MOST_NAMED:
        show(screen, f"… and {len(asked) - _MOST_NAMED:,} more", 4)


def _writable(path: Path) -> str:
    """Return the text of a bibliography that can be written as it was; else raise `InputError`."""
    if path.suffix.lower() != ".bib":
        raise InputError(f"{path}: only .bib files can be written")
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not in UTF-8, so nothing is written into it") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def _write(path: Path, outcome: Outcome) -> None:
    """Add what was fetched to a bibliography as it is now."""
    text = _writable(path)
    added = {
        each.entry.key: {n: v for n, v in (("abstract", each.abstract), ("doi", each.doi)) if v}
        for each in outcome.fetched
        if each.entry.path == path
    }
    edits = list(fields_added(text, bibtex.parse_bibliography(text, path), path, added))
    if edits:
        _replace(path, applied(text, edits).encode("utf-8"))
    show(console(), f"{path}: fields were added to {counted(len(edits), 'entry', 'entries')}", 0)


def _replace(path: Path, data: bytes) -> None:
    """Replace a file as a whole: what interrupts this leaves it as it was."""
    path = path.resolve()
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.stem}-")
    try:
        with open(number, "wb") as file:  # noqa: PTH123
            file.write(data)
        shutil.copymode(path, name)
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        os.unlink(name)  # noqa: PTH108
        raise


def _keep(path: Path, outcome: Outcome) -> None:
    if outcome.fetched:
        keep(path, outcome.fetched)


def _tell(outcome: Outcome, asked: Sequence[Question]) -> None:
    screen = console()
    abstracts: dict[str, int] = {}
    sentences: dict[str, int] = {}
    for each in outcome.fetched:
        if each.abstract:
            abstracts[each.abstract_from] = abstracts.get(each.abstract_from, 0) + 1
        if each.citing:
            number = sum(len(work.sentences) for work in each.citing)
            sentences[each.citing_from] = sentences.get(each.citing_from, 0) + number
    for name, number in abstracts.items():
        show(screen, f"{counted(number, 'abstract')} from {name}", 0)
    for name, number in sentences.items():
        show(screen, f"{counted(number, 'citing sentence')} from {name}", 0)
    if not outcome.fetched:
        show(screen, f"Nothing was found of {counted(len(asked), 'entry', 'entries')}.", 0)
    for wrong in outcome.wrong_dois:
        echo(f"pincite: {wrong.entry.path}: {wrong}", err=True)
    for reason in outcome.given_up.values():
        echo(f"pincite: {reason}; run the command again later, it goes on from here", err=True)
