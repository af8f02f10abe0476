"""HTML, JATS and MathML in titles and abstracts: CO<sub>2</sub> is read as CO₂."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from .characters import LOWERED, RAISED

_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_SCRIPT: Final = re.compile(r"<(su[bp])>\s*([-+−]?[0-9]+[-+−]?|[A-Za-z])\s*</\1>", re.IGNORECASE)
_SIGNS: Final = {"sub": LOWERED, "sup": RAISED}
_TAG: Final = re.compile(r"<(/?)((?:jats|mml):)?([A-Za-z][A-Za-z0-9-]*)(?:\s[^<>]*)?(/?)>")
_ANY_TAG: Final = re.compile(r"</?([A-Za-z][\w:.-]*)(?:\s[^<>]*)?/?>")
#: The heading of an abstract.
_HEADING: Final = re.compile(r"<(jats:)?title>\s*(?:abstract|summary)\s*</\1?title>", re.IGNORECASE)
_INLINE: Final = frozenset(
    (
        "astrobj bold em inf italic sc scp small span strong sub sup "
        "math mfrac mi mn mo mover mrow mspace msqrt mstyle msub msubsup msup mtext munder"
    ).split()
)
#: Too short to be distinguished from "a <b> c" unless the tag is closed.
_SHORT: Final = frozenset(("a", "b", "i", "p", "tt", "u"))
_BREAKING: Final = frozenset(("br", "div", "li", "ol", "p", "sec", "title", "ul"))
_SPACES: Final = re.compile(r" {2,}")


def without_tags(text: str, *, is_markup: bool = False) -> str:
    """Return a text without tags, and with entities such as ``&amp;`` as characters.

    The heading of an abstract goes as a whole.
    """
    text = _HEADING.sub(" ", text) if "<" in text else text
    if is_markup:
        text = _ANY_TAG.sub(lambda tag: tag[0] if _is_known(tag[1]) else " ", text)
    if "&" in text:
        text = _ENTITY.sub(lambda entity: unescape(entity[0]), text)
    if "<" not in text:
        return text
    closed = {tag[3].lower() for tag in _TAG.finditer(text) if tag[1] or tag[4]}

    def replaced(tag: re.Match[str]) -> str:
        name = tag[3].lower()
        if not tag[2] and name in _SHORT and name not in closed:
            return tag[0]
        if name in _BREAKING:
            return " "
        return "" if tag[2] or name in _INLINE or name in _SHORT else tag[0]

    plain = _TAG.sub(replaced, _SCRIPT.sub(_script, text))
    return text if plain == text else _SPACES.sub(" ", plain).strip(" ")


def _is_known(name: str) -> bool:
    prefix, _, own = name.lower().rpartition(":")
    return prefix in ("jats", "mml") or (not prefix and own in _INLINE | _SHORT | _BREAKING)


def _script(match: re.Match[str]) -> str:
    signs = _SIGNS[match[1].lower()]
    found = [signs.get(letter, "") for letter in match[2]]
    return "".join(found) if all(found) else match[2]
