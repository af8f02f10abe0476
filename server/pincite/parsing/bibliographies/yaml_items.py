"""YAML → items with their places, by PyYAML's parser.

A text is read as a whole; if it is broken, each item in block style is read alone, so that a broken
one costs only itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from ...model.spans import TextSpan, line_start
from ..yaml import Node, YamlError, allowed, composed, scalar_span, text_of, value_of
from . import hayagriva
from .items import LISTS, Complaint, Item, Items, Scalar

#: An item, and its key in a mapping of entries.
_Node = tuple[Node | None, Node]

_REFERENCES: Final = re.compile(
    r"""^(?:references|"references"|'references')[ \t]*:""", re.MULTILINE
)
_LIST: Final = re.compile(r"(?:\s|#[^\n]*\n|---(?=\s))*(?:\[|\{|-\s)")
_REST_OF_LINE: Final = re.compile(r"[ \t]*(?:#[^\n]*|\r)?$", re.MULTILINE)
_CONTENT: Final = re.compile(r"^( *)(?!---(?:\s|\Z)|[ \t]*(?:%|#|$))(?=\S)", re.MULTILINE)
#: An entry that aliases make larger than this is cut.
_MAX_NODES: Final = 5_000
#: What any entry may have, and what the entries of a small file may have together.
_FEW_NODES: Final = 100
_MANY_NODES: Final = 100_000


def is_csl(text: str) -> bool:
    """Return whether a text in YAML is in CSL, by what it is: a list, or a mapping of entries."""
    text = allowed(text)
    return _REFERENCES.search(text) is not None or _LIST.match(text) is not None


def read_yaml(text: str) -> Items:
    """Return the items of a list, which may be that of ``references:``, or of a mapping."""
    text, in_csl = allowed(text), is_csl(text)
    spans = _blocks(text, in_csl=in_csl)
    if spans is None:
        return _in_flow_style(text)
    items: list[Item] = []
    if spans:
        begin, end = line_start(text, spans[0].start), spans[-1].end
        try:
            nodes = _nodes(composed(text[begin:end]), in_csl=in_csl)
        except YamlError:
            nodes = []
        if len(nodes) == len(spans):
            limit = _limit(text, nodes)
            pairs = zip(nodes, spans, strict=True)
            items = [_item(text, begin, node, span, limit) for node, span in pairs]
        else:
            items = [_alone(text, span, in_csl=in_csl) for span in spans]
    if in_csl or not _CONTENT.search(text) or any(map(_has_entry, items)):
        return Items(items)
    # Any YAML at all may be named as a bibliography.
    return Items((), [("these are no entries of CSL or Hayagriva", 0)])


def _has_entry(item: Item) -> bool:
    return hayagriva.key_of(item.value) != ""


def _in_flow_style(text: str) -> Items:
    try:
        nodes = _nodes(composed(text), in_csl=True)
    except YamlError as error:
        return Items((), [(str(error), error.offset)])
    limit = _limit(text, nodes)
    spans = [TextSpan(node.start_mark.index, node.end_mark.index) for _, node in nodes]
    pairs = zip(nodes, spans, strict=True)
    return Items([_item(text, 0, node, span, limit) for node, span in pairs])


def _nodes(root: Node | None, *, in_csl: bool) -> list[_Node]:
    """Return the nodes of the items in a list, or in a mapping of entries, with their keys."""
    if root is not None and not in_csl:
        pairs = root.value if root.id == "mapping" else ()
        return [(key, node) for key, node in pairs if key.id == "scalar"]
    if root is not None and root.id == "mapping":
        lists = (node for name in LISTS for key, node in root.value if key.value == name)
        root = next(lists, None)
    if root is None or root.id != "sequence":
        return []
    return [(None, node) for node in root.value]


def _limit(text: str, nodes: Sequence[_Node]) -> int:
    """Return how many nodes an item may have: each may alias all of another.

    Together they stay about as large as the file.
    """
    return min(_MAX_NODES, _FEW_NODES + (len(text) + _MANY_NODES) // (len(nodes) + 1))


def _alone(text: str, span: TextSpan, *, in_csl: bool) -> Item:
    """Read one item of a broken text; of a broken item, what stands before its fault."""
    begin = line_start(text, span.start)
    complaints: list[Complaint] = []
    ends = [span.end]
    while ends:
        try:
            nodes = _nodes(composed(text[begin : ends.pop()]), in_csl=in_csl)
        except YamlError as error:
            if not complaints:
                complaints.append((str(error), begin + error.offset))
                ends = [line_start(text, begin + error.begin), begin + error.offset]
        else:
            if nodes:
                return _item(text, begin, nodes[0], span, _MAX_NODES, complaints)
    return Item("", span, tuple, complaints)


def _item(
    text: str,
    begin: int,
    node: _Node,
    span: TextSpan,
    limit: int,
    complaints: Sequence[Complaint] = (),
) -> Item:
    """Return an item from its node, whose places are relative to the offset `begin`."""
    key, child = node
    value, scalars = value_of(child, limit), tuple(_scalars(text, begin, child))
    if key is not None:
        value, scalars = {key.value: value}, (_scalar(text, begin, "", key), *scalars)
    return Item(value, span, lambda: scalars, complaints)


def _scalars(text: str, begin: int, node: Node) -> Iterator[Scalar]:
    """Yield the texts in an item; the key of an entry of Hayagriva has no name."""
    for key, value in node.value if node.id == "mapping" else ():
        if key.id != "scalar":
            continue
        if value.id == "scalar":
            yield _scalar(text, begin, key.value, value)
        elif value.id == "mapping" and key.value.lower() in ("url", "serial-number"):
            for part, each in value.value:
                if each.id == "scalar":
                    name = key.value if part.value == "value" else part.value
                    yield _scalar(text, begin, name, each)


def _scalar(text: str, begin: int, name: object, node: Node) -> Scalar:
    content = scalar_span(text, node, begin)
    quotes = 1 if node.style in ("'", '"') else 0
    span = TextSpan(content.start - quotes, content.end + quotes)
    return Scalar(str(name), text_of(node), span, content)


def _blocks(text: str, *, in_csl: bool) -> list[TextSpan] | None:
    """Return the items of a list or a mapping in block style; None of a list in flow style.

    An item begins at its indentation, and the list ends where something else begins there.
    """
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
    return [
        TextSpan(start + indent, start + len(_without_remarks(text[start:stop], remark)))
        for start, stop in pairwise([*starts, end])
    ]


def _without_remarks(block: str, remark: re.Pattern[str]) -> str:
    """Return a block without the comments and empty lines after it."""
    lines = block.split("\n")
    while len(lines) > 1 and remark.fullmatch(lines[-1].rstrip("\r")):
        lines.pop()
    return "\n".join(lines).rstrip()
