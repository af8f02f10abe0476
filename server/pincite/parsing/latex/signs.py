"""What macros stand for: accents, signs, mathematics as words, and shorthands of babel.

Signs that are not common come from the tables of pylatexenc. `tests/parity` lists where the common
ones differ from them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from functools import cache
from typing import Final

from ...text.signs import GREEK

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
    # MathSciNet's
    "ocirc": "\u030a",
    "polhk": "\u0328",
    "soft": "\u030c",
    "udot": "\u0323",
    "lfhook": "\u0326",
    "uarc": "\u0311",
}

_DOTLESS: Final[dict[str, str]] = {"ı": "i", "ȷ": "j"}


def accented(base: str, accent: str) -> str:
    """Put the accent macro `accent` (a key of `ACCENTS`) on the first letter of `base`, in NFC.

    Dotless i and j become plain letters under an accent; a base that does not start with a letter
    is returned unchanged.
    """
    if not base or accent not in ACCENTS:
        return base
    first = _DOTLESS.get(base[0], base[0])
    if not first.isalpha():
        return base
    if accent == "." and first in "ij":
        return first + base[1:]
    # Existing marks on the letter stay before the new one.
    end = 1
    while end < len(base) and unicodedata.combining(base[end]):
        end += 1
    marked = unicodedata.normalize("NFC", first + base[1:end] + ACCENTS[accent])
    return marked + base[end:]


def _signs_by_name(listed: str) -> dict[str, str]:
    """Return a table that is written as names, each with its sign behind it."""
    names_and_signs = listed.split()
    return dict(zip(names_and_signs[::2], names_and_signs[1::2], strict=True))


#: Control symbols (a backslash and one other character) that are not accents.
CONTROL_SYMBOLS: Final[dict[str, str]] = {
    **{sign: sign for sign in "&%$#_{}"},
    **dict.fromkeys(" ,;:>\\\t\n\r\xa0", " "),
    **dict.fromkeys("!-/@()[]+<*", ""),
    "|": "‖",
}

# Relations and arrows remain symbols, as a reader sees them.
RELATIONS: Final = _signs_by_name("""
    leq ≤ le ≤ leqslant ≤ geq ≥ ge ≥ geqslant ≥ neq ≠ ne ≠ ll ≪ gg ≫ lt < gt >
    approx ≈ sim ∼ simeq ≃ cong ≅ equiv ≡ propto ∝ mid | parallel ∥ perp ⊥
    to → rightarrow → longrightarrow → textrightarrow → mapsto → gets ← leftarrow ← textleftarrow ←
    leftrightarrow ↔ uparrow ↑ downarrow ↓
    Rightarrow ⇒ Longrightarrow ⇒ implies ⇒ Leftarrow ⇐ Leftrightarrow ⇔ iff ⇔
""")

#: Letters that have no key of their own.
LETTERS: Final = _signs_by_name("""
    ss ß SS ẞ o ø O Ø l ł L Ł ae æ AE Æ oe œ OE Œ aa å AA Å i ı j ȷ imath ı jmath ȷ
    th þ TH Þ dh ð DH Ð dj đ DJ Đ ng ŋ NG Ŋ ij ij IJ IJ Dbar Đ dbar đ cprime ʹ cdprime ʺ
