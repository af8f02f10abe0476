"""Works that an author adds to a bibliography: the search for them, and the edits that add them.

A work is the text of its entry in BibTeX, with those that it inherits from. It is found in a text
or in bibliographies at hand, or made from a service's record; its key is new in the draft. Data of
services are also taken into entries that are there. Nothing is written here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, takewhile
from pathlib import Path
from typing import Final, NamedTuple

from ..cancellation import check
from ..checking.whole_draft import Finding
from ..edits.bibtex_entries import are_in_unicode, bibtex_entry
from ..edits.entries import copy_entry, in_form_of, named_by, read_files
from ..edits.naming import NEW, missing_files, naming_edits
from ..edits.new_keys import is_typed, key_in_manner, own_key
from ..edits.taking import Taking, taken, takings
from ..edits.written_entries import WrittenEntry
from ..enrichment.named_works import NamedWork, named_work, records_in
from ..enrichment.plans import places
from ..enrichment.records import asked_for, is_titled, records
from ..enrichment.service import NotAskedError
from ..enrichment.sources import ServiceRequest, is_sendable, plan_name
from ..library.same_work import WorkMatcher, same_works
from ..model.bibliographies import BibliographyFile
from ..model.edits import TextEdit, applied
from ..model.papers import BibEntry, ReferencePaper
from ..model.problems import InputError
from ..model.spans import TextSpan
from ..model.zotero import is_from_zotero
from ..parsing.bibliographies import parse_bibliography
from ..parsing.bibtex import parse_bibliography as parse_bibtex
from ..parsing.encoding import decoded, encoded_as
from ..parsing.papers import kind, read_paper
from ..parsing.paths import is_virtual
from ..text.characters import letters_of
from ..whole_files import replacing_text, rewrite
from .bibliographies import DraftBibliography
from .changes import Changes
from .open_draft import Place
from .project import is_bibliography

_ENTRY: Final = Path("added.bib")
_GIVEN: Final = "the text"
_ADDRESS: Final = re.compile(r"(?:https?://(?:www\.)?|\bwww\.)(\S+)", re.IGNORECASE)
_MAX_FOUND: Final = 5
MAX_ADDED: Final = 100


@dataclass(frozen=True, slots=True)
class NewWork:
    """A work that can be added: the key and the text of its entry in BibTeX.

    `origin` is where it was found: a bibliography of yours, Zotero, a service, the text or paper
    that you gave. `there` is the key of the same work, if the bibliography has it already.
    """

    key: str
    entry: str
    title: str
    author_year: str
    origin: str
    there: str = ""


class Target(NamedTuple):
    """The file of `files` to which entries are added, and the edits that name a new one."""

    files: Sequence[BibliographyFile]
    file: BibliographyFile
    naming: tuple[TextEdit, ...] = ()


class WorkSearch:
    """What was found of a work so far, and what would be sent to whom to find more.

    `works` are those that may be meant, best first, and `meant` those of them that are meant
    without doubt: none where you have to choose. `requests` are what `look_up` would send to whom;
    empty where nothing has to be sent. `remarks` are what was found to be wrong on the way, such as
    the DOI of another work in a PDF.
    """

    def __init__(self, place: Place, given: str | Path, email: str = "") -> None:
        """Search for what names a work (see `named_works`): an entry as text, or a paper.

        Raises `InputError` for anything else, or if earlier answers show that no service has it.
        """
        self.email = email
        self.works: tuple[NewWork, ...] = ()
        self.requests: tuple[ServiceRequest, ...] = ()
        self.remarks: tuple[str, ...] = ()
        self._place = place
        self._names: Sequence[NamedWork] = ()
        self._paper: tuple[Path, ReferencePaper, BibEntry] | None = None
        if isinstance(given, Path):
            self._names, paper, entry = _named_by_paper(given)
            self._paper = (given, paper, entry)
            entries = place.bibliography.entries
            # The entry whose text the paper is may be there already.
            if (key := WorkMatcher(entries.values()).find_paper(paper, given.stem)) is not None:
                self.works = (_there(entries[key]),)
        elif (read := records_in(given)) is not None:
            self.works = tuple(_works_in(place, read))
        else:
            self._names = (named_work(given),)
        self.works = self.works or tuple(_own_works(place, self._names))
        if not self.works:
            try:
                self._look_up(offline=True)
            except NotAskedError:
                self.requests = asked_for(self._names, email)
                self._take_paper()

    @property
    def plan(self) -> str:
        """A hash of what would be sent."""
        return plan_name(self.email, self.requests)

    @property
    def meant(self) -> tuple[NewWork, ...]:
        """Those of the `works` that are meant without doubt; none where you have to choose."""
        if not self._names:  # all that was pasted
            return self.works
        titles = [name.value for name in self._names if name.kind == "title"]
        if len(titles) < len(self._names):
            return self.works[:1]
        exact = tuple(work for work in self.works if is_titled(work.title, *titles))
        return exact if len(exact) == 1 else ()

    def look_up(self) -> None:
        """Send the `requests`. Call this only once the author agrees.

        Raises `PinciteError` if no service has the work, none can be asked, or httpx is missing.
        """
        self.works = ()
        self._look_up(offline=False)
        self.requests = ()

    def add(self, *works: NewWork) -> tuple[Path, ...]:
        """Add works to the bibliography; return the files that were changed, this one first.

        A new bibliography is named in the draft. Raises `PinciteError` if a key is taken by now or
        a file cannot be written; nothing is changed then.
        """
        place, texts = self._place, [work.entry for work in works]
        target = target_of(place, place.workspace.read)
        path = target.file.path

        def with_entries(data: bytes) -> bytes:
            text, encoding = decoded(data)
            now = target_of(place, lambda at: text if at == path else place.workspace.read(at))
            _, edit = added(now, texts, encoding_for(place, now, encoding))
            return encoded_as(data, applied(text, [edit]), encoding)

        def with_name(data: bytes) -> bytes:
            text, encoding = decoded(data)
            if text != place.workspace.read(place.draft.root):
                raise InputError(
                    f"{place.draft.root}: has changed in the meantime; name {path} in it"
                )
            return encoded_as(data, applied(text, target.naming), encoding)

        if path.exists():
            rewrite(path, with_entries)
        else:
            written = with_entries(b"").decode("utf-8")
            with replacing_text(path) as file:
                file.write(written)
        if not target.naming:
            return (path,)
        rewrite(place.draft.root, with_name)
        return (path, place.draft.root)

    def _look_up(self, *, offline: bool) -> None:
        """Set the works to those of the first name that services know; or those in a paper."""
        failure: InputError | None = None
        for name in self._names:
            try:
                found = records(name, places()[1], self.email, offline=offline)
            except NotAskedError:
                raise
            except InputError as error:
                failure = failure or error
                continue
            trusted = [each for each in found if self._is_of_paper(name, each[0])]
            if trusted:
                self.works = tuple(
                    _work_of(self._place, entry, (), origin) for entry, origin in trusted
                )
                return
        if self._paper is None:
            raise failure or InputError("nothing was found")
        if failure is not None:
            self.remarks += (str(failure),)
        self._take_paper()

    def _take_paper(self) -> None:
        if self._paper is not None:
            path, _, entry = self._paper
            self.works = (_work_of(self._place, entry, (), path.name),)

    def _is_of_paper(self, name: NamedWork, entry: BibEntry) -> bool:
        """Return whether a record is that of the paper, if there is one; else note it."""
        if self._paper is None:
            return True
        path, paper, _ = self._paper
        if WorkMatcher((entry,)).find_paper(paper, path.stem) is not None:
            return True
        if name.kind != "title":
            what = f"“{entry.title}” ({entry.author_year})"
            self.remarks += (f"the {name} in {path.name} belongs to {what}, a different work",)
        return False


def target_of(place: Place, text_of: Callable[[Path], str | None]) -> Target:
    """Return where entries are added to a draft: its first file with entries that can be written.

    Without any it is the one that the draft names and that is missing, or a new one, which further
    edits name. Raises `InputError` where none can be named, or written.
    """
    draft = place.draft
    if is_bibliography(draft.root) and not draft.root.exists():  # a new one, given alone
        return Target((), parse_bibliography("", draft.root))
    paths = [source.path for source, _ in place.bibliography.files if source.text is None]
    texts = ((path, text) for path in paths if (text := text_of(path)) is not None)
    own = read_files(texts, draft.program)
    named = {source.path for source in draft.bibliographies}
    files = [file for file in own if file.path in named]
    writable = [file for file in files if is_virtual(file.path) or os.access(file.path, os.W_OK)]
    found = next((file for file in writable if file.all_entries), next(iter(writable), None))
    if found is not None:
        return Target(own, found)
    missing, naming = next(missing_files(draft), None), tuple[TextEdit, ...]()
    if missing is None:
        if files:
            raise InputError(f"{files[0].path.name} is read-only, so nothing is added.")
        missing = draft.root.parent / NEW
        is_new = draft.root.is_absolute() and not missing.exists()
        if is_new and not draft.fallback_bibliographies:
            naming = naming_edits(draft, missing, place.workspace.read)
        if not naming:
            raise InputError(
                f"{draft.root.name} names no bibliography: name one in it, then try again."
            )
    return Target(own, parse_bibliography("", missing, program=draft.program), naming)


def _own_works(place: Place, names: Sequence[NamedWork]) -> list[NewWork]:
    """Return the works that names match in the draft's bibliography, else in others."""
    for name in names:
        found = [_there(each) for each in place.bibliography.entries.values() if _is(name, each)]
        if found:
            return found[:1]
    # The same work may be in ten bibliographies.
    works: dict[tuple[str, str], NewWork] = {}
    for path in place.workspace.other_bibliographies(place.draft):
        check()
        with suppress(InputError):
            file = parse_bibliography(place.workspace.read(path), path)
            for entry in file.entries.values():
                if any(_is(name, entry) for name in names):
                    origin = "Zotero" if is_from_zotero(path) else path.name
                    work = _work_of(place, entry, [file], origin, entry.key)
                    works.setdefault((letters_of(entry.title), entry.year), work)
        if len(works) >= _MAX_FOUND:
            break
    return [*works.values()]


