"""Convert a string of LaTeX, such as a title, to the text that a reader sees."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from .arguments import brace_end
from .scripts import overlined, script_at, script_of
from .signs import ACCENTS, CONTROL_SYMBOLS, RELATIONS, WORDS, accented, sign_of

_HIDDEN: Final = (
    "begin bibinfo bibfield bibitem cite citep citet citealt citealp citeauthor citeyear parencite "
    "textcite autocite footcite color colorbox cref Cref eqref ref pageref label index href "
    "foreignlanguage hspace vspace hskip vskip include includegraphics input end kern noopsort "
    "NOOPSORT SortNoop selectlanguage textcolor texorpdfstring raisebox scalebox resizebox rule "
    "hypertarget hyperlink"
)
#: Macros whose first argument is not printed.
HIDDEN_ARGUMENT: Final[frozenset[str]] = frozenset(_HIDDEN.split())

#: Of these, those that leave a space.
_SPACES: Final = ("hspace", "hskip")

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


def plain_text(value: str) -> str:
    """Return LaTeX markup as the text a reader sees: NFC, one space between words, no braces.

    Unknown macros are removed, but not their arguments; mathematics becomes words if possible.
    Accepts any string; the time is linear in its length.
    """
    has_braces = "{" in value or "}" in value
    if "\\" in value or "$" in value or "~" in value or (has_braces and "`" in value):
        value = _Reader(value).text()
    else:
        if "--" in value:
            value = value.replace("---", "—").replace("--", "–")
        if "`" in value or "''" in value:
            value = value.replace("``", "“").replace("''", "”").replace("`", "'")
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
        dollars = re.findall(r"\\.|(\$\$?)", source, re.DOTALL)
        self.dollars = sum(1 for dollar in dollars if dollar)
        self.lone_dollar = self.dollars % 2 == 1

    def text(self) -> str:
        """Return what a reader sees, its spaces not yet collapsed."""
        position, end = 0, len(self.source)
        match_token = _TOKEN.match
        while position < end:
            token = match_token(self.source, position)
            if token is None:  # every character is some token
                break
            position = token.end()
            kind = token.lastgroup
            if kind == "text":
                self.add(token.group())
            elif kind == "word":
                position = self.control_word(token["word"], position)
            elif kind == "symbol":
                self.control_symbol(token["symbol"])
            elif kind == "verbatim":
                self.add(token["verbatim"])
            else:
                position = self.mark(token["mark"], token.start(), position)
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
        if self.after_word:
            self.after_word = False
            if text[:1].isalnum():
                self.out.append(" ")
        self.out.append(text)

    def add_word(self, word: str) -> None:
        """Append a word for a symbol, separated from adjacent letters."""
        self.pending.clear()
        if self.out and self.out[-1][-1:].isalnum():
            self.out.append(" ")
        self.after_word = False
        self.add(word)
        self.after_word = True

    def accent(self, name: str) -> None:
        """Keep an accent pending for its letter; more than a letter can have are ignored."""
        if len(self.pending) < _MAX_ACCENTS:
            self.pending.append(name)

    def control_word(self, name: str, position: int) -> int:
        """Read the macro `name` that ends at `position`; return where to continue."""
        if (script := script_of(name, self.source, position)) is not None:
            self.add_script(script[0])
            return script[1]
        if (over := overlined(name, self.source, position)) is not None:
            self.add(over[0])
            return over[1]
        if name in ACCENTS:
            self.accent(name)
        elif name in WORDS:
            self.add_word(WORDS[name])
        elif name in RELATIONS:
            self.add(f" {RELATIONS[name]} ")
        elif name in HIDDEN_ARGUMENT:
            if name in _SPACES:
                self.add(" ")
            opening = _HIDDEN_OPENS.match(self.source, position)
            if opening:
                end = brace_end(self.source, opening.end() - 1, len(self.source))
                # Unclosed: show the argument rather than lose the rest.
                return end or opening.end()
        elif (sign := sign_of(name)) is not None:
            self.add(sign)
        return position

    def control_symbol(self, sign: str) -> None:
        """Read a backslash with the character `sign`."""
        if sign in ACCENTS:
            self.accent(sign)
        elif sign in "([" or sign in ")]":
            self.math = sign in "(["
            self.after_word = self.after_word and self.math
        elif text := CONTROL_SYMBOLS.get(sign, sign):
            self.add(text)

    def add_script(self, number: str) -> None:
        """Append a raised or lowered number."""
        self.after_word = False
        self.add(number)

    def mark(self, mark: str, start: int, end: int) -> int:
        """Read a special character or ligature; return where to continue."""
        if self.math and mark in "^_" and (script := script_at(self.source, start)) is not None:
            self.add_script(script[0])
            return script[1]
        if mark == "{":
            # \frac{a}{b} must not become one word; {D}{NA} outside mathematics must.
            if self.math and self.after_group:
                self.out.append(" ")
            self.after_group = False
        elif mark == "}":
            self.close_group()
        elif mark[0] == "$":
            self.dollar(mark)
        elif mark in "_^":
            if not self.math:
                self.add(mark)
        elif mark != "\\":
            self.add(LIGATURES[mark])
        return end

    def close_group(self) -> None:
        r"""End a group; ``\~{}`` and ``\^{}`` are how authors write these characters."""
        if self.pending:
            sign = self.pending[-1]
            self.pending.clear()
            if sign in "~^":
                self.add(sign)
        self.after_group = True

    def dollar(self, mark: str) -> None:
        """Enter or leave mathematics, or keep the dollar sign of a price."""
        self.dollars -= 1
        if self.lone_dollar and self.dollars == 0:
            self.add(mark)
        else:
            self.math = not self.math
