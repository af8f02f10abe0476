"""What a reader sees of LaTeX macros: accents, letters, signs, and mathematics as words."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from .rare_symbols import RARE_SYMBOLS

#: Accent macro, without its backslash, to the combining character it puts on the next letter.
ACCENTS: Final[dict[str, str]] = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    '"': "\u0308",
    "u": "\u0306",
    "v": "\u030c",
    "H": "\u030b",
    "t": "\u0361",
    "c": "\u0327",
    "d": "\u0323",
    "b": "\u0331",
    "k": "\u0328",
    "r": "\u030a",
    "h": "\u0309",
    "G": "\u030f",
    "U": "\u030d",
    "f": "\u0311",
    "textcommabelow": "\u0326",
}

#: Control symbols (a backslash and one other character) that are no accents.
CONTROL_SYMBOLS: Final[dict[str, str]] = {
    **{sign: sign for sign in "&%$#_{}"},
    **dict.fromkeys(" ,;:>\\\t\n\r\xa0", " "),
    **dict.fromkeys("!-/@()[]+<*", ""),
    "|": "‖",
}

_LETTERS: Final[dict[str, str]] = {
    "ss": "ß",
    "SS": "ẞ",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
    "i": "ı",
    "j": "ȷ",
    "imath": "ı",
    "jmath": "ȷ",
    "th": "þ",
    "TH": "Þ",
    "dh": "ð",
    "DH": "Ð",
    "dj": "đ",
    "DJ": "Đ",
    "ng": "ŋ",
    "NG": "Ŋ",
    "ij": "ij",
    "IJ": "IJ",
}

# Relations and arrows stay signs: a reader sees them, and no word is lost.
_RELATIONS: Final[dict[str, str]] = {
    "leq": "≤",
    "le": "≤",
    "leqslant": "≤",
    "geq": "≥",
    "ge": "≥",
    "geqslant": "≥",
    "neq": "≠",
    "ne": "≠",
    "ll": "≪",
    "gg": "≫",
    "lt": "<",
    "gt": ">",
    "approx": "≈",
    "sim": "∼",
    "simeq": "≃",
    "cong": "≅",
    "equiv": "≡",
    "propto": "∝",
    "mid": "|",
    "parallel": "∥",
    "perp": "⊥",
    "to": "→",
    "rightarrow": "→",
    "longrightarrow": "→",
    "mapsto": "→",
    "gets": "←",
    "leftarrow": "←",
    "leftrightarrow": "↔",
    "uparrow": "↑",
    "downarrow": "↓",
    "Rightarrow": "⇒",
    "Longrightarrow": "⇒",
    "implies": "⇒",
    "Leftarrow": "⇐",
    "Leftrightarrow": "⇔",
    "iff": "⇔",
    "textrightarrow": "→",
    "textleftarrow": "←",
}

_SIGNS: Final[dict[str, str]] = {
    "S": "§",
    "P": "¶",
    "copyright": "©",
    "pounds": "£",
    "dag": "†",
    "ddag": "‡",
    "euro": "€",
    "EUR": "€",
    "ldots": "…",
    "dots": "…",
    "dotsc": "…",
    "dotsb": "…",
    "cdots": "…",
    "vdots": "…",
    "textellipsis": "…",
    "textendash": "–",
    "textemdash": "—",
    "textquoteleft": "‘",
    "textquoteright": "’",
    "textquotedblleft": "“",
    "textquotedblright": "”",
    "textquotedbl": '"',
    "textquotesingle": "'",
    "lq": "‘",
    "rq": "’",
    "dq": '"',
    "quotedblbase": "„",
    "quotesinglbase": "‚",
    "glqq": "„",
    "grqq": "“",
    "flqq": "«",
    "frqq": "»",
    "guillemotleft": "«",
    "guillemotright": "»",
    "guillemetleft": "«",
    "guillemetright": "»",
    "guilsinglleft": "‹",
    "guilsinglright": "›",
    "og": "« ",
    "fg": " »",
    "textbackslash": "\\",
    "backslash": "\\",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textasciigrave": "`",
    "textunderscore": "_",
    "textbar": "|",
    "textless": "<",
    "textgreater": ">",
    "textbraceleft": "{",
    "textbraceright": "}",
    "lbrace": "{",
    "rbrace": "}",
    "textdollar": "$",
    "textsterling": "£",
    "texteuro": "€",
    "textcent": "¢",
    "textyen": "¥",
    "textsection": "§",
    "textparagraph": "¶",
    "textdagger": "†",
    "textdaggerdbl": "‡",
    "textbullet": "•",
    "textperiodcentered": "·",
    "textcopyright": "©",
    "textregistered": "®",
    "texttrademark": "™",
    "textnumero": "№",
    "textordfeminine": "ª",
    "textordmasculine": "º",
    "textexclamdown": "¡",
    "textquestiondown": "¿",
    "textdegree": "°",
    "textpm": "±",
    "texttimes": "×",
    "textdiv": "÷",
    "textmu": "µ",
    "textonehalf": "½",
    "textonequarter": "¼",
    "textthreequarters": "¾",
    "textonesuperior": "¹",
    "texttwosuperior": "²",
    "textthreesuperior": "³",
    "textvisiblespace": " ",
    "textcompwordmark": "",
    "slash": "/",
    "degree": "°",
    "circ": "°",
    "prime": "′",
    "TeX": "TeX",
    "LaTeX": "LaTeX",
    "LaTeXe": "LaTeX2e",
    "BibTeX": "BibTeX",
    "BibLaTeX": "BibLaTeX",
    "XeTeX": "XeTeX",
    "XeLaTeX": "XeLaTeX",
    "LuaTeX": "LuaTeX",
    "LuaLaTeX": "LuaLaTeX",
    "pdfTeX": "pdfTeX",
    "MF": "METAFONT",
    "AmS": "AMS",
    "cdot": "·",
    "bullet": "•",
    "star": "⋆",
    "ast": "*",
    "pm": "±",
    "mp": "∓",
    "oplus": "⊕",
    "otimes": "⊗",
    "setminus": "\\",
    "langle": "⟨",
    "rangle": "⟩",
    "lfloor": "⌊",
    "rfloor": "⌋",
    "lceil": "⌈",
    "rceil": "⌉",
    "vert": "|",
    "Vert": "‖",
    "colon": ":",
    # Space of any width.
    "space": " ",
    "quad": " ",
    "qquad": " ",
    "enspace": " ",
    "thinspace": " ",
    "nobreakspace": " ",
    "newline": " ",
    "linebreak": " ",
    "par": " ",
    "hfill": " ",
}

_GREEK_NAMES: Final = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma "
    "tau upsilon phi chi psi omega"
)
_GREEK: Final = tuple(_GREEK_NAMES.split())

# Functions and signs whose own name is the word a reader says.
_SAID_AS_NAMED: Final = (
    "times in sum log ln exp sin cos tan cot sec sinh cosh tanh arcsin arccos arctan max min sup "
    "inf lim limsup liminf arg argmax argmin det dim ker gcd hom deg mod Pr subset not div aleph "
    "hbar nabla partial"
)

_WORDS: Final[dict[str, str]] = {
    **{letter: letter for letter in _GREEK},
    **{letter.capitalize(): letter.capitalize() for letter in _GREEK},
    **{f"var{letter}": letter for letter in ("epsilon", "theta", "kappa", "pi", "rho", "sigma")},
    **{f"text{letter}": letter for letter in _GREEK if letter != "mu"},
    **{name: name for name in _SAID_AS_NAMED.split()},
    "varphi": "phi",
    "digamma": "digamma",
    "infty": "infinity",
    "prod": "product",
    "int": "integral",
    "iint": "integral",
    "oint": "integral",
    "sqrt": "square root of",
    "notin": "not in",
    "ni": "contains",
    "forall": "for all",
    "exists": "there exists",
    "emptyset": "empty set",
    "varnothing": "empty set",
    "subseteq": "subset of",
    "supset": "superset",
    "supseteq": "superset of",
    "cup": "union",
    "bigcup": "union",
    "cap": "intersection",
    "bigcap": "intersection",
    "land": "and",
    "wedge": "and",
    "lor": "or",
    "vee": "or",
    "neg": "not",
    "lnot": "not",
    "ell": "l",
    "Re": "real part",
    "Im": "imaginary part",
    "bmod": "mod",
    "pmod": "mod",
}

#: Names in `SYMBOLS` that become words and so need a space to other words beside them.
WORD_SYMBOLS: Final[frozenset[str]] = frozenset(_WORDS)

#: Control word, without its backslash, to what a reader sees or says.
SYMBOLS: Final[dict[str, str]] = {
    **RARE_SYMBOLS,
    **_LETTERS,
    **_RELATIONS,
    **_SIGNS,
    **_WORDS,
}

_HIDDEN: Final = (
    "begin bibinfo bibfield bibitem cite citep citet citealt citealp citeauthor citeyear parencite "
    "textcite autocite footcite color colorbox cref Cref eqref ref pageref label index href "
    "foreignlanguage hspace vspace hskip vskip include includegraphics input end kern noopsort "
    "NOOPSORT SortNoop selectlanguage textcolor texorpdfstring raisebox scalebox resizebox rule "
    "hypertarget hyperlink"
)
#: Macros whose first argument no reader sees.
HIDDEN_ARGUMENT: Final[frozenset[str]] = frozenset(_HIDDEN.split())

_NEEDS_READING: Final = re.compile(r"[\\$~]")
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
_BRACE: Final = re.compile(r"\\.|[{}]", re.DOTALL)
_LIGATURES: Final[dict[str, str]] = {
    "---": "—",
    "--": "–",
    "``": "“",
    "''": "”",
    "`": "'",
    "?`": "¿",
    "!`": "¡",
    "~": " ",
}
_MOST_ACCENTS: Final = 8
_DOTLESS: Final[dict[str, str]] = {"ı": "i", "ȷ": "j"}


def accented(base: str, accent: str) -> str:
    """Put the accent macro `accent` (a key of `ACCENTS`) on the first letter of `base`, in NFC.

    Dotless i and j become the plain letters under an accent; a base that starts with no letter
    comes back as it is.
    """
    if not base or accent not in ACCENTS:
        return base
    first = _DOTLESS.get(base[0], base[0])
    if not first.isalpha():
        return base
    if accent == "." and first in "ij":
        return first + base[1:]
    # Marks already on the letter stay in front of the new one.
    end = 1
    while end < len(base) and unicodedata.combining(base[end]):
        end += 1
    marked = unicodedata.normalize("NFC", first + base[1:end] + ACCENTS[accent])
    return marked + base[end:]


def plain_text(value: str) -> str:
    """Return LaTeX markup as the text a reader sees: NFC, one space between words, no braces.

    Unknown macros go and their arguments stay; mathematics becomes words where it has any.
    Takes any string, in time linear in its length.
    """
    has_braces = "{" in value or "}" in value
    if _NEEDS_READING.search(value) or (has_braces and "`" in value):
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
        self.closings: dict[int, int] | None = None
        # A last dollar sign without a partner is money.
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
                self.mark(token["mark"])
        return "".join(self.out)

    def add(self, text: str) -> None:
        """Append text, the waiting accents on its first letter."""
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
        """Append a word that stands for a symbol, apart from letters beside it."""
        self.pending.clear()
        if self.out and self.out[-1][-1:].isalnum():
            self.out.append(" ")
        self.after_word = False
        self.add(word)
        self.after_word = True

    def accent(self, name: str) -> None:
        """Let an accent wait for its letter; more than a letter can carry is noise."""
        if len(self.pending) < _MOST_ACCENTS:
            self.pending.append(name)

    def control_word(self, name: str, position: int) -> int:
        """Read the macro `name` that ends at `position`; return where reading goes on."""
        if name in ACCENTS:
            self.accent(name)
        elif name in WORD_SYMBOLS:
            self.add_word(SYMBOLS[name])
        elif name in _RELATIONS:
            self.add(f" {_RELATIONS[name]} ")
        elif name in SYMBOLS:
            self.add(SYMBOLS[name])
        elif name in HIDDEN_ARGUMENT:
            opening = _HIDDEN_OPENS.match(self.source, position)
            if opening:
                if self.closings is None:
                    self.closings = _closing_braces(self.source)
                # Unclosed: show the argument rather than lose the rest.
                return self.closings.get(opening.end() - 1, opening.end())
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

    def mark(self, mark: str) -> None:
        """Read a character or ligature with a meaning of its own."""
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
            self.add(_LIGATURES[mark])

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


def _closing_braces(source: str) -> dict[int, int]:
    """Map the offset of every opening brace to the offset behind its closing one."""
    closings: dict[int, int] = {}
    opened: list[int] = []
    for brace in _BRACE.finditer(source):
        if brace.group() == "{":
            opened.append(brace.start())
        elif brace.group() == "}" and opened:
            closings[opened.pop()] = brace.end()
    return closings
