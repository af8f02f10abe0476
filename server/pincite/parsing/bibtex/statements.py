"""A `.bib` file as a sequence of statements: entries, ``@string`` and ``@preamble``.

An entry ends at the latest at a line that starts the next one (decision 0002). The file is scanned
once, for keys and macros; the fields of an entry are parsed on first access, and a statement that
is as it was in an earlier version of the file is the same object. For all programs but BibTeX and
those like it, what is behind ``%`` or in the braces of ``@comment`` is no statement; see
`Program.comments`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from sys import intern
from typing import Final

from ...cancellation import check
from ...model.papers import NO_BREAK_SPACE
from ...text.characters import without_controls
from ...text.tags import without_tags
from ..latex.symbols import plain_text
from .entry import (
    CLOSING,
    HEAD,
    JOURNALS,
    MONTHS,
    NO_ENTRIES,
    Command,
    Macros,
    begins_entry,
    plain_value,
    read_command,
    starts_line,
)

#: Size of the cache of parsed statements: what is done with one parses it several times.
_READ_CACHED: Final = 1024
#: What is in a comment is hidden by this.
HIDDEN: Final = "\0"

_COMMENT: Final = re.compile(r"@\s*comment\s*\{", re.IGNORECASE)
_COMMENT_OR_BRACE: Final = re.compile(rf"{_COMMENT.pattern}|[{{}}]", re.IGNORECASE)
_DELIMITERS: Final = re.compile(r'[{}"()]')
_TO_LINE_END: Final = re.compile(r"[^\r\n]*")

_VERBATIM: Final = frozenset(
    ("doi", "eprint", "file", "pdf", "url", "urlraw", "verba", "verbb", "verbc")
)
_NAMES: Final = frozenset(
    ("author", "editor", "translator", "bookauthor", "editora", "editorb", "editorc")
)

_JOURNALS: Final = ("journal", "journaltitle")
_MACRO: Final = re.compile(r"\\([A-Za-z]+)")
#: The separator of names in unusual case.
_AND: Final = re.compile(r" (?:A[Nn][Dd]|a(?:N[Dd]|nD)) ")
_NAME_TOKEN: Final = re.compile(r"\\[A-Za-z]+\*?\s*|\\.|[{}]|[\s~]+|[^\\{}\s~]+", re.DOTALL)
_SPACE_SIGNS: Final = (r"\ ", r"\,", r"\;", r"\:")
# Stands for a space inside braces while a name is decoded; a noncharacter, so no text has it.
_BOUND: Final = "\ufdd0"

_ADDRESS_TILDE: Final = re.compile(
    r"\{?\\textasciitilde(?![A-Za-z])\s*(?:\{\})?\}?|\$\\sim\$|\\~(?:\{\})?"
)
_ADDRESS_ESCAPE: Final = re.compile(r"\{\\([_&%#$])\}|\\([_&%#$])")
_ADDRESS_MACRO: Final = re.compile(r"\\url\s*\{([^{}]*)\}\Z")


# Not frozen: there are tens of thousands, and a frozen one takes several times as long to make.
@dataclass(slots=True)
class Statement:
    """A statement with its text up to the next one, and the source of an entry's fields.

    `macros` are known after the first `definitions`. A statement whose end depends on what stands
    behind it is `parsed` at once. `inherited` are the fields that only its parents have.
    """

    kind: str
    key: str
    #: The text in UTF-8: in most files, one dash would make a string two bytes wide.
    encoded: bytes
    macros: Macros
    definitions: int
    parsed: Command | None = field(default=None, compare=False)
    inherited: Mapping[str, str] | None = None
    _fields: Mapping[str, str] | None = field(default=None, init=False, compare=False)

    def __hash__(self) -> int:
        return hash(self.encoded)

    @property
    def text(self) -> str:
        """The text, decoded on every access."""
        return self.encoded.decode("utf-8", "surrogatepass")

    def command(self) -> Command:
        """Return what the statement has, and what is wrong with it."""
        return self.parsed or _command(self)

    def written(self) -> Mapping[str, str]:
        """Return the fields before decoding, with what is inherited."""
        return {**self.command().fields, **(self.inherited or {})}

    def fields(self) -> Mapping[str, str]:
        """Return the decoded fields, with what is inherited."""
        if self._fields is None:
            check()  # reading all entries of a large bibliography for the first time takes long
            self._fields = decoded(self.written())
        return self._fields

    def title(self) -> Mapping[str, str]:
        """Return the decoded fields, or only the title where there is one and no subtitle."""
        check()
        is_unread = self._fields is None and self.parsed is None and self.inherited is None
        if is_unread and b"subtitle" not in self.encoded.lower():
            value = plain_value(self.text, "title")
            if value is not None:
                return decoded({"title": value})
        return self.fields()


@lru_cache(_READ_CACHED)
def _command(statement: Statement) -> Command:
    text = statement.text
    head = HEAD.match(text)
    assert head is not None  # a statement begins with one
    return read_command(text, head, len(text), statement.macros, statement.definitions)


def read_statements(
    text: str, before: Mapping[str, str], *, comments: bool, earlier: Sequence[Statement] = ()
) -> tuple[str, tuple[Statement, ...], Macros]:
    """Return the text before the first statement, the statements, and the macros.

    Of the statements of an `earlier` version of the text, those that are as they were are used.
    """
    months = {month[:3].lower(): month for month in MONTHS}
    macros = {name: [(0, value)] for name, value in {**months, **JOURNALS, **before}.items()}
    strings = 0
    visible = without_comments(text) if comments else text
    found: list[tuple[int, str, str, int, Command | None]] = []
    for start, limit, kind, key in _blocks(visible):
        if key:
            found.append((start, kind, key, strings, None))
            continue
        first = HEAD.match(text, start)
        if first is not None and first[1].lower() == "comment":
            # BibTeX skips only the word; an entry before it that is not closed ends here.
            found.append((start, kind, "", strings, Command(kind)))
        at = start
        while (head := HEAD.search(visible, at, limit)) is not None:
            if comments and (end := _comment_end(visible, at, head.start())) is not None:
                at = end
            elif head[1].lower() == "comment":
                at = head.end()
            else:
                read = read_command(text, head, limit, macros, strings)
                found.append((head.start(), intern(read.kind), read.key, strings, read))
                strings += read.kind == "string"
                for name, value in read.fields.items() if read.kind == "string" else ():
                    macros.setdefault(name, []).append((strings, value))
                at = head.start() + read.end
    starts = [start for start, *_ in found]
    texts = [
        text[start:end].encode("utf-8", "surrogatepass")
        for start, end in pairwise([*starts, len(text)])
    ]
    as_before: dict[bytes, Statement] = {}
    if earlier and earlier[0].macros == macros:
        as_before = {each.encoded: each for each in earlier if each.parsed is None}
    statements = tuple(
        same
        if command is None
        and (same := as_before.get(written)) is not None
        and same.definitions == definitions
        else Statement(kind, key, written, macros, definitions, command)
        for written, (_, kind, key, definitions, command) in zip(texts, found, strict=True)
    )
    return text[: starts[0]] if starts else text, statements, macros


def _blocks(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield start and limit of the text that begins in a line with an entry, its kind and key.

    The key is empty if the block must be parsed for it: it is no entry, more than one statement may
    begin in it, or a value contains what looks like one.
    """
    start, kind, key = 0, "", ""
    for head in HEAD.finditer(text):
        if begins_entry(text, head):
            if kind:
                yield start, head.start(), kind, key
            start, kind = head.start(), intern(head[1].lower())
            key = (head[3] or "") if head[2] == "{" and kind not in NO_ENTRIES else ""
        else:
            kind, key = kind or "comment", ""
    if kind:
        yield start, len(text), kind, key


