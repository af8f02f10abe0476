"""Match references, files and entries to entries (for the method see the package)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple
from urllib.parse import unquote

from rapidfuzz import fuzz

from ...cancellation import checked
from ...model.papers import PREPRINT_DOI, BibEntry, Reference, ReferencePaper, is_of_preprints
from ...text.characters import folded
from ..file_fields import file_names
from .titles import (
    MAX_LENGTH,
    OTHER_TITLE,
    PASSAGE_SCORE,
    TELLING_LETTERS,
    TELLING_WORDS,
    Passage,
    Title,
    TitleIndex,
    letters_of,
    name_words,
    same_name,
)

_YEAR: Final = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
# A paper's own title begins within the first letters of its first page, at most this many.
_TITLE_WITHIN: Final = 400
# A short title occurs in other titles and in abstracts, so it must be the very first words.
_SHORT_TITLE_WITHIN: Final = 1
_ANYWHERE: Final = 1_000_000
# This many characters of a reference, or after a title, are searched for authors.
_AUTHORS_WITHIN: Final = 120
# Only in a text of this many letters is something missing evidence against an entry.
_TELLING_TEXT: Final = 150
# A file name that is the last part of a DOI, such as "s10579-005-2694-2".
_TELLING_SUFFIX: Final = 7
_NUMBERS: Final = re.compile(r"\d+")

# What file names state about the work.
_FILE_DOI: Final = re.compile(r"10\.\d{4,9}[^\w.]?\S+")
_FILE_ARXIV: Final = re.compile(r"(?<![\d.])(\d\d(?:0[1-9]|1[0-2])\.\d{4,5})(?:v\d{1,2})?(?![\d.])")
_FILE_OLD_ARXIV: Final = re.compile(
    r"([a-z]+(?:-[a-z]+)?)(?:\.[a-z]{2})?[_./-]?(\d{7})(?:v\d{1,2})?"
)
# "Och and Ney - 2003 - A Systematic Comparison of...", and "och_2003_systematic".
_FILE_PARTS: Final = re.compile(r"(.{2,80}?) - ((?:1[89]|20)\d\d) - (.{3,})")
_FILE_NAMES: Final = re.compile(r",|&|\band\b|\bet al\b\.?")
_FILE_KEY: Final = re.compile(r"([^\W\d_]{2,40}?)[-_.]?((?:1[89]|20)\d\d)[-_.]?([^\W\d_]{4,40})")


# Of entries that are compared with each other.
_CHECKED_EVERY: Final = 100
#: How many others of the same title an entry is compared with: hundreds are “Introduction”.
_MAX_COMPARED: Final = 20
#: A preprint precedes its publication by this many years at most; later ones are other editions.
_MAX_YEARS: Final = 3
#: Where entries of one type differ in one of these, they are two works of one title.
_TELLING_NUMBERS: Final = ("volume", "number", "pages", "chapter", "edition", "part")
#: Types that are used for a work of any type.
_ANY_TYPE: Final = frozenset(("misc", "online", "unpublished", "techreport", "report"))
_PAGES: Final = frozenset(("misc", "online", "electronic", "www"))
#: The site of an address, and what is there (but for a query).
_ADDRESS: Final = re.compile(r"https?://(?:www\.)?([^/\s?#{}]+)([^\s?#{}]*)")
_SUFFIX: Final = re.compile(r"\.\w{2,4}\Z")


def as_reference(entry: BibEntry) -> Reference:
    """Return an entry in the form that `WorkMatcher.find` takes."""
    return Reference(entry.title, entry.surnames, entry.year, entry.doi, entry.arxiv, entry.key)


class _Known(NamedTuple):
    """The data of an entry to compare: names are normalised, an unknown year is 0."""

    entry: BibEntry
    written_title: str
    names: tuple[str, ...]
    year: int
    doi: str
    arxiv: str

    @classmethod
    def of(cls, entry: BibEntry) -> _Known:
        year = int(entry.year) if entry.year.isascii() and entry.year.isdigit() else 0
        names = name_words(entry.surnames)
        return cls(entry, entry.title, names, year, entry.doi, entry.arxiv)

    @property
    def title(self) -> Title:
        return Title.of(self.written_title)


@dataclass(frozen=True, slots=True)
class WorkQuery:
    """What is known about a work: its title may be in `passage` before the letter `within`."""

    title: Title
    passage: Passage
    within: int
    short_within: int
    names: tuple[str, ...]
    witness: Passage
    years: tuple[int, ...]
    key: str = ""

    def fit(self, own: _Known) -> tuple[object, ...] | None:
        """Return how well title, authors and year of an entry fit; None if they do not."""
        authors = self.authors(own)
        if authors < 0:
            return None
        title = own.title
        likeness = title.likeness(self.title)
        if likeness is None or not likeness.whole:
            within = self.within if len(title.words) >= TELLING_WORDS else self.short_within
            likeness = self.passage.likeness(title, within, own.names) or likeness
        apart = self.years_apart(own)
        if likeness is None or not likeness.suffices(authors, apart):
            return None
        return (
            *(likeness.whole, round(likeness.score), -likeness.start, own.entry.key == self.key),
            *(-(apart or 0), self.shared_names(own)),
        )

    def authors(self, own: _Known) -> int:
        """Return how far the authors agree: -1 not at all, 0 not known, 1 in part, 2 mostly."""
        if not own.names or not (self.names or self.witness.letters):
            return 0
        known, first = self.names, own.names[0]
        shared = self.shared_names(own)
        if 2 * shared > max(len(own.names), len(known)):
            alike = same_name(first, known[0]) if known else self.witness.names(first)
            return 2 if alike else 1
        agrees = (
            self.witness.names(first)
            or any(same_name(first, name) for name in known)
            or any(same_name(known[0], name) for name in own.names if known)
            or 2 * shared > len(own.names)
        )
        return 1 if agrees else -1

    def shared_names(self, own: _Known) -> int:
        """Return how many authors of an entry are known to be those of the work."""
        return sum(
            self.witness.names(name) or any(same_name(name, other) for other in self.names)
            for name in own.names
        )

    def years_apart(self, own: _Known) -> int | None:
        """Return the years between an entry and the work; None if one of them is unknown."""
        return (
            min((abs(own.year - year) for year in self.years), default=None) if own.year else None
        )

    def contradicts(self, own: _Known) -> bool:
        """Return whether neither authors nor title of an entry match."""
        if self.authors(own) >= 0:
            return False
        title, passage = self.title.letters, self.passage.letters
        if len(title) < TELLING_LETTERS and len(passage) < _TELLING_TEXT:
            return False
        letters = own.title.letters
        return (
            fuzz.ratio(letters, title) < OTHER_TITLE
            and fuzz.partial_ratio(letters, passage) < PASSAGE_SCORE
        )


class WorkMatcher:
    """The works of a bibliography; the first query takes about a second for 49,000 entries."""

    def __init__(self, entries: Iterable[BibEntry]) -> None:
        #: The entries of the bibliography.
        self.entries = tuple(entries)

    def entry(self, key: str) -> BibEntry:
        """Return the entry of a key; raise `KeyError` if there is none."""
        return self._by_key[key]

    def find(self, reference: Reference, key: str = "") -> str | None:
        """Return the key of the entry that a reference means; `key` is its own, elsewhere."""
        text = reference.text[:MAX_LENGTH]
        years = _YEAR.findall(reference.year) or _YEAR.findall(text)
        query = WorkQuery(
            Title.of(reference.title),
            Passage(text),
            _ANYWHERE,
            _ANYWHERE,
            name_words(reference.surnames),
            Passage(text[:_AUTHORS_WITHIN]),
            tuple(sorted(set(map(int, years)))),
            key,
        )
        found = (
            self._by_identifier([reference.doi], [reference.arxiv], query)
            or self._by_title(query)
            or self._by_same_key(query)
            or self._by_place(query)
        )
        return found.entry.key if found else None

    def find_paper(self, paper: ReferencePaper, stem: str) -> str | None:
        """Return the key of the entry whose text a file with this stem is, or None if uncertain."""
        stem = unicodedata.normalize("NFC", unquote(stem[:MAX_LENGTH])).lower()
        if (key := self._by_file_name.get(stem)) is not None:
            return key
        front = Passage(paper.front[:MAX_LENGTH])
        telling = len(front.letters) >= _TELLING_TEXT
        query = WorkQuery(
            Title.of(paper.title),
            front,
            # Files without pages may be notes and reading lists, which begin with other titles.
            _TITLE_WITHIN if paper.page_count else 0,
            _SHORT_TITLE_WITHIN if paper.page_count else 0,
            name_words(paper.surnames),
            front if telling or paper.surnames else Passage(),
            tuple(map(int, _YEAR.findall(paper.year))),
        )
        doi, arxiv = _FILE_DOI.search(stem), _FILE_ARXIV.search(stem)
        old = _FILE_OLD_ARXIV.fullmatch(stem)
        named = f"{old[1]}/{old[2]}" if old else arxiv[1] if arxiv else ""
        dois, arxivs = (doi.group() if doi else "", paper.doi), (named, paper.arxiv)
        found = (
            self._by_identifier(dois, arxivs, query, stem)
            or self._by_title(query)
            or self._named_by_file(query, stem)
        )
        return found.entry.key if found else None

    # Lookup tables of the entries. If several share a name, the one with the smallest key is used.

    @cached_property
    def _by_key(self) -> dict[str, BibEntry]:
        return {entry.key: entry for entry in self.entries}

    @cached_property
    def _known(self) -> tuple[_Known, ...]:
        """The data of each entry to compare, computed together as parsing an entry is expensive."""
        return tuple(map(_Known.of, sorted(self.entries, key=lambda entry: entry.key)))

    @cached_property
    def _titles(self) -> TitleIndex:
        return TitleIndex(each.title for each in self._known)

    @cached_property
    def _by_file_name(self) -> dict[str, str]:
        """The keys of entries by these, and their aliases, as file names have them."""
        entries = sorted(self.entries, key=lambda entry: entry.key)
        keys = [(entry.key, key) for entry in entries for key in (entry.key, *entry.aliases)]
        names: dict[str, str] = {}
        # The likelier forms of all keys come first.
        for forms in zip(*(file_names(key) for _, key in keys), strict=True):
            for (own, _), name in zip(keys, forms, strict=True):
                names.setdefault(unicodedata.normalize("NFC", name).lower(), own)
        return names

    @cached_property
    def _by_doi(self) -> dict[str, _Known]:
        """The letters and digits of DOIs, which file names may contain too."""
        return self._first_by(lambda each: letters_of(each.doi))

    @cached_property
    def _by_doi_suffix(self) -> dict[str, _Known]:
        """The last parts of DOIs, which publishers use as file names, if they are not words."""
        suffixes = self._first_by(lambda each: letters_of(each.doi.rpartition("/")[2]))
        return {
            suffix: each
            for suffix, each in suffixes.items()
            if len(suffix) >= _TELLING_SUFFIX and not suffix.isalpha()
        }

    @cached_property
    def _by_arxiv(self) -> dict[str, _Known]:
        return self._first_by(lambda each: each.arxiv)

    @cached_property
    def _by_author(self) -> dict[tuple[str, int], list[_Known]]:
        found: dict[tuple[str, int], list[_Known]] = {}
        for each in self._known:
            if each.names:
                found.setdefault((each.names[0].replace(" ", ""), each.year), []).append(each)
        return found

    def _first_by(self, name: Callable[[_Known], str]) -> dict[str, _Known]:
        named = ((name(each), each) for each in reversed(self._known))
        return {value: each for value, each in named if value}

    def _by_identifier(
        self, dois: Iterable[str], arxivs: Iterable[str], query: WorkQuery, stem: str = ""
    ) -> _Known | None:
        """Return the first entry with one of these identifiers that nothing contradicts."""
        named = (
            self._by_doi_suffix.get(letters_of(stem)) if stem else None,
            *(self._by_doi.get(letters_of(doi)) for doi in dois if doi),
            *(self._by_arxiv.get(arxiv) for arxiv in arxivs if arxiv),
        )
        return next((each for each in named if each and not query.contradicts(each)), None)

    def _by_title(self, query: WorkQuery) -> _Known | None:
        """Return the entry whose title, authors and year fit best, if any do."""
        rows = self._titles.candidates(query.title, query.passage.words)
        # In the order of keys, which breaks ties.
        fits = ((query.fit(self._known[row]), row) for row in sorted(rows))
        best = max(((fit, -row) for fit, row in fits if fit is not None), default=None)
        return None if best is None else self._known[-best[1]]

    # Weaker evidence, for works whose title is unknown or not found.

    def _by_same_key(self, query: WorkQuery) -> _Known | None:
        """Return the entry of the same key if title, or authors and year, agree."""
        entry = self._by_key.get(query.key) if query.key else None
        if entry is None or (authors := query.authors(own := _Known.of(entry))) < 0:
            return None
        letters, apart = own.title.letters, query.years_apart(own)
        if letters and query.title.letters:
            alike = fuzz.ratio(letters, query.title.letters) >= OTHER_TITLE
            return own if alike and (apart is None or apart <= 1) else None
        return own if authors > 0 and apart == 0 else None

    def _by_place(self, query: WorkQuery) -> _Known | None:
        """Return the only entry printed at a place without title: "Comput. Linguist. 29, 19"."""
        if not query.names or len(query.years) != 1:
            return None
        first = query.names[0].replace(" ", "")
        numbers = set(_NUMBERS.findall(query.passage.text))
        found = [
            own
            for own in self._by_author.get((first, query.years[0]), ())
            if query.shared_names(own) >= min(len(query.names), len(own.names))
            and _is_printed_at(own.entry, numbers)
        ]
        return found[0] if len(found) == 1 else None

    def _named_by_file(self, query: WorkQuery, stem: str) -> _Known | None:
        """Return the entry that a file is named after: by title, or author, year and a word."""
        if named := _FILE_KEY.fullmatch(stem):
            name, year, word = "".join(name_words((named[1],))), int(named[2]), folded(named[3])
            found = [
                own for own in self._by_author.get((name, year), ()) if word in own.title.words
            ]
            if len(found) == 1 and not query.contradicts(found[0]):
                return found[0]
        title = stem.replace("_", " ").replace("+", " ")
        if parts := _FILE_PARTS.fullmatch(title):
            names = name_words(_FILE_NAMES.split(parts[1]))
            query, title = replace(query, names=names, years=(int(parts[2]),)), parts[3]
        return self._by_title(replace(query, title=Title.of(title), passage=Passage()))


def _is_printed_at(entry: BibEntry, numbers: set[str]) -> bool:
    """Return whether numbers include an entry's first page and its volume or last page."""
    pages = _NUMBERS.findall(entry.fields.get("pages", ""))[:2]
    volume = _NUMBERS.findall(entry.fields.get("volume", ""))[:1]
    place = {*pages[:1], *(volume or pages)}
    return len(pages) > 0 and len(place) > 1 and place <= numbers


