"""Parse a Markdown file: its header, and its body in regions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from ...model.drafts import BibliographyName, Citation, CitationKey, DraftFile, DraftRegion, KeyList
from ...model.spans import TextSpan
from ..regions import RegionCache
from .citations import key_at, labels_in
from .header import Header
from .scanner import Dialect, Scanner

_EXAMPLE: Final = re.compile(r"(?:\A|[\r\n][ \t]*[\r\n])[ \t>]*\(?@([\w-]+)[.)](?=\s|\Z)")
_AT: Final = re.compile(r"(?<![^\W_])-?@")
_INDENT: Final = re.compile(r"[\r\n]([ \t]+)\S")
#: A caption in the options of a chunk: ``#| fig-cap: So @a says``, ``{r, fig.cap="So @a says"}``.
_CAPTION: Final = re.compile(
    r"^[ \t>]*(?:(?:#|//|--|%%)\|[ \t]*[\w-]*cap:"
    r"|`{3,}[ \t]*\{[^\r\n]*?\bfig\.s?cap[ \t]*=[ \t]*(?P<mark>[\"']))"
    r"(?P<cap>(?(mark)[^\r\n]*?(?=(?P=mark))|[^\r\n]*))",
    re.MULTILINE,
)
_MAY_BE_CAPTION: Final = re.compile(r"cap[ \t]*[:=]")
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
        self._dialect = Dialect()
        self._header: DraftRegion | None = None

    def read(self, text: str, *, in_quarto: bool = False) -> DraftFile:
        """Parse the file's text; `in_quarto` says that it belongs to a project of Quarto."""
        labels: frozenset[str] = frozenset()
        if "@" in text:
            labels = labels_in(text).union(_EXAMPLE.findall(text))
        dialect = Dialect(labels, self._in_quarto or in_quarto)
        if dialect != self._dialect:
            self._regions.clear()
            self._header, self._dialect = None, dialect
        header = Header.of(text)
        regions: list[DraftRegion] = []
        if header.end:
            if self._header is None or self._header.text != text[: header.end]:
                self._header = _header_region(header, dialect)
            regions.append(self._header)
        regions += self._regions.parsed(text, header.end, self._parse)
        return DraftFile(self._path, text, tuple(regions) or (DraftRegion(""),))

    def _parse(self, text: str) -> tuple[DraftRegion, bool]:
        scanner = Scanner(text, self._dialect)
        return _with_captions(scanner.read(), self._dialect), scanner.unclosed


def _with_captions(region: DraftRegion, dialect: Dialect) -> DraftRegion:
    """Return a region with what the captions of its chunks of code cite.

    They are not in its prose, and so are listed without a place there.
    """
    if _MAY_BE_CAPTION.search(region.text) is None:
        return region
    cited = [
        replace(citation, listed_only=True).moved(match.start("cap"))
        for match in _CAPTION.finditer(region.text)
        for citation in Scanner(match["cap"], dialect).read().citations
    ]
    citations = sorted((*region.citations, *cited), key=lambda each: each.span)
    return replace(region, citations=tuple(citations)) if cited else region


def _header_region(header: Header, dialect: Dialect) -> DraftRegion:
    """Return what a header names and cites."""
    text = header.text[: header.end]
    names = tuple(BibliographyName(name, span) for name, span in header.strings("bibliography"))
    listed = header.entry("nocite")
    citations = [*_nocite(text, listed.span)] if listed is not None else []
    for name in _TITLES:
        if (entry := header.entry(name)) is not None:
            said = _said(entry.span.of(text), dialect, entry.span.start)
            citations += [replace(each, listed_only=True) for each in said.citations]
    abstract = header.entry(_ABSTRACT)
    said = DraftRegion(text)
    if abstract is not None:
        said = _said(abstract.span.of(text), dialect, abstract.span.start)
    cited = sorted((*citations, *said.citations), key=lambda each: each.span)
    return DraftRegion(
        text, tuple(cited), said.placeholders, bibliographies=names, prose=said.prose
    )


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