def without_comments(text: str) -> str:
    """Return a text with `HIDDEN` over what a closed ``@comment{...}`` in its line hides."""
    hidden: list[tuple[int, int]] = []
    end = 0
    while (first := _COMMENT.search(text, end)) is not None:
        opened: list[tuple[int, bool]] = []
        for mark in _COMMENT_OR_BRACE.finditer(text, first.start()):
            end = mark.end()
            if mark[0] != "}":
                opened.append((end, mark[0] != "{" and starts_line(text, mark.start())))
                continue
            start, is_comment = opened.pop()
            if is_comment:
                hidden.append((start, end))
            if not opened:
                break
    parts, last = [], 0
    for start, end in sorted(hidden):
        if start >= last:  # else it is in another one
            parts += [text[last:start], HIDDEN * (end - start)]
            last = end
    return "".join([*parts, text[last:]]) if parts else text


def _comment_end(text: str, start: int, offset: int) -> int | None:
    """Return the end of the line if a % from `start` on, in the line of `offset`, hides that."""
    line = max(text.rfind("\n", start, offset), text.rfind("\r", start, offset), start)
    if text.find("%", line, offset) < 0:
        return None
    return _TO_LINE_END.match(text, offset).end()  # type: ignore[union-attr]


def first_unclosed(text: str, *, comments: bool) -> int | None:
    """Return where the line of the first unclosed command begins: no program reads on behind it."""
    end = 0
    while (head := HEAD.search(text, end)) is not None:
        at = head.start()
        closed = _comment_end(text, end, at) if comments else None
        if closed is None and (closed := _end_by_count(text, head)) is None:
            line = max(text.rfind("\n", end, at), text.rfind("\r", end, at)) + 1
            return line if line or not end else at
        end = closed
    return None