def same_works(entries: Iterable[BibEntry]) -> Iterator[tuple[BibEntry, BibEntry]]:
    """Yield entries that are the same work as an earlier one, each with the first such entry.

    A preprint and its publication are; an article and the conference paper of its title are not,
    unless they have the same pages: the type is then that of one of two reference managers.
    """
    known: dict[tuple[str, str], list[BibEntry]] = {}
    for entry in checked(entries, _CHECKED_EVERY):
        if entry.members or entry.entry_type == "set":
            continue
        names = {
            "doi": letters_of(entry.doi),
            "arxiv": entry.arxiv,
            "title": letters_of(entry.title),
            "key": entry.key.lower(),
        }
        alike = [known.setdefault(name, []) for name in names.items() if name[1]]
        others = {id(other): other for each in alike for other in each[:_MAX_COMPARED]}
        for other in others.values():
            matcher = WorkMatcher([other])
            if not _are_two_works(entry, other) and matcher.find(as_reference(entry)) is not None:
                yield entry, other
                break
        else:
            for others_alike in alike:
                others_alike.append(entry)


def _are_two_works(entry: BibEntry, other: BibEntry) -> bool:
    """Return whether identifiers, types, years or numbers show that these are two works."""
    both = (entry, other)
    if entry.doi and entry.doi == other.doi:
        # Chapters may have the DOI of their book.
        return entry.entry_type != other.entry_type and letters_of(entry.title) != letters_of(
            other.title
        )
    if entry.arxiv and other.arxiv:
        # Mendeley wrote one id into many entries: "arXiv:1011.1669v3".
        dois = {each.doi for each in both if each.doi and "arxiv" not in each.doi}
        return entry.arxiv != other.arxiv or len(dois) > 1
    if {each.entry_type for each in both} <= _PAGES and not (entry.doi or other.doi):
        sites, pages, kinds = ({*each} for each in zip(*map(_address, both), strict=True))
        # A site has many pages of one title, but may have a page for a file.
        if "" not in sites and len(pages) > len(sites) == len(kinds):
            return True
    is_preprint = any(map(_is_preprint, both))
    if entry.doi and other.doi and not is_preprint:
        return True
    years = [int(each.year) for each in both if each.year.isdecimal()]
    if len(years) == 2 and abs(years[0] - years[1]) > (_MAX_YEARS if is_preprint else 0):
        return True
    if entry.entry_type != other.entry_type:
        is_any = any(each.entry_type in _ANY_TYPE for each in both) or _have_same_pages(*both)
        return not (is_preprint or is_any) or any("thesis" in each.entry_type for each in both)
    for name in () if is_preprint else _TELLING_NUMBERS:
        found = [_NUMBERS.search(each.fields.get(name, "")) for each in both]
        if len({number.group() for number in found if number}) == 2:
            return True
    return False


def _address(entry: BibEntry) -> tuple[str, str, str]:
    """Return site, page and suffix of an entry's address, in lower case; empty without one."""
    written = entry.fields.get("url") or entry.fields.get("howpublished", "")
    found = _ADDRESS.search(written.lower())
    if found is None:
        return "", "", ""
    page = found[2].strip("/")
    suffix = _SUFFIX.search(page, max(0, len(page) - 5))
    return found[1], page, suffix[0] if suffix else ""


def _is_preprint(entry: BibEntry) -> bool:
    journal = entry.fields.get("journal", "")
    return bool(entry.arxiv or PREPRINT_DOI.match(entry.doi) or is_of_preprints(journal))


def _have_same_pages(entry: BibEntry, other: BibEntry) -> bool:
    """Return whether two entries have the same pages, and no other volume."""
    pages, volumes = (
        [_NUMBERS.findall(each.fields.get(name, "")) for each in (entry, other)]
        for name in ("pages", "volume")
    )
    return pages[0] == pages[1] != [] and (volumes[0] == volumes[1] or [] in volumes)
