"""Parse a Markdown file: its header, and its body in regions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from ...model.drafts import BibliographyName, Citation, CitationKey, DraftFile, DraftRegion, KeyList
from ...model.spans import TextSpan
from ..scanning import MAX_REGIONS, regions
from .chunks import captions
from .citations import key_at
from .dialect import (
    Dialect,
    Metadata,
    header_of,
    metadata_between,
)
from .scanner import Scanner

_AT: Final = re.compile(r"(?<![^\W_])-?@")
_INDENT: Final = re.compile(r"[\r\n]([ \t]+)\S")
_BLOCK: Final = re.compile(r"(?:[ \t]*[|>][-+\d]*[ \t]*)?")
#: Entries of the header with text in Markdown: an abstract is prose, a title only cites.
_ABSTRACT: Final = "abstract"
_TITLES: Final = ("title", "subtitle")


def parse_markdown(path: Path, text: str, dialect: Dialect) -> DraftFile:
    """Parse a file."""
    header = header_of(text)
    found = [*regions(text, header.end, "#{1,6}", lambda part: read_region(part, dialect))]
    if header.end:
        first = _header_region(text[: header.end], dialect)
        if any(region.bibliographies for region in found):
            # Pandoc takes the last of several values.
            first = replace(first, bibliographies=())
        found.insert(0, first)
    return DraftFile(path, text, tuple(found) or (DraftRegion(""),))


@lru_cache(maxsize=MAX_REGIONS)
def read_region(text: str, dialect: Dialect) -> tuple[DraftRegion, bool]:
    """Parse a text without a header; return also whether a block in it may end later."""
    scanner = Scanner(text, dialect)
    region = scanner.read()
    cited: list[Citation] = []
    names: tuple[BibliographyName, ...] = ()
    for kind, place in scanner.hidden:
        if kind == "metadata":
            metadata = metadata_between(text, place.start, place.end)
            cited += _cited_in(metadata, dialect, (*_TITLES, _ABSTRACT))
            names = _named_in(metadata) or names
        else:
            for caption, offset in captions(text, place):
                cited += _listed(caption, dialect, offset)
    if cited or names:
        citations = sorted((*region.citations, *cited), key=lambda each: each.span)
        region = replace(region, citations=tuple(citations), bibliographies=names)
    return region, scanner.unclosed


@lru_cache(maxsize=MAX_REGIONS)
def _header_region(text: str, dialect: Dialect) -> DraftRegion:
    header = header_of(text)
    abstract = header.entries.get(_ABSTRACT)
    region = (
        _region_of(abstract.of(text), dialect, abstract.start) if abstract else DraftRegion(text)
    )
    citations = sorted(
        (*_cited_in(header, dialect, _TITLES), *region.citations), key=lambda each: each.span
    )
    return replace(region, text=text, citations=tuple(citations), bibliographies=_named_in(header))


def _named_in(metadata: Metadata) -> tuple[BibliographyName, ...]:
    return tuple(BibliographyName(*each) for each in metadata.strings("bibliography"))


def _cited_in(metadata: Metadata, dialect: Dialect, names: Iterable[str]) -> Iterator[Citation]:
    """Yield what metadata list in ``nocite``, and what the entries with some names cite."""
    text = metadata.text
    if (listed := metadata.entries.get("nocite")) is not None:
        for sign in _AT.finditer(text, listed.start, listed.end):
            found = key_at(text, sign.end())
            if found is not None and found[1] <= listed.end and text[slice(*found)] != "*":
                place = TextSpan(*found)
                keys = KeyList(place, (CitationKey(place.of(text), place),))
                yield Citation("nocite", TextSpan(sign.start(), found[1]), (keys,), True)
    for place in (metadata.entries[name] for name in names if name in metadata.entries):
        yield from _listed(place.of(text), dialect, place.start)


def _listed(written: str, dialect: Dialect, start: int) -> Iterator[Citation]:
    """Yield the citations of a text that has no place in the prose."""
    region = _region_of(written, dialect, start)
    return (replace(each, listed_only=True) for each in region.citations)


def _region_of(written: str, dialect: Dialect, start: int) -> DraftRegion:
    """Return the text of an entry, with places in the file."""
    indent = _INDENT.search(written)
    mark = _BLOCK.match(written)
    skipped = mark.end() if mark else 0
    scanner = Scanner(written[skipped:], dialect, indented=len(indent[1]) if indent else 0)
    read, by = scanner.read(), start + skipped
    moved = tuple(source + by for source in read.prose.source_starts)
    return DraftRegion(
        written,
        tuple(each.moved(by) for each in read.citations),
        tuple(each.moved(by) for each in read.placeholders),
        prose=replace(read.prose, source_starts=moved) if read.prose.text else read.prose,
    )
