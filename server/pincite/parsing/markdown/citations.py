"""The syntax of citations: keys as Pandoc reads them, and the roles of MyST.

A key is what Pandoc's manual says under “Citation syntax”: letters, digits and underscores, with
single signs of punctuation between them, or anything in braces.
"""

from __future__ import annotations

import re
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
#: The attributes of a heading, a figure or a formula, and the label of pandoc-crossref in them
#: (``{#fig:walls}``). Other identifiers of Pandoc are no targets of ``@``.
_ATTRIBUTES: Final = re.compile(r"\{[^{}\r\n]*\}")
_IDENTIFIER: Final = re.compile(rf"#({_PREFIX}[:-][\w:.-]*\w)", re.IGNORECASE)
#: Labels of MyST: ``(walls)=`` and ``:label: walls``. In one expression they would take ten times
#: as long, as each begins with another character.
_TARGET: Final = re.compile(r"\((?<!\S\()([^()\s]+)\)=[ \t]*$", re.MULTILINE)
_OPTION: Final = re.compile(r":(?<!\S:)(?:label|name):[ \t]*(\S+)", re.IGNORECASE)
_REFERENCE: Final = re.compile(r"@(\w(?:[\w:.-]*\w)?)")


def key_at(text: str, position: int) -> tuple[int, int] | None:
    """Return the span of the key after the ``@`` before `position`, None if there is none."""
    if (bare := BARE_KEY.match(text, position)) is not None:
        return bare.span()
    braced = BRACED_KEY.match(text, position)
    return braced.span(1) if braced else None


def labels_in(text: str) -> frozenset[str]:
    """Return the labels of figures, tables, formulas and sections that a text gives and refers to.

    A label that is only typed yet changes nothing of how the text is read.
    """
    attributes = _ATTRIBUTES.findall(text) if "#" in text else ()
    given = {
        *(label for each in attributes for label in _IDENTIFIER.findall(each)),
        *_TARGET.findall(text),
        *_OPTION.findall(text),
    }
    if not given:
        return frozenset()
    names = set(_REFERENCE.findall(text))
    # A reference may begin a sentence.
    names.update([name[:1].lower() + name[1:] for name in names])
    return frozenset(given & names)


def written(key: str) -> str:
    """Return a key as it is written after ``@``: in braces unless Pandoc reads it without."""
    return key if BARE_KEY.fullmatch(key) else f"{{{key}}}"
