r"""Signs and accents of LaTeX, and strings such as titles as the text that a reader sees.

Macros stand for accents, signs, mathematics as words, and shorthands of babel. The signs are those
of pylatexenc's tables, unless a reader sees them differently.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from functools import cache
from typing import Final

from ...text.characters import GREEK, LOWERED, OVERLINE, RAISED
from .arguments import brace_end
from .layout import hidden_arguments


def _by_name(listed: str) -> dict[str, str]:
    """Return a table that is written as names, each with its sign behind it."""
    words = listed.split()
    return dict(zip(words[::2], words[1::2], strict=True))


#: Accent macro, without its backslash, to the combining character it puts on the next letter. The
#: last ones are MathSciNet's.
ACCENTS: Final = _by_name("""
    ` \u0300 ' \u0301 ^ \u0302 ~ \u0303 = \u0304 . \u0307 \" \u0308 u \u0306 v \u030c H \u030b
    t \u0361 c \u0327 d \u0323 b \u0331 k \u0328 r \u030a h \u0309 G \u030f U \u030d f \u0311
    textcommabelow \u0326 ocirc \u030a polhk \u0328 soft \u030c udot \u0323 lfhook \u0326
    uarc \u0311
""")


def accented(base: str, accent: str) -> str:
    """Put the accent macro `accent` on the first letter of `base`, if that is one, in NFC."""
    first = {"ı": "i", "ȷ": "j"}.get(base[:1], base[:1])
    if not first.isalpha() or accent not in ACCENTS:
        return base
    if accent == "." and first in "ij":
        return first + base[1:]
    # Existing marks on the letter stay before the new one.
    end = 1
    while end < len(base) and unicodedata.combining(base[end]):
        end += 1
    return unicodedata.normalize("NFC", first + base[1:end] + ACCENTS[accent]) + base[end:]


#: Control symbols (a backslash and one other character) that are not accents.
CONTROL_SYMBOLS: Final[dict[str, str]] = {
    **dict.fromkeys(" ,;:>\\\t\n\r\xa0", " "),
    **dict.fromkeys("!-/@()[]+<*", ""),
    "|": "‖",
}

#: Letters that have no key of their own.
LETTERS: Final = _by_name("""
    ss ß SS ẞ o ø O Ø l ł L Ł ae æ AE Æ oe œ OE Œ aa å AA Å i ı j ȷ imath ı jmath ȷ
    th þ TH Þ dh ð DH Ð dj đ DJ Đ ng ŋ NG Ŋ ij ij IJ IJ Dbar Đ dbar đ cprime ʹ cdprime ʺ
""")

# Relations and arrows remain symbols, as a reader sees them.
RELATIONS: Final = _by_name("""
    leq ≤ le ≤ leqslant ≤ geq ≥ ge ≥ geqslant ≥ neq ≠ ne ≠ ll ≪ gg ≫ lt < gt >
    approx ≈ sim ∼ simeq ≃ cong ≅ equiv ≡ propto ∝ mid | parallel ∥ perp ⊥
    to → rightarrow → longrightarrow → textrightarrow → mapsto → gets ← leftarrow ← textleftarrow ←
    leftrightarrow ↔ uparrow ↑ downarrow ↓
    Rightarrow ⇒ Longrightarrow ⇒ implies ⇒ Leftarrow ⇐ Leftrightarrow ⇔ iff ⇔
""")

#: Signs that pylatexenc lacks, or has as others.
_SIGNS: Final = _by_name("""
    S § P ¶ ddag ‡ copyright © pounds £ euro € EUR € cdots … vdots … lq ‘ rq ’ textquotedbl "
    dq " glqq „ grqq “ flqq « frqq » guillemetleft « guillemetright » setminus \\ slash /
    textasciicircum ^ textunderscore _ textbar | colon : textless < textgreater > textbraceleft {
    textbraceright } bullet • textperiodcentered · ast * degree ° circ ° prime ′
    TeX TeX LaTeX LaTeX BibTeX BibTeX BibLaTeX BibLaTeX XeTeX XeTeX XeLaTeX XeLaTeX LuaTeX LuaTeX
    LuaLaTeX LuaLaTeX pdfTeX pdfTeX LaTeXe LaTeX2e MF METAFONT AmS AMS
""")
_SPACES: Final = (
    "space quad qquad enspace thinspace nobreakspace newline linebreak par hfill textvisiblespace"
)
_VARIANTS: Final = "epsilon theta kappa pi rho sigma phi".split()
_GREEK: Final[dict[str, str]] = {
    **{f"text{name}": letter for letter, name in GREEK.items() if name != "mu"},
    **{f"var{name}": letter for letter, name in GREEK.items() if name in _VARIANTS},
    **{name: letter for letter, name in GREEK.items() if name in _VARIANTS},
}
_OWN_NAMES: Final = """
    times in sum log ln exp sin cos tan cot sec sinh cosh tanh arcsin arccos arctan max min sup
    inf lim limsup liminf arg argmax argmin det dim ker gcd hom deg mod Pr subset not div aleph
    hbar nabla partial digamma
"""
_MEANINGS: Final = """
    infty infinity, prod product, int integral, iint integral, oint integral, sqrt square root
    of, notin not in, ni contains, forall for all, exists there exists, emptyset empty set,
    varnothing empty set, subseteq subset of, supset superset, supseteq superset of, cup union,
    bigcup union, cap intersection, bigcap intersection, land and, wedge and, lor or, vee or,
    neg not, lnot not, ell l, Re real part, Im imaginary part, bmod mod, pmod mod
"""
#: Names that become words, which are separated from adjacent words by spaces.
WORDS: Final[dict[str, str]] = {
    **{name: name for name in _OWN_NAMES.split()},
    **dict(each.split(" ", 1) for each in " ".join(_MEANINGS.split()).split(", ")),
}

_OURS: Final[dict[str, str]] = {
    **LETTERS,
    **RELATIONS,
    **_SIGNS,
    **dict.fromkeys(_SPACES.split(), " "),
    "og": "« ",
    "fg": " »",
    "textcompwordmark": "",
    **_GREEK,
    **WORDS,
}
#: Names for signs in pylatexenc that authors give to macros of their own, or that no package has.
OTHER_NAMES: Final = frozenset(
    """
    Angle DownArrowUpArrow Equal Ident NestedGreaterGreater NestedLessLess RoundImplies
    allequal approxnotequal aquarius aries arrowwaveleft arrowwaveright between cancer
    capricornus clockoint clwintegral dblarrowupdown downslopeellipsis eighthnote estimates
    eth forcesextra gemini greaterequivlnt hermitconjmatrix homothetic id image jupiter
    lazysinv leo lessequivlnt libra male mercury neptune nolinebreak notgreaterless
    notlessgreater openbracketleft openbracketright original perspcorrespond pisces pluto
    precedesnotsimilar quarternote recorder rightanglearc rightmoon sagittarius saturn scorpio
    sqrint starequal surfintegral taurus tildetrpl truestate upslopeellipsis uranus
    varperspcorrespond venus verymuchgreater verymuchless virgo volintegral
    """.split()
)


@cache
def _signs() -> Mapping[str, str]:
    """Return all signs; loading those of pylatexenc takes some time."""
    from pylatexenc.latex2text import get_default_latex_context_db

    signs = {
        spec.macroname: unicodedata.normalize("NFC", sign)
        for spec in get_default_latex_context_db().iter_macro_specs()
        if isinstance(sign := spec.simplify_repl, str) and len(sign) == 1 and not sign.isspace()
        if spec.macroname.isalpha() and spec.macroname not in OTHER_NAMES
    }
    return {**signs, **_OURS}


def sign_of(name: str) -> str | None:
    """Return the readable form of a control word, without its backslash; None for no sign."""
    return _signs().get(name)


#: The meanings of ``"`` and the next characters in babel's languages, and in German.
_SHORTHANDS: Final[dict[str, str]] = {
    **_by_name("""\"= - \"~ - \"` „ \"' “ \"< « \"> » \"--- — \"--~ — \"--* —"""),
    **dict.fromkeys(('"-', '""', '"|'), ""),
}
_GERMAN: Final = {**{f'"{letter}': accented(letter, '"') for letter in "aouAOUei"}, '"s': "ß"}


