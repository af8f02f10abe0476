"""Convert LaTeX source to readable text, with a mapping back to the source.

Citations become `CITATION_MARK`, accents become letters, mathematics and the draft's own macros
become words, layout is removed. A footnote stays at its mark, in parentheses, so that the words
around a citation in a footnote are those of the footnote.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from ...model.drafts import CITATION_MARK, Prose
from .arguments import (
    argument_span,
    brace_end,
    bracket_end,
    filled_in,
    option_span,
    own_arguments,
    skip_space,
)
from .commands import CommandTable
from .glossary import glossary_form
from .layout import (
    ASIDES,
    BREAKS,
    ENVIRONMENT_ARGUMENTS,
    HEADINGS,
    HIDDEN_ARGUMENTS,
    INLINE_ENVIRONMENTS,
    LENGTH,
    LENGTHS,
    OVERLAY,
    PLACING,
    QUANTITIES,
    QUOTES,
    SIZES,
    SKIPPED_ENVIRONMENTS,
    TABLES,
    TITLED,
    TRIMMED,
    quantity,
)
from .scripts import is_ordinal, overlined, script_at, script_of
from .signs import ACCENTS, CONTROL_SYMBOLS, WORDS, accented, read_shorthand, sign_of
from .symbols import LIGATURES, plain_text
from .tokens import mark_comments, next_token

_MARKS: Mapping[str, str] = {**LIGATURES, **dict.fromkeys("&^_", " ")}
_NAME = re.compile(r"\s*\{([^{}\r\n]*)\}")
_BARE_FILE = re.compile(r"[ \t]+[^\s{}\\%#]+")
_DOTLESS = re.compile(r"\\([ij])(?![A-Za-z])\s*(?:\{\})?")
_MAX_ARGUMENT = 3_000
#: Longer arguments of the draft's own macros are read in place.
_MAX_FILLED_IN = 300
#: Maximal nesting depth of the draft's own macros.
_DEPTH = 4


class _ProseBuilder:
    """One pass over a file's visible text."""

    def __init__(
        self,
        text: str,
        table: CommandTable,
        citations: Mapping[int, tuple[int, bool]],
        definitions: Mapping[int, int],
        comments: Sequence[tuple[int, int]] = (),
        depth: int = 0,
    ) -> None:
        self.text = text
        #: Line ends are spaces: only an explicit paragraph break is one, not the two line ends
        #: around a line with nothing but a label.
        self.spaced = text.replace("\n", " ").replace("\r", " ")
        #: The text with its comments marked; `text` has blanks there.
        self.readable = mark_comments(text, comments)
        self.citations = citations
        self.citation_starts = sorted(citations)
        self.definitions = definitions
        self.table = table
        self.depth = depth
        self.expansions: dict[str, str] = {}
        self.parts: list[str] = []
        self.length = 0
        self.starts: list[int] = []
        self.source_starts: list[int] = []
        #: The text to add at the closing brace of a heading, an aside or a quotation.
        self.closings: dict[int, str] = {}
        self.tables = 0
        #: Skipped environments that have no end after the current place.
        self.unclosed: set[str] = set()

    def build(self, start: int = 0) -> Prose:
        self._read(start, len(self.text))
        if not self.parts:
            return Prose("", (0,), (start,))
        return Prose("".join(self.parts), tuple(self.starts), tuple(self.source_starts))

    def _read(self, start: int, end: int) -> None:
        position = start
        while (match := next_token(self.readable, position, end)) is not None:
            gap_end = self._words(position, match.start())
            position = min(self._step(match), end) if gap_end <= match.start() else gap_end
        if position < end:
            self._words(position, end)

    def _words(self, start: int, end: int) -> int:
        """Add plain words; return where to continue, after `end` if a placeholder reaches there.

        A placeholder such as ``[citation needed]`` has no command, so it is found here.
        """
        index = bisect_left(self.citation_starts, start)
        while index < len(self.citation_starts) and (at := self.citation_starts[index]) < end:
            self._say(self.spaced[start:at], start)
            self._say(CITATION_MARK, at)
            start = self.citations[at][0]
            index = bisect_left(self.citation_starts, start)
        if start < end:
            self._say(self.spaced[start:end], start)
        return max(start, end)

    def _say(self, words: str, source: int) -> None:
        if words:
            self.starts.append(self.length)
            self.source_starts.append(source)
            self.parts.append(words)
            self.length += len(words)

    def _step(self, match: re.Match[str]) -> int:
        start, end = match.span()
        if (cited := self.citations.get(start)) is not None:
            citation_end, said = cited
            if match.group("word") == "begin":
                self._say("\n\n", start)
            if said:
                self._say(CITATION_MARK, start)
            return citation_end
        if (definition_end := self.definitions.get(start)) is not None:
            return self._definition(start, definition_end)
        kind = match.lastgroup
        if kind == "word":
            return self._command(match.group("word"), start, end)
        if kind == "symbol":
            return self._control_symbol(match.group("symbol"), start, end)
        if kind == "blank":
            self._say("\n\n", start)
        elif kind == "shorthand":
            sign, length = read_shorthand(match.group(), self.table.shorthands)
            self._say(sign, start)
            return start + length
        elif kind == "mark":
            return self._mark(match.group(), start, end)
        return end

    def _definition(self, start: int, end: int) -> int:
        """Skip a macro definition, unless its body cites: then read it as a separate text."""
        first = bisect_left(self.citation_starts, start)
        if self.citation_starts[first : first + 1] and self.citation_starts[first] < end:
            opening = self.text.find("{", start)
            while 0 <= opening < end:
                if brace_end(self.text, opening) == end:
                    self._say("\n\n", start)
                    self.closings[end - 1] = "\n\n"
                    return opening + 1
                opening = self.text.find("{", opening + 1)
        return end

    def _mark(self, mark: str, start: int, end: int) -> int:
        if mark in "^_" and (script := script_at(self.text, start)) is not None:
            said, end = script
            self._say(said, start)
        elif mark == "^" and is_ordinal(self.text, start):
            return end
        elif mark == "}":
            closing = self.closings.pop(start, "")
            # Two consecutive arguments are separate words; {} between letters is nothing.
            apart = self.text[start + 1 : start + 2] == "{" != self.text[start - 1 : start]
            self._say(closing or (" " if apart else ""), start)
        else:
            self._say(_MARKS.get(mark, ""), start)
        return end

    def _control_symbol(self, symbol: str, start: int, end: int) -> int:
        if symbol in ACCENTS:
            return self._accent(symbol, start, end)
        if symbol == "\\":
            self._say("\n\n" if self.tables else " ", start)
            # ``\\[2pt]`` has an optional length.
            return self._without_options(end)
        self._say(CONTROL_SYMBOLS.get(symbol, symbol), start)
        return end

    def _accent(self, accent: str, start: int, end: int) -> int:
        text = self.text
        position = end
        while text[position : position + 1] in (" ", "\t"):
            position += 1
        base, after = text[position : position + 1], position + 1
        if base == "{":
            close = text.find("}", position, position + 20)
            if close < 0:
                return end
            base, after = plain_text(text[position + 1 : close]), close + 1
        elif base == "\\":
            letter = _DOTLESS.match(text, position)
            if letter is None:
                return end
            base, after = letter.group(1), letter.end()
        if not base[:1].isalpha():
            return end
        self._say(accented(base, accent), start)
        return after

    def _command(self, name: str, start: int, end: int) -> int:
        if (position := self._structure(name, start, end)) is not None:
            return position
        if (position := self._own_macro(name, start, end)) is not None:
            return position
        if name in QUANTITIES:
            return self._quantity(name, start, end)
        if (form := glossary_form(name)) is not None:
            return self._glossary(form, start, end)
        if (hidden := HIDDEN_ARGUMENTS.get(name)) is not None:
            return self._without_arguments(end, hidden)
        if name in LENGTHS:
            length = LENGTH.match(self.text, end)
            return length.end() if length else end
        if name in ACCENTS and self.text[end : end + 1] in (" ", "{"):
            return self._accent(name, start, end)
        if script := script_of(name, self.text, end) or overlined(name, self.text, end):
            self._say(script[0], start)
            return script[1]
        if (symbol := sign_of(name)) is not None:
            self._say(f" {symbol} " if name in WORDS else symbol, start)
            letter = len(symbol) == 1 and symbol.isalpha()
            return skip_space(self.text, end) if letter else end
        if SIZES.match(name):
            return end
        if name.lower().startswith("cite") or name.endswith(("cite", "cites")):
            return self._without_arguments(end, 1)  # its keys are macros, or not typed yet
        return self._without_options(end)

    def _structure(self, name: str, start: int, end: int) -> int | None:
        """Handle a command that structures the text; return None for any other."""
        if name == "begin":
            return self._begin(start, end)
        if name == "end":
            return self._end(start, end)
        if name in HEADINGS:
            self._say("\n\n", start)
            return self._argument(end, closing="\n\n")
        if name in ASIDES:
            self._say(" (", start)
            return self._argument(end, closing=")")
        if name in QUOTES:
            hidden = 1 if name in HIDDEN_ARGUMENTS else 0
            position = self._without_arguments(end, hidden)
            self._say("“", start)
            return self._argument(position, closing="”")
        if name in BREAKS:
            self._say("\n\n", start)
            return self._label(end) if name == "item" else self._without_options(end)
        if name == "tabularnewline":
            self._say("\n\n", start)
            return end
        if name == "input" and (bare := _BARE_FILE.match(self.text, end)):
            return bare.end()
        return None

    def _own_macro(self, name: str, start: int, end: int) -> int | None:
        """Add the text of a macro of the draft; None if it is not one, or is too long."""
        if name in self.table.texts:
            self._say(self._expanded(self.table.texts[name]), start)
            return end
        macro = self.table.macros.get(name)
        if macro is None or self.depth >= _DEPTH:
            return None
        parameters, body = macro
        values, position = own_arguments(self.text, end, parameters, longest=_MAX_FILLED_IN)
        if len(values) < len(parameters) or position - end > _MAX_FILLED_IN:
            return None
        if bisect_left(self.citation_starts, end) != bisect_left(self.citation_starts, position):
            return None  # citations keep their place only when read in place
        self._say(self._expanded(filled_in(body, values)), start)
        return position

    def _expanded(self, body: str) -> str:
        """Return the readable text of an own macro's body; spaces at its ends are kept."""
        if "\\" not in body and "$" not in body:
            return plain_text(body) if body.strip() == body else f" {plain_text(body)} "
        if self.depth >= _DEPTH:
            return plain_text(body)
        if body not in self.expansions:
            inner = _ProseBuilder(body, self.table, {}, {}, depth=self.depth + 1)
            self.expansions[body] = re.sub(r"\s+", " ", inner.build().text)
        return self.expansions[body]

    def _quantity(self, name: str, start: int, end: int) -> int:
        kinds, values = QUANTITIES[name], []
        position = self._without_options(end)
        option = self.text[end + 1 : position - 1]
        if kinds == "u" and option and "=" not in option:
            # The units package: \unit[5]{m}.
            kinds, values = "nu", [option]
        for _ in kinds[len(values) :]:
            span = argument_span(self.text, self._without_options(position), _MAX_FILLED_IN)
            if span is None:
                break
            values.append(self.text[span[0] : span[1]])
            position = span[1] + 1
        self._say(quantity(kinds, values), start)
        return position

    def _glossary(self, form: str, start: int, end: int) -> int:
        position = self._without_options(end)
        span = argument_span(self.text, position, _MAX_FILLED_IN)
        if span is None:
            return position
        label = self.text[span[0] : span[1]].strip()
        short, long = self.table.glossary.get(label, (re.sub(r"[_:]", " ", label),) * 2)
        said = {"short": short, "long": long, "full": f"{long} ({short})"}[form]
        self._say(self._expanded(said), start)
        return self._without_options(span[1] + 1)

    def _argument(self, position: int, closing: str) -> int:
        """Enter the braced argument at `position` and add `closing` at its end."""
        position = self._without_options(position)
        start = skip_space(self.text, position)
        if self.text[start : start + 1] != "{":
            self._say(closing, start)
            return position
        end = brace_end(self.text, start)
        if end is not None:
            self.closings[end - 1] = closing
        return start + 1

    def _label(self, position: int) -> int:
        r"""Read the label of ``\item[label]``, or the title of a theorem."""
        if overlay := OVERLAY.match(self.text, position):
            position = overlay.end()
        span = option_span(self.text, position)
        if span is None or span[0] - 1 in self.citations:
            return position
        start, end = span
        self._read(start, end)
        self._say(" ", end)
        return end + 1

    def _without_options(self, position: int) -> int:
        """Skip optional arguments and beamer's overlays."""
        text = self.text
        while (mark := text[position : position + 1]) in ("[", "<") and mark:
            if position in self.citations:
                return position
            overlay = OVERLAY.match(text, position)
            end = bracket_end(text, position) if mark == "[" else overlay and overlay.end()
            if end is None:
                return position
            self._skip(position, end)
            position = end
        return position

    def _without_arguments(self, position: int, number: int) -> int:
        for _ in range(number):
            position = self._without_options(position)
            if trimmed := TRIMMED.match(self.text, position):
                position = trimmed.end()
            start = skip_space(self.text, position)
            end = brace_end(self.text, start, _MAX_ARGUMENT)
            if end is None:
                break
            self._skip(start, end)
            position = end
        return position

    def _skip(self, start: int, end: int) -> None:
        """Add only the citations of a part that is not printed."""
        first = bisect_left(self.citation_starts, start)
        for at in self.citation_starts[first : bisect_left(self.citation_starts, end, first)]:
            if self.citations[at][1]:
                self._say(CITATION_MARK, at)

    def _begin(self, start: int, end: int) -> int:
        environment = _NAME.match(self.text, end)
        if environment is None:
            return end
        name, position = environment.group(1), environment.end()
        plain = name.rstrip("*")
        if plain in SKIPPED_ENVIRONMENTS:
            # An environment that is not closed from here is not closed from later places.
            close = -1 if name in self.unclosed else self.text.find(f"\\end{{{name}}}", position)
            self._say("\n\n", start)
            if close < 0:
                self.unclosed.add(name)
                return position
            self._skip(position, close)
            return close
        self.tables += plain in TABLES
        self._say(" " if plain in INLINE_ENVIRONMENTS else "\n\n", start)
        option_end = bracket_end(self.text, position) if TITLED.match(plain) else None
        if option_end and not PLACING.fullmatch(self.text, position + 1, option_end - 1):
            return self._label(position)
        position = self._without_options(position)
        hidden = ENVIRONMENT_ARGUMENTS.get(name, ENVIRONMENT_ARGUMENTS.get(plain, 0))
        if hidden or plain in INLINE_ENVIRONMENTS:
            return self._without_arguments(position, hidden)
        return self._titles(position)

    def _titles(self, position: int) -> int:
        r"""Enter the title of a frame or box, which is separate from the content of the box."""
        end = brace_end(self.text, position, _MAX_FILLED_IN)
        if end is not None:
            self.closings[end - 1] = "\n\n"
            if (subtitle := brace_end(self.text, end)) is not None:
                self.closings[subtitle - 1] = "\n\n"
        return position

    def _end(self, start: int, end: int) -> int:
        environment = _NAME.match(self.text, end)
        name = environment.group(1).rstrip("*") if environment else ""
        if name in TABLES and self.tables:
            self.tables -= 1
        self._say(" " if name in INLINE_ENVIRONMENTS else "\n\n", start)
        return environment.end() if environment else end


def read_prose(
    visible: str,
    table: CommandTable,
    citations: Mapping[int, tuple[int, bool]],
    definitions: Mapping[int, int],
    comments: Sequence[tuple[int, int]] = (),
    start: int = 0,
) -> Prose:
    """Return the prose of a text from `start` on, its hidden parts blanked out in `visible`.

    `table` has the draft's own macros. `citations` maps the offset of a citation's first character
    to its end and whether it appears in the text (a listed-only citation does not); `definitions`
    maps the start of a macro definition to its end; `comments` are the spans of the comments, which
    join the text on both sides.
    """
    return _ProseBuilder(visible, table, citations, definitions, comments).build(start)
