r"""Blank out what LaTeX does not read as text: comments, listings, ``\iffalse`` branches.

The result has the length of the source, so offsets remain valid. Line ends inside listings are
kept; a comment includes its line end, as in TeX, so that a comment between two lines does not look
like a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from ...model.drafts import EmbeddedFile
from ...model.spans import TextSpan
from .arguments import brace_end, bracket_end, skip_space
from .commands import HIDING, Hiding

#: With a URL or file name in braces, in which ``%`` and the like are ordinary characters.
_RAW = ("url", "path", "nolinkurl", "href", "urldef", "lstinputlisting")
_VERB = ("verb", "Verb")
_CODE = (*_RAW, *_VERB, "lstinline", "mintinline", "inputminted")
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


class VisibleText(NamedTuple):
    r"""A text with hidden parts blanked out, the files embedded in it, its comments.

    What it hides may begin or end outside of it: `open_conditional` is the offset of the last
    conditional without its ``\fi``, `closed_conditional` that of the first ``\else`` or ``\fi`` of
    an earlier one; `unclosed` are environments. `ends_document` indicates that LaTeX reads nothing
    after it.
    """

    text: str
    embedded_files: tuple[EmbeddedFile, ...]
    comments: tuple[tuple[int, int], ...]
    open_conditional: int | None
    closed_conditional: int | None
    unclosed: tuple[str, ...]
    ends_document: bool


@lru_cache(maxsize=8)
def _interesting(short_verbs: frozenset[str]) -> re.Pattern[str]:
    shorts = "".join(re.escape(mark) for mark in sorted(short_verbs))
    names = "|".join((*_CODE, "begin|end|endinput|else|fi|if[A-Za-z@]*"))
    pattern = rf"%|\\(?:({names})(?![A-Za-z@])|[^A-Za-z@])"
    return re.compile(pattern + (f"|[{shorts}]" if shorts else ""), re.DOTALL)


class _Blanker:
    """One pass over a text; `cuts` collects the spans to blank out, and which are comments."""

    def __init__(self, text: str, hiding: Hiding) -> None:
        self.text = text
        self.hiding = hiding
        self.cuts: list[tuple[int, int, bool]] = []
        self.embedded: list[EmbeddedFile] = []
        #: Where an open one begins, where its false branch began, if in one, whether it is true.
        self.conditionals: list[tuple[int, int | None, bool]] = []
        self.branches: list[tuple[int, int, bool]] = []
        self.document_end: int | None = None
        self.unclosed: list[str] = []
        self.closing: int | None = None

    def run(self) -> VisibleText:
        text, position, pattern = self.text, 0, _interesting(self.hiding.short_verbs)
        while (match := pattern.search(text, position)) is not None:
            position = self._step(match)
        if self.document_end is not None:
            self.branches.append((self.document_end, len(text), False))
        return VisibleText(
            _spaced(_spaced(text, self.cuts), sorted(self.branches)),
            tuple(self.embedded),
            tuple((start, end) for start, end, is_comment in self.cuts if is_comment),
            self.conditionals[-1][0] if self.conditionals else None,
            self.closing,
            tuple(self.unclosed),
            self.document_end is not None,
        )

    def _step(self, match: re.Match[str]) -> int:
        name, (start, end) = match[1], match.span()
        if match[0] == "%":
            line_end = _LINE_END.search(self.text, start)
            end = line_end.end() if line_end else len(self.text)
            self.cuts.append((start, end, True))
        elif match[0] in self.hiding.short_verbs:
            close = self.text.find(match[0], end)
            if close >= 0 and not _LINE_END.search(self.text, end, close):
                end = close + 1
                self.cuts.append((start, end, False))
        elif name in _CODE:
            return self._code(name, end)
        elif name == "begin":
            return self._environment(end)
        elif name in ("end", "endinput"):
            if self.document_end is None:
                self.document_end = self._document_end(name, start, end)
        elif name is not None:
            self._conditional(name, start, end)
        return end

    def _code(self, name: str, position: int) -> int:
        """Cut the code between two equal delimiters, or between braces."""
        text, is_verb, is_raw = self.text, name in _VERB, name in _RAW
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
        if not end or (is_verb and _LINE_END.search(text, start, end)):
            return position
        self.cuts.append((start + is_raw, end - is_raw, False))
        return end

    def _environment(self, position: int) -> int:
        match = _ENVIRONMENT.match(self.text, position)
        if match is None:
            return position
        name = match[1].strip()
        if name not in self.hiding.environments:
            return match.end()
        end = self.text.find(f"\\end{{{name}}}", match.end())
        if end < 0:
            end = len(self.text)
            self.unclosed.append(name)
        if name.startswith("filecontents"):
            # Its options may stand before the name of the file.
            contents = _FILE_CONTENTS.match(self.text, match.end())
            if contents is not None and contents.end() <= end:
                span = TextSpan(contents.end(), end)
                self.embedded.append(EmbeddedFile(contents[1].strip(), span))
        self.cuts.append((match.end(), end, False))
        return end

    def _document_end(self, name: str, start: int, end: int) -> int | None:
        r"""Return where the document ends, if it ends here.

        It does at an ``\endinput`` on its own; one after other words may be an argument.
        """
        if name == "end":
            environment = _ENVIRONMENT.match(self.text, end)
            is_hidden = any(hidden is not None for _, hidden, _ in self.conditionals)
            is_end = environment and environment[1] == "document" and not is_hidden
            return environment.end() if environment and is_end else None
        if self.conditionals or not _LINE_START.search(self.text, max(0, start - 80), start):
            return None
        line_end = _LINE_END.search(self.text, end)
        return line_end.start() if line_end else len(self.text)

    def _conditional(self, name: str, start: int, end: int) -> None:
        if name.startswith("if"):
            is_other = _NO_CONDITIONAL.match(name) and name not in self.hiding.conditionals
            if is_other or _DEFINED_CONDITIONAL.search(self.text, max(0, start - 80), start):
                return
            false = name == "iffalse" or (name == "if" and _IF_0.match(self.text, end))
            self.conditionals.append((start, start if false else None, name == "iftrue"))
        elif not self.conditionals:
            self.closing = start if self.closing is None else self.closing
        else:
            begin, hidden_from, is_true = self.conditionals.pop()
            if hidden_from is not None:
                self.branches.append((hidden_from, start, False))
            if name == "else":
                hidden = start if hidden_from is None and is_true else None
                self.conditionals.append((begin, hidden, is_true))


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


def hide(text: str, hiding: Hiding = HIDING) -> VisibleText:
    """Replace comments, listings and false branches in `text` with spaces, at equal length."""
    return _Blanker(text, hiding).run()
