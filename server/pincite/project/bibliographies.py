"""The bibliographies of drafts: each file is scanned once, and merged for each draft.

Their entries are candidates, each with its text and who cites it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

from ..model.bibliographies import BibliographyFile, EntryNames, Place
from ..model.drafts import BibliographySource, Draft
from ..model.papers import (
    BibEntry,
    Candidate,
    Candidates,
    InlinkContext,
    ReferencePaper,
    TextBasis,
    doi_in_key,
)
from ..model.problems import InputError, Problem
from ..model.programs import Program
from ..model.spans import TextSpan
from ..parsing.bibliographies import OTHER_FORMATS, merged, parse_bibliography
from ..parsing.disk import Disk
from ..parsing.encoding import read_text

#: What may be a field in a title that macros or another entry gave; braces are gone by then.
_PERHAPS_FIELD: Final = re.compile(r"[A-Za-z][\w-]{2,}\s*=")
#: Endings of the files that biblatex and REVTeX write when they run, after the draft's name; no
#: entry in them can be cited.
WRITTEN_BY_TEX: Final = ("-blx.bib", "notes.bib")
#: Faults that leave each value with its own text and no other.
_IN_ITS_FIELD: Final = frozenset(("no comma", "no macro", "key used", "comment"))
_CACHED_CANDIDATES: Final = 512
_BEST_FIRST: Final[tuple[TextBasis, ...]] = ("full text", "abstract", "title")
_ParsedFrom = tuple[object, tuple[object, ...]]
#: The inputs of a merge: the files' identities, items, and how keys are compared.
_MergeState = tuple[list[int], tuple[object, ...]]


@dataclass(frozen=True)
class DraftBibliography:
    """The entries a draft can cite, by key; `unread` is why some files could not be read."""

    entries: Mapping[str, BibEntry] = field(default_factory=dict)
    case_sensitive: bool = True
    files: tuple[tuple[BibliographySource, BibliographyFile], ...] = ()
    unread: tuple[Problem, ...] = ()
    #: Whether a DOI cites the entry that has it.
    by_doi: bool = False

    @cached_property
    def names(self) -> EntryNames:
        """The names of the entries."""
        return EntryNames(self.entries)

    @cached_property
    def _dois(self) -> Mapping[str, str]:
        """The keys of entries by DOI."""
        return {each.doi: each.key for each in self.entries.values()}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the files and their entries; slow if there are many entries."""
        found = (problem for _, file in self.files for problem in file.problems)
        return (*found, *self.unread)

    def sound_entries(self) -> Iterator[BibEntry]:
        """Yield the entries without an unclosed value, which swallows the fields after it; slow."""
        unsound = [
            found
            for _, file in self.files
            if (starts := {f.entry.start for f in file.faults if f.kind not in _IN_ITS_FIELD})
            for key, place in file.places.items()
            if place.span.start in starts
            and (found := file.entries.get(key) or file.data_entries.get(key)) is not None
        ]
        places = {(entry.path, entry.key) for entry in unsound}
        # Others may inherit it.
        titles = {entry.fields.get("title", "") for entry in unsound} - {""}
        for entry in self.entries.values():
            is_sound = (entry.path, entry.key) not in places
            if is_sound and not (
                entry.fields.get("title", "") in titles or _PERHAPS_FIELD.search(entry.title)
            ):
                yield entry

    def find(self, key: str) -> BibEntry | None:
        """Return the entry that a citation key refers to."""
        name = self.key_of(key)
        return None if name is None else self.entries.get(name)

    def key_of(self, key: str) -> str | None:
        """Return the key of the entry that a citation key refers to."""
        name = self.names.key_of(key, case_sensitive=self.case_sensitive)
        if name is None and self.by_doi and (doi := doi_in_key(key)):
            name = self._dois.get(doi)
        return name

    def find_data(self, key: str) -> BibEntry | None:
        """Return the ``@xdata`` entry with a key, which cannot be cited."""
        files = (file for _, file in self.files if key in file.data_entries)
        return next((file.data_entries[key] for file in files), None)

    def place(self, entry: BibEntry) -> Place | None:
        """Return the place of an entry in its file; None for an item of the draft."""
        files = (file for source, file in self.files if source.path == entry.path)
        found = (file for file in files if entry.key in file.all_entries)
        return next((file.place(entry.key) for file in found), None)

    def where(self, entry: BibEntry) -> tuple[int, int, TextSpan] | None:
        """Return line and column, from 1, where an entry begins in its file, and its key's span."""
        if (found := self.place(entry)) is None:
            return None
        # A bibliography that a draft has in itself does not begin at a line of its own.
        files = (file for source, file in self.files if source.path == entry.path)
        text, start = next(((each.text, each.start) for each in files), ("", 0))
        at = found.span.start - start
        column = at - text.rfind("\n", 0, at) if 0 <= at <= len(text) else 1
        return found.line, column, found.key_span


