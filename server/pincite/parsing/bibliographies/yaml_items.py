"""YAML → items with their places, by PyYAML's parser.

Each item in block style is parsed alone: a broken one costs only itself, and the nodes of many at
once would slow the garbage collector. All are parsed together if one has an alias of another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import Final

from ...model.bibliographies import FieldPlace
from ...model.spans import TextSpan, line_start
from ..yaml import Node, YamlError, allowed, composed, scalar_span, text_of, value_of
from . import hayagriva
from .items import LISTS, Complaint, Item, Items, Value

#: An item, and its key in a mapping of entries.
_Node = tuple[Node | None, Node]

_REFERENCES: Final = re.compile(
    r"""^(?:references|"references"|'references')[ \t]*:""", re.MULTILINE
)
_LIST: Final = re.compile(r"(?:\s|#[^\n]*\n|---(?=\s))*(?:\[|\{|-\s)")
_REST_OF_LINE: Final = re.compile(r"[ \t]*(?:#[^\n]*|\r)?$", re.MULTILINE)
_CONTENT: Final = re.compile(r"^( *)(?!---(?:\s|\Z)|[ \t]*(?:%|#|$))(?=\S)", re.MULTILINE)
#: What an item may have besides its own text, by aliases; items with aliases of others may have
#: together about what the file has.
_MAX_NODES: Final = 5_000
_FEW_NODES: Final = 100
_MANY_NODES: Final = 100_000


def is_csl(text: str) -> bool:
    """Return whether a text in YAML is in CSL, by what it is: a list, or a mapping of entries."""
    text = allowed(text)
    return _REFERENCES.search(text) is not None or _LIST.match(text) is not None


def read_yaml(text: str) -> Items:
    """Return the items of a list, which may be that of ``references:``, or of a mapping."""
    text, in_csl = allowed(text), is_csl(text)
    spans = _blocks(text, in_csl)
    if spans is None:
        try:
            return Items(_together(text, 0, in_csl))
        except YamlError as error:
            return Items((), [(str(error), error.offset)])
    items = [_alone(text, span, in_csl) for span in spans]
    if "&" in text and any(item.complaints for item in items):
        with suppress(YamlError):
            found = _together(text[: spans[-1].end], line_start(text, spans[0].start), in_csl)
            if len(found) == len(spans):
                items = [item._replace(span=span) for item, span in zip(found, spans, strict=True)]
    if in_csl or not _CONTENT.search(text) or any(hayagriva.key_of(item.value) for item in items):
        return Items(items)
    # Any YAML at all may be named as a bibliography.
    return Items((), [("these are not CSL or Hayagriva entries", 0)])


def _together(text: str, begin: int, in_csl: bool) -> list[Item]:
    """Read the items from an offset on."""
    nodes = _nodes(text[begin:], in_csl)
    limit = min(_MAX_NODES, _FEW_NODES + (len(text) + _MANY_NODES) // (len(nodes) + 1))
    ends = [(node.start_mark.index, node.end_mark.index) for _, node in nodes]
    return [
        Item(_value(node, limit), TextSpan(*span).moved(begin), [*_scalars(text, begin, node)].copy)
        for node, span in zip(nodes, ends, strict=True)
    ]


def _alone(text: str, span: TextSpan, in_csl: bool) -> Item:
    """Read one item; of a broken one, the part before its fault."""
    begin, complaints, ends = line_start(text, span.start), list[Complaint](), [span.end]
    for end in ends:
        try:
            nodes = _nodes(text[begin:end], in_csl)
        except YamlError as error:
            if not complaints:
                complaints.append((str(error), begin + error.offset))
                ends += [begin + error.offset, line_start(text, begin + error.begin)]
            continue
        if nodes:
            # Few places are asked for, and all would take more memory than the text.
            places = partial(_scalars_of, text, begin, end, in_csl)
            return Item(_value(nodes[0], _FEW_NODES + len(span)), span, places, complaints)
    return Item("", span, tuple, complaints)


def _nodes(text: str, in_csl: bool) -> list[_Node]:
    """Return the nodes of the items in a list, or in a mapping of entries, with their keys."""
    root = composed(text)
    if root is not None and not in_csl:
        pairs = root.value if root.id == "mapping" else ()
        return [(key, node) for key, node in pairs if key.id == "scalar"]
    if root is not None and root.id == "mapping":
        lists = (node for name in LISTS for key, node in root.value if key.value == name)
        root = next(lists, None)
    return [] if root is None or root.id != "sequence" else [(None, node) for node in root.value]


def _value(node: _Node, limit: int) -> Value:
    key, child = node
    value: Value = value_of(child, limit)
    return value if key is None else {key.value: value}


def _scalars_of(text: str, begin: int, end: int, in_csl: bool) -> list[FieldPlace]:
    return [*_scalars(text, begin, _nodes(text[begin:end], in_csl)[0])]


def _scalars(text: str, begin: int, item: _Node) -> Iterator[FieldPlace]:
    """Yield the texts in an item that was read at an offset; a key of Hayagriva has no name."""
    own, node = item
    found = [] if own is None else [("", own)]
    for key, value in node.value if node.id == "mapping" else ():
        if key.id == "scalar":
            found.append((key.value, value))
            if value.id == "mapping" and key.value.lower() in ("url", "serial-number"):
                found += [
                    (key.value if part.value == "value" else str(part.value), each)
                    for part, each in value.value
                ]
    for name, each in found:
        if each.id == "scalar":
            content = scalar_span(text, each, begin)
            quotes = 1 if each.style in ("'", '"') else 0
            span = TextSpan(content.start - quotes, content.end + quotes)
            yield FieldPlace(name, span, content, text_of(each))


def _blocks(text: str, in_csl: bool) -> list[TextSpan] | None:
    """Return the items of a list or a mapping in block style; None of a list in flow style."""
    # An item begins at its indentation, and the list ends where something else begins there.
    head = _REFERENCES.search(text) if in_csl else None
    if head is not None and _REST_OF_LINE.match(text, head.end()) is None:
        return None
    first = _CONTENT.search(text, head.end() if head else 0)
    if first is None or (not in_csl and text[first.end()] in "{[-"):
        return []
    if in_csl and not re.match(r"-(?=\s|\Z)", text[first.end() : first.end() + 2]):
        return None
    indent = len(first[1])
    begin = r"-(?=[ \t\r\n]|\Z)" if in_csl else r"(?=[^ \t\r\n#])(?!(?:---|\.\.\.)\s)"
    line = re.compile(rf"^(?: {{{indent}}}({begin})| {{0,{indent}}}(?=[^ \t\r\n#]))", re.MULTILINE)
    starts: list[int] = []
    end = len(text)
    for match in line.finditer(text, first.start()):
        if match[1] is None:
            end = match.start()
            break
        starts.append(match.start())
    remark = re.compile(rf" {{0,{indent}}}#.*|\s*")
    spans: list[TextSpan] = []
    for start, stop in pairwise([*starts, end]):
        # Comments and empty lines behind an item are none of it.
        lines = text[start:stop].split("\n")
        while len(lines) > 1 and remark.fullmatch(lines[-1].rstrip("\r")):
            lines.pop()
        spans.append(TextSpan(start + indent, start + len("\n".join(lines).rstrip())))
    return spans
