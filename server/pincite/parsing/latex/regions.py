r"""A LaTeX file in regions that are parsed independently, without what LaTeX does not read as text.

Comments, listings and ``\iffalse`` branches become spaces, so offsets remain valid. Line ends
inside listings remain; a comment includes its line end, as in TeX, so that a comment between two
lines does not look like a blank line.

A region begins at a heading or after a blank line. If something begins in one region and ends in
another (braces, a conditional, a listing), these and all regions between are merged. Nothing else
in the LaTeX syntax that Pincite parses extends across a heading or a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from math import inf
from typing import Final

from ...model.drafts import EmbeddedFile, Include
from ...model.spans import LINE_END, TextSpan
from .arguments import (
    MAX_ARGUMENT,
    MAX_OPTION,
    brace_end,
    bracket_end,
    loose_delimiters,
    skip_space,
)
from .commands import HIDING, Hiding
from .layout import SECTION_LEVELS, SKIPPED_ENVIRONMENTS, TABLES

#: A region ends at the first heading after this many characters, or else...
_MIN_REGION: Final = 2_500
#: ... at the first blank line after this many.
_MAX_REGION: Final = 5_000
#: The number of regions that are cached: those of a file of 3 MB.
CACHED_REGIONS: Final = 1_024
#: Without a lookahead, as an expression that begins with characters is much faster.
_HEADING_AT = rf"(\n[ \t]*)\\(?:{'|'.join(SECTION_LEVELS)})(?![A-Za-z@])"
_HEADING = re.compile(_HEADING_AT)
_BOUNDARY = re.compile(rf"{_HEADING_AT}|\n[ \t]*\n\s*")
_BEGIN_OR_END = re.compile(r"\\(begin|end)\s*\{([^{}\r\n]*)\}")
_DOCUMENT = re.compile(r"\\begin\s*\{document\}")
#: What may begin in one region and end in a later one, and the most characters between; arguments
#: that end further away are not parsed.
_REACH: Mapping[str, float] = {
    "{": MAX_ARGUMENT,
    "[": MAX_OPTION,
    "conditional": inf,
    "table": inf,
}

#: With a URL or file name in braces, in which ``%`` and the like are ordinary characters.
_RAW = ("url", "path", "nolinkurl", "href", "urldef", "lstinputlisting")
_VERB = ("verb", "Verb")
_CODE = (*_RAW, *_VERB, "lstinline", "mintinline", "inputminted", "Sexpr", "SweaveOpts")
_INTERESTING = (
    r"%|(?<!\S)<<[^\r\n]{0,500}>>=[ \t]*(?=[\r\n])"
    rf"|\\(?:({'|'.join(_CODE)}|begin|end|endinput|else|fi|if[A-Za-z@]*)(?![A-Za-z@])|[^A-Za-z@])"
)
#: The files that the options of a chunk of Sweave or knitr, ``<<options>>=``, include.
_CHILDREN = re.compile(r"\bchild\s*=\s*(?:c\s*\(\s*)?((?:[\"'][^\"'\r\n]+[\"']\s*,?\s*)+)")
_CHILD = re.compile(r"[\"']([^\"']+)[\"']")
#: A citation in a string of these options, whose backslash is doubled.
_CITED_IN_R = re.compile(
    r"\\(\\[A-Za-z]{0,20}[cC]ite[A-Za-z]{0,20}\*?(?:\[[^\[\]\r\n]*\]){0,2}\{[^{}\r\n]*\})"
)
_CHUNK_END = re.compile(r"[\r\n][ \t]*@(?=[ \t]*(?:[\r\n%]|\Z))")
_NOT_LINE_END = re.compile(r"[^\r\n]")
_ENVIRONMENT = re.compile(r"\s*\{([^{}\r\n]*)\}")
#: The options of ``filecontents`` may stand before the name of the file.
_FILE_CONTENTS = re.compile(
    r"\s*(?:\[[^\]]{0,2000}\])?\s*\{([^{}\r\n]*)\}[ \t]*(?:\r\n|\n|\r(?!\n))?"
)
_MAX_CODE = 2_000
#: The start of a line, with optional blanks.
_LINE_START = re.compile(r"(?:\A|[\r\n])[ \t]*\Z")
#: The name that a definition gives a conditional, or the one it copies.
_DEFINED_CONDITIONAL = re.compile(
    r"\\(?:newif|let|[gex]?def|string|noexpand)\s*(?:\\[A-Za-z@]+\s*=?\s*)?\Z"
)
#: ``\if0`` and a space compares the two, which differ: a way to comment text out.
_IF_0 = re.compile(r"[ \t]*\d\s")
#: Names that start like a conditional but are not closed by ``\fi``.
_NO_CONDITIONAL = re.compile(
    r"iff$|if(?:then|thenelse|thenpage|FileExists|fileexists|undef|blank|str|not|bool|toggle|cs[a-z]|"
    r"field|list|name|cite|foot|capital|pag|entry|key|category|comment|num(?:comp|equal|greater|less|odd)|"
    r"dim(?:comp|equal|greater|less)|def(?:macro|param|protected|counter|ltxprotect|string|length)|"
    r"isrange|integer|numeral|more|current|use|volcite|year|date|uniq|singletitle|first|last|"
    r"label|lang|base|natbib|hyperref|package|class|nextchar|star|and|or$|in(?:list|string))"
)


class Region:
    r"""A part of a file: `source` as written, `text` with its hidden parts as spaces.

    `openings` are the offsets of the last of each kind that begins but does not end in the region,
    `closings` of the first that ends but does not begin in it. What is `unclosed` hides all text
    up to these ends. `ends_document` indicates that LaTeX reads nothing after the region, and
    `body` is the offset after ``\begin{document}``, 0 without.
    """

    def __init__(self, source: str, hiding: Hiding = HIDING) -> None:
        """Read a text in one pass."""
        self.source, self._hiding = source, hiding
        self.embedded_files: list[EmbeddedFile] = []
        self.children: list[Include] = []
        self.unclosed: dict[str, None] = {}
        self.closings: dict[str, int] = {}
        #: The spans to blank out, and which are comments; branches that are not read.
        self._cuts: list[tuple[int, int, bool]] = []
        self._branches: list[tuple[int, int, bool]] = []
        #: Where an open one begins, where its false branch began, if in one, whether it is true.
        self._conditionals: list[tuple[int, int | None, bool]] = []
        self._document_end: int | None = None
        shorts = "".join(map(re.escape, sorted(hiding.short_verbs)))
        pattern = re.compile(f"{_INTERESTING}|[{shorts}]" if shorts else _INTERESTING, re.DOTALL)
        position = 0
        while (match := pattern.search(source, position)) is not None:
            position = self._step(match)
        self.ends_document = self._document_end is not None
        if self._document_end is not None:
            self._branches.append((self._document_end, len(source), False))
        self.comments = [(start, end) for start, end, is_comment in self._cuts if is_comment]
        self.text = _spaced(_spaced(source, self._cuts), sorted(self._branches))
        self.openings, closings = loose_delimiters(self.text)
        self.closings |= closings
        if self._conditionals:
            self.openings["conditional"] = self._conditionals[-1][0]
        self._find_environments()
        document = _DOCUMENT.search(self.text)
        self.body = document.end() if document else 0

    def _find_environments(self) -> None:
        """Find the tables and skipped environments that do not end or begin in the text."""
        tables: list[int] = []
        for match in _BEGIN_OR_END.finditer(self.text):
            begins, name = match[1] == "begin", match[2]
            if name.rstrip("*") in SKIPPED_ENVIRONMENTS:
                if begins:
                    self.unclosed[f"\\end{{{name}}}"] = None
                else:
                    self.unclosed.pop(f"\\end{{{name}}}", None)
            elif name.rstrip("*") in TABLES:
                if begins:
                    tables.append(match.start())
                elif tables:
                    tables.pop()
                else:
                    self.closings.setdefault("table", match.start())
        if tables:
            self.openings["table"] = tables[-1]

    def _step(self, match: re.Match[str]) -> int:
        name, (start, end) = match[1], match.span()
        if match[0] == "%":
            line_end = LINE_END.search(self.source, start)
            end = line_end.end() if line_end else len(self.source)
            self._cuts.append((start, end, True))
        elif match[0][0] == "<" and _LINE_START.search(self.source, max(0, start - 80), start):
            return self._chunk(start, end)
        elif match[0] in self._hiding.short_verbs:
            close = self.source.find(match[0], end)
            if close >= 0 and not LINE_END.search(self.source, end, close):
                end = close + 1
                self._cuts.append((start, end, False))
        elif name in _CODE:
            return self._code(name, end)
        elif name == "begin":
            return self._environment(end)
        elif name in ("end", "endinput"):
            if self._document_end is None:
                self._document_end = self._end_of_document(name, start, end)
        elif name is not None:
            self._conditional(name, start, end)
        return end

    def _code(self, name: str, position: int) -> int:
        """Cut the code between two equal delimiters, or between braces."""
        text, is_verb, is_raw = self.source, name in _VERB, name in _RAW
        start = position if is_verb else skip_space(text, position)
        if text.startswith("*", start) and not is_raw:
            start += 1
        if text.startswith("[", start) and name != "verb":
            start = bracket_end(text, start) or (start if is_verb else start + 1)
            start = start if is_verb else skip_space(text, start)
        if text.startswith("{", start) and name == "mintinline":
            start = skip_space(text, brace_end(text, start, _MAX_CODE) or start + 1)
        mark = text[start : start + 1]
        if mark == "{" and name != "verb":
            end = brace_end(text, start, _MAX_CODE)
        elif is_raw or not mark or mark.isspace() or mark.isalnum():
            return position
        else:
            end = text.find(mark, start + 1, start + _MAX_CODE) + 1
        if not end or (is_verb and LINE_END.search(text, start, end)):
            return position
        self._cuts.append((start + is_raw, end - is_raw, False))
        return end

    def _environment(self, position: int) -> int:
        match = _ENVIRONMENT.match(self.source, position)
        if match is None:
            return position
        name = match[1].strip()
        if name not in self._hiding.environments:
            return match.end()
        closing = f"\\end{{{name}}}"
        end = self.source.find(closing, match.end())
        if end < 0:
            end = len(self.source)
            self.unclosed[closing] = None
        if name.startswith("filecontents"):
            contents = _FILE_CONTENTS.match(self.source, match.end())
            if contents is not None and contents.end() <= end:
                span = TextSpan(contents.end(), end)
                self.embedded_files.append(EmbeddedFile(contents[1].strip(), span))
        self._cuts.append((match.end(), end, False))
        return end

    def _chunk(self, start: int, position: int) -> int:
        if (listed := _CHILDREN.search(self.source, start, position)) is not None:
            for child in _CHILD.finditer(self.source, *listed.span(1)):
                self.children.append(Include(child[1], TextSpan(*child.span(1)), "text"))
        closing = _CHUNK_END.search(self.source, position)
        end = closing.end() if closing else len(self.source)
        if closing is None:
            self.unclosed["\n@"] = None
        # A caption may cite.
        cited = (match.span(1) for match in _CITED_IN_R.finditer(self.source, start, position))
        places = [start, *chain.from_iterable(cited), end]
        self._cuts += zip(places[::2], places[1::2], repeat(False), strict=False)
        return end

    def _end_of_document(self, name: str, start: int, end: int) -> int | None:
        r"""Return where the document ends; an ``\endinput`` within a line may be an argument."""
        if name == "end":
            environment = _ENVIRONMENT.match(self.source, end)
            is_hidden = any(hidden is not None for _, hidden, _ in self._conditionals)
            is_end = environment and environment[1] == "document" and not is_hidden
            return environment.end() if environment and is_end else None
        if self._conditionals or not _LINE_START.search(self.source, max(0, start - 80), start):
            return None
        line_end = LINE_END.search(self.source, end)
        return line_end.start() if line_end else len(self.source)

    def _conditional(self, name: str, start: int, end: int) -> None:
        if name.startswith("if"):
            is_other = _NO_CONDITIONAL.match(name) and name not in self._hiding.conditionals
            if is_other or _DEFINED_CONDITIONAL.search(self.source, max(0, start - 80), start):
                return
            false = name == "iffalse" or (name == "if" and _IF_0.match(self.source, end))
            self._conditionals.append((start, start if false else None, name == "iftrue"))
        elif not self._conditionals:
            self.closings.setdefault("conditional", start)
        else:
            begin, hidden_from, is_true = self._conditionals.pop()
            if hidden_from is not None:
                self._branches.append((hidden_from, start, False))
            if name == "else":
                hidden = start if hidden_from is None and is_true else None
                self._conditionals.append((begin, hidden, is_true))


_region = lru_cache(CACHED_REGIONS)(Region)


def _spaced(text: str, cuts: Iterable[tuple[int, int, bool]]) -> str:
    """Return a text with spaces in place of some spans; only those of comments lose line ends."""
    parts, last = [], 0
    for start, end, is_comment in cuts:
        if end <= last:  # inside another one
            continue
        begin = max(start, last)
        cut = text[begin:end]
        parts += [text[last:begin], " " * len(cut) if is_comment else _NOT_LINE_END.sub(" ", cut)]
        last = end
    return "".join([*parts, text[last:]])


def split(text: str, hiding: Hiding = HIDING) -> list[Region]:
    """Return the regions of a text in order; an empty text is one."""
    regions: list[Region] = []
    start = 0
    # Of the same length.
    lines = text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
    while start < len(text) or not regions:
        regions.append(_closed(text, lines, start, hiding))
        start += len(regions[-1].source)
        while (first := _first_tied(regions)) is not None:
            merged = "".join(region.source for region in regions[first:])
            regions[first:] = [_region(merged, hiding)]
    return regions


def _closed(text: str, lines: str, start: int, hiding: Hiding) -> Region:
    """Return the region at `start`, long enough to contain the ends of what it hides."""
    end = _end(lines, start, start)
    region = _region(text[start:end], hiding)
    while end < len(text) and (region.ends_document or region.unclosed):
        if region.ends_document:
            return _region(text[start:], hiding)
        found = (text.find(closing, end) for closing in region.unclosed)
        needed = max(found, default=-1)
        if needed < 0:
            break
        # Doubled each time, as repeated extension would otherwise take quadratic time.
        end = _end(lines, start, max(needed, 2 * end - start))
        region = _region(text[start:end], hiding)
    return region


def _end(lines: str, start: int, least: int) -> int:
    """Return the end of a region that starts at `start` and extends at least to `least`."""
    least, most = max(start + _MIN_REGION, least), max(start + _MAX_REGION, least)
    match = _HEADING.search(lines, least, most) or _BOUNDARY.search(lines, most)
    return len(lines) if match is None else match.end(0 if match[1] is None else 1)


def _first_tied(regions: Sequence[Region]) -> int | None:
    """Return the number of the first region in which something begins that ends in the last."""
    tied: list[int] = []
    for kind, between in regions[-1].closings.items():
        for number in range(len(regions) - 2, -1, -1):
            between += len(regions[number].source)
            opening = regions[number].openings.get(kind)
            if opening is not None and between - opening <= _REACH[kind]:
                tied.append(number)
            if opening is not None or between > _REACH[kind] + len(regions[number].source):
                break
    return min(tied, default=None)