def _end_by_count(text: str, head: re.Match[str]) -> int | None:
    """Return the offset after a command, by its delimiters alone."""
    closing, depth, in_quotes = CLOSING[head[2]], 0, False
    for mark in _DELIMITERS.finditer(text, head.end()):
        sign = mark[0]
        if sign == closing and depth == 0 and not (in_quotes and sign == ")"):
            return None if in_quotes else mark.end()
        if sign in "{}":
            depth = max(depth + (1 if sign == "{" else -1), 0)
        elif sign == '"' and depth == 0 and head[1].lower() != "comment":
            in_quotes = not in_quotes
    return None


def decoded(written: Mapping[str, str]) -> dict[str, str]:
    """Return the values of fields as a reader sees them."""
    return {intern(name): _readable(name, value) for name, value in written.items()}


@lru_cache(256)  # neighbouring entries often appeared in the same volume, or year
def _readable(name: str, raw: str) -> str:
    if name in _NAMES:
        value = _person_names(raw)
    elif name in _VERBATIM or name.startswith(("bdsk-", "local-url")):
        value = raw.strip()
    else:
        # ADS names journals by macros that astronomers' classes define.
        is_macro = name in _JOURNALS and _MACRO.fullmatch(raw.strip())
        value = is_macro[1] if is_macro else without_tags(plain_text(raw))
    if name in ("doi", "url"):
        if "\\" in value:
            value = _ADDRESS_MACRO.sub(r"\1", value)
            value = _ADDRESS_TILDE.sub("~", value)
            value = _ADDRESS_ESCAPE.sub(lambda sign: sign[1] or sign[2], value)
        if value.startswith("{") and value.endswith("}"):
            value = value.strip("{}")
    return without_controls(value)


def _person_names(raw: str) -> str:
    """Return names separated by `` and ``; spaces inside braces become no-break spaces."""
    depth, parts = 0, list[str]()
    for token in _NAME_TOKEN.findall(raw) if "{" in raw else ():
        depth = max(0, depth + {"{": 1, "}": -1}.get(token, 0))
        is_space = token[0] == "~" or token.isspace() or token in _SPACE_SIGNS
        parts.append(_BOUND if depth and is_space else token)
    raw = "".join(parts) or raw
    return _AND.sub(" and ", plain_text(raw)).replace(_BOUND, NO_BREAK_SPACE)
