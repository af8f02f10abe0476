"""How to read a Markdown file: what its YAML header, its text and its project decide.

The entries of a header are read one by one. If one is invalid, Pandoc rejects the whole file; here,
the other entries and the body are still read.

In MyST (mystmd, Jupyter Book), ``@name`` and ``{cite}`name``` cite an entry or a DOI; any other
name, such as a label in the project, is a cross-reference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from ...model.spans import TextSpan
from ..yaml import YamlError, allowed, composed, mapping_in, strings_in
from .citations import BARE_KEY, PREFIX

#: The number of pages of a project whose labels are cached, and of its bibliographies.
MAX_PAGES: Final = 1_000
_MAX_BIBLIOGRAPHIES: Final = 16
_CROSS_REFERENCE: Final = re.compile(rf"-?{PREFIX}-", re.IGNORECASE)
#: The attributes of a heading, a figure or a formula, and the label of pandoc-crossref in them
#: (``{#fig:walls}``), or of a filter like it (``{#rule:walls}``). Other identifiers of Pandoc are
#: no targets of ``@``.
_ATTRIBUTES: Final = re.compile(r"\{[^{}\r\n]*\}")
_IDENTIFIER: Final = re.compile(rf"#((?:{PREFIX}-|[A-Za-z]\w*:)[\w:.-]*\w)", re.IGNORECASE)
_REFERENCE: Final = re.compile(r"@(\w(?:[\w:.-]*\w)?)")
#: The label of an example in a list, and what precedes it: two expressions, as one that begins with
#: a fixed character is much faster.
_EXAMPLE: Final = re.compile(r"@([\w-]+)[.)](?=\s|\Z)")
_BEFORE_EXAMPLE: Final = re.compile(r"(?:\A|[\r\n][ \t]*[\r\n])[ \t>]*\(?\Z")
_MAX_INDENT: Final = 60
#: Quarto and knitr have no citations with their prefixes of cross-references.
_WITH_CROSS_REFERENCES: Final = frozenset((".qmd", ".rmd", ".rmarkdown"))

#: Directives that distinguish MyST from other Markdown.
_KNOWN: Final = "|".join(
    """
    admonition attention caution danger error hint important note seealso tip warning margin
    sidebar topic epigraph pull-quote figure table list-table card grid dropdown tab-set aside
    abstract exercise solution code-block code-cell math bibliography include literalinclude
    image iframe embed toctree tableofcontents glossary (?:prf|proof):[a-z]+ versionadded
    definition theorem lemma proof highlights
    """.split()
)
_SIGNS: Final = re.compile(
    rf"^[ \t>]*(?:`{{3,}}|~{{3,}}|:{{3,}})[ ]?\{{(?:{_KNOWN})(?:[ ][#.][^{{}}\r\n]*)?\}}"
    r"|^\([^()\s]+\)=[ \t\r]*$|^\+\+\+[ \t]*\{|\{(?:foot)?cite(?::?[a-z]+)?(?:[ ][^{}`\r\n]*)?\}`",
    re.MULTILINE,
)
#: Without ambiguity, as an expression that repeats it would take exponential time.
_END: Final = r"(?:\r\n|\n|\r(?!\n))"
_LINE_END: Final = rf"[ \t]*{_END}"
_VALUE: Final = r"[ \t]*[\"']?([^\s\"'][^\r\n\"']*)"
_IN_YAML: Final = rf"---{_LINE_END}(?:(?![ \t>]*---)[^\r\n]*{_END}){{0,50}}?[ \t>]*"
#: What defines a label: a target, an option, a header, a block, an attribute, a formula.
_LABELS: Final = tuple(
    re.compile(each, re.MULTILINE)
    for each in (
        r"^[ \t>]*\(([^()\r\n]+)\)=[ \t\r]*$",
        rf"^[ \t>]*(?:(?:#|//|--|%%)\|[ \t]*|:)(?:label|name):{_VALUE}",
        rf"^[ \t>]*[`~:]{{3,}}[ ]?\{{[^\r\n]*{_LINE_END}[ \t>]*{_IN_YAML}(?:label|name):{_VALUE}",
        rf"\A\ufeff?{_IN_YAML}label:{_VALUE}",
        r"^\+\+\+[^\r\n]*?\blabel[\"']?[ \t]*:[ \t]*[\"']?([^\s\"',}]+)",
        r"\{[^{}#\r\n]*#([^\s{}#]+)[^{}\r\n]*\}",
        r"\$\$[ \t]*\(([^()\r\n]+)\)",
        r"\\label[ \t]*\{([^{}\r\n]+)\}",
    )
)
#: A heading, which has a label made of its words unless it has another one.
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+([^\r\n]+)", re.MULTILINE)
_NO_LABEL: Final = re.compile(r"[^a-z0-9]+")
_ENTRY: Final = re.compile(r"@\w+\s*[{(]\s*([^\s,{}()\"]+)\s*,")
_NAME: Final = re.compile(rf"@(?:\{{([^{{}}\s]+)\}}|({BARE_KEY.pattern}))")
#: An image of a figure has the label of the figure with a letter: ``walls-a``.
_PART: Final = re.compile(r"-[a-z]\Z")

#: A title in lines that begin with a per cent sign may come first.
TITLE_LINES: Final = rf"(?:%[^\r\n]*(?:{_END}|\Z)(?:[ \t]+\S[^\r\n]*(?:{_END}|\Z))*){{0,3}}"
HEADER: Final = re.compile(
    rf"\ufeff?(?P<titles>{TITLE_LINES})(?:{_LINE_END})*---{_LINE_END}(?![ \t]*[\r\n])"
    rf"(?P<inside>(?:[^\r\n]*{_END})*?)(?:---|\.\.\.)[ \t]*(?:{_END}|\Z)"
)
#: The name of an entry; what begins at the start of a line is another entry, or none.
_IN_HEADER: Final = re.compile(r"^([A-Za-z_][\w.-]*|\"[^\"\r\n]+\"|'[^'\r\n]+')[ \t]*:", re.M)
BRACE: Final = re.compile(r"\s*\{")
_OUTER: Final = re.compile(r"(?<=[\r\n])(?=[^\s#-])")
#: Anything further from the start of a file is not a header.
_MAX_HEADER: Final = 100_000


class Metadata(NamedTuple):
    """The places of the values in a header or a block of metadata, which ends at `end`."""

    text: str
    end: int
    entries: Mapping[str, TextSpan]

    def value(self, name: str) -> str | None:
        """Return the value of an entry as it is written."""
        return self.entries[name].of(self.text) if name in self.entries else None

    def strings(self, name: str) -> Iterator[tuple[str, TextSpan]]:
        """Yield the strings of an entry, a scalar, list or map, with their places in the file."""
        if (place := self.entries.get(name)) is not None:
            for value, span in strings_in(place.of(self.text)):
                yield value.strip(), span.moved(place.start)


def header_of(text: str) -> Metadata:
    """Return the header at the start of a file; it ends at 0 where there is none."""
    found = HEADER.match(text, 0, _MAX_HEADER)
    if found is None:
        return Metadata(text, 0, {})
    return metadata_between(text, *found.span("inside"))._replace(end=found.end())


def metadata_between(text: str, start: int, end: int) -> Metadata:
    """Return the entries between two offsets; of two with one name, the last one counts in YAML."""
    entries: dict[str, TextSpan] = {}
    if BRACE.match(text, start, end):
        node = None
        with suppress(YamlError):
            node = composed(allowed(text[start:end]))
        for key, value in node.value if node is not None and node.id == "mapping" else ():
            place = TextSpan(value.start_mark.index, value.end_mark.index)
            entries[str(key.value)] = place.moved(start)
        return Metadata(text, end, entries)
    for name in _IN_HEADER.finditer(text, start, end):
        following = _OUTER.search(text, name.end(), end)
        stop = following.start() if following else end
        entries[name[1].strip("\"'")] = TextSpan(name.end(), stop)
    return Metadata(text, end, entries)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to read a file.

    `labels` are those that the file refers to, except `keys` of entries; they cite nothing. Nor do
    `cross_references`, which begin with Quarto's prefixes, and names with the author's own
    `prefixes`. In a text that is `typeset` with TeX, the commands of LaTeX cite.
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
        return self.cross_references and _CROSS_REFERENCE.match(name) is not None


#: How to read a text outside of any project.
ALONE: Final = Dialect()


def dialect_of(path: Path, text: str, around: Dialect = ALONE) -> Dialect:
    """Return how to read a file; `around` is for its project, with the labels of other files."""
    myst = in_myst(path, text, around)
    labels = labels_in(text)
    if myst and "@" in text:
        names = {braced or bare for braced, bare in _NAME.findall(text)}
        labels |= labels_among(names, labels_given(text) | around.labels) - around.keys
    prefixes = around.prefixes
    if (own := header_of(text).value("crossref")) is not None:
        prefixes |= custom_prefixes(mapping_in(f"crossref:{own}"))
    return Dialect(labels, _has_cross_references(path, around), around.typeset, myst, prefixes)


def in_myst(path: Path, text: str, around: Dialect) -> bool:
    """Return whether a file is in MyST, judging by its project or its text."""
    return around.myst or (not _has_cross_references(path, around) and is_myst(text))


def _has_cross_references(path: Path, around: Dialect) -> bool:
    return path.suffix.lower() in _WITH_CROSS_REFERENCES or around.cross_references


def labels_in(text: str) -> frozenset[str]:
    """Return the labels of examples, and those of Pandoc's filters that a text refers to."""
    if "@" not in text:
        return frozenset()
    attributes = _ATTRIBUTES.findall(text) if "#" in text else ()
    given = {label for each in attributes for label in _IDENTIFIER.findall(each)}
    names = set(_REFERENCE.findall(text)) if given else set[str]()
    # A reference may begin a sentence.
    names.update([name[:1].lower() + name[1:] for name in names])
    examples = (
        match[1]
        for match in _EXAMPLE.finditer(text)
        if _BEFORE_EXAMPLE.search(text, max(0, match.start() - _MAX_INDENT), match.start())
    )
    return frozenset(examples) | (given & names)