""")

_SIGNS: Final = _signs_by_name("""
    S § P ¶ textsection § textparagraph ¶ dag † ddag ‡ textdagger † textdaggerdbl ‡
    copyright © textcopyright © textregistered ® texttrademark ™
    pounds £ textsterling £ euro € EUR € texteuro € textdollar $ textcent ¢ textyen ¥
    ldots … dots … dotsc … dotsb … cdots … vdots … textellipsis … textendash – textemdash —
    textquoteleft ‘ textquoteright ’ textquotedblleft “ textquotedblright ” lq ‘ rq ’
    textquotedbl " dq " textquotesingle ' quotedblbase „ quotesinglbase ‚ glqq „ grqq “
    flqq « frqq » guillemotleft « guillemotright » guillemetleft « guillemetright »
    guilsinglleft ‹ guilsinglright › textexclamdown ¡ textquestiondown ¿
    textbackslash \\ backslash \\ setminus \\ slash / textasciitilde ~ textasciicircum ^
    textasciigrave ` textunderscore _ textbar | vert | Vert ‖ colon : textless < textgreater >
    textbraceleft { textbraceright } lbrace { rbrace } langle ⟨ rangle ⟩
    lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉
    textbullet • bullet • textperiodcentered · cdot · star ⋆ ast * textnumero №
    textordfeminine ª textordmasculine º textonesuperior ¹ texttwosuperior ² textthreesuperior ³
    textonehalf ½ textonequarter ¼ textthreequarters ¾ textmu µ
    textdegree ° degree ° circ ° prime ′ textpm ± pm ± mp ∓ texttimes × textdiv ÷ oplus ⊕ otimes ⊗
""")
_SPACES: Final = (
    "space quad qquad enspace thinspace nobreakspace newline linebreak par hfill textvisiblespace"
)
_NAMES: Final = "TeX LaTeX BibTeX BibLaTeX XeTeX XeLaTeX LuaTeX LuaLaTeX pdfTeX"
_TEXTS: Final[dict[str, str]] = {
    **dict.fromkeys(_SPACES.split(), " "),
    **{name: name for name in _NAMES.split()},
    "LaTeXe": "LaTeX2e",
    "MF": "METAFONT",
    "AmS": "AMS",
    "og": "« ",
    "fg": " »",
    "textcompwordmark": "",
}

_WITH_VARIANTS: Final = frozenset("epsilon theta kappa pi rho sigma phi".split())
_GREEK: Final[dict[str, str]] = {
    **{name: letter for letter, name in GREEK.items() if letter.islower()},
    **{name.capitalize(): letter.upper() for letter, name in GREEK.items() if letter.islower()},
    **{f"text{name}": letter for letter, name in GREEK.items() if name != "mu"},
    **{f"var{name}": letter for letter, name in GREEK.items() if name in _WITH_VARIANTS},
}

# Functions and signs that are read by their own names.
_SAID_AS_NAMED: Final = (
    "times in sum log ln exp sin cos tan cot sec sinh cosh tanh arcsin arccos arctan max min sup "
    "inf lim limsup liminf arg argmax argmin det dim ker gcd hom deg mod Pr subset not div aleph "
    "hbar nabla partial digamma"
)

#: Names that become words, which are separated from adjacent words by spaces.
WORDS: Final[dict[str, str]] = {
    **{name: name for name in _SAID_AS_NAMED.split()},
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

#: Common control words, without their backslash, to their readable form.
_COMMON: Final[dict[str, str]] = {**LETTERS, **RELATIONS, **_SIGNS, **_TEXTS, **_GREEK, **WORDS}

#: The commonest macros that stand for no sign.
_NO_SIGNS: Final = frozenset(
    """
    addlinespace author bf bfseries big Big Bigg bigg Bigl bigl Bigr bigr bm boldsymbol bottomrule
    boxed centering date default displaystyle documentclass dot draw em emph ensuremath eqref
    footnotesize frac hat hbox hfil hline hyperref hyp includegraphics it itshape label large
    Large LARGE left let limits linewidth makeatletter makeatother makebox MakeLowercase
    MakeUppercase mathbb mathbf mathbin mathcal mathfrak mathit mathop mathopen mathclose mathord
    mathpunct mathrel mathrm mathscr mathsf mathtt mbox midrule multicolumn nicefrac noindent
    nolimits nonumber norm normalfont normalsize operatorname overbrace overline overset pagestyle
    protect qedhere raggedright raisebox refl right rm scriptsize sc scshape sf sffamily small
    smash stackrel string subfigure subfloat substack tag text textbf textit textmd textnormal
    textrm textsc textsf textsl textsubscript textsuperscript texttt textup textwidth thispagestyle
    tilde tiny title toprule tt ttfamily underbrace underline underset vec vfill vspace widehat
    widetilde xspace
    """.split()
)
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


def sign_of(name: str) -> str | None:
    """Return the readable form of a control word, without its backslash; None for no sign."""
    if (sign := _COMMON.get(name)) is not None or name in _NO_SIGNS:
        return sign
    return _rare_signs().get(name)


@cache
def _rare_signs() -> Mapping[str, str]:
    """Return the signs that pylatexenc knows: mathematics, currencies, Cyrillic letters by name."""
    from pylatexenc.latex2text import get_default_latex_context_db

    specs = get_default_latex_context_db().iter_macro_specs()
    signs = ((spec.macroname, spec.simplify_repl) for spec in specs)
    return {
        name: unicodedata.normalize("NFC", sign)
        for name, sign in signs
        if isinstance(sign, str) and len(sign) == 1 and not sign.isspace()
        if name.isalpha() and name not in OTHER_NAMES
    }


#: The meanings of ``"`` and the next character in babel's languages with shorthands.
_SHORTHANDS: Mapping[str, str] = {
    '"=': "-",
    '"~': "-",
    '"-': "",
    '""': "",
    '"|': "",
    '"`': "„",
    "\"'": "“",
    '"<': "«",
    '">': "»",
    '"---': "—",
    '"--~': "—",
    '"--*': "—",
}
_UMLAUTS: Mapping[str, str] = {
    **{f'"{letter}': accented(letter, '"') for letter in "aouAOUei"},
    '"s': "ß",
}


def read_shorthand(sign: str, languages: Collection[str]) -> tuple[str, int]:
    """Return the meaning of the shorthand at the start of `sign`, and its length.

    `sign` starts with ``"``; `languages` are those of the draft that have shorthands. If it is not
    a shorthand, it is a plain quotation mark.
    """
    said = _SHORTHANDS.get(sign) if languages else None
    if said is None and languages:
        sign = sign[:2]
        said = _SHORTHANDS.get(sign)
    if said is None and "german" in languages:
        said = _UMLAUTS.get(sign)
    return ('"', 1) if said is None else (said, len(sign))
