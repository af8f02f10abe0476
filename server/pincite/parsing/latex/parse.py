r"""Parse a LaTeX file: its citations, placeholders, the files and bibliographies it names.

Placeholders are citation commands with an empty key list, the literal ``\cite<>``, keys that mark
something as missing (``?``, ``TODO``), and ``[CITATION HERE]`` or ``[citation needed]`` in the
text. A trailing comma in a list is not a placeholder: authors leave it there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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
from .hidden import VisibleText, blank_hidden
from .layout import SECTION_LEVELS
from .loose_ends import LooseEnds
from .named_files import find_named_files
from .prose import begins_document, read_prose
from .regions import RegionReader

_LITERAL = re.compile(r"[ \t]*<[ \t]*>")
_NAME_OF_DEFINED = re.compile(
    r"(?:\\(?:(?:re)?new(?:command|commandx|robustcmd)|provide(?:command|robustcmd)|[gex]?def|let"
    r"|DeclareRobustCommand|(?:New|Renew|Provide|Declare)(?:Expandable)?(?:DocumentCommand|CommandCopy)"
    r"|Declare(?:Multi)?CiteCommand|string|meaning|show|undef|csletcs|futurelet"
    r"|robustify|patchcmd|pretocmd|apptocmd|LetLtxMacro|expandafter|noexpand)\*?"
    r"|\\(?:let|LetLtxMacro|(?:New|Renew|Declare)CommandCopy)\s*\{?\s*\\[A-Za-z@]+\s*\}?\s*=?)"
    r"\s*\{?\s*$"
)
_LONGEST_DEFINING = 80


def parse_tex(path: Path, text: str, table: CommandTable) -> DraftFile:
    """Parse one file of a draft whose commands are in `table`."""
    return TexReader(path, table).read(text)


class TexReader:
    """Parses a file whose commands are in `table`; after an edit, only the changed regions."""

    def __init__(self, path: Path, table: CommandTable) -> None:
        """Prepare to parse the file at `path`."""
        self.table = table
        self._path = path
        self._regions = RegionReader(self._parse)
        #: The number of the region in which the document begins, and the file.
        self._latest: tuple[int, DraftFile] | None = None

    def read(
        self,
        text: str,
        parts: Sequence[str] = (),
        cut: Callable[[int, int], str] | None = None,
    ) -> DraftFile:
        """Parse the file's text; a preamble is not prose.

        `parts` and `cut` as in `RegionReader.read`.
        """
        parsed = self._regions.read(text, parts, cut)
        every, front, behind = parsed.all, parsed.front, parsed.behind
        begins = next((n for n, region in enumerate(every) if region.begins_document), 0)
        if self._latest is not None and self._latest[0] == begins < front:
            edited = [_placed(every[n], n, begins) for n in range(front, len(every) - behind)]
            file = self._latest[1].edited(text, edited, parsed.starts, front, behind)
        else:
            regions = (_placed(region, n, begins) for n, region in enumerate(every))
            file = DraftFile(self._path, text, tuple(regions))
        self._latest = begins, file
        return file

    def _parse(self, text: str) -> _Parsed:
        hidden = blank_hidden(text, self.table)
        region = _RegionParser(text, hidden, self.table).parse()
        return _Parsed(text, hidden.loose_ends, begins_document(hidden.text), region, self.table)


@dataclass(frozen=True)
class _Parsed:
    """A parsed region with its loose ends; `region` has no prose before the document begins."""

    text: str
    ends: LooseEnds
    begins_document: bool
    region: DraftRegion
    table: CommandTable

    @cached_property
    def in_preamble(self) -> DraftRegion:
        """The region as part of the preamble."""
        return replace(self.region, prose=Prose(""))

    @cached_property
    def in_document(self) -> DraftRegion:
        """The region as part of the document's body."""
        if not self.begins_document:
            return self.region
        hidden = blank_hidden(self.text, self.table)
        return _RegionParser(self.text, hidden, self.table, has_preamble=False).parse()


def _placed(parsed: _Parsed, number: int, begins: int) -> DraftRegion:
    """Return a region as what it is in a file whose document begins in the region `begins`."""
    if number < begins:
        return parsed.in_preamble
    return parsed.region if number == begins else parsed.in_document


class _RegionParser:
    """One pass over the commands of a region; `visible` is its text without hidden parts."""

    def __init__(
        self, text: str, hidden: VisibleText, table: CommandTable, *, has_preamble: bool = True
    ) -> None:
        self.text = text
        self.has_preamble = has_preamble
        self.visible = hidden.text
        self.comments = hidden.comments
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

    def parse(self) -> DraftRegion:
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
            prose=self._prose(),
        )

    def _citation(self, match: re.Match[str], shape: CitationShape) -> None:
        start, end = match.span()
        if match.group(2) and shape.layout == "own" and shape.parameters[:1] == ("s",):
            end -= 1  # the star is this command's own first argument
        before = max(0, start - _LONGEST_DEFINING)
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

    def _prose(self) -> Prose:
        said = {c.span.start: (c.span.end, not c.listed_only) for c in self.citations}
        for gap in self.placeholders:
            said.setdefault(gap.span.start, (gap.span.end, True))
        return read_prose(
            self.visible,
            self.table,
            said,
            self.definitions,
            self.comments,
            has_preamble=self.has_preamble,
        )
