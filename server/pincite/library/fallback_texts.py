"""Fallback texts from other bibliographies of a workspace: abstracts and files of the same works.

A thesis often has several bibliographies, one of which has the PDFs or abstracts that another
lacks. Fallback texts supplement an entry's own fields and change none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ..model.fetched import CITED_BY, CITING, OPEN_ACCESS, is_fetched
from ..model.papers import BibEntry
from ..model.problems import InputError
from .file_fields import may_name_files
from .stored import TEXT_SOURCE, LinkedPaper

# Imported late: an entry's own fields can be shown without these.
if TYPE_CHECKING:
    from .inlinks import Links
    from .same_work import WorkMatcher

#: The entries of other bibliographies that have a text for an entry of the draft, by its key, in
#: the order of their files.
FallbackTexts = Mapping[str, Sequence[BibEntry]]
NO_FALLBACKS: Final[FallbackTexts] = {}
#: Fields that replace a missing text, and the labels of their sentences.
PROSE_FIELDS: Final = {
    "abstract": "Abstract",
    "annote": "Annotation",
    "annotation": "Annotation",
}
#: Increase this when parsing a bibliography yields other entries, or another order.
_READ_AS: Final = 3


class TextSource(NamedTuple):
    """A bibliography, and a function that reads its entries, or raises `InputError`."""

    path: Path
    digest: str
    read: Callable[[], Sequence[BibEntry]]


def fallback_texts(
    sources: Iterable[TextSource], works: WorkMatcher, links: Links
) -> FallbackTexts:
    """Return the fallback texts of entries; unreadable bibliographies are skipped."""
    fallbacks: dict[str, list[BibEntry]] = {}
    for source in sources:
        # Matches are stored as positions, which depend on how the file is parsed.
        name = (f"{source.digest}.{_READ_AS}", TEXT_SOURCE)
        linked = links.known(source.path, name)
        if linked is not None and not linked.cited:
            continue
        try:
            entries = source.read()
        except InputError:
            continue
        if linked is None:
            linked = LinkedPaper(name, None, tuple(_matches(entries, works)), 0)
            links.store({source.path: linked})
        for at, key in linked.cited:
            # Of a bibliography that changed while it was matched, the places may be others.
            if at < len(entries) and _serves(entries[at], works.entry(key)):
                fallbacks.setdefault(key, []).append(entries[at])
    return fallbacks


def prose_label(entry: BibEntry) -> str | None:
    """Return the label for sentences of an abstract or annotation, None if there is neither."""
    return next((label for name, label in PROSE_FIELDS.items() if entry.prose(name)), None)


def _matches(entries: Sequence[BibEntry], works: WorkMatcher) -> Iterator[tuple[int, str]]:
    """Yield the positions of entries with texts for an entry of the draft, with the key of that."""
    from .same_work import as_reference

    own = {entry.key: entry for entry in works.entries}
    for at, entry in enumerate(entries):
        is_ours = is_fetched(entry.path)
        # In a copy of the draft's bibliography, most only repeat an entry of that.
        is_copy = entry.key in own and own[entry.key].written == entry.written
        may_serve = _may_have_prose(entry) or may_name_files(entry) or is_ours
        if not may_serve or is_copy:
            continue
        reference = as_reference(entry)
        key = works.find(reference, entry.key)
        if is_ours:
            # It repeats all the fields of the author's entry: safer than the DOI alone, which
            # another entry may have by mistake.
            named = works.find(replace(reference, doi="", arxiv=""))
            key = next((k for k in (named, key) if k and _is_of(entry, own[k])), None)
        if key is not None:
            yield at, key


def _is_of(fetched: BibEntry, own: BibEntry) -> bool:
    """Return whether fetched data belong to an entry; two of one title may differ in their DOIs."""
    dois = {fetched.doi, own.doi} - {""}
    return len(dois) < 2 and fetched.title.casefold() == own.title.casefold()


def _serves(entry: BibEntry, own: BibEntry) -> bool:
    """Return whether an entry has fields that the draft's entry lacks."""
    has_prose = _may_have_prose(entry) and prose_label(entry) is not None
    return (
        (has_prose and prose_label(own) is None)
        or may_name_files(entry)
        or (is_fetched(entry.path) and any(map(entry.fields.get, (CITING, OPEN_ACCESS, CITED_BY))))
    )


def _may_have_prose(entry: BibEntry) -> bool:
    return not PROSE_FIELDS.keys().isdisjoint(entry.fields)
