"""YAML as authors write it: values as they are written, with their places.

No tag is resolved, so nothing is executed or converted, and ``no`` and ``2020`` stay text. Aliases
may make millions of values of a few, and lead to themselves: what is made of a text has limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from ..model.spans import TextSpan

#: A node of PyYAML, whose stubs lack the attributes.
Node: TypeAlias = Any

#: Longer settings are not read: a thousand chapters take half of this.
_MAX_SETTINGS: Final = 100_000
#: Settings that aliases make larger than this are cut.
_MAX_VALUES: Final = 100_000
#: Lists and mappings nested deeper than this are not read; CSL needs four levels.
MAX_NESTED: Final = 64
#: Characters that YAML does not allow, and half surrogate pairs; one space has the same length.
_NOT_ALLOWED: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
#: What may precede a scalar that has an anchor or a tag: ``&anchor`` and ``!tag``.
_PROPERTIES: Final = re.compile(r"(?:[&!]\S*\s+)+")
_NULL: Final = ("~", "null", "Null", "NULL")
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
    "": None,
}


class YamlError(Exception):
    """What is wrong with a text, at an `offset`; what is broken begins at `begin`."""

    def __init__(self, message: str, offset: int = 0, begin: int = 0) -> None:
        super().__init__(message)
        self.offset, self.begin = offset, begin


def allowed(text: str) -> str:
    """Return a text of the same length with what YAML can have: its lines end at LF or CRLF."""
    if text.startswith("\ufeff"):
        text = "\n" + text[1:]  # a space would indent the line
    text = _NOT_ALLOWED.sub(" ", text)
    return re.sub(r"\r(?!\n)", "\n", text) if "\r" in text else text


def composed(text: str) -> Node | None:
    """Return the nodes of the first document of a text that is `allowed`, or raise `YamlError`."""
    import yaml  # drafts in LaTeX need none

    try:
        loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)(text)
        try:
            node: Node | None = loader.get_node() if loader.check_node() else None
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        marks = [each.index for each in (error.context_mark, error.problem_mark) if each] or [0]
        message = " ".join(filter(None, (error.context, error.problem)))
        raise YamlError(message, min(marks[-1], len(text)), marks[0]) from None
    except (yaml.YAMLError, UnicodeError, RecursionError) as error:
        raise YamlError(str(error).split("\n", 1)[0]) from None
    return node


def scalar_span(text: str, scalar: Node, begin: int = 0) -> TextSpan:
    """Return the span of a scalar composed at `begin`, without its quotes, anchor and tag."""
    start, end = begin + scalar.start_mark.index, begin + scalar.end_mark.index
    if text[start : start + 1] in ("&", "!") and (found := _PROPERTIES.match(text, start, end)):
        start = found.end()
    quotes = 1 if scalar.style in ("'", '"') else 0
    return TextSpan(start + quotes, max(end - quotes, start + quotes))


def text_of(scalar: Node) -> str:
    """Return the text of a scalar, which is empty for null."""
    text: str = scalar.value
    return "" if not scalar.style and text in _NULL else text


def value_of(
    node: Node | None,
    limit: int = _MAX_VALUES,
    words: Mapping[str, bool | None] = MappingProxyType({}),
) -> Any:  # noqa: ANN401 - text, lists and mappings, and the values of `words`
    """Return a node's value, without a node ""; beyond so many nodes and levels it is cut.

    `words` are the values of words that are not in quotes; other values are text.
    """
    left = limit

    def of(node: Node, depth: int) -> Any:  # noqa: ANN401 - as above
        nonlocal left
        left -= 1
        if isinstance(node.value, str):
            text = text_of(node)
            return text if node.style in ("'", '"') else words.get(text, text)
        if left < 0 or depth > MAX_NESTED:
            return ""
        if node.id == "sequence":
            return [of(item, depth + 1) for item in node.value if left > 0]
        pairs: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key, child in node.value:
            if left <= 0:
                break
            name = key.value if isinstance(key.value, str) else ""
            value = of(child, depth + 1)
            if name != "<<":
                pairs[name] = value
                continue
            for each in value if isinstance(value, list) else [value]:
                for inherited, own in each.items() if isinstance(each, dict) else ():
                    merged.setdefault(inherited, own)
        return {**merged, **pairs}

    return "" if node is None else of(node, 0)


def strings_in(text: str) -> Iterator[tuple[str, TextSpan]]:
    """Yield the strings of a YAML value, a scalar, list or map, with their places in quotes."""
    text = allowed(text)
    node = _settings(text)
    if node is None:
        return
    values = [value for _, value in node.value] if node.id == "mapping" else [node]
    for each in node.value if node.id == "sequence" else values:
        if each.id == "scalar" and (value := text_of(each)):
            yield value, scalar_span(text, each)


def mapping_in(text: str) -> dict[str, Any]:
    """Return the mapping that a YAML file has; empty if there is none."""
    read = value_of(_settings(allowed(text)), _MAX_VALUES, _WORDS)
    return read if isinstance(read, dict) else {}


def _settings(text: str) -> Node | None:
    with suppress(YamlError):
        return composed(text) if len(text) <= _MAX_SETTINGS else None
    return None
