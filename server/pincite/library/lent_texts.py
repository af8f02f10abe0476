"""What other bibliographies of a workspace lend: the abstracts and files of the same works.

A thesis often has several .bib files, of which one names the PDFs or carries the abstracts that
another lacks. What is lent is read beside an entry's own fields and changes none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..model.papers import BibEntry
from ..model.problems import InputError
from ..parsing.bibtex.fields import Fields, UnreadFields
from .file_fields import may_name_files
from .index import LENDER, LinkedPaper

# Imported late: showing what an entry itself says needs none of these.
if TYPE_CHECKING:
    from .links import Links
    from .same_work import WorkMatcher

#: Fields that stand for a text that is not there, and what their sentences are shown as.
PROSE_FIELDS: Final = (
    ("abstract", "Abstract"),
    ("annote", "Annotation"),
    ("annotation", "Annotation"),
)
#: Where neither is in an entry, it has none of these fields and need not be read to know it.
_MAY_BE_PROSE: Final = ("abstract", "annot")


#: Raised when bibliographies are read in another way: with other entries, or in another order.
_READ_AS: Final = 2


@dataclass(frozen=True, slots=True)
class Lender:
    """A bibliography that may lend.

    `digest` names its content. `read` returns the entries of that content; it raises `InputError`
    where they cannot be read, or where the content has changed.
    """

    path: Path
    digest: str
    read: Callable[[], Sequence[BibEntry]]


@dataclass(frozen=True, slots=True)
class LentTexts:
    """The entries of other bibliographies that have a text for an entry, by the key of the latter.

    `state` is a digest of all that they say; it is empty where nothing is lent.
    """

    entries: Mapping[str, tuple[BibEntry, ...]] = field(default_factory=dict)
    state: str = ""

    def of(self, entry: BibEntry) -> tuple[BibEntry, ...]:
        """Return the entries that lend to an entry of the draft, in the order of their files."""
        return self.entries.get(entry.key, ())


NOTHING_LENT: Final = LentTexts()


def lent_texts(lenders: Iterable[Lender], works: WorkMatcher, links: Links) -> LentTexts:
    """Return what bibliographies lend to the entries that `works` knows.

    `links` are the matches found before for these entries; new ones are kept there. A lender that
    cannot be read lends nothing.
    """
    lent: dict[str, list[BibEntry]] = {}
    for lender in lenders:
        for key, entry in _same_works(lender, works, links):
            if _serves(entry, works.entry(key)):
                lent.setdefault(key, []).append(entry)
    return LentTexts({key: tuple(found) for key, found in lent.items()}, _state(lent))


def prose_label(entry: BibEntry) -> str | None:
    """Return what the sentences of an abstract or annotation are shown as; None for neither."""
    return next((label for name, label in PROSE_FIELDS if entry.fields.get(name)), None)


def _same_works(lender: Lender, works: WorkMatcher, links: Links) -> Iterator[tuple[str, BibEntry]]:
    """Yield the entries of a lender that are entries of the draft, with the keys of the latter."""
    # Matches are positions, which are those of one way of reading the file.
    name = (f"{lender.digest}.{_READ_AS}", LENDER)
    linked = links.known(lender.path, name)
    if linked is not None and not linked.cited:
        return
    try:
        entries = lender.read()
    except InputError:
        return
    if linked is None:
        linked = LinkedPaper(name, None, tuple(_matches(entries, works)), 0)
        links.keep({lender.path: linked})
    for at, key in linked.cited:
        yield key, entries[at]


def _matches(entries: Sequence[BibEntry], works: WorkMatcher) -> Iterator[tuple[int, str]]:
    """Yield the positions of entries that have something to lend, with the keys they lend to."""
    from .same_work import as_reference

    for at, entry in enumerate(entries):
        if not (_may_have_prose(entry) or may_name_files(entry)) or _is_copy(entry, works):
            continue
        key = works.find(as_reference(entry), entry.key)
        if key is not None:
            yield at, key


def _is_copy(entry: BibEntry, works: WorkMatcher) -> bool:
    """Return whether an entry only repeats what the draft has: most in a copy of its .bib."""
    try:
        own = works.entry(entry.key).fields
    except KeyError:
        return False
    return isinstance(own, Fields) and own.written_like(entry.fields)


def _serves(entry: BibEntry, own: BibEntry) -> bool:
    """Return whether an entry has what one of the draft lacks, as far as fields tell."""
    has_prose = _may_have_prose(entry) and prose_label(entry) is not None
    return (has_prose and prose_label(own) is None) or may_name_files(entry)


def _may_have_prose(entry: BibEntry) -> bool:
    """Rule out cheaply the very many entries that have neither abstract nor annotation."""
    if isinstance(entry.fields, UnreadFields):
        text = entry.fields.text.lower()
        return any(word in text for word in _MAY_BE_PROSE)
    return prose_label(entry) is not None


def _state(lent: Mapping[str, Sequence[BibEntry]]) -> str:
    if not lent:
        return ""
    content = blake2b(digest_size=20)
    for key, entries in sorted(lent.items()):
        for entry in entries:
            fields = entry.fields
            written = fields.as_written() if isinstance(fields, Fields) else fields
            # Where an entry stands says where its files are.
            said = repr((key, str(entry.path), sorted(written.items())))
            content.update(said.encode("utf-8", "replace"))
    return content.hexdigest()