def read_shorthand(sign: str, languages: Collection[str]) -> tuple[str, int]:
    """Return the meaning of what starts with ``"``, and its length, for the draft's `languages`."""
    for written in (sign, sign[:2]) if languages else ():
        if (meaning := _SHORTHANDS.get(written)) is not None:
            return meaning, len(written)
        if "german" in languages and (letter := _GERMAN.get(written)):
            return letter, len(written)
    return '"', 1


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

_SCRIPTED: Final = r"[-+−]?[0-9]+[-+−]?|[-+−A-Za-z]"
_SCRIPT: Final = re.compile(rf"[ \t]*(?:\{{\s*({_SCRIPTED})\s*\}}|([-+0-9]|[A-Za-z](?![A-Za-z])))")
_ARGUMENT: Final = re.compile(rf"\s*\{{\s*({_SCRIPTED})\s*\}}")
_OVERLINED: Final = re.compile(r"\s*(?:\{\s*([A-Za-z0-9]{1,8})\s*\}|([A-Za-z](?![A-Za-z])))")
#: Superscripts and subscripts as Unicode characters: 10⁸, H₂O, 10⁻³, xⁿ. Words distinguish raised
#: digits from others, as in text of PDFs: "10⁸" is not 108.
_SCRIPTS: Final[Mapping[str, Mapping[str, str]]] = {
    "^": RAISED,
    "_": LOWERED,
    "textsuperscript": RAISED,
    "textsubscript": LOWERED,
}


