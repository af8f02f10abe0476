"""YAML → items with their places, by PyYAML's parser.

Only what the parser says of the text is used (YAML 1.1 events): no tag is resolved, so nothing is
executed or converted, and ``no`` and ``2020`` stay as they are written. An item is parsed alone: a
broken one costs only itself, and an edit only the item around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import yaml

from .nodes import MOST_NESTED, Complaint, Mapping, Node, Scalar, Sequence, items_of

_Loader: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
#: Characters that YAML does not allow, and half surrogate pairs; one space has the same length.
_NOT_ALLOWED: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_REFERENCES: Final = re.compile(
    r"""^(?:references|"references"|'references')[ \t]*:[ \t]*(?:#[^\n]*|\r)?$""", re.MULTILINE
)
_CONTENT: Final = re.compile(r"^( *)(?!---(?:\s|\Z)|[ \t]*(?:%|#|$))(?=\S)", re.MULTILINE)
# The sign comes first, as such a pattern is found fast.
_ANCHOR: Final = re.compile(r"&(?<![^\s\[{,]&)([^\s\[\]{},]+)")
_ALIAS: Final = re.compile(r"\*(?<![^\s\[{,]\*)([^\s\[\]{},]+)")
#: What may precede a scalar that has an anchor or a tag: ``&anchor`` and ``!tag``.
_PROPERTIES: Final = re.compile(r"(?:[&!]\S*\s+)+")
_BARE: Final = re.compile(r"[~]|null|Null|NULL")

#: Start and end of an item; the start is that of its line, if the line belongs to it.
Span = tuple[int, int]


def allowed(text: str) -> str:
    """Return a text of the same length with what YAML can have: its lines end at LF or CRLF."""
    if text.startswith("\ufeff"):
        text = "\n" + text[1:]  # a space would indent the line
    text = _NOT_ALLOWED.sub(" ", text)
    return re.sub(r"\r(?!\n)", "\n", text) if "\r" in text else text


def has_content(text: str) -> bool:
    """Return whether there is more in a text than comments."""
    return _CONTENT.search(text) is not None


def shares_nodes(text: str) -> bool:
    """Return whether an alias in the text may mean an anchor in it."""
    if "&" not in text or "*" not in text:
        return False
    return not set(_ANCHOR.findall(text)).isdisjoint(_ALIAS.findall(text))


def list_items(text: str) -> list[Span] | None:
    """Return the items of ``references:``, or of the list that a text is; in block style.

    None if there is no such list.
    """
    head = _REFERENCES.search(text)
    first = _CONTENT.search(text, head.end() if head else 0)
    if first is None or not re.match(r"-(?=\s|\Z)", text[first.end() : first.end() + 2]):
        return None
    return list(_blocks(text, first.start(), len(first[1]), r"-(?=[ \t\r\n]|\Z)"))


def mapping_items(text: str) -> list[Span]:
    """Return the items of a text that is a mapping in block style: a key with its value each."""
    first = _CONTENT.search(text)
    if first is None or text[first.end()] in "{[-":
        return []
    return list(_blocks(text, first.start(), len(first[1]), r"(?=[^ \t\r\n#])(?!(?:---|\.\.\.)\s)"))


def _blocks(text: str, start: int, indent: int, begin: str) -> Iterator[Span]:
    """Yield the blocks that begin with a pattern at an indentation, until something else does."""
    line = re.compile(rf"^(?: {{{indent}}}({begin})| {{0,{indent}}}(?=[^ \t\r\n#]))", re.MULTILINE)
    remarks = re.compile(rf"(?:\r?\n(?: {{0,{indent}}}#[^\n]*|[ \t]*))+\Z")
    begun = -1
    for match in line.finditer(text, start):
        if begun >= 0:
            yield _without_remarks(text, begun, match.start(), remarks)
        begun = match.start() if match[1] is not None else -1
        if begun < 0:
            return
    if begun >= 0:
        yield _without_remarks(text, begun, len(text), remarks)


