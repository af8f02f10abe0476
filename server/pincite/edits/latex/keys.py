r"""Add a key to a citation command.

A new key goes after the others of its command, except where that would move a note: the note of
``\citep[p.~3]{a}`` would be printed after the new key, so the new key goes before the last one.
"""

from __future__ import annotations

import re

from ...model.drafts import Citation, DraftFile, KeyList
from ...model.edits import TextEdit
from ...model.spans import TextSpan

_SEPARATOR = re.compile(r",[ \t]*")


def with_another(
    file: DraftFile, citation: Citation, key: str, offset: int, *, groups: bool
) -> tuple[TextEdit, ...]:
    """Return the edits that add a key to the list at `offset`, else to the last one.

    A command with `groups` gets another one.
    """
    lists = [keys for keys in citation.key_lists if keys.keys]
    if not lists:
        return ()
    if groups:
        end = citation.key_lists[-1].span.end + 1
        return (TextEdit(file.path, TextSpan(end, end), f"{{{key}}}"),)
    keys = next((each for each in lists if each.span.covers(offset)), lists[-1])
    return (_in_list(file, citation, keys, key),)


def _in_list(file: DraftFile, citation: Citation, keys: KeyList, key: str) -> TextEdit:
    last = keys.keys[-1]
    separator = _separator(file, keys)
    if _has_note(file.text, citation, keys):
        at, text = last.span.start, f"{key}{separator}"
    else:
        comma = file.text.find(",", last.span.end, keys.span.end)
        trailing = comma >= 0 and not file.text[last.span.end : comma].strip(" \t")
        at = comma + 1 if trailing else last.span.end
        text = separator[1:] + key if trailing else separator + key
    return TextEdit(file.path, TextSpan(at, at), text)


def _has_note(text: str, citation: Citation, keys: KeyList) -> bool:
    """Return whether a note directly precedes a list of keys; it belongs to the last key."""
    before = text[citation.span.start : keys.span.start - 1].rstrip()
    return before.endswith("]") and not re.search(r"\[\s*\]\Z", before)


def _separator(file: DraftFile, keys: KeyList) -> str:
    """Return the author's separator between keys: in this list, else in another of the file."""
    for listed in (keys, *(each for c in file.citations for each in c.key_lists)):
        if len(listed.keys) > 1:
            first, second, *_ = listed.keys
            between = _SEPARATOR.fullmatch(file.text, first.span.end, second.span.start)
            if between is not None:
                return between[0]
    return ","