def _works_in(place: Place, file: BibliographyFile) -> list[NewWork]:
    """Return the entries in a text that the author pasted, as works; raise `InputError`."""
    titled = [entry for entry in file.entries.values() if entry.title]
    # What an entry inherits from comes with it.
    named = {key for entry in titled for key in named_by(entry)}
    titled = [entry for entry in titled if entry.key.lower() not in named] or titled
    if len(titled) > MAX_ADDED:
        raise InputError(
            f"there are {len(titled):,} entries; at most {MAX_ADDED} can be added at once"
        )
    found: list[NewWork] = []
    for entry in titled:
        keys = () if place.bibliography.entries else (entry.key, *entry.aliases)
        wanted = next(filter(is_typed, keys), "")
        taken = [work.key for work in found]
        found.append(_work_of(place, entry, [file], _GIVEN, wanted, taken))
    return found


def _work_of(
    place: Place,
    entry: BibEntry,
    files: Sequence[BibliographyFile],
    origin: str,
    wanted: str = "",
    taken: Sequence[str] = (),
) -> NewWork:
    """Return an entry of some files, or a record (no files), as a work; raise `InputError`.

    Its key is the one that is `wanted`, or like those of the bibliography.
    """
    if not files:
        entry = replace(entry, key="record", path=_ENTRY)
        files = [parse_bibtex(bibtex_entry(entry, protects_capitals=True), _ENTRY)]
    empty = parse_bibtex("", _ENTRY)
    if (copied := copy_entry(entry.key, files, [], empty)) is None:
        raise InputError(f"{entry.key} is no longer in its file")
    own = place.bibliography
    used = {*own.entries, *own.names.aliases, *taken}
    used.update(key for _, file in own.files for key in file.all_entries)
    key = own_key(wanted, used) if wanted else key_in_manner(entry, own.entries, used)
    text = copied.text.strip()
    span = parse_bibtex(text, _ENTRY).place(entry.key).key_span
    text = f"{text[: span.start]}{key}{text[span.end :]}"
    there = _same_as(entry, own)
    return NewWork(key, text, entry.title, entry.author_year, origin, there.key if there else "")


