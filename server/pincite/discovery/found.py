"""Works that services know, around an author's or found by words, merged into one list."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ..enrichment.service import Service, ServiceError
from ..enrichment.sources import sent_doi
from ..enrichment.verification import verify_match
from ..library.same_work import WorkMatcher, as_reference
from ..library.same_work.titles import letters_of
from ..model.fetched import CITED_BY as COUNT
from ..model.papers import PREPRINT_DOI, BibEntry
from ..text.tokens import words
from .neighbours import CITED_BY, CITES, FOUND_BY, MIN_LETTERS

#: The most works around an author's.
MAX_WORKS: Final = 5_000
#: Words with fewer letters rarely name a subject.
_MIN_LETTERS: Final = 4
#: The most words that are proposed for a search.
_MAX_WORDS: Final = 8
#: Signs that end a value of a filter.
_SEPARATORS: Final = frozenset("|,&+")


@dataclass(slots=True)
class Found:
    """What a service knows, by its identifiers of works: these, and the own DOIs around them.

    Of own works, `asked` are the DOIs about which it was asked, `known` those of its own `ids`: a
    preprint and its publication may have one.
    """

    works: dict[str, BibEntry] = field(default_factory=dict)
    cited_by: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    cites: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    ids: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    asked: set[str] = field(default_factory=set)

    @property
    def known(self) -> set[str]:
        """The DOIs of own works that it knows."""
        return set().union(*self.ids.values())

    def add_own(self, name: str, entry: BibEntry | None, doi: str, work: BibEntry) -> bool:
        """Add an own work, if it is one: another work's DOI would bring that work's neighbours."""
        if not name or entry is None or verify_match(entry, work, by_doi=True) == "other":
            return False
        self.ids[name].add(doi)
        return True

    def add(self, name: str, work: BibEntry) -> None:
        """Add a work around; an own work may cite another."""
        if name and work.title and name not in self.ids:
            self.works.setdefault(name, replace(work, key=name))

    def entries(self) -> list[BibEntry]:
        """Return the works around, with the DOIs of the own works that they are connected with."""
        return [
            _with(work, {CITED_BY: _listed(self.cited_by[name]), CITES: _listed(self.cites[name])})
            for name, work in self.works.items()
        ]


def identified(entries: Iterable[BibEntry]) -> dict[str, BibEntry]:
    """Return the entries with a DOI, or that which arXiv registers, by DOI."""
    found = {sent_doi(each): each for each in entries}
    return {doi: each for doi, each in found.items() if doi and _SEPARATORS.isdisjoint(doi)}


def _with(work: BibEntry, own: Mapping[str, str]) -> BibEntry:
    """Return a work with fields of ours; services may not know yet who cites it."""
    fields = {n: v for n, v in {**work.fields, **own}.items() if v and (n, v) != (COUNT, "0")}
    return replace(work, source=fields)


def merged(lists: Iterable[Sequence[BibEntry]]) -> list[BibEntry]:
    """Return the works of several lists, each once: the same identifier, or the same title."""
    found: dict[str, BibEntry] = {}
    for entries in lists:
        works = WorkMatcher(found.values())
        names = {entry.key: name for name, entry in found.items()}
        for entry in entries:
            letters = letters_of(entry.title)
            # Many works are an “Editorial”.
            name = letters if len(letters) >= MIN_LETTERS else entry.key
            if name not in found and (known := works.find(as_reference(entry))) is not None:
                name = names[known]
            if letters:
                found[name] = _joined(found[name], entry) if name in found else entry
    return [*found.values()]


def _joined(entry: BibEntry, other: BibEntry) -> BibEntry:
    """Return one entry of two of a work: what the first lacks, the other may have.

    A preprint is described as what it became.
    """
    if PREPRINT_DOI.match(entry.doi) and other.doi and not PREPRINT_DOI.match(other.doi):
        entry, other = other, entry
    fields = {**entry.fields, **other.fields, **entry.fields}
    for name in (CITED_BY, CITES):
        if dois := {*entry.fields.get(name, "").split(), *other.fields.get(name, "").split()}:
            fields[name] = _listed(dois)
    finders = [each.fields[FOUND_BY] for each in (entry, other) if FOUND_BY in each.fields]
    if finders:
        fields[FOUND_BY] = ", ".join(dict.fromkeys(", ".join(finders).split(", ")))
    return replace(entry, source=fields)


def _listed(dois: Iterable[str]) -> str:
    return " ".join(sorted(dois))


def batches(values: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield values in batches of a size."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def rare_words(sentence: str, draft: str, ignored: Collection[str]) -> str:
    """Return the rarest words of a sentence, by their frequency in the draft, in their order.

    They are proposed for a search: never the sentence as it stands, of which one word at least is
    left out.
    """
    counts = Counter(word.lower() for word in words(draft))
    own = words(sentence)
    telling = [
        word
        for word in dict.fromkeys(own)
        if len(word) >= _MIN_LETTERS and word.isalpha() and word.lower() not in ignored
    ]
    most = min(_MAX_WORDS, max(1, len(own) - 1))
    rarest = sorted(telling, key=lambda word: counts[word.lower()])[:most]
    return " ".join(word for word in telling if word in rarest)


def search(asked: str, services: Sequence[Service], failures: dict[str, str]) -> list[BibEntry]:
    """Return the works that services find by words, each once, with who found it.

    Why a service gave no answer is in `failures`, by its name.
    """
    lists = []
    for service in services:
        source = service.source
        try:
            works = source.search(asked, service.ask)
        except ServiceError as error:
            failures[source.name] = str(error)
            continue
        named = (replace(each, key=f"{source.name}:{each.key}") for each in works)
        lists.append([_with(each, {FOUND_BY: source.name}) for each in named])
    return merged(lists)
