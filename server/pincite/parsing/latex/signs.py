"""What macros stand for: accents, signs, mathematics as words, and shorthands of babel.

The signs are those of pylatexenc's tables, unless a reader sees them differently.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from functools import cache
from typing import Final

from ...text.signs import GREEK


def _by_name(listed: str) -> dict[str, str]:
    """Return a table that is written as names, each with its sign behind it."""
    names_and_signs = listed.split()
    return dict(zip(names_and_signs[::2], names_and_signs[1::2], strict=True))


#: Accent macro, without its backslash, to the combining character it puts on the next letter. The
#: last ones are MathSciNet's.
ACCENTS: Final = _by_name("""
    ` \u0300 ' \u0301 ^ \u0302 ~ \u0303 = \u0304 . \u0307 \" \u0308 u \u0306 v \u030c H \u030b
    t \u0361 c \u0327 d \u0323 b \u0331 k \u0328 r \u030a h \u0309 G \u030f U \u030d f \u0311
    textcommabelow \u0326 ocirc \u030a polhk \u0328 soft \u030c udot \u0323 lfhook \u0326
    uarc \u0311
""")

_DOTLESS: Final = {"ı": "i", "ȷ": "j"}


def accented(base: str, accent: str) -> str:
    """Put the accent macro `accent` (a key of `ACCENTS`) on the first letter of `base`, in NFC.

    Dotless i and j become plain letters under an accent; a base that does not start with a letter
    is returned unchanged.
    """
    first = _DOTLESS.get(base[:1], base[:1])
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
    **{sign: sign for sign in "&%$#_{}"},
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

# Functions and signs that are read by their own names.
_SAID_AS_NAMED: Final = (
    "times in sum log ln exp sin cos tan cot sec sinh cosh tanh arcsin arccos arctan max min sup "
    "inf lim limsup liminf arg argmax argmin det dim ker gcd hom deg mod Pr subset not div aleph "
    "hbar nabla partial digamma"
)

_MEANINGS: Final = """
    infty infinity, prod product, int integral, iint integral, oint integral, sqrt square root
    of, notin not in, ni contains, forall for all, exists there exists, emptyset empty set,
    varnothing empty set, subseteq subset of, supset superset, supseteq superset of, cup union,
    bigcup union, cap intersection, bigcap intersection, land and, wedge and, lor or, vee or,
    neg not, lnot not, ell l, Re real part, Im imaginary part, bmod mod, pmod mod
"""
#: Names that become words, which are separated from adjacent words by spaces.
WORDS: Final[dict[str, str]] = {
    **{name: name for name in _SAID_AS_NAMED.split()},
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

    specs = get_default_latex_context_db().iter_macro_specs()
    signs = ((spec.macroname, spec.simplify_repl) for spec in specs)
    theirs = {
        name: unicodedata.normalize("NFC", sign)
        for name, sign in signs
        if isinstance(sign, str) and len(sign) == 1 and not sign.isspace()
        if name.isalpha() and name not in OTHER_NAMES
    }
    return {**theirs, **_OURS}


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
    """Return the meaning of the shorthand at the start of `sign`, and its length.

    `sign` starts with ``"``; `languages` are those of the draft that have shorthands. If it is not
    a shorthand, it is a plain quotation mark.
    """
    for written in (sign, sign[:2]) if languages else ():
        if (meaning := _SHORTHANDS.get(written)) is not None:
            return meaning, len(written)
        if "german" in languages and (letter := _GERMAN.get(written)):
            return letter, len(written)
    return '"', 1
