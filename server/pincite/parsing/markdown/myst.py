"""What MyST adds to Markdown: directives with options, comments, and labels of all pages.

mystmd and Jupyter Book read it. ``@name`` and ``{cite}`name``` cite an entry or a DOI; a name that
is none, and the label of anything in the project, is a cross-reference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import chain
from typing import Final

from .citations import BARE_KEY

#: Directives whose content is no text: code, formulas, files and data.
CODE: Final = frozenset(
    """
    code code-block code-cell sourcecode literalinclude include math mermaid raw bibliography
    toctree tableofcontents contents index only eval-rst anywidget any:bundle any:widget
    output raw:latex raw:tex raw:typst r python ipython ipython3 julia bash sh sql dot graphviz
    plantuml ojs js javascript html css yaml json toml text console parsed-literal doctest
    """.split()
)
#: Directives whose argument is no text: the name of a file, a language, a number of columns.
NO_TITLE: Final = CODE | frozenset(
    "figure image iframe embed video grid grid-item tab-set gallery".split()
)
#: Directives that tell MyST from other Markdown.
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
#: The option of a directive in its line; the value of some is text.
OPTION: Final = re.compile(r":(?P<text>caption|title|header|footer)?[\w-]*:(?:[ \t]+|$)", re.M)
#: The options of a directive as YAML.
OPTIONS: Final = re.compile(
    r"---[ \t]*(?:\r\n|\n|\r)(?:[^\r\n]*(?:\r\n|\n|\r))*?[ \t>]*---[ \t]*(?:\r\n|\n|\r|\Z)"
)
_LINE_END: Final = r"[ \t]*(?:\r\n|\n|\r)"
_VALUE: Final = r"[ \t]*[\"']?([^\s\"'][^\r\n\"']*)"
_IN_YAML: Final = rf"---{_LINE_END}(?:(?![ \t>]*---)[^\r\n]*(?:\r\n|\n|\r)){{0,50}}?[ \t>]*"
#: What gives a label: a target, an option, a header, a block, an attribute, a formula.
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


def is_myst(text: str) -> bool:
    """Return whether a text has what only MyST has, wherever it lies."""
    return ("{" in text or ")=" in text or "+++" in text) and _SIGNS.search(text) is not None


def labels_given(text: str) -> frozenset[str]:
    """Return the labels that a page gives, as MyST compares them."""
    headings = (_NO_LABEL.sub("-", each.lower()).strip("-") for each in _HEADING.findall(text))
    of_headings = (f"id-{each}" if each[:1].isdigit() else each for each in headings)
    return frozenset(
        chain(of_headings, (_folded(label) for each in _LABELS for label in each.findall(text)))
    )


def keys_given(text: str) -> frozenset[str]:
    """Return the keys of a bibliography."""
    return frozenset(_ENTRY.findall(text))


def references(text: str, given: frozenset[str]) -> frozenset[str]:
    """Return the names after ``@`` in a text that are labels, as they are written."""
    return labels_among({braced or bare for braced, bare in _NAME.findall(text)}, given)


def labels_among(names: Iterable[str], given: frozenset[str]) -> frozenset[str]:
    """Return the names that are labels."""
    return frozenset(
        name
        for name in names
        if (folded := _folded(name)) in given or _PART.sub("", folded) in given
    )


def notebook_text(source: str) -> str:
    """Return the cells of a notebook as text; empty if it is none."""
    try:
        cells = json.loads(source)["cells"]
        return "\n\n".join("".join(cell["source"]) for cell in cells)
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""


def _folded(label: str) -> str:
    return " ".join(label.split()).lower()
