r"""Parse a LaTeX file: its citations, placeholders, the files and bibliographies it names.

Placeholders are citation commands with an empty key list, the literal ``\cite<>``, keys that mark
something as missing (``?``, ``TODO``), and ``[CITATION HERE]`` or ``[citation needed]`` in the
text. A trailing comma in a list is not a placeholder: authors leave it there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from ...model.drafts import (
    GAP_IN_WORDS,
    Citation,
    CitationPlaceholder,
    DraftFile,
    DraftRegion,
    Heading,
    Prose,
    is_gap,
)
from ...model.spans import TextSpan
from .arguments import CitationShape, options_end, read_citation
from .commands import COMMAND, CommandTable, find_definitions, is_being_defined
from .layout import SECTION_LEVELS
from .named_files import find_named_files
from .prose import ProseBuilder
from .regions import CACHED_REGIONS, Region, split

_LITERAL = re.compile(r"[ \t]*<[ \t]*>")


def parse_tex(
    path: Path, text: str, table: CommandTable, regions: Sequence[Region] | None = None
) -> DraftFile:
    """Parse a file of a draft with the commands of `table`; `regions` are its own, if known."""
    regions = split(text, table.hiding) if regions is None else regions
    begin = next((number for number, region in enumerate(regions) if region.body), 0)
    bodies = [*[None] * begin, regions[begin].body, *[0] * (len(regions) - begin - 1)]
    parsed = (_parse(region, table, body) for region, body in zip(regions, bodies, strict=True))
    return DraftFile(path, text, tuple(parsed))


@lru_cache(CACHED_REGIONS)
def _parse(region: Region, table: CommandTable, body: int | None) -> DraftRegion:
    """Parse a region whose prose begins at the offset `body`; None for no prose."""
    return _RegionParser(region, table).parse(body)


class _RegionParser:
    """One pass over the commands of a region."""

    def __init__(self, region: Region, table: CommandTable) -> None:
        self.region, self.table, self.visible = region, table, region.text
        self.citations: list[Citation] = []
        self.placeholders: list[CitationPlaceholder] = []
        self.definitions = find_definitions(self.visible).places
        self._starts = sorted(self.definitions)
        # Definitions nest: the furthest end of all definitions up to each one.
        self._reach = list(accumulate((self.definitions[start][1] for start in self._starts), max))

    def parse(self, body: int | None) -> DraftRegion:
        # Such as \newcommand{\needed}{[citation needed]}.
        own_gaps = {name for name, text in self.table.texts.items() if GAP_IN_WORDS.search(text)}
        headings: list[Heading] = []
        # What a label prints, such as \protect\citeauthoryear{Knuth}{1968}, cites nothing.
        label_end = 0
        for match in COMMAND.finditer(self.visible):
            name, start = match[1], match.start()
            if name is None or start < label_end:
                continue
            if name == "bibitem":
                label_end = options_end(self.visible, match.end(), most=1)
            if (shape := self.table.shapes.get(name)) is not None:
                self._citation(match, shape)
            elif name in SECTION_LEVELS:
                if not self._in_definition(start):
                    headings.append(Heading(start, SECTION_LEVELS[name]))
            elif name in own_gaps:
                self._add_gap(start, match.end())
        self._placeholders_in_words()
        self.placeholders.sort(key=lambda gap: gap.span)
        named = find_named_files(self.visible, self.table)
        return DraftRegion(
            text=self.region.source,
            citations=tuple(self.citations),
            placeholders=tuple(self.placeholders),
            includes=(*named.includes, *self.region.children),
            bibliographies=tuple(named.bibliographies),
            bib_items=tuple(named.bib_items),
            headings=tuple(headings),
            prose=Prose("") if body is None else self._prose(body),
        )

    def _in_definition(self, offset: int) -> bool:
        index = bisect_left(self._starts, offset) - 1
        return index >= 0 and offset < self._reach[index]

    def _add_gap(self, start: int, end: int, citation: Citation | None = None) -> None:
        if not self._in_definition(start):
            self.placeholders.append(CitationPlaceholder(TextSpan(start, end), citation))

    def _citation(self, match: re.Match[str], shape: CitationShape) -> None:
        start, end = match.span()
        if is_being_defined(self.visible, start):
            return
        if (citation := read_citation(self.visible, match, shape)) is None:
            literal = _LITERAL.match(self.visible, end)
            if literal and not shape.listed_only:
                self._add_gap(start, literal.end())
            return
        listed = [keys.span.of(self.visible).strip(" \t\r\n,") for keys in citation.key_lists]
        gap = "" in listed or any(is_gap(key.key) for key in citation.keys)
        if not citation.keys and not gap and "*" not in listed:
            return  # keys are macro parameters: this is the body of a definition
        self.citations.append(citation)
        if gap and not shape.listed_only:
            self._add_gap(start, citation.span.end, citation)

    def _placeholders_in_words(self) -> None:
        """Add placeholders such as ``[citation needed]`` outside of citations, closed or not."""
        starts = [citation.span.start for citation in self.citations]
        for match in GAP_IN_WORDS.finditer(self.visible):
            number = bisect_left(starts, match.end()) - 1
            before = self.citations[number] if number >= 0 else None
            end = before.span.end if before else 0
            is_open = before and not all(keys.closed for keys in before.key_lists)
            follows = is_open and not self.visible[end : match.start()].strip()
            if match.start() >= end and not follows:
                self._add_gap(*match.span())

    def _prose(self, body: int) -> Prose:
        cited = {c.span.start: (c.span.end, not c.listed_only) for c in self.citations}
        for gap in self.placeholders:
            cited.setdefault(gap.span.start, (gap.span.end, True))
        comments = self.region.comments
        return ProseBuilder(self.visible, self.table, cited, self.definitions, comments).build(body)
