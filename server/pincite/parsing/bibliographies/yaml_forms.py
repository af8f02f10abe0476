"""The forms of bibliographies in YAML: CSL, as Pandoc has it, and Hayagriva."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ...model.spans import line_start
from . import csl, hayagriva
from .described import Described
from .forms import READ_KEPT, Form, Item, Parsed, Split, csl_places
from .json_items import LISTS
from .nodes import Complaint, Mapping, Node, Scalar, Sequence, Value, value_of
from .yaml_items import (
    Span,
    allowed,
    flow_items,
    has_content,
    list_items,
    mapping_items,
    parsed,
    shares_nodes,
)

#: A key that means the same in and out of quotes.
_KEY: Final = r"""(["']?)([A-Za-z_][\w.:/+@-]*)"""
_REFERENCES: Final = re.compile(r"""^["']?references["']?[ \t]*:""", re.MULTILINE)
_LIST: Final = re.compile(r"(?:\s|#[^\n]*\n|---(?=\s))*(?:\[|\{|-\s)")
_ID: Final = re.compile(
    rf"""^ *(?:- +)?id:[ \t]+{_KEY}\1[ \t]*(?=\s*\Z|\r?\n *(?:\#|["'\w-]+:))""", re.MULTILINE
)
_HEAD: Final = re.compile(rf" *{_KEY}\1:[ \t]*\r?\n(?:[ \t]*(?:#[^\n]*)?\n)*( +)")
_FIELD: Final = rf"(?:{'|'.join(sorted(hayagriva.KNOWN))})[ \t]*:"


def yaml_form(text: str) -> Form:
    """Return the form of a text in YAML, by what it is: a list, or a mapping of entries."""
    text = allowed(text)
    return CSL_YAML if _REFERENCES.search(text) or _LIST.match(text) else HAYAGRIVA


@dataclass(frozen=True, slots=True)
class _CslYaml:
    name: str = "CSL YAML"
    writable: bool = True

    def split(self, text: str) -> Split:
        text = allowed(text)
        spans, complaints = list_items(text), list[Complaint]()
        if spans is None:
            spans, complaints = flow_items(text, LISTS)
        return _split(text, spans, complaints, _nodes_in_list, _csl_key, _csl_described)

    def edited(self, text: str, start: int, end: int) -> Item | None:
        return _edited(self, "references:\n", text, start, end)

    def described(self, written: str) -> Described:
        return _described_csl(written)

    def is_sound(self, written: str) -> bool:
        return False

    def parsed(self, written: str) -> Parsed:
        node, complaints = parsed(allowed(written))
        return csl_places(_only(node), complaints)


@dataclass(frozen=True, slots=True)
class _Hayagriva:
    name: str = "Hayagriva"
    writable: bool = False

    def split(self, text: str) -> Split:
        text = allowed(text)
        found = _split(text, mapping_items(text), [], _nodes_in_mapping, _head, hayagriva.described)
        if has_content(text) and not any(item.key for item in found.items):
            # Any YAML at all may be named as a bibliography.
            return Split((), [("these are no entries of CSL or Hayagriva", 0)])
        return found

    def edited(self, text: str, start: int, end: int) -> Item | None:
        return _edited(self, "", text, start, end)

    def described(self, written: str) -> Described:
        return _described_hayagriva(written)

    def is_sound(self, written: str) -> bool:
        return False

    def parsed(self, written: str) -> Parsed:
        node, complaints = parsed(allowed(written))
        if not (isinstance(node, Mapping) and node.pairs):
            return Parsed((), (), complaints or [("this is no entry", 0)])
        key, child = node.pairs[0]
        if not hayagriva.key_of(value_of(node)):
            complaints.append(("an entry needs a key and fields below it", key.start))
            return Parsed((), (), complaints)
        fields: list[tuple[str, Scalar]] = []
        for name, value in child.pairs if isinstance(child, Mapping) else ():
            _add_fields(fields, name.value.lower(), value)
        return Parsed([key], fields, complaints)


def _add_fields(fields: list[tuple[str, Scalar]], name: str, value: Node) -> None:
    if isinstance(value, Scalar):
        fields.append((name, value))
    elif isinstance(value, Mapping) and name in ("url", "serial-number"):
        for part, each in value.pairs:
            if isinstance(each, Scalar):
                fields.append((name if part.value == "value" else part.value.lower(), each))


def _split(
    text: str,
    spans: list[Span],
    complaints: list[Complaint],
    nodes_of: Callable[[Node], list[Node]],
    key_of: Callable[[str], str],
    described: Callable[[Value], Described],
) -> Split:
    """Return the items with these spans; those that share nodes are read together."""
    if shares_nodes(text):
        root, wrong = parsed(text)
        nodes = [] if root is None or wrong else nodes_of(root)
        if len(nodes) == len(spans):
            said = [described(value_of(node)) for node in nodes]
            pairs = zip(spans, said, strict=True)
            return Split([Item(*span, each.key, each) for span, each in pairs], complaints)
    return Split([Item(*span, key_of(text[slice(*span)])) for span in spans], complaints)


def _edited(form: Form, head: str, text: str, start: int, end: int) -> Item | None:
    """Return an item after an edit, if it is the only one in a text that has nothing else.

    How a text is split depends on the lines of each item alone, unless they share nodes.
    """
    line = line_start(text, start)
    alone = f"{head}{text[line:end]}"
    before = len(head) + start - line
    if text[line:start].strip(" ") or yaml_form(alone) is not form or shares_nodes(text):
        return None
    split = form.split(alone)
    spans = [(item.start, item.end) for item in split.items]
    if spans != [(before, len(alone))] or split.complaints:
        return None
    return Item(start, end, split.items[0].key)


def _nodes_in_list(root: Node) -> list[Node]:
    if isinstance(root, Mapping):
        root = next((node for name in LISTS if (node := root.get(name)) is not None), root)
    return root.items if isinstance(root, Sequence) else []


def _nodes_in_mapping(root: Node) -> list[Node]:
    if not isinstance(root, Mapping):
        return []
    return [Mapping(key.start, value.end, [(key, value)]) for key, value in root.pairs if key.value]


def _csl_key(written: str) -> str:
    found = _ID.findall(written)
    if len(found) == 1 and written.count("id:") == 1:
        return str(found[0][1])
    return _described_csl(written).key


def _head(written: str) -> str:
    found = _HEAD.match(written)
    if found is not None and re.search(rf"^{found[3]}{_FIELD}", written, re.MULTILINE):
        return found[2]
    return _described_hayagriva(written).key


def _only(node: Node | None) -> Node | None:
    """Return the item in a list of one."""
    return node.items[0] if isinstance(node, Sequence) and node.items else node


def _csl_described(value: Value) -> Described:
    return csl.described(value, csl.from_markdown)


@lru_cache(READ_KEPT)
def _described_csl(written: str) -> Described:
    node, _ = parsed(allowed(written))
    node = _only(node)
    return _csl_described("" if node is None else value_of(node))


@lru_cache(READ_KEPT)
def _described_hayagriva(written: str) -> Described:
    node, _ = parsed(allowed(written))
    return hayagriva.described("" if node is None else value_of(node))


CSL_YAML: Final = _CslYaml()
HAYAGRIVA: Final = _Hayagriva()
