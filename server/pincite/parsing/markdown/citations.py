"""The syntax of citations: keys as Pandoc reads them, and the roles of MyST.

A key is what Pandoc's manual says under “Citation syntax”: letters, digits and underscores, with
single signs of punctuation between them, or anything in braces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_SIGNS: Final = r"[:.#$%&\-+?<>~/]"
#: A key without braces; its first group is the key itself.
BARE_KEY: Final = re.compile(rf"[*\w](?:\w|{_SIGNS}(?=\w)|[:/](?=/))*")
#: A key in braces, which may nest once.
BRACED_KEY: Final = re.compile(r"\{((?:[^{}\s]|\{[^{}\s]*\})+)\}")
#: A sign for a citation whose key is missing or a placeholder.
GAP: Final = re.compile(r"(\?*)(?=[ \t]*[;,\]])")
#: Roles of sphinxcontrib-bibtex and MyST: ``{cite}`` and ``{cite:p}``, ``{citet}``, ...
ROLE: Final = re.compile(
    r"\{((?:foot)?cite(?::?(?:p|t|ps|ts|ct|cts|alp|alps|author|authors|authorpar|authorpars"
    r"|year|years|yearpar|yearpars|label|labels|labelpar|labelpars|title|titlepar|cited|empty))?"
    r"|nocite)\}`(?!`)"
)
#: The same role with nothing in it yet.
EMPTY_ROLE: Final = re.compile(ROLE.pattern.removesuffix("`(?!`)") + r"``(?!`)")
#: Quarto's prefixes of cross-references, which look like citations.
_CROSS_REFERENCES: Final = (
    "fig tbl lst tip nte wrn imp cau thm lem cor prp cnj def exm exr sol rem alg prf eq sec apx"
).split()
_PREFIX: Final = rf"(?:{'|'.join(_CROSS_REFERENCES)})"
CROSS_REFERENCE: Final = re.compile(rf"-?{_PREFIX}-", re.IGNORECASE)
#: Labels: of pandoc-crossref (``{#fig:walls}``), and of MyST (``(walls)=``, ``:label: walls``).
#: Other identifiers of Pandoc are no targets of ``@``. In one expression they would take ten times
#: as long, as each begins with another character.
_LABELS: Final = tuple(
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        rf"\{{[^{{}}\r\n]*#({_PREFIX}[:-][\w:.-]*\w)[^{{}}\r\n]*\}}",
        r"\((?<!\S\()([^()\s]+)\)=[ \t]*$",
        r":(?<!\S:)(?:label|name):[ \t]*(\S+)[ \t]*$",
    )
)
IN_WORDS: Final = re.compile(r"\[\s*citations?\s+(?:here|needed)\s*\]", re.IGNORECASE)


def key_at(text: str, position: int) -> tuple[int, int] | None:
    """Return the span of the key after the ``@`` before `position`, None if there is none."""
    if (bare := BARE_KEY.match(text, position)) is not None:
        return bare.span()
    braced = BRACED_KEY.match(text, position)
    return braced.span(1) if braced else None


def labels_in(text: str) -> Iterator[str]:
    """Yield the labels that a text gives to its figures, tables, equations and sections."""
    return (match[1] for pattern in _LABELS for match in pattern.finditer(text))


def written(key: str) -> str:
    """Return a key as it is written after ``@``: in braces unless Pandoc reads it without."""
    return key if BARE_KEY.fullmatch(key) else f"{{{key}}}"
