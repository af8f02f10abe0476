"""The works that a LaTeX paper cites, and citations of them as a reader sees them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ....model.drafts import Draft
from ....model.papers import Reference, author_year
from ....model.problems import InputError
from ...bibliographies.merging import EntryNames, merged
from ...bibtex import Bibliography, parse_bibliography
from ...encoding import read_text
from ...latex.draft import LatexDraftReader
from ..references import reference_of
from .printed_references import printed_references
from .sources import read_source

#: How a citation is printed, by the name of its command; else in brackets. ``\shortcite`` of the
#: ACL's older styles is a year.
_FORMS = {
    "title": re.compile(r"title", re.IGNORECASE),
    "authors": re.compile(r"\A(?!.*year).*author", re.IGNORECASE),
    "year": re.compile(r"citeyear.*(?:par|cite)\Z|yrcite\Z|shortcite\Z", re.IGNORECASE),
    "bare year": re.compile(r"citeyear|citedate|citeurldate|yrcite", re.IGNORECASE),
    "narrative": re.compile(
        r"\A(?!.*foot).*(?:citet|newcite|textcite|citeasnoun|citeposs|citepos|possessivecite"
        r"|onlinecite|inlinecite|(?:full|short)?citeA\Z|citen\Z|headlesscite)",
        re.IGNORECASE,
    ),
    "bare": re.compile(r"citeal[tp]|citeNP|citeNN|citeay", re.IGNORECASE),
}


class PrintedCitation(NamedTuple):
    """A citation as a reader sees it, and within brackets; the references that it cites."""

    text: str
    bare: str
    references: tuple[int, ...]


class CitedWorks:
    """The reference list of a paper, in order of first citation.

    The works are entries of its .bib files, or of its printed reference list.
    """

    def __init__(self, reader: LatexDraftReader, draft: Draft) -> None:
        self.references: list[Reference] = []
        self._case_sensitive = draft.case_sensitive_keys
        self._fold: Callable[[str], str] = str if self._case_sensitive else str.lower
        self._entries = merged(tuple(_bibliographies(draft)))
        self._names = EntryNames(self._entries)
        paths = [file.path for file in draft.files if file.bib_items]
        if not paths and not self._entries:
            paths = _bbl_files(draft)
        self._printed: dict[str, Reference] = {}
        for path in paths:
            with suppress(InputError):
                found = printed_references(read_source(path), reader.visible(path))
                self._printed |= {self._fold(reference.label): reference for reference in found}
        self._numbers: dict[str, int | None] = {}

    def all(self) -> tuple[Reference, ...]:
        """Return the references; those that are printed but not cited come last."""
        return (*self.references, *self._printed.values())

    def citation(self, command: str, keys: Sequence[str]) -> PrintedCitation:
        """Return how a command prints the works of some keys; an unknown work is its key."""
        numbers = [self._number(key) for key in keys]
        cited = tuple(dict.fromkeys(number for number in numbers if number is not None))
        if not cited:
            unknown = f"[{'; '.join(keys)}]"
            return PrintedCitation(unknown, unknown, ())
        name = command.rstrip("*")
        form = next((f for f, pattern in _FORMS.items() if pattern.search(name)), "brackets")
        labels = [
            (number is not None and _label(self.references[number], form)) or key
            for number, key in zip(numbers, keys, strict=True)
        ]
        bare = (", " if form == "narrative" else "; ").join(dict.fromkeys(labels))
        return PrintedCitation(f"({bare})" if form in ("brackets", "year") else bare, bare, cited)

    def _number(self, key: str) -> int | None:
        """Return the index of the reference that a key cites, None if the work is unknown."""
        name = self._names.key_of(key, case_sensitive=self._case_sensitive)
        key = self._fold(key if name is None else name)
        if key not in self._numbers:
            printed = self._printed.pop(key, None)
            reference = printed if name is None else reference_of(self._entries[name])
            self._numbers[key] = None if reference is None else len(self.references)
            if reference is not None:
                self.references.append(reference)
        return self._numbers[key]


def _label(work: Reference, form: str) -> str:
    """Return how a work is cited, without unknown parts."""
    who, year = author_year(work.surnames, ""), work.year
    both = f"{who} ({year})" if form == "narrative" and who and year else f"{who} {year}".strip()
    one = {"title": work.title, "authors": who, "year": year, "bare year": year}
    return one.get(form, both)


def _bibliographies(draft: Draft) -> Iterator[Bibliography]:
    """Yield the .bib files that can be read; each knows the strings of those before it."""
    strings: dict[str, str] = {}
    for source in draft.bibliographies:
        with suppress(InputError):
            text = read_text(source.path) if source.text is None else source.text
            bibliography = parse_bibliography(text, source.path, strings, draft.program)
            strings.update(bibliography.strings)
            yield bibliography


def _bbl_files(draft: Draft) -> list[Path]:
    """Return the .bbl of a main file: with its name, included by it, or the only one."""
    own = draft.root.with_suffix(".bbl")
    if own.is_file():
        return [own]
    read = sorted(path for path in draft.own_paths if path.suffix.lower() == ".bbl")
    beside = [path for path in draft.root.parent.glob("*.bbl") if path.is_file()]
    return read or (beside if len(beside) == 1 else [])