def script_of(command: str, text: str, position: int) -> tuple[str, int] | None:
    r"""Return the signs that ``^``, ``_`` or a command before `position` makes, and the end."""
    if command in ("overline", "bar") and (match := _OVERLINED.match(text, position)):
        return "".join(letter + OVERLINE for letter in match[1] or match[2]), match.end()
    signs = _SCRIPTS.get(command, {})
    match = (_SCRIPT if len(command) == 1 else _ARGUMENT).match(text, position) if signs else None
    written = (match[1] or match[match.lastindex or 1]) if match else ""
    if not match or any(each not in signs for each in written):
        return None
    return "".join(map(signs.__getitem__, written)), match.end()


def plain_text(value: str) -> str:
    """Return LaTeX markup as the text a reader sees, in NFC; the time is linear in its length."""
    has_braces = "{" in value or "}" in value
    if "\\" in value or "$" in value or "~" in value or (has_braces and "`" in value):
        value = _Reader(value).text()
    else:
        for mark in ("---", "--", "``", "''", "`"):
            if mark in value:
                value = value.replace(mark, LIGATURES[mark])
        if has_braces:  # only now: they separate signs
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
        self.math = self.after_word = self.after_group = False
        self.dollars = sum(map(bool, re.findall(r"\\.|(\$\$?)", source, re.DOTALL)))
        # A last, unpaired dollar sign is a currency.
        self.lone_dollar = self.dollars % 2 == 1

    def text(self) -> str:
        """Return what a reader sees, its spaces not yet collapsed."""
        position, end = 0, len(self.source)
        while position < end and (token := _TOKEN.match(self.source, position)):
            position, kind = token.end(), token.lastgroup
            if kind == "word":
                position = self.control_word(token["word"], position)
            elif kind == "symbol":
                self.control_symbol(token["symbol"])
            elif kind == "mark":
                position = self.mark(token["mark"], position)
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
            self.pending = [*self.pending, name][:_MAX_ACCENTS]
        elif name in WORDS:
            self.pending.clear()
            self.after_word = bool(self.out) and self.out[-1][-1:].isalnum()
            self.add(WORDS[name])
            self.after_word = True
        elif name in RELATIONS:
            self.add(f" {RELATIONS[name]} ")
        elif hidden_arguments(name) or name == "hskip":
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
            self.pending = [*self.pending, sign][:_MAX_ACCENTS]
        elif sign in "()[]":
            self.math = sign in "(["
            self.after_word = self.after_word and self.math
        elif text := CONTROL_SYMBOLS.get(sign, sign):
            self.add(text)

    def mark(self, mark: str, end: int) -> int:
        """Read a special character or ligature; return where to continue."""
        if self.math and mark in "^_" and (script := script_of(mark, self.source, end)) is not None:
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