def encoding_for(place: Place, target: Target, encoding: str) -> str:
    """Return the encoding of the letters that a file may get, which is in `encoding` now."""
    texts = (file.text for file in place.draft.files)
    return "ascii" if target.file.text.isascii() and not are_in_unicode(texts) else encoding


def added(target: Target, texts: Sequence[str], encoding: str) -> tuple[list[str], TextEdit]:
    """Return the keys of works, by the texts of their entries, and the edit that adds them all.

    Raises `InputError` if one cannot be written there, or its key is taken.
    """
    file, keys, edits = target.file, list[str](), list[TextEdit]()
    for text in texts:
        library = parse_bibtex(in_form_of(target.file, text), _ENTRY)
        if (key := next(iter(library.entries), None)) is None:
            raise InputError("this is not a BibTeX entry")
        files = [file if each.path == file.path else each for each in target.files]
        files = files if file in files else [*files, file]
        try:
            edit = copy_entry(key, [library], files, file, encoding)
        except InputError as error:
            raise InputError(f"Not added to {file.path.name}: {error}.") from None
        if edit is None:
            raise InputError(f"{key} is in the bibliography already.")
        keys.append(key)
        edits.append(edit)
        file = parse_bibliography(applied(file.text, [edit]), file.path, program=file.program)
    if len(edits) == 1:
        return keys, edits[0]
    # All are inserted at one place.
    before, after = target.file.text, file.text
    alike = takewhile(lambda at: before[at] == after[at], range(len(before)))
    start = sum(1 for _ in alike)
    new = after[start : len(after) - len(before) + start]
    return keys, TextEdit(file.path, TextSpan(start, start), new)


