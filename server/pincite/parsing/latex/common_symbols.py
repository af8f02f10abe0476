"""Symbols that are common in titles and sentences, with mathematics as words."""

from __future__ import annotations

from typing import Final

from ...text.signs import GREEK
from .rare_symbols import RARE_SYMBOLS, signs_by_name

#: Control symbols (a backslash and one other character) that are not accents.
CONTROL_SYMBOLS: Final[dict[str, str]] = {
    **{sign: sign for sign in "&%$#_{}"},
    **dict.fromkeys(" ,;:>\\\t\n\r\xa0", " "),
    **dict.fromkeys("!-/@()[]+<*", ""),
    "|": "‖",
}

# Relations and arrows remain symbols, as a reader sees them.
RELATIONS: Final = signs_by_name("""
    leq ≤ le ≤ leqslant ≤ geq ≥ ge ≥ geqslant ≥ neq ≠ ne ≠ ll ≪ gg ≫ lt < gt >
    approx ≈ sim ∼ simeq ≃ cong ≅ equiv ≡ propto ∝ mid | parallel ∥ perp ⊥
    to → rightarrow → longrightarrow → textrightarrow → mapsto → gets ← leftarrow ← textleftarrow ←
    leftrightarrow ↔ uparrow ↑ downarrow ↓
    Rightarrow ⇒ Longrightarrow ⇒ implies ⇒ Leftarrow ⇐ Leftrightarrow ⇔ iff ⇔
""")

#: Letters that have no key of their own.
LETTERS: Final = signs_by_name("""
    ss ß SS ẞ o ø O Ø l ł L Ł ae æ AE Æ oe œ OE Œ aa å AA Å i ı j ȷ imath ı jmath ȷ
    th þ TH Þ dh ð DH Ð dj đ DJ Đ ng ŋ NG Ŋ ij ij IJ IJ Dbar Đ dbar đ cprime ʹ cdprime ʺ
""")

_SIGNS: Final = signs_by_name("""
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

_WORDS: Final[dict[str, str]] = {
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

#: Names in `SYMBOLS` that become words, which are separated from adjacent words by spaces.
WORD_SYMBOLS: Final[frozenset[str]] = frozenset(_WORDS)

#: Control word, without its backslash, to its readable form.
SYMBOLS: Final[dict[str, str]] = {
    **RARE_SYMBOLS,
    **LETTERS,
    **RELATIONS,
    **_SIGNS,
    **_TEXTS,
    **_GREEK,
    **_WORDS,
}
