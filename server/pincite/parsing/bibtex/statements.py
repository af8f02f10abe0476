"""A `.bib` file as a sequence of statements: entries, ``@string`` and ``@preamble``.

An entry ends at the latest at a line that starts the next one (decision 0002). The file is scanned
once, for keys and macros; the fields of an entry are parsed on access, as few of tens of thousands
are used.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import pairwise
from operator import itemgetter
from sys import intern
from typing import Final

from ...cancellation import check
from .comments import Hidden, comment_end, hidden_in
from .entry import (
    ENTRY_START,
    KEY_BEHIND,
    MONTHS,
    NO_ENTRIES,
    Command,
    Macro,
    read_command,
    starts_line,
)
from .fields import decoded

#: An `ENTRY_START`, and the key after it if it is an ordinary one.
_HEAD: Final = re.compile(r"""@\s*([A-Za-z][\w-]*)\s*(?:\{(?:\s*([^\s"(),={}]+)\s*,)?|\()""")
#: Cache size: a loop over all entries uses several fields of each.
_READ_CACHED: Final = 1024


@dataclass(slots=True)
class Macros:
    """The values of macros, each with the number of the ``@string`` that defines it, in order.

    Macros that are defined before the file have the number 0.
    """

    values: dict[str, list[tuple[int, str]]]
    count: int = 0

    def define(self, fields: Mapping[str, str]) -> None:
        """Add the macros of the next ``@string``."""
        self.count += 1
        for name, value in fields.items():
            self.values.setdefault(name, []).append((self.count, value))

    def value(self, definitions: int, name: str) -> str | None:
        """Return the value of a macro after the first `definitions`."""
        values = self.values.get(name, ())
        at = bisect_right(values, definitions, key=itemgetter(0))
        return values[at - 1][1] if at else None

    @property
    def defined(self) -> dict[str, str]:
        """The macros that the file defines, as they are at its end."""
        return {name: values[-1][1] for name, values in self.values.items() if values[-1][0]}


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with its text up to the next one, and the source of an entry's fields.

    `macros` are known after the first `definitions`. A statement whose end depends on what stands
    behind it is `parsed` at once. `inherited` are the fields that only its parents have.
    """

    kind: str
    key: str
    text: str
    macros: Macros
    definitions: int
    parsed: Command | None = field(default=None, compare=False)
    inherited: Mapping[str, str] | None = None

    def __hash__(self) -> int:
        return hash(self.text)

    def command(self) -> Command:
        """Return what the statement has, and what is wrong with it."""
        return self.parsed or _command(self)

    def written(self) -> Mapping[str, str]:
        """Return the fields before decoding, with what is inherited."""
        return {**self.command().fields, **(self.inherited or {})}

    def fields(self) -> Mapping[str, str]:
        """Return the decoded fields, with what is inherited."""
        return _fields(self)


#: BibTeX skips only the word; what stands behind it is outside of statements.
_COMMENT: Final = Command("comment", "", 0, 1, {}, [], [], [])


@lru_cache(_READ_CACHED)
def _command(statement: Statement) -> Command:
    text, start = statement.text, ENTRY_START.match(statement.text)
    if start is None:
        raise ValueError("a statement begins with an @")
    macro = partial(statement.macros.value, statement.definitions)
    return read_command(text, start, len(text), macro)


@lru_cache(_READ_CACHED)
def _fields(statement: Statement) -> Mapping[str, str]:
    check()  # loops over all entries of a large bibliography take long
    return decoded(statement.written())


def read_statements(
    text: str, before: Mapping[str, str], *, comments: bool
) -> tuple[str, tuple[Statement, ...], Macros]:
    """Return the text before the first statement, the statements, and the macros.

    `before` are macros that are defined before the file. With `comments`, some statements are
    commented out: see `Program`.
    """
    hidden = hidden_in(text, comments=comments)
    macros = Macros({name: [(0, value)] for name, value in {**MONTHS, **before}.items()})
    found: list[tuple[int, str, str, int, Command | None]] = []
    for start, limit, kind, key in _blocks(text, hidden):
        if key:
            found.append((start, kind, key, macros.count, None))
            continue
        if kind == "comment" and text[start] == "@":
            # An entry before it that is not closed ends here.
            found.append((start, kind, "", macros.count, _COMMENT))
        for at, command in _commands(text, start, limit, hidden, macros, comments=comments):
            found.append((at, intern(command.kind), command.key, macros.count, command))
            if command.kind == "string":
                macros.define(command.fields)
    starts = [start for start, *_ in found]
    texts = [text[start:end] for start, end in pairwise([*starts, len(text)])]
    statements = tuple(
        Statement(kind, key, written, macros, definitions, command)
        for written, (_, kind, key, definitions, command) in zip(texts, found, strict=True)
    )
    return text[: starts[0]] if starts else text, statements, macros


def _blocks(text: str, hidden: Hidden) -> Iterator[tuple[int, int, str, str]]:
    """Yield start and limit of the text that begins in a line with an entry, its kind and key.

    The key is empty if the block must be parsed for it: it is no entry, more than one statement may
    begin in it, or a value contains what looks like one.
    """
    start, kind, key = 0, "", ""
    for head in _HEAD.finditer(text):
        at = head.start()
        if hidden.covers(at):
            continue
        begins = head[2] or text[head.end() - 1] == "{" or KEY_BEHIND.match(text, head.end())
        if begins and starts_line(text, at):
            if kind:
                yield start, at, kind, key
            start, kind = at, intern(head[1].lower())
            key = head[2] if head[2] and kind not in NO_ENTRIES else ""
        else:
            kind, key = kind or "comment", ""
    if kind:
        yield start, len(text), kind, key


def _commands(
    text: str, start: int, limit: int, hidden: Hidden, macros: Macros, *, comments: bool
) -> Iterator[tuple[int, Command]]:
    """Parse and yield the commands between two offsets, with their places."""
    while (head := ENTRY_START.search(text, start, limit)) is not None:
        if comments and (end := comment_end(text, start, head.start())) is not None:
            start = end
        elif head[1].lower() == "comment":
            # BibTeX skips only the word and continues after it.
            start = hidden.end(head.start()) or head.end()
        else:
            macro: Macro = partial(macros.value, macros.count)
            command = read_command(text, head, limit, macro)
            yield head.start(), command.moved(-head.start())
            start = command.end