def _named_by_paper(path: Path) -> tuple[list[NamedWork], ReferencePaper, BibEntry]:
    """Return a paper's names, from its first page and metadata, the paper, and an entry of them.

    Raises `InputError` if it cannot be read, or has neither an identifier nor a title.
    """
    try:
        paper = read_paper(path)
    except InputError as error:
        raise InputError(f"{path.name}: {str(error).removeprefix(f'{path}: ')}") from None
    names = []
    if paper.doi and is_sendable(paper.doi):
        names.append(NamedWork("DOI", paper.doi))
    if paper.arxiv:
        names.append(NamedWork("arXiv id", paper.arxiv))
    if paper.title:
        names.append(NamedWork("title", paper.title))
    if not names:
        raise InputError(
            f"{path.name}: no DOI, arXiv id or title found in it; give one of these instead"
        )
    fields = {"author": " and ".join(paper.surnames), "title": paper.title, "year": paper.year}
    if kind(path) == ".pdf" and not paper.surnames:
        from ..parsing.papers.pdf.reader import declared_authors

        fields["author"] = declared_authors(path)
    fields |= {"doi": paper.doi, "eprint": paper.arxiv}
    if paper.arxiv:
        fields["archiveprefix"] = "arXiv"
    return names, paper, BibEntry("", "misc", {n: v for n, v in fields.items() if v}, path)


def _is(name: NamedWork, entry: BibEntry) -> bool:
    return is_titled(entry.title, name.value) if name.kind == "title" else name.is_of(entry)


def _there(entry: BibEntry) -> NewWork:
    """Return an entry of the bibliography as a work that is there already."""
    return NewWork(entry.key, "", entry.title, entry.author_year, entry.path.name, entry.key)


def _same_as(entry: BibEntry, bibliography: DraftBibliography) -> BibEntry | None:
    """Return the entry of a bibliography that is the same work."""
    letters = letters_of(entry.title)
    alike = [
        each
        for each in bibliography.entries.values()
        if (entry.doi and each.doi == entry.doi)
        or (entry.arxiv and each.arxiv == entry.arxiv)
        or (letters and letters_of(each.title) == letters)
    ]
    pairs = same_works([*alike, replace(entry, key=own_key(entry.key, bibliography.entries))])
    found = (first for later, first in pairs if later.source is entry.source)
    pages = (each for each in alike if _are_one_page(entry, each))
    return next(chain(found, pages), None)


def _are_one_page(entry: BibEntry, other: BibEntry) -> bool:
    """Return whether two entries without authors are one web page, whenever it was visited."""
    both = (entry, other)
    stated = ({each.year for each in both}, {each.fields.get("version", "") for each in both})
    return (
        not any(each.surnames for each in both)
        and letters_of(entry.title) == letters_of(other.title)
        and "" != _address(entry) == _address(other)
        and all(len(values - {""}) < 2 for values in stated)
    )


def _address(entry: BibEntry) -> str:
    """Return the letters of the address of a web page, which BibTeX has in other fields."""
    named = map(entry.fields.get, ("url", "howpublished", "note"))
    found = next(filter(None, map(_ADDRESS.search, filter(None, named))), None)
    return letters_of(found[1]) if found else ""


def takings_of(bibliography: DraftBibliography, finding: Finding) -> list[Taking]:
    """Return the changes that a finding about an entry offers; none for other findings."""
    entry = bibliography.entries.get(finding.key) if finding.values else None
    return [] if entry is None else takings(entry, finding.values, finding.entry_type)


def taking_plan(
    bibliography: DraftBibliography,
    chosen: Iterable[tuple[Finding, Taking]],
    encoding_of: Callable[[Path], str],
) -> Changes:
    """Return the edits that apply chosen changes to entries; raise `InputError` if one cannot be.

    `encoding_of` returns a file's encoding, or raises `InputError` if the file cannot be edited.
    """
    by_entry: dict[tuple[Path, str], Taking] = {}
    for finding, each in chosen:
        where = finding.place.file, finding.key
        before = by_entry.get(where)
        by_entry[where] = each if before is None else before.with_more(each)
    edits, texts = [], {}
    for (path, key), taking in by_entry.items():
        entry = _written(bibliography, path, key)
        try:
            edits += taken(entry, taking, encoding_of(path))
        except InputError as error:
            raise InputError(f"{path.name}:{entry.place.line}: {key}: {error}") from None
        texts[path] = entry.text
    return Changes(tuple(sorted(edits, key=lambda edit: (edit.path, edit.span))), texts)


def _written(bibliography: DraftBibliography, path: Path, key: str) -> WrittenEntry:
    files = [file for source, file in bibliography.files if source.text is None]
    own = next((file for file in files if file.path == path and key in file.positions), None)
    if own is None:
        raise InputError(f"{path.name}: {key} is in the draft itself; change it by hand")
    strings = {name: value for file in files for name, value in file.strings.items()}
    return WrittenEntry(own, own.positions[key], own.text, strings)