def custom_prefixes(settings: Mapping[str, Any]) -> frozenset[str]:
    """Return the prefixes of cross-references that an author adds to Quarto's."""
    crossref = settings.get("crossref")
    custom = crossref.get("custom") if isinstance(crossref, dict) else None
    kinds = custom if isinstance(custom, list) else ()
    keys = (each.get("key") for each in kinds if isinstance(each, dict))
    return frozenset(key.lower() for key in keys if isinstance(key, str))


@lru_cache(maxsize=MAX_PAGES)  # asked for several times of each file of a draft
def is_myst(text: str) -> bool:
    """Return whether a text has syntax that only MyST has."""
    return ("{" in text or ")=" in text or "+++" in text) and _SIGNS.search(text) is not None


@lru_cache(maxsize=MAX_PAGES)  # of all pages of a project, with each letter typed in one
def labels_given(text: str) -> frozenset[str]:
    """Return the labels that a page of MyST defines, in the form in which MyST compares them."""
    headings = (_NO_LABEL.sub("-", each.lower()).strip("-") for each in _HEADING.findall(text))
    labels = {_folded(label) for each in _LABELS for label in each.findall(text)}
    return frozenset(labels.union(f"id-{h}" if h[:1].isdigit() else h for h in headings))


@lru_cache(maxsize=_MAX_BIBLIOGRAPHIES)  # with each letter, too
def keys_given(text: str) -> frozenset[str]:
    """Return the keys of a bibliography."""
    return frozenset(_ENTRY.findall(text))


def labels_among(names: Iterable[str], given: frozenset[str]) -> frozenset[str]:
    """Return the names that are labels."""
    folded = ((name, _folded(name)) for name in names)
    return frozenset(name for name, each in folded if {each, _PART.sub("", each)} & given)


def notebook_text(source: str) -> str:
    """Return the cells of a notebook as text; empty if it is none."""
    try:
        return "\n\n".join("".join(cell["source"]) for cell in json.loads(source)["cells"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""


def _folded(label: str) -> str:
    return " ".join(label.split()).lower()
