r"""The works that a LaTeX paper cites, and citations of them as a reader sees them.

Printed lists (``\bibitem``s, biber's .bbl) differ by style, but BibTeX's styles mark where a block
starts (``\newblock``), and natbib's labels have names and year in plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ...model.bibliographies import EntryNames
from ...model.drafts import Citation, Draft, is_gap
from ...model.papers import BibEntry, Reference, author_year
from ...model.problems import InputError
from ..bibliographies import merged
from ..bibtex import Bibliography, parse_bibliography
from ..encoding import read_text
from ..latex.arguments import argument_span, read_arguments
from ..latex.draft import LatexDraftReader
from ..latex.symbols import plain_text
from ..paths import status
from .references import parse_reference, reference_of

_MAX_BYTES = 32 * 1024 * 1024
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
    """The reference list of a paper, in order of first citation."""

    def __init__(self, reader: LatexDraftReader, draft: Draft) -> None:
        self.references: list[Reference] = []
        self._case_sensitive = draft.case_sensitive_keys
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

    def _fold(self, key: str) -> str:
        return key if self._case_sensitive else key.lower()

    def all(self) -> tuple[Reference, ...]:
        """Return the references; those that are printed but not cited come last."""
        return (*self.references, *self._printed.values())

    def citation(self, citation: Citation | None) -> PrintedCitation | None:
        """Return how a citation is printed, an unknown work as its key; None if it cites none."""
        keys = [key.key for key in citation.keys if not is_gap(key.key)] if citation else []
        if citation is None or not keys:
            return None
        numbers = [self._number(key) for key in keys]
        cited = tuple(dict.fromkeys(number for number in numbers if number is not None))
        if not cited:
            unknown = f"[{'; '.join(keys)}]"
            return PrintedCitation(unknown, unknown, ())
        name = citation.command.rstrip("*")
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


def read_source(path: Path) -> str:
    """Read a file; raise `InputError` if that fails or it is too long for a source."""
    if (found := status(path)) is not None and found.size > _MAX_BYTES:
        raise InputError(f"{path}: the file is too long for a LaTeX source")
    return read_text(path)


# Printed reference lists

_ITEM = re.compile(r"\\bibitem(?![A-Za-z])|\\end\s*\{thebibliography\}|\Z")
_NEW_BLOCK = re.compile(r"\\newblock(?![A-Za-z])")
#: URLs that a reader does not see.
_LINK = re.compile(r"\\(?:href|url|doi|path|nolinkurl)\s*\{([^{}]{1,500})\}")
_TITLE_MACRO = re.compile(r"\\(?:bibinfo\s*\{title\}|showarticletitle|showtitle)\s*(?=\{)")
_PERSON_MACRO = re.compile(r"\\bibnamefont\s*(?=\{)")
_LABEL_MACRO = re.compile(r"\\(?:citeauthoryear|astroncite|BCAY)\s*(?=\{)")
_YEAR = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)([a-z]?)(?![\da-z])")
_YEAR_BLOCK = re.compile(r"[(\[]?(?:1[5-9]|20)\d\d[a-z]?[)\]]?[.,]?")
_NAMES_YEAR = re.compile(r"([^()]*)\([^()]*\)(.*)")
_BETWEEN_NAMES = re.compile(r"\s*(?:,\s*(?:and|&|und|et)\s|,|;|&|\s(?:and|und|et|y)\s)\s*")
_OTHERS = re.compile(r",?\s*(?:et\.?\s+al\.?|and others|u\.\s?a\.)\s*$")
_AROUND_TITLE = " \t.,;:“”\"'"

_ENTRY = re.compile(r"\\entry\s*\{([^{}]+)\}\s*\{([^{}]*)\}|\Z")
_END_ENTRY = re.compile(r"\\endentry(?![A-Za-z])")
_FIELD = re.compile(r"\\field\s*\{(\w+)\}\s*(?=\{)")
_NAME_LIST = re.compile(r"\\name\s*\{(author|editor)\}\s*\{\d+\}\s*(?:\{[^{}]*\}\s*)?(?=\{)")
#: A name starts with the data by which biber disambiguates it.
_NAME = re.compile(r"\{\{[^{}]*\}\s*(?=\{)")
_NAME_PART = re.compile(r"(?<![a-z])(family|prefix)\s*=\s*(?=\{)")
_VERBATIM = re.compile(r"\\verb\s*\{(\w+)\}\s*\\verb ([^\n]*)\n\s*\\endverb")


def printed_references(text: str, visible: str) -> Iterator[Reference]:
    r"""Yield the works of ``\bibitem``s and of biber's ``\entry``s, labelled by their keys.

    `visible` is its text with comments and URLs blanked out, at equal length.
    """
    for item, following in pairwise(_ITEM.finditer(visible)):
        if item[0] == "\\bibitem":
            yield from _bib_item(text, visible, item.end(), following.start())
    for entry, following in pairwise(_ENTRY.finditer(visible)):
        end = _END_ENTRY.search(visible, entry.end(), following.start()) or following
        yield _biber_entry(entry[1].strip(), entry[2], text[entry.end() : end.start()])


def _bib_item(text: str, visible: str, position: int, stop: int) -> Iterator[Reference]:
    given = read_arguments(visible, position, "om", 1_000)
    if len(given.spans) < 2 or not given.spans[1]:
        return
    key = " ".join(visible[slice(*given.spans[1])].split())
    label = visible[slice(*given.spans[0])] if given.spans[0] else ""
    if not key:
        return
    source = visible[given.end : stop].replace("``", "“").replace("''", "”")
    blocks = [plain_text(block).strip() for block in _NEW_BLOCK.split(source)]
    printed = " ".join(filter(None, blocks))
    addresses = (link[1] for link in _LINK.finditer(text, given.end, stop))
    found = parse_reference(" ".join((printed, *(a for a in addresses if a not in printed))), key)
    surnames, year = _names_and_year(label)
    surnames = surnames or tuple(value for _, value in _braced(source, _PERSON_MACRO))
    title = next((value for _, value in _braced(source, _TITLE_MACRO)), "")
    if not title and blocks[0]:
        # Authors, the year in some styles, the title, where it appeared.
        title = next((block for block in blocks[1:-1] if not _YEAR_BLOCK.fullmatch(block)), "")
    yield replace(
        found,
        title=title.strip(_AROUND_TITLE) or found.title,
        surnames=surnames if len(surnames) >= len(found.surnames) else found.surnames,
        year=year or found.year,
        text=printed,
    )


def _names_and_year(label: str) -> tuple[tuple[str, ...], str]:
    r"""Return the surnames and the year in the label of a ``\bibitem``, if it has them.

    natbib: ``Brown et~al.(1993)Brown, Cocke, and Pietra``; apalike: ``Brown et~al., 1993``;
    chicago and named: ``\protect\citeauthoryear{Brown and Cocke}{Brown et~al.}{1993}``.
    """
    readable = plain_text(label)
    years = _YEAR.findall(readable)
    if not years:  # a number, or "Bro93"
        return (), ""
    if _LABEL_MACRO.search(label):
        names = next((value for _, value in _braced(label, _LABEL_MACRO)), "")
    elif split := _NAMES_YEAR.fullmatch(readable):
        names = split[2] or split[1]
    else:
        names = _YEAR.sub("", readable)
    parts = _BETWEEN_NAMES.split(_OTHERS.sub("", names.strip(" ,()")))
    return tuple(filter(None, (part.strip(" .") for part in parts))), "".join(years[-1])


def _biber_entry(key: str, entry_type: str, body: str) -> Reference:
    fields: dict[str, str] = {}
    for name, value in _braced(body, _FIELD):
        fields.setdefault(name, value)
    for match in _VERBATIM.finditer(body):
        fields.setdefault(match[1], match[2].strip())
    lists = {match[1]: match for match in reversed(list(_NAME_LIST.finditer(body)))}
    chosen = lists.get("author") or lists.get("editor")
    span = argument_span(body, chosen.end()) if chosen else None
    surnames = tuple(_biber_surnames(body[slice(*span)])) if span else ()
    return replace(reference_of(BibEntry(key, entry_type, fields, Path())), surnames=surnames)


def _biber_surnames(names: str) -> Iterator[str]:
    """Yield the surnames of a name list: named parts, or (biber 1) the surname as first part."""
    for name in _NAME.finditer(names):
        span = argument_span(names, name.end())
        person = names[slice(*span)] if span else ""
        parts = dict(_braced(person, _NAME_PART))
        surname = f"{parts.get('prefix', '')} {parts.get('family', '')}"
        if surname := (surname if parts else plain_text(person)).strip():
            yield surname


def _braced(source: str, macro: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield the name in each use of a macro, if it has one, and the readable text in its braces."""
    for match in macro.finditer(source):
        if (span := argument_span(source, match.end())) is not None:
            yield match[match.lastindex or 0], plain_text(source[slice(*span)])
