"""Parse a Markdown file: its header, and its body in regions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from ...model.drafts import BibliographyName, Citation, CitationKey, DraftFile, DraftRegion, KeyList
from ...model.spans import TextSpan
from ..regions import RegionCache
from ..yaml import mapping_in
from .chunks import captions
from .citations import custom_prefixes, key_at, labels_in
from .header import Header
from .myst import is_myst, labels_given, references
from .scanner import OF_PANDOC, Dialect, Scanner

_EXAMPLE: Final = re.compile(r"(?:\A|[\r\n][ \t]*[\r\n])[ \t>]*\(?@([\w-]+)[.)](?=\s|\Z)")
_AT: Final = re.compile(r"(?<![^\W_])-?@")
_INDENT: Final = re.compile(r"[\r\n]([ \t]+)\S")
#: Entries of the header with text in Markdown: an abstract is prose, a title only cites.
_ABSTRACT: Final = "abstract"
_TITLES: Final = ("title", "subtitle")
#: Quarto and knitr have no citations with their prefixes of cross-references.
_WITH_CROSS_REFERENCES: Final = frozenset((".qmd", ".rmd", ".rmarkdown"))


class MarkdownParser:
    """Parses one file; after an edit, only the changed regions."""

    def __init__(self, path: Path) -> None:
        """Prepare to parse the file at `path`."""
        self._path = path
        self._in_quarto = path.suffix.lower() in _WITH_CROSS_REFERENCES
        self._regions = RegionCache[DraftRegion]("#{1,6}")
        self.dialect = OF_PANDOC
        self._header: DraftRegion | None = None

    def read(self, text: str, around: Dialect = OF_PANDOC) -> DraftFile:
        """Parse the file's text; `around` is what its project says, with labels of other files."""
        header = Header.of(text)
        dialect = self._dialect_of(text, header, around)
        if dialect != self.dialect:
            self._regions.clear()
            self._header, self.dialect = None, dialect
        regions = [*self._regions.parsed(text, header.end, self._parse)]
        if header.end:
            if self._header is None or self._header.text != text[: header.end]:
                self._header = _header_region(header, dialect)
            first = self._header
            if any(region.bibliographies for region in regions):
                # Pandoc takes the last of several values.
                first = replace(first, bibliographies=())
            regions.insert(0, first)
        return DraftFile(self._path, text, tuple(regions) or (DraftRegion(""),))

    def _dialect_of(self, text: str, header: Header, around: Dialect) -> Dialect:
        in_quarto = self._in_quarto or around.cross_references
        myst = around.myst or (not in_quarto and is_myst(text))
        labels: frozenset[str] = frozenset()
        if "@" in text:
            labels = labels_in(text).union(_EXAMPLE.findall(text))
            if myst:
                labels |= references(text, labels_given(text) | around.labels) - around.keys
        prefixes = around.prefixes
        if (own := header.entry("crossref")) is not None:
            prefixes |= custom_prefixes(mapping_in(f"crossref:{own.span.of(text)}"))
        return Dialect(labels, in_quarto, around.typeset, myst, prefixes)

    def _parse(self, text: str) -> tuple[DraftRegion, bool]:
        return read_region(text, self.dialect)


def read_region(text: str, dialect: Dialect) -> tuple[DraftRegion, bool]:
    """Return what a text without a header says and cites, and if a block begins that may end later.

    What the options of chunks and the metadata in it cite is not in its prose, and so is listed
    without a place there.
    """
    scanner = Scanner(text, dialect)
    region = scanner.read()
    cited: list[Citation] = []
    names: tuple[BibliographyName, ...] = ()
    for kind, place in scanner.hidden:
        if kind == "metadata":
            metadata = Header.between(text, place.start, place.end)
            cited += _cited_in(metadata, dialect, (*_TITLES, _ABSTRACT))
            names = _named_in(metadata) or names
        else:
            for caption, offset in captions(text, place):
                said = _said(caption, dialect, offset)
                cited += [replace(each, listed_only=True) for each in said.citations]
    if cited or names:
        citations = sorted((*region.citations, *cited), key=lambda each: each.span)
        region = replace(region, citations=tuple(citations), bibliographies=names)
    return region, scanner.unclosed


def _header_region(header: Header, dialect: Dialect) -> DraftRegion:
    """Return what a header names and cites."""
    text = header.text[: header.end]
    abstract = header.entry(_ABSTRACT)
    said = DraftRegion(text)
    if abstract is not None:
        said = _said(abstract.span.of(text), dialect, abstract.span.start)
    citations = (*_cited_in(header, dialect, _TITLES), *said.citations)
    return DraftRegion(
        text,
        tuple(sorted(citations, key=lambda each: each.span)),
        said.placeholders,
        bibliographies=_named_in(header),
        prose=said.prose,
    )


def _named_in(metadata: Header) -> tuple[BibliographyName, ...]:
    return tuple(BibliographyName(*each) for each in metadata.strings("bibliography"))


def _cited_in(metadata: Header, dialect: Dialect, names: Iterable[str]) -> Iterator[Citation]:
    """Yield what metadata list, and what the entries with some names cite."""
    if (listed := metadata.entry("nocite")) is not None:
        yield from _nocite(metadata.text, listed.span)
    for name in names:
        if (entry := metadata.entry(name)) is not None:
            said = _said(entry.span.of(metadata.text), dialect, entry.span.start)
            yield from (replace(each, listed_only=True) for each in said.citations)


def _said(written: str, dialect: Dialect, start: int) -> DraftRegion:
    """Return the text of an entry, with places in the file."""
    indent = _INDENT.search(written)
    mark = re.match(r"[ \t]*[|>][-+\d]*[ \t]*", written)
    skipped = mark.end() if mark else 0
    scanner = Scanner(written[skipped:], dialect, indented=len(indent[1]) if indent else 0)
    read = scanner.read()
    by = start + skipped
    moved = tuple(source + by for source in read.prose.source_starts)
    return DraftRegion(
        written,
        tuple(each.moved(by) for each in read.citations),
        tuple(each.moved(by) for each in read.placeholders),
        prose=replace(read.prose, source_starts=moved) if read.prose.text else read.prose,
    )


def _nocite(text: str, span: TextSpan) -> Iterator[Citation]:
    """Yield one citation for each key that a header lists."""
    for sign in _AT.finditer(text, span.start, span.end):
        found = key_at(text, sign.end())
        if found is not None and found[1] <= span.end and text[slice(*found)] != "*":
            place = TextSpan(*found)
            key = CitationKey(place.of(text), place)
            yield Citation(
                "nocite", TextSpan(sign.start(), found[1]), (KeyList(place, (key,)),), True
            )
