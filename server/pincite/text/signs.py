"""Greek letters, superscripts and subscripts: in words, "α" is "alpha" and "₂" is "2"."""

from __future__ import annotations

import re
from typing import Final

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
#: A combining line over the preceding letter.
OVERLINE: Final = "\u0305"

_SPELLED: Final = {
    **GREEK,
    **{letter.upper(): name.capitalize() for letter, name in GREEK.items()},
    **dict(zip("ϑϕϵϱϖϰ", ("theta", "phi", "epsilon", "rho", "pi", "kappa"), strict=True)),
}
_ALONE: Final = re.compile(rf"(?<![^\W\d_])[{''.join(_SPELLED)}](?![^\W\d_])")
# Without raised digits, which are notes or powers and not part of the word before them.
_ON_THE_LINE: Final = {
    **{ord(sign): plain for plain, sign in RAISED.items() if plain.isalpha()},
    **{ord(sign): plain for plain, sign in LOWERED.items() if plain.isalnum()},
    ord(OVERLINE): "",
}


def spelled(text: str) -> str:
    """Return a text with single Greek letters replaced by their names."""
    return _ALONE.sub(lambda letter: _SPELLED[letter.group()], text)


def on_the_line(text: str) -> str:
    """Return a text with raised letters and subscripts as plain characters, without overlines."""
    return text.translate(_ON_THE_LINE)
