"""How a file in Markdown is read, which its own text and its project say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from ..yaml import mapping_in
from .citations import CROSS_REFERENCE, PREFIX
from .header import header_of
from .myst import is_myst, labels_given, references

#: The attributes of a heading, a figure or a formula, and the label of pandoc-crossref in them
#: (``{#fig:walls}``), or of a filter like it (``{#rule:walls}``). Other identifiers of Pandoc are
#: no targets of ``@``.
_ATTRIBUTES: Final = re.compile(r"\{[^{}\r\n]*\}")
_IDENTIFIER: Final = re.compile(rf"#((?:{PREFIX}-|[A-Za-z]\w*:)[\w:.-]*\w)", re.IGNORECASE)
_REFERENCE: Final = re.compile(r"@(\w(?:[\w:.-]*\w)?)")
#: The label of an example in a list, and what stands before it.
_EXAMPLE: Final = re.compile(r"@([\w-]+)[.)](?=\s|\Z)")
_BEFORE_EXAMPLE: Final = re.compile(r"(?:\A|[\r\n][ \t]*[\r\n])[ \t>]*\(?\Z")
_MAX_BEFORE_EXAMPLE: Final = 200
#: Quarto and knitr have no citations with their prefixes of cross-references.
_WITH_CROSS_REFERENCES: Final = frozenset((".qmd", ".rmd", ".rmarkdown"))


@dataclass(frozen=True, slots=True)
class Dialect:
    """What changes how a file is read: `labels` and `cross_references` cite nothing.

    `labels` are those that the file refers to, without `keys` of entries; Quarto's prefixes mark
    `cross_references`, as do `prefixes` of the author's own. In a text that is `typeset` with TeX,
    its commands cite.
    """

    labels: frozenset[str] = frozenset()
    cross_references: bool = False
    typeset: bool = False
    myst: bool = False
    prefixes: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()

    def refers(self, name: str) -> bool:
        """Return whether a name refers to something in the text; it may begin a sentence."""
        if not self.labels.isdisjoint((name, name[:1].lower() + name[1:])):
            return True
        if self.prefixes and name.partition("-")[0].lower() in self.prefixes:
            return "-" in name
        return self.cross_references and CROSS_REFERENCE.match(name) is not None


OF_PANDOC: Final = Dialect()


def dialect_of(path: Path, text: str, around: Dialect = OF_PANDOC) -> Dialect:
    """Return how a file is read; `around` is what its project says, with labels of other files."""
    in_quarto = path.suffix.lower() in _WITH_CROSS_REFERENCES or around.cross_references
    myst = around.myst or (not in_quarto and is_myst(text))
    labels: frozenset[str] = frozenset()
    if "@" in text:
        labels = labels_in(text).union(_examples(text))
        if myst:
            labels |= references(text, labels_given(text) | around.labels) - around.keys
    prefixes = around.prefixes
    if (own := header_of(text).value("crossref")) is not None:
        prefixes |= custom_prefixes(mapping_in(f"crossref:{own}"))
    return _shared(Dialect(labels, in_quarto, around.typeset, myst, prefixes))


def _examples(text: str) -> Iterator[str]:
    for label in _EXAMPLE.finditer(text):
        start = label.start()
        before = text[max(0, start - _MAX_BEFORE_EXAMPLE) : start]
        if _BEFORE_EXAMPLE.search(before) and (start < _MAX_BEFORE_EXAMPLE or before.strip()):
            yield label[1]


@lru_cache(maxsize=100)
def _shared(dialect: Dialect) -> Dialect:
    """Return the first of equal dialects: the same object is found faster in caches."""
    return dialect


def labels_in(text: str) -> frozenset[str]:
    """Return the labels of Pandoc's filters that a text gives and refers to.

    A label that is only typed yet changes nothing of how the text is read.
    """
    attributes = _ATTRIBUTES.findall(text) if "#" in text else ()
    given = {label for each in attributes for label in _IDENTIFIER.findall(each)}
    if not given:
        return frozenset()
    names = set(_REFERENCE.findall(text))
    # A reference may begin a sentence.
    names.update([name[:1].lower() + name[1:] for name in names])
    return frozenset(given & names)


def custom_prefixes(settings: Mapping[str, Any]) -> frozenset[str]:
    """Return the prefixes of cross-references that an author adds to Quarto's."""
    crossref = settings.get("crossref")
    custom = crossref.get("custom") if isinstance(crossref, dict) else None
    kinds = custom if isinstance(custom, list) else ()
    keys = (each.get("key") for each in kinds if isinstance(each, dict))
    return frozenset(key.lower() for key in keys if isinstance(key, str))
