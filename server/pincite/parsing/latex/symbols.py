"""Convert a string of LaTeX, such as a title, to the text that a reader sees."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from ...text.signs import LOWERED, OVERLINE, RAISED
from .arguments import brace_end
from .layout import HIDDEN_ARGUMENTS
from .signs import ACCENTS, CONTROL_SYMBOLS, RELATIONS, WORDS, accented, sign_of

_TOKEN: Final = re.compile(
    r"\\(?:url|path|nolinkurl)\s*\{(?P<verbatim>[^{}]*)\}"
    r"|\\(?P<word>[A-Za-z]+)\*?\s*"
    r"|\\(?P<symbol>.)"
    r"|(?P<mark>``|[{}~_^`]|\$\$?|---?|[?!]`|''|\\)"
    r"|(?P<text>[^\\{}$~_^`'\-?!]+|.)",
    re.DOTALL,
)
# Bounded, so that unclosed brackets cannot make the scan quadratic.
_HIDDEN_OPENS: Final = re.compile(r"\s{0,9}(?:\[[^\[\]]{0,200}\]){0,3}\s{0,9}\{")
#: Signs and ligatures of TeX, as a reader sees them.
LIGATURES: Final[dict[str, str]] = {
    "---": "—",
    "--": "–",
    "``": "“",
    "''": "”",
    "`": "'",
    "?`": "¿",
    "!`": "¡",
    "~": " ",
}
_MAX_ACCENTS: Final = 8

_SCRIPTED: Final = r"[-+−]?[0-9]+|[A-Za-z]"
_SCRIPT: Final = re.compile(
    rf"([\^_])[ \t]*(?:\{{\s*({_SCRIPTED})\s*\}}|([0-9]|[A-Za-z](?![A-Za-z])))"
)
_ARGUMENT: Final = re.compile(rf"\s*\{{\s*({_SCRIPTED})\s*\}}")
_OVERLINED: Final = re.compile(r"\s*(?:\{\s*([A-Za-z0-9]{1,8})\s*\}|([A-Za-z](?![A-Za-z])))")
#: Superscripts and subscripts as Unicode characters: 10⁸, H₂O, 10⁻³, xⁿ. Words distinguish raised
#: digits from others, as in text of PDFs: "10⁸" is not 108.
_SIGNS: Final = {"^": RAISED, "_": LOWERED, "textsuperscript": RAISED, "textsubscript": LOWERED}


def script_at(text: str, position: int) -> tuple[str, int] | None:
    """Return the raised or lowered signs that ``^`` or ``_`` begins, and the offset after them."""
    match = _SCRIPT.match(text, position)
    return None if match is None else _scripted(match, match[1], match[2] or match[3])


def script_of(command: str, text: str, position: int) -> tuple[str, int] | None:
    r"""Return the signs that a command raises, lowers or overlines, and the offset after them.

    `position` is the offset after the name of the command, such as ``\textsuperscript``.
    """
    if command in ("overline", "bar") and (match := _OVERLINED.match(text, position)):
        return "".join(letter + OVERLINE for letter in match[1] or match[2]), match.end()
    if command in _SIGNS and (match := _ARGUMENT.match(text, position)):
        return _scripted(match, command, match[1])
    return None


def _scripted(match: re.Match[str], sign: str, written: str) -> tuple[str, int] | None:
    signs = _SIGNS[sign]
    if any(each not in signs for each in written):
        return None
    return "".join(map(signs.__getitem__, written)), match.end()


def plain_text(value: str) -> str:
    """Return LaTeX markup as the text a reader sees: NFC, one space between words, no braces.

    Unknown macros are removed, but not their arguments; mathematics becomes words if possible.
    Accepts any string; the time is linear in its length.
    """
    has_braces = "{" in value or "}" in value
    if "\\" in value or "$" in value or "~" in value or (has_braces and "`" in value):
        value = _Reader(value).text()
    else:
        for mark in ("---", "--", "``", "''", "`"):
            if mark in value:
                value = value.replace(mark, LIGATURES[mark])
        if has_braces:  # only now: they keep signs apart
            value = value.replace("{", "").replace("}", "")
    if not value.isascii():
        value = unicodedata.normalize("NFC", value)
    return " ".join(value.split())


class _Reader:
    """One pass over a LaTeX string; accents wait in `pending` for the next letter."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.out: list[str] = []
        self.pending: list[str] = []
        self.math = False
        self.after_word = False
        self.after_group = False
        # A last, unpaired dollar sign is a currency.
        self.dollars = sum(map(bool, re.findall(r"\\.|(\$\$?)", source, re.DOTALL)))
        self.lone_dollar = self.dollars % 2 == 1

    def text(self) -> str:
        """Return what a reader sees, its spaces not yet collapsed."""
        position, end = 0, len(self.source)
        while position < end and (token := _TOKEN.match(self.source, position)):
            start, position = token.span()
            kind = token.lastgroup
            if kind == "word":
                position = self.control_word(token["word"], position)
            elif kind == "symbol":
                self.control_symbol(token["symbol"])
            elif kind == "mark":
                position = self.mark(token["mark"], start, position)
            else:
                self.add(token["verbatim"] or token["text"] or "")
        return "".join(self.out)

    def add(self, text: str) -> None:
        """Append text, with pending accents on its first letter."""
        self.after_group = False
        if self.pending:
            text = text.lstrip()
            if not text:
                return
            for accent in reversed(self.pending):
                text = accented(text, accent)
            self.pending.clear()
        if self.after_word and text[:1].isalnum():
            self.out.append(" ")
        self.after_word = False
        self.out.append(text)

    def control_word(self, name: str, position: int) -> int:
        """Read the macro `name` that ends at `position`; return where to continue."""
        if (script := script_of(name, self.source, position)) is not None:
            self.after_word = self.after_word and script[0].endswith(OVERLINE)
            self.add(script[0])
            return script[1]
        if name in ACCENTS:
            self.pending.append(name)
            del self.pending[_MAX_ACCENTS:]
        elif name in WORDS:
            self.pending.clear()
            if self.out and self.out[-1][-1:].isalnum():
                self.out.append(" ")
            self.after_word = False
            self.add(WORDS[name])
            self.after_word = True
        elif name in RELATIONS:
            self.add(f" {RELATIONS[name]} ")
        elif name in HIDDEN_ARGUMENTS or name == "hskip":
            if name in ("hspace", "hskip"):
                self.add(" ")
            if opening := _HIDDEN_OPENS.match(self.source, position):
                # Unclosed: show the argument rather than lose the rest.
                end = brace_end(self.source, opening.end() - 1, len(self.source))
                return end or opening.end()
        elif (sign := sign_of(name)) is not None:
            self.add(sign)
        return position

    def control_symbol(self, sign: str) -> None:
        """Read a backslash with the character `sign`."""
        if sign in ACCENTS:
            self.pending.append(sign)
            del self.pending[_MAX_ACCENTS:]
        elif sign in "()[]":
            self.math = sign in "(["
            self.after_word = self.after_word and self.math
        elif text := CONTROL_SYMBOLS.get(sign, sign):
            self.add(text)

    def mark(self, mark: str, start: int, end: int) -> int:
        """Read a special character or ligature; return where to continue."""
        if self.math and mark in "^_" and (script := script_at(self.source, start)) is not None:
            self.after_word = False
            self.add(script[0])
            return script[1]
        if mark == "{":
            # \frac{a}{b} must not become one word; {D}{NA} outside mathematics must.
            if self.math and self.after_group:
                self.out.append(" ")
            self.after_group = False
        elif mark == "}":
            # ``\~{}`` and ``\^{}`` are how authors write these characters.
            last = self.pending[-1:]
            self.pending.clear()
            if last in (["~"], ["^"]):
                self.add(last[0])
            self.after_group = True
        elif mark[0] == "$":
            self.dollars -= 1
            if self.lone_dollar and self.dollars == 0:  # of a price
                self.add(mark)
            else:
                self.math = not self.math
        elif mark in "_^":
            if not self.math:
                self.add(mark)
        elif mark != "\\":
            self.add(LIGATURES[mark])
        return end
