"""Match references and files to entries (for the method see the package)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Final, NamedTuple
from urllib.parse import unquote

from rapidfuzz import fuzz

from ...model.papers import BibEntry, Reference, ReferencePaper
from ...text.characters import folded
from .file_names import arxiv_in, author_year_word, doi_in, work_named
from .passages import Passage
from .titles import (
    MAX_LENGTH,
    PASSAGE_SCORE,
    TELLING_LETTERS,
    TELLING_WORDS,
    Likeness,
    Title,
    TitleIndex,
)
from .words import letters_of, name_words, same_name
from .work_query import TELLING_TEXT, WorkQuery

# Titles less similar than this are different, whatever else agrees.
_OTHER_TITLE: Final = 70.0
# A file name that is the last part of a DOI, such as "s10579-005-2694-2".
_TELLING_SUFFIX: Final = 7
_NUMBERS: Final = re.compile(r"\d+")
_NOT_IN_FILE_NAMES: Final = re.compile(r'[/\\:*?"<>|\s]')


def as_reference(entry: BibEntry) -> Reference:
    """Return an entry in the form that `WorkMatcher.find` takes."""
    return Reference(entry.title, entry.surnames, entry.year, entry.doi, entry.arxiv, entry.key)


class WorkMatcher:
    """The works of a bibliography, to be found by references, papers and file names.

    Nothing is computed before the first query, which takes about a second for 49,000 entries.
    """

    def __init__(self, entries: Iterable[BibEntry]) -> None:
        #: The entries of the bibliography.
        self.entries = tuple(entries)

    def entry(self, key: str) -> BibEntry:
        """Return the entry of a key; raise `KeyError` if there is none."""
        return self.entries[self._by_key[key]]

    def find(self, reference: Reference, key: str = "") -> str | None:
        """Return the key of the entry that a reference means; `key` is its own, elsewhere."""
        query = WorkQuery.by_reference(reference, key)
        found = self._by_identifier([reference.doi], [reference.arxiv], query)
        if found is None:
            found = self._by_title(query)
        if found is None and key:
            found = self._by_same_key(query)
        if found is None:
            found = self._by_place(query)
        return None if found is None else self.entries[found].key

    def find_paper(self, paper: ReferencePaper, stem: str) -> str | None:
        """Return the key of the entry whose text a file is, or None if uncertain.

        `stem` is the name of the file without its suffix; `paper` is what was read from it, any
        part of which may be missing or wrong.
        """
        stem = unicodedata.normalize("NFC", unquote(stem[:MAX_LENGTH])).lower()
        if (index := self._by_file_name.get(stem)) is not None:
            return self.entries[index].key
        query = WorkQuery.by_paper(paper)
        dois, arxivs = (doi_in(stem), paper.doi), (arxiv_in(stem), paper.arxiv)
        found = self._by_identifier(dois, arxivs, query, stem)
        if found is None:
            found = self._by_title(query)
        if found is None:
            found = self._named_by_file(query, stem)
        return None if found is None else self.entries[found].key

    # Lookup tables of the entries. If several share a name, the one with the smallest key is used.

    @cached_property
    def _described(self) -> tuple[_Described, ...]:
        """What is compared of each entry, computed together as parsing an entry is expensive."""
        return tuple(map(_Described.of, self.entries))

    @cached_property
    def _titles(self) -> TitleIndex:
        return TitleIndex(Title.of(each.title) for each in self._described)

    @cached_property
    def _by_key(self) -> dict[str, int]:
        return {entry.key: index for index, entry in enumerate(self.entries)}

    @cached_property
    def _by_file_name(self) -> dict[str, int]:
        """Keys as written in file names: "DBLP:conf/acl/Och03" may be "DBLP_conf_acl_Och03"."""
        names: dict[str, int] = {}
        for stand_in in (None, "_", "-", ""):
            for index in self._ordered:
                entry = self.entries[index]
                for key in (entry.key, *entry.aliases):
                    name = key if stand_in is None else _NOT_IN_FILE_NAMES.sub(stand_in, key)
                    names.setdefault(unicodedata.normalize("NFC", name).lower(), index)
        return names

    @cached_property
    def _by_doi(self) -> dict[str, int]:
        """The letters and digits of DOIs, which file names may contain too."""
        return self._first_by(lambda each: letters_of(each.doi))

    @cached_property
    def _by_doi_suffix(self) -> dict[str, int]:
        """The last parts of DOIs, which publishers use as file names, if they are not words."""
        suffixes = self._first_by(lambda each: letters_of(each.doi.rpartition("/")[2]))
        return {
            suffix: index
            for suffix, index in suffixes.items()
            if len(suffix) >= _TELLING_SUFFIX and not suffix.isalpha()
        }

    @cached_property
    def _by_arxiv(self) -> dict[str, int]:
        return self._first_by(lambda each: each.arxiv)

    @cached_property
    def _by_author(self) -> dict[tuple[str, int], list[int]]:
        found: dict[tuple[str, int], list[int]] = {}
        for index, each in enumerate(self._described):
            if each.names:
                name = each.names[0].replace(" ", "")
                found.setdefault((name, each.year), []).append(index)
        return found

    @cached_property
    def _ordered(self) -> list[int]:
        return sorted(range(len(self.entries)), key=lambda index: self.entries[index].key)

    def _first_by(self, name: Callable[[_Described], str]) -> dict[str, int]:
        named = ((name(self._described[index]), index) for index in reversed(self._ordered))
        return {value: index for value, index in named if value}

    def _title(self, index: int) -> Title:
        return Title.of(self._described[index].title)

    def _names(self, index: int) -> tuple[str, ...]:
        return self._described[index].names

    # Comparison of a query with an entry.

    def _by_identifier(
        self, dois: Iterable[str], arxivs: Iterable[str], query: WorkQuery, stem: str = ""
    ) -> int | None:
        """Return the first entry with one of these identifiers that nothing contradicts."""
        named = (
            self._by_doi_suffix.get(letters_of(stem)) if stem else None,
            *(self._by_doi.get(letters_of(doi)) for doi in dois if doi),
            *(self._by_arxiv.get(arxiv) for arxiv in arxivs if arxiv),
        )
        likely = (index for index in named if index is not None)
        return next((index for index in likely if not self._contradicts(index, query)), None)

    def _by_title(self, query: WorkQuery) -> int | None:
        """Return the entry whose title, authors and year fit best, if any do."""
        best: tuple[tuple[object, ...], int] | None = None
        for index in self._titles.candidates(query.title, query.passage.words):
            authors = self._authors(index, query)
            if authors < 0 or (likeness := self._likeness(index, query)) is None:
                continue
            apart = self._years_apart(index, query)
            if not likeness.suffices(authors, apart):
                continue
            entry = self.entries[index]
            fit = (
                *(likeness.whole, round(likeness.score), -likeness.start, entry.key == query.key),
                *(-(apart or 0), self._shared_names(index, query)),
            )
            # Ties are broken by the key, independently of the order of the entries.
            if best is None or (fit, self.entries[best[1]].key) > (best[0], entry.key):
                best = fit, index
        return None if best is None else best[1]

    def _likeness(self, index: int, query: WorkQuery) -> Likeness | None:
        """Compare an entry's title with the title of the query, then with the text around it."""
        title = self._title(index)
        found = title.likeness(query.title)
        if found is None or not found.whole:
            telling = len(title.words) >= TELLING_WORDS
            within = query.title_within if telling else query.short_title_within
            return query.passage.likeness(title, within, self._names(index)) or found
        return found

    def _authors(self, index: int, query: WorkQuery) -> int:
        """Return how far the authors agree: -1 not at all, 0 not known, 1 in part, 2 mostly."""
        own = self._names(index)
        if not own or not (query.names or query.witness.letters):
            return 0
        known = query.names
        shared = self._shared_names(index, query)
        if 2 * shared > max(len(own), len(known)):
            alike = same_name(own[0], known[0]) if known else query.witness.names(own[0])
            return 2 if alike else 1
        first = query.witness.names(own[0]) or any(same_name(own[0], name) for name in known)
        if first or any(same_name(known[0], name) for name in own if known):
            return 1
        return 1 if 2 * shared > len(own) else -1

    def _shared_names(self, index: int, query: WorkQuery) -> int:
        return sum(
            query.witness.names(name) or any(same_name(name, other) for other in query.names)
            for name in self._names(index)
        )

    def _years_apart(self, index: int, query: WorkQuery) -> int | None:
        own = self._described[index].year
        return min((abs(own - year) for year in query.years), default=None) if own else None

    def _contradicts(self, index: int, query: WorkQuery) -> bool:
        """Return whether neither authors nor title of an entry match the query."""
        if self._authors(index, query) >= 0:
            return False
        telling = (query.title.letters, TELLING_LETTERS), (query.passage.letters, TELLING_TEXT)
        if all(len(letters) < enough for letters, enough in telling):
            return False
        title = self._title(index).letters
        return (
            fuzz.ratio(title, query.title.letters) < _OTHER_TITLE
            and fuzz.partial_ratio(title, query.passage.letters) < PASSAGE_SCORE
        )

    # Weaker evidence, for works whose title is unknown or not found.

    def _by_same_key(self, query: WorkQuery) -> int | None:
        """Return the entry of the same key if title, or authors and year, agree."""
        index = self._by_key.get(query.key)
        if index is None or (authors := self._authors(index, query)) < 0:
            return None
        own, apart = self._title(index).letters, self._years_apart(index, query)
        if own and query.title.letters:
            alike = fuzz.ratio(own, query.title.letters) >= _OTHER_TITLE
            return index if alike and (apart is None or apart <= 1) else None
        return index if authors > 0 and apart == 0 else None

    def _by_place(self, query: WorkQuery) -> int | None:
        """Return the only entry of these authors and year with its page and volume in the text.

        Reference lists of the natural sciences omit titles: "Comput. Linguist. 29, 19".
        """
        if not query.names or len(query.years) != 1:
            return None
        first = query.names[0].replace(" ", "")
        numbers = set(_NUMBERS.findall(query.passage.text))
        found = [
            index
            for index in self._by_author.get((first, query.years[0]), ())
            if self._shared_names(index, query) >= min(len(query.names), len(self._names(index)))
            and self._printed_at(index, numbers)
        ]
        return found[0] if len(found) == 1 else None

    def _printed_at(self, index: int, numbers: set[str]) -> bool:
        """Return whether numbers include an entry's first page and its volume or last page."""
        fields = self.entries[index].fields
        pages = _NUMBERS.findall(fields.get("pages", ""))[:2]
        volume = _NUMBERS.findall(fields.get("volume", ""))[:1]
        place = {*pages[:1], *(volume or pages)}
        return len(pages) > 0 and len(place) > 1 and place <= numbers

    def _named_by_file(self, query: WorkQuery, stem: str) -> int | None:
        """Return the entry that a file is named after: by title, or author, year and a word."""
        if (key := author_year_word(stem)) is not None:
            name, year, word = key
            same = self._by_author.get((name, year), ())
            found = [index for index in same if folded(word) in self._title(index).words]
            if len(found) == 1 and not self._contradicts(found[0], query):
                return found[0]
        work = work_named(stem)
        named = replace(
            query,
            title=Title.of(work.title),
            passage=Passage(),
            names=query.names if work.names is None else work.names,
            years=query.years if work.year is None else (work.year,),
        )
        return self._by_title(named)


class _Described(NamedTuple):
    """What is compared of an entry: names are normalised, an unknown year is 0."""

    title: str
    names: tuple[str, ...]
    year: int
    doi: str
    arxiv: str

    @classmethod
    def of(cls, entry: BibEntry) -> _Described:
        year = int(entry.year) if entry.year.isascii() and entry.year.isdigit() else 0
        return cls(entry.title, name_words(entry.surnames), year, entry.doi, entry.arxiv)
