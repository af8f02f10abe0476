"""Characters: controls, escapes, letters folded for comparison, Greek and raised letters."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

#: C0 but tab and line ends, DEL, C1, and the bidirectional controls of Unicode.
_CONTROLS: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def without_controls(text: str) -> str:
    """Return a text without control characters."""
    return text if text.isprintable() else _CONTROLS.sub("", text)


def with_controls_shown(text: str) -> str:
    """Return a text of the same length with � in place of control characters."""
    return _CONTROLS.sub("�", text)


def with_controls_escaped(text: str) -> str:
    r"""Return equivalent JSON with control characters as escapes such as ``\u009b``."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    """Return a text without line breaks and double spaces."""
    return " ".join(text.split())


def valid(text: str) -> str:
    """Replace characters that do not belong in a text file: control characters, lone surrogates."""
    return re.sub(r"[^\t\n\r -~\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


def escape_markdown(text: str) -> str:
    """Escape a text for one line of Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&!])", r"\\\1", one_line(valid(text)))


_BASE_LETTERS: Final = str.maketrans(
    dict(zip("øłđðıþæœʹʺ", ("o", "l", "d", "d", "i", "th", "ae", "oe", "", ""), strict=True))
)


def folded(text: str) -> str:
    """Return a text in lower case without accents; ø, ł, ß and the like become plain."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).casefold().translate(_BASE_LETTERS)
    # No combining characters are below U+0300.
    return "".join(
        sign for sign in decomposed if sign < "\u0300" or not unicodedata.combining(sign)
    )


_NAMES: Final = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma "
    "tau upsilon phi chi psi omega"
)

#: The name of each small Greek letter.
GREEK: Final[dict[str, str]] = dict(zip("αβγδεζηθικλμνξοπρστυφχψω", _NAMES.split(), strict=True))

_RAISED_LETTERS: Final = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ"
_LOWERED: Final = "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"

#: The superscript and subscript forms of characters.
RAISED: Final[dict[str, str]] = {
    **dict(zip("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻", strict=True)),
    **dict(zip("abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW", _RAISED_LETTERS, strict=True)),
}
LOWERED: Final[dict[str, str]] = {
    **dict(zip("0123456789aehijklmnoprstuvx", _LOWERED, strict=True)),
    **dict(zip("+-−", "₊₋₋", strict=True)),
}
#: Words of which initials have no letter.
_SMALL_WORDS: Final = frozenset("of the and for in on de des der und".split())
#: A combining line over the preceding letter.
OVERLINE: Final = "\u0305"

_SPELLED: Final = {
    **GREEK,
    **{letter.upper(): name.capitalize() for letter, name in GREEK.items()},
    **dict(zip("ϑϕϵϱϖϰ", ("theta", "phi", "epsilon", "rho", "pi", "kappa"), strict=True)),
}
_WORD: Final = re.compile(r"[^\W_]+")
_ALONE: Final = re.compile(rf"(?<![^\W\d_])[{''.join(_SPELLED)}](?![^\W\d_])")
_ON_THE_LINE: Final = {
    **{ord(sign): plain for plain, sign in RAISED.items() if plain.isalnum()},
    **{ord(sign): plain for plain, sign in LOWERED.items() if plain.isalnum()},
    ord(OVERLINE): "",
}


def spelled(text: str) -> str:
    """Return a text with single Greek letters replaced by their names."""
    return _ALONE.sub(lambda letter: _SPELLED[letter.group()], text)


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, folded."""
    return tuple(_WORD.findall(folded(spelled(text))))


def abbreviates(short: str, long: str) -> bool:
    """Return whether each word of a text begins one of another, in order, or it is its initials."""
    words, whole = words_of(short), words_of(long)
    initials = "".join(word[0] for word in whole if word not in _SMALL_WORDS)
    if len(initials) > 1 and "".join(words) == initials:
        return True
    left = iter(whole)
    return bool(words) and all(
        any(word == each if word.isdecimal() else each.startswith(word) for each in left)
        for word in words
    )


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, folded."""
    return "".join(words_of(text))


def on_the_line(text: str) -> str:
    """Return a text with raised and lowered letters and digits as plain ones, without overlines."""
    return text.translate(_ON_THE_LINE)
