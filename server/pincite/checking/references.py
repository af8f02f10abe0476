"""Judge entries by what services know of their works, and by notices of retraction.

Precision comes first: an entry is reported only for what all services that answered agree on, and
never for how names are abbreviated or written, a missing subtitle, or a year online before print.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, NamedTuple, get_args

from rapidfuzz import fuzz

from ..enrichment.known_works import Known, Record, Update, is_covered, published_as
from ..enrichment.named_works import pmid_of
from ..enrichment.sources import ARXIV_DOI
from ..enrichment.verification import is_of_larger, replaced_words, verify_match
from ..library.same_work.titles import OTHER_TITLE, Title, letters_of, words_of
from ..model.papers import OTHERS, BibEntry
from ..text.languages import identified
from .citations import ReferenceKind
from .same_people import (
    IN_TITLE,
    MAX_REPLACED,
    MIN_NAME,
    Person,
    contradict,
    people_of,
    same_person,
    same_words,
)

REFERENCE_KINDS: Final[tuple[ReferenceKind, ...]] = get_args(ReferenceKind)

#: What notices of each kind state, the most serious first; the fold is that of `Update`.
_STATES: Final = {
    "retraction": "was retracted",
    "retracted": "was retracted",
    "removal": "was removed by its publisher",
    "withdrawal": "was withdrawn",
    "expression-of-concern": "has an expression of concern",
    "partial-retraction": "was retracted in part",
    "correction": "was corrected",
    "corrigendum": "was corrected",
    "erratum": "was corrected",
}
_REINSTATED: Final = "reinstatement"
_OF_TITLE: Final = {"retracted": "retraction", "withdrawn": "withdrawal", "removed": "removal"}
#: The order in which fields of a published version are written; the DOI comes last.
_ORDER: Final = "author editor title journal booktitle series year volume number pages".split()
#: An article may be online in the year before it is printed.
_MAX_YEARS: Final = 1
#: A title that is less similar, in per cent of its letters, has nothing to do with another.
_RELATED_TITLE: Final = 50.0
_DIGITS: Final = re.compile(r"\d+")


class Judgement(NamedTuple):
    """What is wrong with an entry; `message` names the services, and when they answered.

    `notice` is the address of the notice of a retraction. `values` are what the fields of the entry
    should be, as far as known; of a preprint they are those of the published version, which is of
    an `entry_type`. `state` is what a decision about it rests on beside the identifier.
    """

    kind: ReferenceKind
    message: str
    notice: str = ""
    values: tuple[tuple[str, str], ...] = ()
    state: str = ""
    entry_type: str = ""


#: Returns what the author's own file knows of the retraction of a work, by DOI and PMID.
Retractions = Callable[[str, str], Sequence[Update]]


@dataclass(frozen=True, slots=True)
class Asked:
    """Which services were asked for how many entries, and from when to when (ISO 8601)."""

    services: Mapping[str, int] = field(default_factory=dict)
    first: str = ""
    last: str = ""

    @classmethod
    def of(cls, known: Iterable[Known]) -> Asked:
        """Return what answers were there."""
        services: dict[str, int] = {}
        days = []
        for each in known:
            records = (*each.by_identifier, *each.by_title, *each.of_work)
            days += [record.day for record in records]
            unknown = (source.name for source in each.unknown_to)
            for name in {*(record.service for record in records), *unknown, *each.searched}:
                services[name] = services.get(name, 0) + 1
        return cls(dict(sorted(services.items())), min(days, default=""), max(days, default=""))

    def __str__(self) -> str:
        if not self.services:
            return "No service was asked"
        asked = ", ".join(f"{name} ({number:,})" for name, number in self.services.items())
        when = self.first if self.first == self.last else f"{self.first} to {self.last}"
        return f"Entries for which services answered: {asked}{when and f'; answers dated {when}'}"


def judge(known: Known, retractions: Retractions = lambda _doi, _pmid: ()) -> Iterator[Judgement]:
    """Yield what is wrong with an entry, the most serious first."""
    entry = known.entry
    verdicts = [_is_other(entry, each) for each in known.by_identifier]
    is_other = any(verdicts) and None not in verdicts and not _in_larger(known)
    # The record of another work is not about this one.
    records = (*(() if is_other else known.by_identifier), *known.of_work)
    if (found := _retracted(known, records, retractions)) is not None:
        yield found
    is_isbn = known.identifier.startswith("isbn:")
    if is_other or not known.by_identifier or (is_isbn and not _exists(entry, records)):
        wrong = _wrong_identifier(known, is_other=is_other)
        missing = None if wrong is not None else _not_found(known)
        if found := wrong or missing:
            yield found
            return
    if (found := _published(known)) is not None:
        yield found
    if (found := _differs(entry, records)) is not None:
        yield found


# Retractions


def _retracted(
    known: Known, records: Sequence[Record], retractions: Retractions
) -> Judgement | None:
    entry = known.entry
    dois = dict.fromkeys((entry.doi, *(each.doi for each in known.of_work)))
    names = [*((doi, "") for doi in dois), ("", pmid_of(entry))]
    offline = (update for name in names if any(name) for update in retractions(*name))
    found = [("Retraction Watch", update) for update in offline]
    for record in records:
        found += [(_source(record), update) for update in record.updates]
        if (prefix := IN_TITLE.match(record.work.title)) and not IN_TITLE.match(entry.title):
            found.append((_source(record), Update(_OF_TITLE[prefix[1].lower()])))
        if record.notice_of is not None and not _names_notice(entry.title):
            found.append((_source(record), record.notice_of._replace(notice=record.doi)))
    reinstated = max((u.date for _, u in found if u.kind == _REINSTATED), default="")
    counted = [
        (source, update)
        for source, update in found
        if update.kind in _STATES and not (reinstated and update.date <= reinstated)
    ]
    if not counted:
        return None
    order = [*_STATES]
    counted.sort(key=lambda each: (order.index(each[1].kind), not each[1].date))
    kind = counted[0][1].kind
    alike = [(s, u) for s, u in counted if _STATES[u.kind] == _STATES[kind]]
    date, notice, reason = (
        next((value for _, u in alike if (value := getattr(u, name))), "")
        for name in ("date", "notice", "reason")
    )
    message = f"This work {_STATES[kind]}{date and f' on {date}'}, "
    message += f"according to {_joined(dict.fromkeys(source for source, _ in alike))}."
    message += f" Reason: {reason}." if reason else ""
    address = f"https://doi.org/{notice}" if notice else ""
    message += f" Notice: {address}" if notice else ""
    return Judgement("retracted", message, address, state=_STATES[kind])


def _names_notice(title: str) -> bool:
    """Return whether an author cites a notice itself."""
    words = {*words_of(title)}
    return any(word.startswith(("retract", "correct", "corrig", "errat", "withdraw", "concern",
                                "addend", "notice", "remov")) for word in words)  # fmt: skip


# Identifiers


def _is_other(entry: BibEntry, record: Record) -> bool | None:
    """Return True if a record is of another work, None if it is not.

    False means that it has no people: it confirms what other records show, and shows nothing alone.
    """
    if verify_match(entry, record.work, by_doi=True) == "other":
        return True
    own, theirs = Title.of(entry.title), Title.of(record.work.title)
    alike = fuzz.ratio(own.letters, theirs.letters) >= OTHER_TITLE or own.likeness(theirs)
    if alike or not theirs.letters or not own.letters.isascii() or not theirs.letters.isascii():
        return None
    if not record.work.surnames:
        return False
    # Of a translation, the people are the same.
    are_english = all(
        identified(each.lower()) in ("en", None) for each in (entry.title, record.work.title)
    )
    return True if are_english and not is_of_larger(entry, theirs) else None


def _in_larger(known: Known) -> bool:
    """Return whether an identifier is that of the book or the series in which the work is."""
    own = Title.of(known.entry.title)
    return any(
        own.likeness(Title.of(larger)) is not None
        for each in known.by_identifier
        for larger in each.larger
    )


def _wrong_identifier(known: Known, *, is_other: bool) -> Judgement | None:
    right = _right_doi(known)
    label = _label(known.identifier)
    replaced = (("doi", right),) if right else ()
    instead = f" The DOI of this work is {right}." if right else ""
    if is_other:
        first = known.by_identifier[0]
        if known.identifier.startswith("isbn:") and len(known.by_identifier) > 1:
            return None
        sources = _joined(dict.fromkeys(map(_source, known.by_identifier)))
        message = f"{label} belongs to {_named(first)}, according to {sources}.{instead}"
    elif right and known.identifier.startswith("10.") and _all_lack(known):
        lack = _joined(source.name for source in known.unknown_to)
        message = f"{label} is unknown to {lack}.{instead}"
    else:
        return None
    return Judgement("wrong-identifier", message, values=replaced, state=known.identifier)


def _all_lack(known: Known) -> bool:
    # One alone may lack it, and Crossref lacks those that are registered elsewhere.
    return sum(source.has_all_registrars for source in known.unknown_to) > 1


def _right_doi(known: Known) -> str:
    same = (
        each.doi
        for each in known.by_title
        if verify_match(known.entry, each.work, by_doi=False) == "same"
    )
    return next((doi for doi in same if doi and doi != known.entry.doi), "")


def _not_found(known: Known) -> Judgement | None:
    entry = known.entry
    services = dict.fromkeys(known.searched)
    # PMIDs and ISBNs are known of few works.
    if known.identifier.startswith("10.") and not _all_lack(known):
        return None
    if not known.complete or len(services) < 2 or not is_covered(entry) or _in_larger(known):
        return None
    if _exists(entry, (*known.by_identifier, *known.by_title)):
        return None
    what = f"{_label(known.identifier)} and this title" if known.identifier else "This title"
    message = f"{what} could not be found in {_joined(services, 'or')}."
    people = next((e for e in known.by_title if same_words(entry.title, e.work.title)), None)
    nearest = max(known.by_title, key=lambda each: _closeness(entry, each), default=None)
    if people is not None:
        message = (
            f"{what} could not be found with these authors in {_joined(services, 'or')}; "
            f"{_source(people)} has {_named(people)}."
        )
    elif nearest is not None and _closeness(entry, nearest) >= OTHER_TITLE:
        message += f" {_source(nearest)} has {_named(nearest)}."
    return Judgement("not-found", message)


def _exists(entry: BibEntry, records: Sequence[Record]) -> bool:
    """Return whether records show that the work of an entry exists, in whatever year.

    Those that lack people or a subtitle count only where no other record of the same work has them.
    """
    alike = [each for each in records if same_words(entry.title, each.work.title)]
    named = [each for each in alike if each.work.surnames]
    if any(contradict(entry, each) for each in named):
        alike = [each for each in named if not contradict(entry, each)]
    dois = {each.doi for each in alike if _is_cut(each, entry)} - {""}
    longer = (each for each in records if each.doi in dois and each not in alike)
    others = {each.doi for each in longer if not _is_cut(each, entry)}
    return any(not (each.doi in others and _is_cut(each, entry)) for each in alike)


def _is_cut(record: Record, entry: BibEntry) -> bool:
    title = letters_of(record.work.title)
    return len(title) < len(letters_of(entry.title)) and letters_of(entry.title).startswith(title)


# Publications of preprints


def _published(known: Known) -> Judgement | None:
    if (found := published_as(known.entry, known)) is None:
        return None
    (doi, record), version = found, known.publication
    fields = {} if version is None else dict(version.fields)
    venue = fields.get("journal") or fields.get("booktitle") or ""
    where = f" in {venue} ({fields.get('year', 'no year')})" if venue else ""
    message = (
        f"This preprint was published{where} as https://doi.org/{doi}, according to "
        f"{_source(record)}."
    )
    values = tuple(sorted({**fields, "doi": doi}.items(), key=_rank))
    kind = version.entry_type if version is not None else ""
    return Judgement("published", message, values=values, state=doi, entry_type=kind)


def _rank(field: tuple[str, str]) -> int:
    return _ORDER.index(field[0]) if field[0] in _ORDER else len(_ORDER)


# Fields


class _Difference(NamedTuple):
    """What an entry has, and what services have instead: `takes` is a field with their value."""

    what: str
    own: str
    theirs: str
    takes: tuple[str, str]


def _differs(entry: BibEntry, records: Sequence[Record]) -> Judgement | None:
    """Return in which fields an entry differs from two services that agree."""
    of_work = [each for each in records if same_words(entry.title, each.work.title)]
    found: dict[str, tuple[_Difference, str]] = {}
    for differing, compared in ((_differing, of_work), (_other_title, records)):
        for one, two in () if found else combinations(_by_service(compared), 2):
            for each in differing(entry, one, two):
                found.setdefault(each.what, (each, f"{_source(one)} and {_source(two)}"))
    if not found:
        return None
    differences = [each for each, _ in found.values()]
    parts = [f"{each.what} {each.own} instead of {each.theirs}" for each in differences]
    sources = _joined(dict.fromkeys(source for _, source in found.values()))
    message = f"The entry differs from {sources}: {'; '.join(parts)}."
    values = tuple(dict(each.takes for each in differences).items())
    state = repr(sorted((each.what, each.theirs) for each in differences))
    return Judgement("entry-differs", message, values=values, state=state)


def _by_service(records: Iterable[Record]) -> list[Record]:
    return [*{each.service: each for each in reversed([*records])}.values()][::-1]


def _differing(entry: BibEntry, one: Record, two: Record) -> Iterator[_Difference]:
    years = one.years | two.years
    agree = any(abs(year - other) <= _MAX_YEARS for year in one.years for other in two.years)
    if entry.year and agree:
        apart = min(abs(int(entry.year) - year) for year in years)
        if apart > (0 if len(years) > 1 else _MAX_YEARS):
            year = str(max(years))
            yield _Difference("year", entry.year, year, ("year", year))
    own = people_of(entry, "author")
    others = [people_of(each.work) for each in (one, two)]
    if own and all(others):
        names = [each.work.fields["author"].split(" and ") for each in (one, two)]
        takes = "author", " and ".join(max(names, key=lambda each: sum(map(len, each))))
        first = [people[0] for people in others]
        are_others = all(contradict(entry, each) for each in (one, two))
        is_other = are_others or not any(_may_be(own[0], each) for each in first)
        if is_other and same_person(*first):
            theirs = max((each[0] for each in names), key=len)
            yield _Difference("first author", entry.surnames[0], theirs, takes)
        numbers = {len(people) for people in others}
        is_cut = any(map(OTHERS.search, entry.fields.get("author", "").split(" and ")))
        if len(numbers) == 1 and not is_cut and {len(own)} != numbers:
            yield _Difference("number of authors", str(len(own)), str(*numbers), takes)
    for name in ("volume", "pages"):
        found = _DIGITS.search(entry.fields.get(name, ""))
        values = [_DIGITS.search(each.work.fields.get(name, "")) for each in (one, two)]
        if found is None or not all(values):
            continue
        numbers_of = {value.group().lstrip("0") for value in values if value}
        if len(numbers_of) == 1 and found.group().lstrip("0") not in numbers_of:
            theirs = one.work.fields[name]
            yield _Difference(name, entry.fields[name], theirs, (name, theirs))


def _may_be(own: Person, other: Person) -> bool:
    shared = any(len(word) >= MIN_NAME and word in other[1] for word in own[0].split())
    return same_person(own, other) or shared or own[0].isascii() != other[0].isascii()


def _other_title(entry: BibEntry, one: Record, two: Record) -> Iterator[_Difference]:
    """Yield the title of an entry and that of services, if words of it were replaced."""
    if not same_words(one.work.title, two.work.title) or contradict(entry, one):
        return
    titles = (Title.of(each.work.title) for each in (one, two))
    own, theirs = Title.of(entry.title), max(titles, key=lambda title: len(title.letters))
    if fuzz.ratio(own.letters, theirs.letters) < _RELATED_TITLE:
        return
    if min(map(len, replaced_words(own, theirs))) <= MAX_REPLACED:
        return
    title = max(one.work.title, two.work.title, key=len)
    yield _Difference("title", f"“{entry.title}”", f"“{title}”", ("title", title))


# Words


def _label(identifier: str) -> str:
    scheme, _, value = identifier.partition(":")
    if scheme in ("pmid", "isbn"):
        return f"The {scheme.upper()} {value}"
    if identifier.startswith(ARXIV_DOI):
        return f"The arXiv identifier {identifier.removeprefix(ARXIV_DOI)}"
    return f"The DOI {identifier}"


def _named(record: Record) -> str:
    return f"“{record.work.title}” ({record.work.author_year})"


def _source(record: Record) -> str:
    return f"{record.service} ({record.day})"


def _joined(names: Iterable[str], word: str = "and") -> str:
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def _closeness(entry: BibEntry, record: Record) -> float:
    return fuzz.ratio(letters_of(entry.title), letters_of(record.work.title))
