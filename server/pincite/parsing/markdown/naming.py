"""The edit that names a bibliography in a draft that names none: an entry of its YAML header.

A header is made where there is none, below the title lines of Pandoc. What is there stays as it is,
whether its entries stand in lines or between braces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

from ...model.drafts import Draft
from ...model.edits import TextEdit
from ...model.spans import TextSpan, line_end_of
from ..yaml import YamlError, allowed, composed
from .dialect import HEADER, header_of

_TITLE_LINES: Final = re.compile(
    r"\ufeff?(?:%[^\r\n]*(?:\r\n|\n|\r|\Z)(?:[ \t]+\S[^\r\n]*(?:\r\n|\n|\r|\Z))*){0,3}"
)
#: A name that YAML reads as it is.
_PLAIN: Final = re.compile(r"[A-Za-z./][\w./-]*(?: [\w./-]+)*")
_NOTHING: Final = ("", "[]", "~", "null", '""', "''")
_NAME: Final = "bibliography"


def naming_edits(draft: Draft, name: str, _texts: Iterable[str]) -> tuple[TextEdit, ...]:
    """Return the edit of the main file; see `parsing.markups.Syntax.naming_edits`."""
    found = None if draft.main is None else _in_text(draft.main.text, name)
    return () if found is None else (TextEdit(draft.root, *found),)


def _in_text(text: str, name: str) -> tuple[TextSpan, str] | None:
    line_end = line_end_of(text)
    value = name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    entry = f"{_NAME}: {value}"
    header, found = header_of(text), HEADER.match(text)
    if found is None or not header.end:
        return _new(text, f"---{line_end}{entry}{line_end}---{line_end}", line_end)
    if (place := header.entries.get(_NAME)) is not None:
        written = place.of(text).rstrip()
        if written.strip() not in _NOTHING:
            return None
        return TextSpan(place.start, place.start + len(written)), f" {value}"
    start, end = found.span("inside")
    try:
        node = composed(allowed(text[start:end]))
    except YamlError:
        node = None  # Our reader finds the entries that are sound.
    if node is not None and node.id == "scalar":
        return None  # Words between two lines that are not a header.
    if node is None or not node.flow_style:
        return TextSpan(end, end), f"{entry}{line_end}"
    if node.id != "mapping":
        return None
    if node.value:
        at = start + node.value[-1][1].end_mark.index
        return TextSpan(at, at), f", {entry}"
    at = start + node.start_mark.index + 1
    return TextSpan(at, at), entry


def _new(text: str, header: str, line_end: str) -> tuple[TextSpan, str] | None:
    titles = _TITLE_LINES.match(text)
    at = titles.end() if titles else 0
    before, behind = text[:at].removeprefix("\ufeff"), text[at:]
    if before.rfind("<!--") > before.rfind("-->"):
        return None  # In a comment it would name nothing.
    is_open = bool(before) and not before.endswith(("\n", "\r"))
    gap = line_end * (is_open + bool(before))
    has_space = not behind or behind.startswith(("\n", "\r"))
    return TextSpan(at, at), f"{gap}{header}{'' if has_space else line_end}"
