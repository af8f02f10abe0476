r"""Blank out what LaTeX does not read as text: comments, listings, ``\iffalse`` branches.

The result has the length of the source, so offsets remain valid. Line ends inside listings are
kept; a comment includes its line end, as in TeX, so that a comment between two lines does not look
like a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ...model.drafts import EmbeddedFile
from ...model.spans import TextSpan
from .arguments import brace_end, bracket_end, skip_space
from .commands import CommandTable, Hiding

_RAW_ARGUMENT = ("url", "path", "nolinkurl", "href", "urldef", "lstinputlisting")
_INLINE_CODE = ("lstinline", "mintinline", "inputminted")
_LINE_END = re.compile(r"\r\n|\n|\r")
_NOT_LINE_END = re.compile(r"[^\r\n]")
_ENVIRONMENT = re.compile(r"\s*\{([^{}\r\n]*)\}")
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


@dataclass(frozen=True, slots=True)
class VisibleText:
    r"""A text with hidden parts blanked out, the files embedded in it, its comments.

    What it hides may begin or end outside of it: `open_conditional` is the offset of the last
    conditional without its ``\fi``, `closed_conditional` that of the first ``\else`` or ``\fi``
    of an earlier one; `unclosed` are environments. `ends_document` says that LaTeX reads nothing
    after it.
    """

    text: str
    embedded_files: tuple[EmbeddedFile, ...]
    comments: tuple[tuple[int, int], ...]
    open_conditional: int | None
    closed_conditional: int | None
    unclosed: tuple[str, ...]
    ends_document: bool


@dataclass(slots=True)
class _Conditional:
    """A conditional that is open; `hidden_from` is where its false branch began, if in one."""

    start: int
    hidden_from: int | None
    is_true: bool


@lru_cache(maxsize=8)
def _interesting(short_verbs: frozenset[str]) -> re.Pattern[str]:
    shorts = "".join(re.escape(mark) for mark in sorted(short_verbs))
    names = "|".join(
        (*_RAW_ARGUMENT, *_INLINE_CODE, "[vV]erb|begin|end|endinput|else|fi|if[A-Za-z@]*")
    )
    pattern = rf"%|\\(?:({names})(?![A-Za-z@])|[^A-Za-z@])"
    return re.compile(pattern + (f"|[{shorts}]" if shorts else ""), re.DOTALL)


class _Blanker:
    """One pass over a file; `cuts` collects the spans to blank out, in order."""

    def __init__(self, text: str, hiding: Hiding) -> None:
        self.text = text
        self.hiding = hiding
        self.pattern = _interesting(hiding.short_verbs)
        self.cuts: list[tuple[int, int, bool]] = []
        self.embedded: list[EmbeddedFile] = []
        self.conditionals: list[_Conditional] = []
        self.branches: list[tuple[int, int]] = []
        self.document_end: int | None = None
        self.unclosed: list[str] = []
        #: The first ``\else`` or ``\fi`` without a conditional.
        self.closing: int | None = None

    def run(self) -> VisibleText:
        text, position = self.text, 0
        while (match := self.pattern.search(text, position)) is not None:
            position = self._step(match)
        if self.document_end is not None:
            self.branches.append((self.document_end, len(text)))
        branches = ((start, end, False) for start, end in sorted(self.branches))
        visible = _spaced(_spaced(text, self.cuts), branches)
        comments = tuple((start, end) for start, end, comment in self.cuts if comment)
        return VisibleText(
            text=visible,
            embedded_files=tuple(self.embedded),
            comments=comments,
            open_conditional=self.conditionals[-1].start if self.conditionals else None,
            closed_conditional=self.closing,
            unclosed=tuple(self.unclosed),
            ends_document=self.document_end is not None,
        )

    def _step(self, match: re.Match[str]) -> int:
        name, mark = match.group(1), match.group()
        if mark == "%":
            return self._comment(match.start())
        if mark in self.hiding.short_verbs:
            return self._short_verb(match.start(), mark)
        if name is None:
            return match.end()
        if name in ("verb", "Verb"):
            return self._verb(match.end(), name)
        if name in _INLINE_CODE:
            return self._inline_code(match.end(), name)
        if name in _RAW_ARGUMENT:
            return self._raw_argument(match.end())
        if name == "begin":
            return self._environment(match.end())
        if name == "end":
            self._document_end(match)
        elif name == "endinput":
            self._end_of_input(match)
        else:
            self._conditional(match, name)
        return match.end()

    def _comment(self, start: int) -> int:
        line_end = _LINE_END.search(self.text, start)
        end = line_end.end() if line_end else len(self.text)
        self.cuts.append((start, end, True))
        return end

    def _short_verb(self, start: int, mark: str) -> int:
        close = self.text.find(mark, start + 1)
        if close < 0 or _LINE_END.search(self.text, start + 1, close):
            return start + 1
        self.cuts.append((start, close + 1, False))
        return close + 1

    def _verb(self, position: int, name: str) -> int:
        text, start = self.text, position
        if text[start : start + 1] == "*":
            start += 1
        if name == "Verb":
            start = bracket_end(text, start) or start
        return self._delimited(start, position, braces=name == "Verb", one_line=True)

    def _inline_code(self, position: int, name: str) -> int:
        text = self.text
        start = skip_space(text, position)
        if text[start : start + 1] == "*":
            start += 1
        if text[start : start + 1] == "[":
            start = skip_space(text, bracket_end(text, start) or start + 1)
        if name == "mintinline" and text[start : start + 1] == "{":
            start = skip_space(text, brace_end(text, start, _MAX_CODE) or start + 1)
        return self._delimited(start, position, braces=True, one_line=False)

    def _delimited(self, start: int, otherwise: int, *, braces: bool, one_line: bool) -> int:
        """Cut the code between two equal delimiters, or between braces."""
        text = self.text
        mark = text[start : start + 1]
        if not mark or mark.isspace() or mark.isalnum():
            return otherwise
        end: int | None
        if mark == "{" and braces:
            end = brace_end(text, start, _MAX_CODE)
        else:
            close = text.find(mark, start + 1, start + _MAX_CODE)
            end = close + 1 if close >= 0 else None
        if end is None or (one_line and _LINE_END.search(text, start, end)):
            return otherwise
        self.cuts.append((start, end, False))
        return end

    def _raw_argument(self, position: int) -> int:
        """Cut a URL, in which ``%`` and the like are ordinary characters."""
        text = self.text
        start = skip_space(text, position)
        if text[start : start + 1] == "[":
            start = skip_space(text, bracket_end(text, start) or start + 1)
        end = brace_end(text, start, _MAX_CODE)
        if end is None:
            return position
        self.cuts.append((start + 1, end - 1, False))
        return end

    def _environment(self, position: int) -> int:
        match = _ENVIRONMENT.match(self.text, position)
        if match is None:
            # \begin{filecontents}[overwrite] has its options before the file name, not here.
            return position
        name = match.group(1).strip()
        if name not in self.hiding.environments:
            return match.end()
        close = self.text.find(f"\\end{{{name}}}", match.end())
        end = close if close >= 0 else len(self.text)
        if close < 0:
            self.unclosed.append(name)
        if name.startswith("filecontents"):
            contents = _FILE_CONTENTS.match(self.text, match.end())
            if contents is not None and contents.end() <= end:
                span = TextSpan(contents.end(), end)
                self.embedded.append(EmbeddedFile(contents.group(1).strip(), span))
        self.cuts.append((match.end(), end, False))
        return end

    def _document_end(self, match: re.Match[str]) -> None:
        if self.document_end is None:
            environment = _ENVIRONMENT.match(self.text, match.end())
            is_hidden = any(each.hidden_from is not None for each in self.conditionals)
            if environment and environment.group(1) == "document" and not is_hidden:
                self.document_end = environment.end()

    def _end_of_input(self, match: re.Match[str]) -> None:
        r"""Stop at an ``\endinput`` on its own; one after other words may be an argument."""
        if self.document_end is None and not self.conditionals:
            line_start = _LINE_START.search(self.text, max(0, match.start() - 80), match.start())
            if line_start is not None:
                line_end = _LINE_END.search(self.text, match.end())
                self.document_end = line_end.start() if line_end else len(self.text)

    def _conditional(self, match: re.Match[str], name: str) -> None:
        start = match.start()
        if name.startswith("if"):
            if _NO_CONDITIONAL.match(name) and name not in self.hiding.conditionals:
                return
            if _DEFINED_CONDITIONAL.search(self.text, max(0, start - 80), start):
                return
            false = name == "iffalse" or (name == "if" and _IF_0.match(self.text, match.end()))
            hidden_from = start if false else None
            self.conditionals.append(_Conditional(start, hidden_from, name == "iftrue"))
        elif not self.conditionals:
            if self.closing is None:
                self.closing = start
        else:
            current = self.conditionals[-1]
            if current.hidden_from is not None:
                self.branches.append((current.hidden_from, start))
                current.hidden_from = None
            elif current.is_true:
                current.hidden_from = start
            if name == "fi":
                self.conditionals.pop()


def _spaced(text: str, cuts: Iterable[tuple[int, int, bool]]) -> str:
    """Return a text with spaces in place of some spans; only those of comments lose line ends."""
    parts, last = [], 0
    for start, end, is_comment in cuts:
        if end <= last:  # inside another one
            continue
        begin = max(start, last)
        parts.append(text[last:begin])
        cut = text[begin:end]
        parts.append(" " * len(cut) if is_comment else _NOT_LINE_END.sub(" ", cut))
        last = end
    parts.append(text[last:])
    return "".join(parts)


def hide(text: str, hiding: Hiding) -> VisibleText:
    """Replace comments, listings and false branches in `text` with spaces, at equal length."""
    return _Blanker(text, hiding).run()


def blank_hidden(text: str, table: CommandTable) -> VisibleText:
    """Replace what a draft with these commands hides with spaces, at equal length."""
    return hide(text, table.hiding)