def _without_remarks(text: str, start: int, end: int, remarks: re.Pattern[str]) -> Span:
    """Return the span of a block without the comments and empty lines after it."""
    block = text[start:end].rstrip()
    lines = block.split("\n")
    while len(lines) > 1 and remarks.fullmatch("\n" + lines[-1]):
        lines.pop()
    return start, start + len("\n".join(lines).rstrip())


def flow_items(text: str) -> tuple[list[Span], list[Complaint]]:
    """Return the items of a list in flow style: of the text, or of one of its `LISTS`."""
    root, complaints = parsed(text)
    items = (item for item in items_of(root) if text.startswith("{", item.start))
    return [(item.start, item.end) for item in items], complaints


def parsed(text: str) -> tuple[Node | None, list[Complaint]]:
    """Return the value of a text's first document with places, and what is wrong with it.

    After an error, the value is what was read before it.
    """
    composer = _Composer(text)
    try:
        for event in yaml.parse(text, Loader=_Loader):
            if isinstance(event, yaml.DocumentEndEvent) or not composer.take(event):
                break
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = " ".join(filter(None, (error.context, error.problem)))
        composer.complaints.append((said, min(mark.index, len(text)) if mark else 0))
    except (yaml.YAMLError, UnicodeError, RecursionError) as error:
        composer.complaints.append((str(error).split("\n", 1)[0], 0))
    return composer.root, composer.complaints


class _Composer:
    """Makes nodes of events; aliases lead to the nodes themselves."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.root: Node | None = None
        self.complaints: list[Complaint] = []
        self._anchors: dict[str, Node] = {}
        #: The collections around the next event; a mapping comes with its last key.
        self._open: list[tuple[Mapping | Sequence, list[Scalar]]] = []

    def take(self, event: Any) -> bool:  # noqa: ANN401 - an event of either parser
        """Add an event; return False if nothing after it can be read."""
        start, end = event.start_mark.index, event.end_mark.index
        node: Node
        if isinstance(event, yaml.ScalarEvent):
            has_properties = event.anchor or event.tag
            if has_properties and (found := _PROPERTIES.match(self._text, start, end)):
                start = found.end()
            is_nothing = not event.style and _BARE.fullmatch(event.value)
            quotes = 1 if event.style in ("'", '"') else 0
            content = (start + quotes, max(end - quotes, start + quotes))
            node = Scalar("" if is_nothing else event.value, start, end, content)
        elif isinstance(event, yaml.AliasEvent):
            meant = self._anchors.get(event.anchor or "")
            if meant is None:
                self.complaints.append((f"the alias *{event.anchor} has no anchor", start))
            node = meant or Scalar("", start, end, (start, end))
        elif isinstance(event, yaml.SequenceStartEvent):
            node = Sequence(start, end)
        elif isinstance(event, yaml.MappingStartEvent):
            node = Mapping(start, end)
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            # A block ends where the next token begins.
            self._open.pop()[0].end = end
            return True
        else:
            return True
        self._add(node, start)
        if not isinstance(event, yaml.AliasEvent):
            if event.anchor:
                self._anchors[event.anchor] = node
            if not isinstance(node, Scalar):
                self._open.append((node, []))
        if len(self._open) > MOST_NESTED:
            self.complaints.append(("nested too deeply", start))
            return False
        return True

    def _add(self, node: Node, start: int) -> None:
        if not self._open:
            self.root = self.root or node
            return
        parent, keys = self._open[-1]
        if isinstance(parent, Sequence):
            parent.items.append(node)
        elif keys:
            parent.pairs.append((keys.pop(), node))
        elif isinstance(node, Scalar):
            keys.append(node)
        else:
            self.complaints.append(("a key is a list or a mapping", start))
            keys.append(Scalar("", start, start, (start, start)))
