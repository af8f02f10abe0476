"""The forms of bibliographies in YAML: CSL, as Pandoc has it, and Hayagriva."""

from __future__ import annotations

import re
from abc import abstractmethod
from functools import lru_cache
from typing import Final

from ...model.spans import line_start
from . import csl, hayagriva
from .described import Described
from .forms import READ_KEPT, Form, Item, Parsed, Split, csl_places
from .nodes import (
    MOST_NODES,
    Complaint,
    Mapping,
    Node,
    Scalar,
    Sequence,
    Value,
    items_of,
    value_of,
)
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
#: What any entry may have, and what the entries of a small file may have together.
_FEW_NODES: Final = 100
_MANY_NODES: Final = 100_000
_FIELD: Final = rf"(?:{'|'.join(sorted(hayagriva.KNOWN))})[ \t]*:"


def yaml_form(text: str) -> Form:
    """Return the form of a text in YAML, by what it is: a list, or a mapping of entries."""
    text = allowed(text)
    return CSL_YAML if _REFERENCES.search(text) or _LIST.match(text) else HAYAGRIVA


class _YamlForm(Form):
    """A form in YAML; after `_head`, a text with an item alone is a file."""

    _head = ""

    @abstractmethod
    def _nodes(self, root: Node) -> list[Node]:
        """Return the items of a file."""

    @abstractmethod
    def _key(self, written: str) -> str:
        """Return the key of an item, quickly for most."""

    @staticmethod
    @abstractmethod
    def _meant(value: Value) -> Described:
        """Return what the value of an item says."""

    def _split(self, text: str, spans: list[Span], complaints: list[Complaint]) -> Split:
        """Return the items with these spans; those that share nodes are read together."""
        if shares_nodes(text):
            root, wrong = parsed(text)
            nodes = [] if root is None or wrong else self._nodes(root)
            if len(nodes) == len(spans):
                # Each may mean all of another: together they stay about as large as the file.
                most = min(MOST_NODES, _FEW_NODES + (len(text) + _MANY_NODES) // (len(nodes) + 1))
                said = [self._meant(value_of(node, most)) for node in nodes]
                pairs = zip(spans, said, strict=True)
                return Split([Item(*span, each.key, each) for span, each in pairs], complaints)
        return Split([Item(*span, self._key(text[slice(*span)])) for span in spans], complaints)

    def edited(self, text: str, start: int, end: int) -> Item | None:
        """Return an item after an edit, if it is the only one in a text that has nothing else.

        How a text is split depends on the lines of each item alone, unless they share nodes.
        """
        line = line_start(text, start)
        alone = f"{self._head}{text[line:end]}"
        before = len(self._head) + start - line
        if text[line:start].strip(" ") or yaml_form(alone) is not self or shares_nodes(text):
            return None
        split = self.split(alone)
        spans = [(item.start, item.end) for item in split.items]
        if spans != [(before, len(alone))] or split.complaints:
            return None
        return Item(start, end, split.items[0].key)


class _CslYaml(_YamlForm):
    name = "CSL YAML"
    _head = "references:\n"

    def split(self, text: str) -> Split:
        text = allowed(text)
        spans, complaints = list_items(text), list[Complaint]()
        if spans is None:
            spans, complaints = flow_items(text)
        return self._split(text, spans, complaints)

    def _nodes(self, root: Node) -> list[Node]:
        return items_of(root)

    def _key(self, written: str) -> str:
        found = _ID.findall(written)
        if len(found) == 1 and written.count("id:") == 1:
            return str(found[0][1])
        return self.described(written).key

    @staticmethod
    def _meant(value: Value) -> Described:
        return csl.described(value, csl.from_markdown)

    @staticmethod
    @lru_cache(READ_KEPT)
    def described(written: str) -> Described:
        node, _ = parsed(allowed(written))
        return _CslYaml._meant(value_of(_only(node)))

    def parsed(self, written: str) -> Parsed:
        node, complaints = parsed(allowed(written))
        return csl_places(_only(node), complaints)


class _Hayagriva(_YamlForm):
    name = "Hayagriva"
    writable = False

    def split(self, text: str) -> Split:
        text = allowed(text)
        found = self._split(text, mapping_items(text), [])
        if has_content(text) and not any(item.key for item in found.items):
            # Any YAML at all may be named as a bibliography.
            return Split((), [("these are no entries of CSL or Hayagriva", 0)])
        return found

    def _nodes(self, root: Node) -> list[Node]:
        if not isinstance(root, Mapping):
            return []
        pairs = [(key, value) for key, value in root.pairs if key.value]
        return [Mapping(key.start, value.end, [(key, value)]) for key, value in pairs]

    def _key(self, written: str) -> str:
        found = _HEAD.match(written)
        if found is not None and re.search(rf"^{found[3]}{_FIELD}", written, re.MULTILINE):
            return found[2]
        return self.described(written).key

    _meant = staticmethod(hayagriva.described)

    @staticmethod
    @lru_cache(READ_KEPT)
    def described(written: str) -> Described:
        node, _ = parsed(allowed(written))
        return hayagriva.described(value_of(node))

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


def _only(node: Node | None) -> Node | None:
    """Return the item in a list of one."""
    return node.items[0] if isinstance(node, Sequence) and node.items else node


CSL_YAML: Final = _CslYaml()
HAYAGRIVA: Final = _Hayagriva()
