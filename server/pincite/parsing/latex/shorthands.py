"""Shorthands of babel: ``"`` with the next character."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from .accents import accented

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
