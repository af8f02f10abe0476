r"""Parse a LaTeX file: its citations, placeholders, the files and bibliographies it names.

Placeholders are citation commands with an empty key list, the literal ``\cite<>``, keys that mark
something as missing (``?``, ``TODO``), and ``[CITATION HERE]`` or ``[citation needed]`` in the
text. A trailing comma in a list is not a placeholder: authors leave it there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
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
    KeyList,
    Prose,
    is_gap,
)
from ...model.spans import TextSpan
from .arguments import CitationShape, key_arguments, keys_between, options_end
from .commands import COMMAND, CommandTable, find_definitions
from .layout import SECTION_LEVELS
from .named_files import find_named_files
from .prose import read_prose
from .regions import CACHED_REGIONS, Region, split

_LITERAL = re.compile(r"[ \t]*<[ \t]*>")
_NAME_OF_DEFINED = re.compile(
    r"(?:\\(?:(?:re)?new(?:command|commandx|robustcmd)|provide(?:command|robustcmd)|[gex]?def|let"
    r"|DeclareRobustCommand|(?:New|Renew|Provide|Declare)(?:Expandable)?(?:DocumentCommand|CommandCopy)"
    r"|Declare(?:Multi)?CiteCommand|string|meaning|show|undef|csletcs|futurelet"
    r"|robustify|patchcmd|pretocmd|apptocmd|LetLtxMacro|expandafter|noexpand)\*?"
    r"|\\(?:let|LetLtxMacro|(?:New|Renew|Declare)CommandCopy)\s*\{?\s*\\[A-Za-z@]+\s*\}?\s*=?)"
    r"\s*\{?\s*$"
)
_MAX_DEFINING = 80


def parse_tex(
    path: Path, text: str, table: CommandTable, regions: Sequence[Region] | None = None
) -> DraftFile:
    """Parse one file of a draft whose commands are in `table`; a preamble is not prose.

    `regions` are those of the text, if they are known.
    """
    if regions is None:
        regions = split(text, table.hiding)
    begin = next((number for number, region in enumerate(regions) if region.body), 0)
    first, *body = regions[begin:]
    parsed = (
        *(_parse(region, table, None) for region in regions[:begin]),
        _parse(first, table, first.body),
        *(_parse(region, table, 0) for region in body),
    )
    return DraftFile(path, text, parsed)


@lru_cache(CACHED_REGIONS)
def _parse(region: Region, table: CommandTable, body: int | None) -> DraftRegion:
    """Parse a region whose prose begins at the offset `body`; None for no prose."""
    return _RegionParser(region, table).parse(body)


class _RegionParser:
    """One pass over the commands of a region; `visible` is its text without hidden parts."""

    def __init__(self, region: Region, table: CommandTable) -> None:
        self.text = region.text
        self.visible = region.hidden.text
        self.comments = region.hidden.comments
        self.table = table
        self.citations: list[Citation] = []
        self.placeholders: list[CitationPlaceholder] = []
        self.headings: list[Heading] = []
        self.definitions = {d.start: d.end for d in find_definitions(self.visible).definitions}
        self._definition_starts = sorted(self.definitions)
        # Definitions nest: the furthest end of all definitions up to each one.
        self._definition_reach = list(
            accumulate((self.definitions[start] for start in self._definition_starts), max)
        )

    def parse(self, body: int | None) -> DraftRegion:
        # Such as \newcommand{\needed}{[citation needed]}.
        own_gaps = {name for name, body in self.table.texts.items() if GAP_IN_WORDS.search(body)}
        # What a label prints, such as \protect\citeauthoryear{Knuth}{1968}, cites nothing.
        label_end = 0
        for match in COMMAND.finditer(self.visible):
            name = match.group(1)
            if name is None or match.start() < label_end:
                continue
            if name == "bibitem":
                label_end = options_end(self.visible, match.end(), most=1)
            shape = self.table.shapes.get(name)
            if shape is not None:
                self._citation(match, shape)
            elif name in SECTION_LEVELS:
                if not self._in_definition(match.start()):
                    self.headings.append(Heading(match.start(), SECTION_LEVELS[name]))
            elif name in own_gaps and not self._in_definition(match.start()):
                self.placeholders.append(CitationPlaceholder(TextSpan(*match.span())))
        self._placeholders_in_words()
        named = find_named_files(self.visible, self.table)
        return DraftRegion(
            text=self.text,
            citations=tuple(self.citations),
            placeholders=tuple(sorted(self.placeholders, key=lambda gap: gap.span)),
            includes=named.includes,
            bibliographies=named.bibliographies,
            bib_items=named.bib_items,
            headings=tuple(self.headings),
            prose=Prose("") if body is None else self._prose(body),
        )

    def _citation(self, match: re.Match[str], shape: CitationShape) -> None:
        start, end = match.span()
        if match.group(2) and shape.layout == "own" and shape.parameters[:1] == ("s",):
            end -= 1  # the star is this command's own first argument
        before = max(0, start - _MAX_DEFINING)
        # Few citations have a command just before them.
        if "\\" in self.visible[before:start] and _NAME_OF_DEFINED.search(
            self.visible, before, start
        ):
            return
        arguments = key_arguments(self.visible, end, shape)
        if not arguments.spans:
            literal = _LITERAL.match(self.visible, end)
            if literal and not shape.listed_only and not self._in_definition(start):
                span = TextSpan(start, literal.end())
                self.placeholders.append(CitationPlaceholder(span))
            return
        key_lists = tuple(
            KeyList(TextSpan(first, last), tuple(keys_between(self.visible, first, last, shape)))
            for first, last in arguments.spans
        )
        if not arguments.closed:
            key_lists = (*key_lists[:-1], replace(key_lists[-1], closed=False))
        span = TextSpan(start, arguments.end)
        name = match.group(1) + (match.group(2) or "")
        citation = Citation(name, span, key_lists, shape.listed_only)
        listed = [k.span.of(self.visible).strip(" \t\r\n,") for k in key_lists]
        gap = "" in listed or any(is_gap(key.key) for key in citation.keys)
        if not citation.keys and not gap and "*" not in listed:
            return  # keys are macro parameters: this is the body of a definition
        self.citations.append(citation)
        if gap and not shape.listed_only and not self._in_definition(start):
            self.placeholders.append(CitationPlaceholder(span, citation))

    def _in_definition(self, offset: int) -> bool:
        index = bisect_left(self._definition_starts, offset) - 1
        return index >= 0 and offset < self._definition_reach[index]

    def _placeholders_in_words(self) -> None:
        starts = [citation.span.start for citation in self.citations]
        for match in GAP_IN_WORDS.finditer(self.visible):
            start, end = match.span()
            before = bisect_left(starts, end) - 1
            cited = before >= 0 and self._is_in(self.citations[before], start)
            if not cited and not self._in_definition(start):
                self.placeholders.append(CitationPlaceholder(TextSpan(start, end)))

    def _is_in(self, citation: Citation, offset: int) -> bool:
        """Return whether an offset behind the start of a citation is in it, closed or not."""
        end = citation.span.end
        is_open = not all(keys.closed for keys in citation.key_lists)
        return offset < end or (is_open and not self.visible[end:offset].strip())

    def _prose(self, body: int) -> Prose:
        said = {c.span.start: (c.span.end, not c.listed_only) for c in self.citations}
        for gap in self.placeholders:
            said.setdefault(gap.span.start, (gap.span.end, True))
        return read_prose(
            self.visible, self.table, said, self.definitions, self.comments, start=body
        )
