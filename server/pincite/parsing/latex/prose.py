"""Convert LaTeX source to readable text, with a mapping back to the source.

Citations become `CITATION_MARK`, accents become letters, mathematics and the draft's own macros
become words, layout is removed. A footnote stays at its mark, in parentheses, so that the words
around a citation in a footnote are those of the footnote.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ...model.drafts import CITATION_MARK, Prose
from ..scanning import ProseWriter
from . import layout
from .arguments import (
    argument_span,
    brace_end,
    bracket_end,
    filled_in,
    option_span,
    read_arguments,
    skip_space,
)
from .commands import CommandTable
from .symbols import (
    ACCENTS,
    CONTROL_SYMBOLS,
    LIGATURES,
    WORDS,
    accented,
    plain_text,
    read_shorthand,
    script_of,
    sign_of,
)

_MARKS: Mapping[str, str] = {**LIGATURES, **dict.fromkeys("&^_", " ")}
#: Replaces the blanks of a comment: TeX ignores them and the blanks that follow.
_COMMENTED = "\0"
_LINE_END = r"(?:\r\n|\n|\r(?!\n))"
_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z@]+)\*?"
    r"|\\(?P<symbol>.)"
    rf"|(?P<blank>(?:{_LINE_END}|\0)[ \t\0]*{_LINE_END}[\s\0]*)"
    r"|(?P<comment>\0+[ \t]*)"
    r"|(?P<mark>[{}~&$^_#]|``|''|---?)"
    r"|(?P<shorthand>\"(?:---?[~*]?|.))",
    re.DOTALL,
)
_NAME = re.compile(r"\s*\{([^{}\r\n]*)\}")
_BARE_FILE = re.compile(r"[ \t]+[^\s{}\\%#]+")
#: The letter under an accent.
_LETTER = re.compile(r"[ \t]*(?:\{([^}]{0,18})\}|\\([ij])(?![A-Za-z])\s*(?:\{\})?|([^\\{]))", re.S)
_ORDINAL = re.compile(r"\^[ \t]*\{\s*(?:\\[a-z]+\s*\{?\s*)?(?:st|nd|rd|th)\s*\}")
_UNIT_PART = re.compile(r"\\([A-Za-z]+)|([^\\{}~.\s]+)|[.~\s]")
#: The commands of glossaries, acronym and acro: ``\gls``, ``\acrlong``, ``\ac``, ``\acfp``...
_GLOSSARY = re.compile(
    r"[gG](?:ls|LS)(?:pl|name|plural|text|first|firstplural|symbol|link|disp|xtr(?:short|long|full)"
    r"(?:pl)?|entry(?:name|text|short|long|plural|first|full)(?:pl)?)?\Z|GLS(?:pl)?\Z|"
    r"[aA][cC]r?(?:p|s|l|f|sp|lp|fp|short|long|full|shortpl|longpl|fullpl|lu|fu|su)?\*?\Z"
)
_LONG = re.compile(r"(?i:.*long|acl[pu]?\Z)")
_FULL = re.compile(r"(?i:.*full|acf[pu]?\Z)")
_CONTROL_WORD = re.compile(r"\\[A-Za-z@]+")
_MAX_ARGUMENT = 3_000
#: Longer arguments of the draft's own macros are read in place.
_MAX_FILLED_IN = 300
#: Maximal nesting depth of the draft's own macros.
_DEPTH = 4


class ProseBuilder:
    """One pass over a text whose hidden parts are blank; methods return where what they read ends.

    `table` has the draft's own macros. `citations` maps the offset of a citation's first character
    to its end and whether it appears in the text (a listed-only citation does not); `definitions`
    maps the start of a macro definition to those of its body and its end; `comments` are the spans
    of the comments, which join the text on both sides.
    """

    def __init__(
        self,
        text: str,
        table: CommandTable,
        citations: Mapping[int, tuple[int, bool]] = MappingProxyType({}),
        definitions: Mapping[int, tuple[int, int]] = MappingProxyType({}),
        comments: Sequence[tuple[int, int]] = (),
        depth: int = 0,
    ) -> None:
        self.text = text
        #: Line ends are spaces: only an explicit paragraph break is one, not the two line ends
        #: around a line with nothing but a label.
        self.spaced = text.replace("\n", " ").replace("\r", " ")
        #: The text with its comments marked; `text` has blanks there, if they are not hidden.
        last, readable = 0, list[str]()
        for start, end in comments:
            readable += (text[last:start], text[start:end].replace(" ", _COMMENTED))
            last = end
        self.readable = "".join((*readable, text[last:]))
        self.citations, self.citation_starts = citations, sorted(citations)
        self.definitions, self.table, self.depth = definitions, table, depth
        self.expansions: dict[str, str] = {}
        self._written = ProseWriter(text)
        self._write = self._written.put
        #: The text to add at the closing brace of a heading, an aside or a quotation.
        self.closings: dict[int, str] = {}
        self.tables = 0
        #: Skipped environments that have no end after the current place.
        self.unclosed: set[str] = set()

    def build(self, start: int = 0) -> Prose:
        """Return the prose of the text from `start` on."""
        self._read(start, len(self.text))
        return self._written.prose(start)

    def _read(self, start: int, end: int) -> None:
        position = found = start
        while (match := _TOKEN.search(self.readable, found, end)) is not None:
            found = match.start()
            # A placeholder such as ``[citation needed]``, which has no command, may reach further.
            words_end = self._words(position, found)
            position = found = min(self._step(match), end) if words_end <= found else words_end
        if position < end:
            self._words(position, end)

    def _words(self, start: int, end: int) -> int:
        index = bisect_left(self.citation_starts, start)
        while index < len(self.citation_starts) and (at := self.citation_starts[index]) < end:
            self._write(self.spaced[start:at], start)
            self._write(CITATION_MARK, at)
            start = self.citations[at][0]
            index = bisect_left(self.citation_starts, start)
        self._write(self.spaced[start:end], start)
        return max(start, end)

    def _step(self, match: re.Match[str]) -> int:
        start, end = match.span()
        kind, word = match.lastgroup, match["word"]
        if (cited := self.citations.get(start)) is not None:
            end, is_printed = cited
            if word == "begin":
                self._write("\n\n", start)
            self._write(CITATION_MARK if is_printed else "", start)
        elif (definition := self.definitions.get(start)) is not None:
            body, end = definition
            if self._cited_between(start, end):  # then its body is read as a separate text
                self._write("\n\n", start)
                self.closings[end - 1] = "\n\n"
                return body
        elif word is not None:
            return self._command(word, start, end)
        elif kind == "symbol":
            return self._control_symbol(match["symbol"], start, end)
        elif kind == "blank":
            self._write("\n\n", start)
        elif kind == "shorthand":
            sign, length = read_shorthand(match[0], self.table.shorthands)
            self._write(sign, start)
            end = start + length
        elif kind == "mark":
            return self._mark(match[0], start, end)
        return end

    def _cited_between(self, start: int, end: int) -> Sequence[int]:
        first = bisect_left(self.citation_starts, start)
        return self.citation_starts[first : bisect_left(self.citation_starts, end, first)]

    def _mark(self, mark: str, start: int, end: int) -> int:
        if mark in "^_" and (script := script_of(mark, self.text, end)) is not None:
            self._write(script[0], start)
            return script[1]
        if mark == "}":
            # Two consecutive arguments are separate words; {} between letters is nothing.
            apart = self.text[start + 1 : start + 2] == "{" != self.text[start - 1 : start]
            self._write(self.closings.pop(start, "") or (" " if apart else ""), start)
        elif mark != "^" or not _ORDINAL.match(self.text, start):  # which is one word
            self._write(_MARKS.get(mark, ""), start)
        return end

    def _control_symbol(self, symbol: str, start: int, end: int) -> int:
        if symbol in ACCENTS:
            return self._accent(symbol, start, end)
        if symbol == "\\":
            self._write("\n\n" if self.tables else " ", start)
            # ``\\[2pt]`` has an optional length.
            return self._without_options(end)
        self._write(CONTROL_SYMBOLS.get(symbol, symbol), start)
        return end

    def _accent(self, accent: str, start: int, end: int) -> int:
        letter = _LETTER.match(self.text, end)
        base = letter and (letter[2] or letter[3] or plain_text(letter[1]))
        if not (letter and base and base[0].isalpha()):
            return end
        self._write(accented(base, accent), start)
        return letter.end()

    def _command(self, name: str, start: int, end: int) -> int:
        if name == "begin":
            return self._begin(start, end)
        if name == "end":
            return self._end(start, end)
        if name in layout.SURROUNDED:
            opening, closing = layout.SURROUNDED[name]
            position = self._without_arguments(end, layout.HIDDEN_ARGUMENTS.get(name, 0))
            self._write(opening, start)
            return self._argument(position, closing)
        if name in layout.BREAKS:
            self._write("\n\n", start)
            return self._label(end) if name == "item" else self._without_options(end)
        if name == "input" and (bare := _BARE_FILE.match(self.text, end)):
            return bare.end()
        own_end = self._own_macro(name, start, end)
        return self._common_macro(name, start, end) if own_end is None else own_end

    def _common_macro(self, name: str, start: int, end: int) -> int:
        if name in layout.QUANTITIES:
            return self._quantity(name, start, end)
        if name in layout.INITIALS and (
            span := argument_span(self.text, self._without_options(end))
        ):
            self._read(*span)
            return span[1] + 1
        if _GLOSSARY.match(name):
            return self._glossary(name, start, end)
        if hidden := layout.hidden_arguments(name):
            return self._without_arguments(end, hidden)
        if name in layout.LENGTHS:
            length = layout.LENGTH.match(self.text, end)
            return length.end() if length else end
        if name in ACCENTS and self.text[end : end + 1] in (" ", "{"):
            return self._accent(name, start, end)
        if (script := script_of(name, self.text, end)) is not None:
            self._write(script[0], start)
            return script[1]
        if (symbol := sign_of(name)) is not None:
            self._write(f" {symbol} " if name in WORDS else symbol, start)
            is_letter = len(symbol) == 1 and symbol.isalpha()
            return skip_space(self.text, end) if is_letter else end
        if layout.SIZES.match(name):
            return end
        return self._without_options(end)

    def _own_macro(self, name: str, start: int, end: int) -> int | None:
        """Add the text of a macro of the draft; None if it is not one, or is too long."""
        if name in self.table.texts:
            self._write(self._expanded(self.table.texts[name]), start)
            return end
        own = self.table.macros.get(name)
        if own is None or self.depth >= _DEPTH:
            return None
        spans, position, _ = read_arguments(self.text, end, own.parameters, _MAX_FILLED_IN)
        if len(spans) < len(own.parameters) or position - end > _MAX_FILLED_IN:
            return None
        if self._cited_between(end, position):
            return None  # the place of a citation in it would be lost
        self._write(self._expanded(filled_in(self.text, own.body, spans, {})), start)
        return position

    def _expanded(self, body: str) -> str:
        """Return the readable text of an own macro's body, with the spaces at its ends."""
        if "\\" not in body and "$" not in body:
            return plain_text(body) if body.strip() == body else f" {plain_text(body)} "
        if self.depth >= _DEPTH:
            return plain_text(body)
        if body not in self.expansions:
            inner = ProseBuilder(body, self.table, depth=self.depth + 1)
            self.expansions[body] = re.sub(r"\s+", " ", inner.build().text)
        return self.expansions[body]

    def _quantity(self, name: str, start: int, end: int) -> int:
        r"""Add the text of a siunitx command: ``\SI{5}{\kilo\metre}`` is "5 kilometre"."""
        kinds, values = layout.QUANTITIES[name], list[str]()
        position = self._without_options(end)
        option = self.text[end + 1 : position - 1]
        if kinds == "u" and option and "=" not in option:
            # The units package: \unit[5]{m}.
            kinds, values = "nu", [option]
        for _ in kinds[len(values) :]:
            span = argument_span(self.text, self._without_options(position), _MAX_FILLED_IN)
            if span is None:
                break
            values.append(self.text[slice(*span)])
            position = span[1] + 1
        numbers, unit = list[str](), ""
        for kind, value in zip(kinds, values, strict=False):
            if kind == "n":
                numbers.append(plain_text(value.replace(";", ", ")))
            for part in _UNIT_PART.finditer(value) if kind == "u" else ():
                word = part[1] or part[2] or ""
                unit += word if word in layout.UNIT_PREFIXES else f"{word} "
        self._write(" ".join(filter(None, ("–".join(numbers), *unit.split()))), start)
        return position

    def _glossary(self, name: str, start: int, end: int) -> int:
        """Add the form of an acronym or glossary entry that a command shows."""
        position = self._without_options(end)
        span = argument_span(self.text, position, _MAX_FILLED_IN)
        if span is None:
            return position
        label = self.text[slice(*span)].strip()
        short, long = self.table.glossary.get(label, (re.sub(r"[_:]", " ", label),) * 2)
        full = f"{long} ({short})" if _FULL.match(name) else short
        self._write(self._expanded(long if _LONG.match(name) else full), start)
        return self._without_options(span[1] + 1)

    def _argument(self, position: int, closing: str) -> int:
        """Enter the braced argument at `position` and add `closing` at its end."""
        position = self._without_options(position)
        start = skip_space(self.text, position)
        if self.text[start : start + 1] != "{":
            self._write(closing, start)
            return position
        if (end := brace_end(self.text, start)) is not None:
            self.closings[end - 1] = closing
        return start + 1

    def _label(self, position: int) -> int:
        r"""Read the label of ``\item[label]``, or the title of a theorem."""
        if overlay := layout.OVERLAY.match(self.text, position):
            position = overlay.end()
        span = option_span(self.text, position)
        if span is None or span[0] - 1 in self.citations:
            return position
        self._read(*span)
        self._write(" ", span[1])
        return span[1] + 1

    def _without_options(self, position: int) -> int:
        """Skip optional arguments and beamer's overlays."""
        while position not in self.citations:
            overlay = layout.OVERLAY.match(self.text, position)
            end = overlay.end() if overlay else bracket_end(self.text, position)
            if end is None:
                break
            self._skip(position, end)
            position = end
        return position

    def _without_arguments(self, position: int, number: int) -> int:
        for _ in range(number):
            position = self._without_options(position)
            if trimmed := layout.TRIMMED.match(self.text, position):
                position = trimmed.end()
            start = skip_space(self.text, position)
            word = _CONTROL_WORD.match(self.text, start)  # as in \setlength\itemsep{0pt}
            end = word.end() if word else brace_end(self.text, start, _MAX_ARGUMENT)
            if end is None:
                break
            self._skip(start, end)
            position = end
        return position

    def _skip(self, start: int, end: int) -> None:
        """Add only the citations of a part that is not printed."""
        for at in self._cited_between(start, end):
            if self.citations[at][1]:
                self._write(CITATION_MARK, at)

    def _begin(self, start: int, end: int) -> int:
        environment = _NAME.match(self.text, end)
        if environment is None:
            return end
        name, position = environment[1], environment.end()
        plain = name.rstrip("*")
        self._write(" " if plain in layout.INLINE_ENVIRONMENTS else "\n\n", start)
        if plain in layout.SKIPPED_ENVIRONMENTS:
            # An environment that is not closed from here is not closed from later places.
            close = -1 if name in self.unclosed else self.text.find(f"\\end{{{name}}}", position)
            if close < 0:
                self.unclosed.add(name)
                return position
            self._skip(position, close)
            return close
        self.tables += plain in layout.TABLES
        option_end = bracket_end(self.text, position) if layout.TITLED.match(plain) else None
        if option_end and not layout.PLACING.fullmatch(self.text, position + 1, option_end - 1):
            return self._label(position)
        position = self._without_options(position)
        hidden = layout.ENVIRONMENT_ARGUMENTS.get(name, layout.ENVIRONMENT_ARGUMENTS.get(plain, 0))
        if hidden or plain in layout.INLINE_ENVIRONMENTS:
            return self._without_arguments(position, hidden)
        # The titles of a frame or box are separate from its content.
        title_end = brace_end(self.text, position, _MAX_FILLED_IN)
        subtitle_end = title_end and brace_end(self.text, title_end)
        self.closings |= {each - 1: "\n\n" for each in (title_end, subtitle_end) if each}
        return position

    def _end(self, start: int, end: int) -> int:
        environment = _NAME.match(self.text, end)
        name = environment[1].rstrip("*") if environment else ""
        if name in layout.TABLES and self.tables:
            self.tables -= 1
        self._write(" " if name in layout.INLINE_ENVIRONMENTS else "\n\n", start)
        return environment.end() if environment else end
