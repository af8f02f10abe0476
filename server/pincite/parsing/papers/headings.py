"""Names of sections in papers of any format, in several languages."""

from __future__ import annotations

import re

ABSTRACT = re.compile(
    r"(?:abstract|summary|zusammenfassung|kurzfassung|résumé|resumen)[^\w\n]*", re.IGNORECASE
)
REFERENCES = re.compile(
    r"(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5})[.:)]?\s+)?"
    r"(?:references?|bibliography|bibliographical references|references and notes"
    r"|literature cited|works cited|literatur(?:verzeichnis|angaben)?"
    r"|r[ée]f[ée]rences(?: bibliographiques)?|bibliographie|bibliografía|referencias"
    r"|riferimenti bibliografici|литература|список литературы|参考文献)\s*[:.]?",
    re.IGNORECASE,
)
#: Names of sections that are headings whatever their type or number.
KNOWN = re.compile(
    r"(?:abstract|introduction|motivation|background|(?:related|previous|future) work"
    r"|materials and methods|methods?|methodology|approach|data|discussion|evaluation|summary"
    r"|(?:experimental )?(?:results|setup)|experiments?|experiments and results"
    r"|results and (?:discussion|analysis)|(?:discussion and )?conclusions?|concluding remarks"
    r"|conclusions? and (?:future (?:work|directions)|outlook|discussion)|limitations"
    r"|ethics statement|acknowledge?ments?|zusammenfassung|einleitung|fazit|ausblick|ergebnisse"
    r"|diskussion|danksagung|résumé|remerciements)",
    re.IGNORECASE,
)
#: "2.1 Results", "IV. Results", "B Results".
NUMBERED = re.compile(
    r"(?P<number>(?:\d{1,2}|[A-H])(?:\.\d{1,2}){0,3}|[IVX]{1,5})[.:)]?\s+(?P<name>[^\s\d].*)"
)


def is_known(heading: str) -> bool:
    """Return whether a heading, numbered or not, is that of a usual section."""
    numbered = NUMBERED.fullmatch(heading)
    return KNOWN.fullmatch((numbered["name"] if numbered else heading).rstrip(".:")) is not None