class Bibliographies:
    """The bibliographies that drafts name, each parsed once per content."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        #: By path, number and program, with what it was parsed from: the stamp of a file, or a
        #: text, and the other arguments. A file has the number 0; those in a file of a draft are
        #: counted from 1.
        self._parsed: dict[tuple[Path, int, Program], tuple[_ParsedFrom, BibliographyFile]] = {}
        self._merged: dict[Path, tuple[_MergeState, DraftBibliography]] = {}

    def forget(self, paths: Collection[Path]) -> None:
        """Read some files again, even if their time and size have not changed."""
        for key, ((stamp, arguments), file) in tuple(self._parsed.items()):
            # Open documents and texts in drafts are compared by content.
            if key[0] in paths and not isinstance(stamp, str):
                self._parsed[key] = (None, arguments), file

    def forget_draft(self, root: Path) -> None:
        """Release the merged entries of a draft that is no longer needed."""
        self._merged.pop(root, None)

    def of_draft(
        self, draft: Draft, sources: Sequence[BibliographySource], open_texts: Mapping[Path, str]
    ) -> DraftBibliography:
        """Return the entries of bibliographies and items of a draft; unchanged, the same object."""
        strings: dict[str, str] = {}
        problems: list[Problem] = []
        found: list[tuple[BibliographySource, BibliographyFile]] = []
        embedded: Counter[Path] = Counter()
        for source in sources:
            embedded[source.path] += source.text is not None
            number = 0 if source.text is None else embedded[source.path]
            text = open_texts.get(source.path) if source.text is None else source.text
            try:
                # As in BibTeX, a later file may use the @string macros of an earlier one.
                file = self._file(source, text, number, dict(strings), draft.program)
                found.append((source, file))
                strings.update(file.strings)
            except InputError as error:
                message = str(error).removeprefix(f"{source.path}: ")
                problems.append(Problem(source.path, None, message))
        rest = (draft.bib_items, draft.case_sensitive_keys, problems, draft.resolves_dois)
        state = ([id(file) for _, file in found], rest)
        # The items belong to one draft, but a hundred drafts may share one large bibliography.
        others = () if draft.bib_items else tuple(self._merged.values())
        known = (self._merged.get(draft.root, (None, None)), *others)
        made = next((each for made_from, each in known if made_from == state), None)
        if made is None:
            items: dict[str, BibEntry] = {}
            for item in draft.bib_items:
                # Only its printed form is known.
                entry = BibEntry(item.key, "bibitem", {"title": item.text}, draft.root)
                items.setdefault(item.key, entry)
            preferred = [file for _, file in draft.by_precedence(tuple(found))]
            made = DraftBibliography(
                merged([file for _, file in found], items, preferred),
                draft.case_sensitive_keys,
                tuple(found),
                tuple(problems),
                draft.resolves_dois,
            )
        self._merged[draft.root] = (state, made)
        return made

    def _file(
        self,
        source: BibliographySource,
        text: str | None,
        number: int,
        strings: Mapping[str, str],
        program: Program,
    ) -> BibliographyFile:
        """Return a parsed bibliography; `text` is None for what is read from the disk."""
        path, key = source.path, (source.path, number, program)
        if path.suffix.lower() in OTHER_FORMATS:
            raise InputError("is in a format that is not read; convert it to BibTeX or CSL JSON")
        stamp = self._disk.status(path) if text is None else text
        arguments = (strings, program, source.start, source.first_line)
        known = self._parsed.get(key)
        if known is None or stamp is None or known[0] != (stamp, arguments):
            text = read_text(path) if text is None else text
            earlier = None if known is None else known[1]
            parsed = parse_bibliography(text, path, *arguments, earlier)
            known = self._parsed[key] = (stamp, arguments), parsed
        return known[1]


def candidates_of(
    bibliography: DraftBibliography,
    read: Callable[[BibEntry], ReferencePaper],
    inlinks: Mapping[str, Sequence[InlinkContext]] = MappingProxyType({}),
) -> Candidates:
    """Return the entries of a bibliography as candidates, whose texts `read` returns."""
    entries = bibliography.entries

    def make(entry: BibEntry) -> Candidate:
        names, contexts = entry.surnames, inlinks.get(entry.key, ())
        if not entry.members or (paper := read(entry)).title:
            return Candidate(entry.key, cache(partial(read, entry)), entry, names, contexts)
        # A biblatex set has the texts of its members.
        members = [m for key in entry.members if (m := bibliography.find(key)) is not None]
        papers = [read(member) for member in members]
        paper = ReferencePaper(
            title="; ".join(member.title for member in members),
            basis=min((paper.basis, *(p.basis for p in papers)), key=_BEST_FIRST.index),
            sentences=tuple(sentence for p in papers for sentence in p.sentences),
            abstract=" ".join(p.abstract for p in papers if p.abstract),
        )
        names = tuple(name for member in members for name in member.surnames)
        return Candidate(entry.key, paper, entry, names, contexts)

    find = lru_cache(_CACHED_CANDIDATES)(lambda key: make(entries[key]))
    return Candidates(entries, find)
