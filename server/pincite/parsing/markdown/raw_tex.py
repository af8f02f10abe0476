"""Citations in the raw LaTeX of a text in Markdown, which are real where it is typeset with TeX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ...model.drafts import Citation, KeyList
from ...model.spans import TextSpan
from ..latex.arguments import key_arguments, keys_between
from ..latex.commands import HIDDEN_ENVIRONMENTS, KNOWN_COMMANDS

_COMMAND: Final = re.compile(r"\\(?:([A-Za-z]+)(\*?)|.)|%[^\r\n]*", re.DOTALL)
_ENVIRONMENT: Final = re.compile(r"\\begin[ \t]*\{([^{}\r\n]+)\}")


def citation_at(text: str, start: int) -> Citation | None:
    """Return the citation whose backslash is at an offset, if there is one."""
    command = _COMMAND.match(text, start)
    shape = KNOWN_COMMANDS.get(command[1]) if command and command[1] else None
    if command is None or shape is None:
        return None
    found = key_arguments(text, command.end(), shape)
    if not found.spans:
        return None
    spans = [TextSpan(*each) for each in found.spans]
    lists = [
        KeyList(each, tuple(keys_between(text, each.start, each.end, shape))) for each in spans
    ]
    if not any(each.keys for each in lists) and any(each.of(text).strip() for each in spans):
        return None  # the body of a definition
    lists[-1] = replace(lists[-1], closed=found.closed)
    name = f"{command[1]}{command[2]}"
    return Citation(name, TextSpan(start, found.end), tuple(lists), shape.listed_only)


def citations_in(text: str, start: int, end: int) -> Iterator[Citation]:
    """Yield the citations in raw LaTeX between two offsets; they have no place in the prose."""
    environment = _ENVIRONMENT.match(text, start, end)
    if environment is not None and environment[1] in HIDDEN_ENVIRONMENTS:
        return
    for command in _COMMAND.finditer(text, start, end):
        if (cited := citation_at(text, command.start())) is not None:
            yield replace(cited, listed_only=True)
