"""Find what is wrong with a bibliography, reported with places in the file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from ...model.bibliographies import BibliographyFile, Fault, key_used
from ...model.places import Place
from ...model.problems import Problem
from ...model.spans import TextSpan, line_ends
from .entry import ENTRY_START, ENTRY_TYPES, CommandFault, starts_line
from .statements import Statement

#: The beginning of a line that looks like an entry but is not followed by one, and space after it.
_BARE_HEAD: Final = re.compile(r"(@[ \t]*([A-Za-z]+))(?![\w.-])(?!\s*[{(])\s*")


def faults_of(
    file: BibliographyFile,
    statements: Sequence[Statement],
    place_at: Callable[[int], Place],
    positions: Mapping[str, int],
) -> tuple[tuple[Fault, ...], tuple[Problem, ...]]:
    """Return what is wrong with a file, by place and by entry.

    `place_at` returns the place of a statement by its position; `positions` are those of the
    entries in use, by key.
    """
    places: list[Place] = []
    faults: list[Fault] = []
    problems: list[Problem] = []
    used: set[str] = set()
    for at, statement in enumerate(statements):
        place = place_at(at)
        places.append(place)
        start, line, entry = place.span.start, place.line, place.span
        what = f"@{statement.kind} {statement.key}".rstrip()
        messages: list[str] = []
        found = list(_syntax(statement))
        if (counted := positions.get(statement.key, at)) != at:
            head = ENTRY_START.match(statement.text)
            message = key_used(place_at(counted).line, file.program)
            found.append(CommandFault(message, head.end() if head else 0, "key used"))
        for message, offset, kind in found:
            faults.append(Fault(message, start + offset, entry, kind))
            if kind == "comment":
                continue  # most who write one use biber
            lines = line_ends(statement.text[:offset])
            messages.append(message + (f" (line {line + lines})" if lines else ""))
        if messages:
            problems.append(Problem(file.path, line, f"{what}: {'; '.join(messages)}"))
        for name, offset in statement.command().undefined:
            # Reported once, at the first use.
            if name.lower() not in used:
                used.add(name.lower())
                message = f"@string macro {name} is not defined"
                faults.append(Fault(message, start + offset, entry, "no macro"))
                problems.append(Problem(file.path, line, f"{what}: {message}"))
    for bare, span, line in _bare_heads(file, places):
        message = f"{bare} has no entry after it: add {{key, ...}}, or delete it"
        faults.append(Fault(message, span.start, span))
        problems.append(Problem(file.path, line, message))
    # Sorted, as bare heads are between the entries.
    faults.sort(key=lambda fault: fault.entry.start)
    problems.sort(key=lambda problem: problem.line or 0)
    return tuple(faults), tuple(problems)


def _syntax(statement: Statement) -> Iterator[CommandFault]:
    """Yield the faults of a statement, each message once."""
    faults = statement.command().faults
    # If a value is not closed, neither is its entry.
    is_cut = any(fault.message.endswith(" is not closed") for fault in faults)
    found: dict[str, CommandFault] = {}
    for fault in faults:
        if not (is_cut and fault.message == "not closed"):
            found.setdefault(fault.message, fault)
    yield from found.values()


def _bare_heads(
    file: BibliographyFile, places: Sequence[Place]
) -> Iterator[tuple[str, TextSpan, int]]:
    """Yield what looks like the beginning of an entry outside of statements: its span and line."""
    text, begin = file.text, file.start
    line, counted = file.line, 0
    for head in _BARE_HEAD.finditer(text):
        start = head.start()
        if head[2].lower() not in ENTRY_TYPES or not starts_line(text, start):
            continue
        at = bisect_right(places, begin + start, key=lambda place: place.span.start) - 1
        if at < 0 or begin + start >= places[at].span.end:
            line, counted = line + line_ends(text[counted:start]), start
            yield head[1], TextSpan(start, head.end()).moved(begin), line
