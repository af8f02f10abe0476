"""Works that the author does not have, as entries, and the works each is connected with.

Those that were fetched are a bibliography in the cache folder, with the DOIs of the author's works
that each cites, or that cite it, in fields of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from ..edits.bibtex_entries import written_bibliography
from ..library.same_work import WorkMatcher, as_reference
from ..library.same_work.titles import letters_of
from ..model.fetched import CITED_BY as COUNT
from ..model.fetched import RETRACTED
from ..model.papers import NO_BREAK_SPACE, BibEntry, Reference
from ..parsing.bibtex import parse_bibliography
from ..parsing.encoding import decoded
from ..whole_files import atomic_write, make_private_folder

#: The folder of the bibliographies of neighbours, below that of the index.
FOLDER: Final = "discovered"
#: Fields: the DOIs of the author's works that cite this one, and that it cites.
CITED_BY: Final = "cited-by-yours"
CITES: Final = "cites-yours"
#: Field: the services that found it by words.
FOUND_BY: Final = "found-by"
OWN_FIELDS: Final = (CITED_BY, CITES, COUNT, RETRACTED, FOUND_BY)
_REMARK: Final = "Works around a bibliography, found by Pincite; the next discovery replaces them."
#: Titles of fewer letters are no works in lists of references, and several works have each of them.
MIN_LETTERS: Final = 15
#: How the keys of works begin that only lists name.
_LISTED: Final = "home-"
_MAX_AT_HOME: Final = 20_000
_YEAR: Final = re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A work that the author does not have; `cited_by` and `cites` are keys of the author's."""

    entry: BibEntry
    cited_by: frozenset[str]
    cites: frozenset[str]

    @property
    def connected(self) -> frozenset[str]:
        """The keys of the author's works that it is connected with."""
        return self.cited_by | self.cites

    @property
    def is_only_listed(self) -> bool:
        """Whether only reference lists describe it: by surnames, title and year."""
        return self.entry.key.startswith(_LISTED)

    @property
    def is_retracted(self) -> bool:
        """Whether it was retracted, as far as that is known."""
        return bool(self.entry.fields.get(RETRACTED))

    @property
    def reason(self) -> str:
        """How it is connected, in words."""
        parts = []
        if self.cited_by:
            parts.append(f"cited by {_of_yours(len(self.cited_by))}")
        if self.cites:
            parts.append(
                f"cites {len(self.cites)} of them"
                if parts
                else f"cites {_of_yours(len(self.cites))}"
            )
        if by := self.entry.fields.get(FOUND_BY):
            parts.append(f"found by {by}")
        return "; ".join((*parts, *(("retracted",) if self.is_retracted else ())))


def _of_yours(number: int) -> str:
    return f"{number} of the works you cite" if number > 1 else "a work you cite"


def neighbourhood(
    own: Iterable[BibEntry],
    listed: Iterable[tuple[str, Sequence[Reference]]],
    fetched: Iterable[BibEntry] = (),
    front: str = "",
) -> list[Neighbour]:
    """Return the works around the author's `own` ones, of which none is among them.

    `listed` are keys of own works with what their papers list, `fetched` the entries of a
    bibliography of neighbours. A work whose title is in the `front` of the draft is the draft, or
    its preprint.
    """
    works = WorkMatcher(own)
    by_doi = {entry.doi: entry.key for entry in works.entries if entry.doi}
    found: dict[str, Neighbour] = {}

    def keys(entry: BibEntry, name: str) -> frozenset[str]:
        dois = entry.fields.get(name, "").split()
        return frozenset(by_doi[doi] for doi in dois if doi in by_doi)

    for entry in fetched:
        _add(found, Neighbour(entry, keys(entry, CITED_BY), keys(entry, CITES)))
    for key, references in listed:
        for reference in references:
            if name := listed_name(reference):
                cited = Neighbour(_entry(reference, name), frozenset((key,)), frozenset())
                _add(found, cited)
    letters = letters_of(front)
    return [
        each
        for name, each in found.items()
        if each.connected
        and (name == each.entry.key or name not in letters)
        and works.find(as_reference(each.entry)) is None
    ]


def lacking(own: Iterable[BibEntry], found: Iterable[BibEntry]) -> list[Neighbour]:
    """Return works that were found by words, without those that are among the author's `own`."""
    works = WorkMatcher(own)
    return [
        Neighbour(entry, frozenset(), frozenset())
        for entry in found
        if works.find(as_reference(entry)) is None
    ]


def _add(found: dict[str, Neighbour], new: Neighbour) -> None:
    """Add a work, or its connections if it is known; the first description stays."""
    letters = letters_of(new.entry.title)
    if not letters:
        return
    name = letters if len(letters) >= MIN_LETTERS else new.entry.key
    if (known := found.get(name)) is not None:
        entry, (cited_by, cites) = known.entry, (known.cited_by, known.cites)
        new = Neighbour(entry, cited_by | new.cited_by, cites | new.cites)
    elif len(found) >= _MAX_AT_HOME:
        return
    found[name] = new


def listed_name(reference: Reference) -> str:
    """Return the letters of the title of what is surely a work; "" for other references."""
    letters = letters_of(reference.title)
    is_work = reference.surnames and _YEAR.match(reference.year) and len(letters) >= MIN_LETTERS
    return letters if is_work else ""


def _entry(reference: Reference, letters: str) -> BibEntry:
    title = " ".join(reference.title.split())
    name = blake2b(letters.encode("utf-8", "replace"), digest_size=8).hexdigest()
    fields = {
        # Each name is one word.
        "author": " and ".join(n.replace(" ", NO_BREAK_SPACE) for n in reference.surnames),
        "title": title,
        "year": reference.year[:4],
        "doi": reference.doi,
        "eprint": reference.arxiv,
    }
    return BibEntry(f"{_LISTED}{name}", "misc", {n: v for n, v in fields.items() if v}, Path())


def neighbours_path(index: Path, main: Path) -> Path:
    """Return the path of the neighbours of the draft with this main file, beside an index."""
    name = blake2b(str(main).encode("utf-8", "replace"), digest_size=8).hexdigest()
    return index.parent / FOLDER / f"{name}.bib"


def read_neighbours(path: Path) -> tuple[BibEntry, ...]:
    """Return the works that were fetched; none if there is no file."""
    try:
        data = path.read_bytes()
    except OSError:
        return ()
    # It is a cache: of a damaged one, what can be read is used.
    return tuple(parse_bibliography(decoded(data).text, path).entries.values())


def write_neighbours(path: Path, entries: Iterable[BibEntry]) -> None:
    """Replace the works that were fetched before; raises `OSError`."""
    make_private_folder(path.parent)
    atomic_write(path, written_bibliography(_REMARK, entries))
