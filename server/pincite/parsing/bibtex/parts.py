"""A `.bib` file in parts, each from one line that starts an entry to another.

An entry ends at the latest at a line that starts the next one (decision 0002), so the content of a
part does not depend on its surroundings: after an edit, only the parts around it are scanned.
Scanning finds the keys; entries are parsed on access.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from sys import intern
from typing import Final, NamedTuple

from ...model.edits import TextEdit
from ...model.spans import line_ends
from ..encoding import ANY_TEXT, line_ends_between, lines_before
from .comments import Hidden, comment_end, hidden_in
from .entry import (
    ENTRY_START,
    ENTRY_TYPES,
    KEY_BEHIND,
    MONTHS,
    NO_ENTRIES,
    Command,
    CommandFault,
    begins_entry,
    plain_fields,
    plain_title,
    read_command,
    starts_line,
)

#: Characters of a part: smaller parts make edits faster, but need more memory.
_SIZE: Final = 1 << 15
#: An `ENTRY_START`, and the key after it if it is an ordinary one.
_HEAD: Final = re.compile(r"""@\s*([A-Za-z][\w-]*)\s*(?:\{(?:\s*([^\s"(),={}]+)\s*,)?|\()""")
#: The beginning of a line that looks like an entry but is not followed by one, and space after it.
_BARE_HEAD: Final = re.compile(r"(@[ \t]*([A-Za-z]+))(?![\w.-])(?!\s*[{(])\s*")
_LINE_ENDS: Final = "\r\n"
#: Fields that relate an entry to keys other than its own, in lower-case text. Any Unicode space may
#: precede the ``=``.
_NAMING: Final = tuple(
    re.compile(name + rb"[\s\x1c-\x1f\x80-\xff]*[={\"]") for name in (b"crossref", b"xdata", b"ids")
)


class CheckedCommand(NamedTuple):
    """The faults of the command with an index, which is `length` characters long.

    `uses` are macros that are neither numbers nor months, by name and offset, if this is their
    first use in the part.
    """

    number: int
    length: int
    faults: tuple[CommandFault, ...]
    uses: tuple[tuple[str, int], ...]


class BareHead(NamedTuple):
    """The beginning of an entry, such as ``@article``, without the rest.

    `start` and `end` are offsets in the part; `end` is after the space that follows.
    """

    written: str
    start: int
    end: int
    lines_before: int


class Part:
    """A stretch of a file with the commands in it: entries, ``@string`` and ``@preamble``.

    `kinds`, `keys` and `starts` have an item for each command, in order: the word after the ``@``
    in lower case, the key (empty if there is none), and the offset of the ``@`` in code points. A
    command is parsed up to its limit: at most to the line that starts the next one.
    """

    def __init__(self, text: str, *, comments: bool) -> None:
        """Find the commands in a text that begins with one, or at the beginning of a file.

        With `comments`, some commands are commented out: see `Program`.
        """
        self.length = len(text)
        hidden = hidden_in(text, comments=comments)
        #: Whether a ``@comment{`` is not closed, as far as the part goes.
        self.is_open = hidden.is_open
        starts, kinds, keys = _blocks(text, hidden)
        limits = [*starts[1:], len(text)]
        spans = zip(starts, limits, strict=True)
        encoded = [text[start:end].encode(*ANY_TEXT) for start, end in spans]
        begins = list(accumulate(map(len, encoded), initial=0))
        ends = begins[1:]
        del begins[-1]
        # Backwards, because a block that must be parsed is replaced by the commands in it.
        for at in [at for at, key in enumerate(keys) if not key][::-1]:
            commands = _commands(text, starts[at], limits[at], hidden, comments=comments)
            found = list(commands) if kinds[at] else []
            sizes = _sizes(found, text, starts[at], limits[at])
            begins[at : at + 1], ends[at : at + 1] = (
                [begins[at] + size for size in column] for column in sizes
            )
            starts[at : at + 1] = [each.start for each in found]
            kinds[at : at + 1] = [intern(each.kind) for each in found]
            keys[at : at + 1] = [each.key for each in found]
        #: The text, encoded: half the memory, as one smart quote makes each character of a `str`
        #: two bytes wide.
        self.data = b"".join(encoded)
        self.kinds, self.keys = tuple(kinds), tuple(keys)
        self.starts = array("i", starts)
        #: The start and the limit of each command in `data`.
        self._begins, self._ends = array("i", begins), array("i", ends)

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def text(self) -> str:
        """The text of the part."""
        return self.data.decode(*ANY_TEXT)

    def written(self, index: int) -> bytes:
        """Return the encoded text from a command up to its limit."""
        return self.data[self._begins[index] : self._ends[index]]

    def lines_before(self, index: int) -> int:
        """Count the line ends before a command."""
        return self._lines_before[index]

    @cached_property
    def _lines_before(self) -> array[int]:
        """The line ends before each command: thousands may be in one line."""
        return lines_before(self.data, self._begins)

    def in_front(self, index: int) -> str:
        """Return the text before a command in its line, as far as it belongs to the part."""
        data, end = self.data, self._begins[index]
        start = max(data.rfind(b"\n", 0, end), data.rfind(b"\r", 0, end)) + 1
        return data[start:end].decode(*ANY_TEXT)

    @cached_property
    def lines(self) -> int:
        """The number of line ends."""
        return line_ends_between(self.data, 0, len(self.data))

    @cached_property
    def strings(self) -> tuple[int, ...]:
        """The indices of the ``@string`` commands."""
        return tuple(at for at, kind in enumerate(self.kinds) if kind == "string")

    @cached_property
    def naming(self) -> frozenset[int]:
        """The indices of entries that may inherit from others, or have more than one key."""
        lowered = self.data.lower()
        found = (match.start() for name in _NAMING for match in name.finditer(lowered))
        return frozenset(bisect_right(self._begins, at) - 1 for at in found) - {-1}

    @cached_property
    def checked(self) -> tuple[CheckedCommand, ...]:
        """The faults of the commands; slow, as all commands are parsed.

        Macros are not resolved here, and unknown ones are not faults; see `CheckedCommand.uses`.
        """
        return check(self, lambda _: MONTHS)

    @cached_property
    def bare_heads(self) -> tuple[BareHead, ...]:
        """Beginnings of entries without the rest: half typed, or without a brace."""
        text = self.text
        return tuple(
            BareHead(head[1], head.start(), head.end(), line_ends(text[: head.start()]))
            for head in _BARE_HEAD.finditer(text)
            if head[2].lower() in ENTRY_TYPES
            and starts_line(text, head.start())
            and not self._is_inside(head.start())
        )

    def _is_inside(self, offset: int) -> bool:
        """Return whether an offset is in a command, such as in a line of an abstract."""
        at = bisect_right(self.starts, offset) - 1
        return at >= 0 and offset < self.starts[at] + read(self.written(at), MONTHS).end


def read(written: bytes, known: Mapping[str, str]) -> Command:
    """Parse a command from the result of `Part.written`; `known` are the macros before it."""
    text = decoded(written)
    start = ENTRY_START.match(text)
    if start is None:
        raise ValueError("a command begins with an @")
    return read_command(text, start, len(text), known)


def fields_of(
    written: bytes, known: Mapping[str, str], *, title_only: bool = False
) -> dict[str, str]:
    """Return the fields of a command as `read` does, most of them faster.

    If the title is enough, other fields may be missing.
    """
    text = decoded(written)
    head = _HEAD.match(text)
    if head is not None and head[2] and head[1].lower() not in NO_ENTRIES:
        if title_only and (title := plain_title(text, head.end())) is not None:
            return {"title": title}
        fields = plain_fields(text, head.end(), known)
        if fields is not None:
            return fields
    return read(written, known).body.fields


def check(part: Part, macros: Callable[[int], Mapping[str, str]]) -> tuple[CheckedCommand, ...]:
    """Find the faults of a part's commands; `macros` returns those before a command."""
    used: set[str] = set()
    commands = (read(part.written(at), macros(at)) for at in range(len(part)))
    found = (_checked(command, at, used) for at, command in enumerate(commands))
    return tuple(each for each in found if each is not None)


def decoded(written: bytes) -> str:
    """Decode the result of `Part.written`."""
    return written.decode(*ANY_TEXT)


def scanned(text: str, *, comments: bool) -> Iterator[Part]:
    """Yield the parts of a text that begins with an entry, or at the beginning of a file."""
    hidden = hidden_in(text, comments=comments)
    start = 0
    while start < len(text):
        begun = ENTRY_START.finditer(text, start + _SIZE)
        ends = (head.start() for head in begun if begins_entry(text, head))
        end = next((at for at in ends if not hidden.covers(at)), len(text))
        yield Part(text[start:end], comments=comments)
        start = end


def with_edit(parts: Sequence[Part], edit: TextEdit, *, comments: bool) -> tuple[Part, ...]:
    """Return the parts of a text after an edit; unedited parts remain the same objects."""
    if not parts:
        return tuple(scanned(edit.text, comments=comments))
    begins = [0, *accumulate(part.length for part in parts)]
    last = len(parts) - 1
    first = min(bisect_right(begins, edit.span.start) - 1, last)
    behind = min(bisect_right(begins, edit.span.end) - 1, last) + 1
    text = "".join(part.text for part in parts[first:behind])
    start, end = edit.span.start - begins[first], edit.span.end - begins[first]
    new = f"{text[:start]}{edit.text}{text[end:]}"
    return _spliced(parts, first, behind, new, comments=comments)


def with_text(parts: Sequence[Part], text: str, *, comments: bool) -> tuple[Part, ...]:
    """Return the parts of another text; common parts remain the same objects."""
    first = begin = 0
    while first < len(parts) and _stands_at(parts[first], text, begin):
        begin += parts[first].length
        first += 1
    behind, end = len(parts), len(text)
    while behind > first:
        start = end - parts[behind - 1].length
        if start < begin or not _stands_at(parts[behind - 1], text, start):
            break
        behind, end = behind - 1, start
    if first == behind and begin == end:
        return tuple(parts)
    return _spliced(parts, first, behind, text[begin:end], comments=comments)


def _stands_at(part: Part, text: str, begin: int) -> bool:
    return text[begin : begin + part.length].encode(*ANY_TEXT) == part.data


def _spliced(
    parts: Sequence[Part], first: int, behind: int, text: str, *, comments: bool
) -> tuple[Part, ...]:
    """Return parts with a text in place of those from `first` to before `behind`."""
    # A comment that is not closed yet may end anywhere.
    opened = next((at for at, part in enumerate(parts[:first]) if part.is_open), first)
    text, first = "".join(part.text for part in parts[opened:first]) + text, opened
    if hidden_in(text, comments=comments).is_open:
        text, behind = text + "".join(part.text for part in parts[behind:]), len(parts)
    # The part after the text may no longer start a line, or the text may not start an entry; only
    # the first part of a file may have other text before its entries.
    while behind < len(parts) and text and not _may_follow(text, parts[behind].text):
        text += parts[behind].text
        behind += 1
    while first and text and not _may_follow(parts[first - 1].text, text):
        first -= 1
        text = parts[first].text + text
    return (*parts[:first], *scanned(text, comments=comments), *parts[behind:])


def _may_follow(before: str, text: str) -> bool:
    """Return whether a text after another one begins with an entry at the start of a line."""
    head = ENTRY_START.match(text)
    return head is not None and begins_entry(text, head) and starts_line(before, len(before))


def _blocks(text: str, hidden: Hidden) -> tuple[list[int], list[str], list[str]]:
    """Return where lines start entries, with kinds and keys; first the text before them, if any.

    The key is empty if the block must be parsed for it, the kind if no command begins there.
    """
    starts, kinds, keys = [0], [""], [""]
    for head in _HEAD.finditer(text):
        start = head.start()
        if hidden.starts and hidden.covers(start):
            continue
        kind, key = head.groups()
        is_first = not start or text[start - 1] in _LINE_ENDS or starts_line(text, start)
        if is_first and (
            key or text[head.end() - 1] == "{" or KEY_BEHIND.match(text, head.end()) is not None
        ):
            kind = intern(kind.lower())
            starts.append(start)
            kinds.append(kind)
            keys.append(key if key and kind not in NO_ENTRIES else "")
        else:
            # More than one command may begin here, or a value contains what looks like one.
            kinds[-1], keys[-1] = kinds[-1] or "comment", ""
    return starts, kinds, keys


def _commands(
    text: str, start: int, limit: int, hidden: Hidden, *, comments: bool
) -> Iterator[Command]:
    """Parse and yield the commands between two offsets."""
    while (head := ENTRY_START.search(text, start, limit)) is not None:
        if comments and (end := comment_end(text, start, head.start())) is not None:
            start = end
            continue
        if head[1].lower() == "comment":
            # BibTeX skips only the word and continues after it.
            start = hidden.end(head.start()) or head.end()
            continue
        command = read_command(text, head, limit, {})
        yield command
        start = command.end


def _sizes(
    commands: Sequence[Command], text: str, start: int, limit: int
) -> tuple[list[int], list[int]]:
    """Return the number of bytes from `start` to each command, and to its limit.

    The limit is the end of the command if the text after it does not matter: otherwise, each of
    thousands of entries in one line would be parsed with everything after it.
    """
    begins: list[int] = []
    ends: list[int] = []
    size, last, whole = 0, start, len(text[start:limit].encode(*ANY_TEXT))
    for each in commands:
        written = text[each.start : each.end]
        size, last = size + len(text[last : each.start].encode(*ANY_TEXT)), each.start
        begins.append(size)
        alone = read(written.encode(*ANY_TEXT), {})
        is_same = _content(alone) == _content(each)
        ends.append(size + len(written.encode(*ANY_TEXT)) if is_same else whole)
    return begins, ends


def _content(command: Command) -> tuple[object, ...]:
    """Return what a command has and what is wrong with it, with offsets from its beginning."""
    body = command.body
    told = [*((fault.offset, fault.message) for fault in body.faults), *body.undefined]
    places = [(at - command.start, what) for at, what in told]
    return command.key, command.end - command.start, body.fields, places


def _checked(command: Command, index: int, used: set[str]) -> CheckedCommand | None:
    body, uses = command.body, []
    for offset, name in body.undefined:
        if name.lower() not in used:
            used.add(name.lower())
            uses.append((name, offset))
    faults = body.faults
    if any(fault.message.endswith(" is not closed") for fault in faults):
        # If a value is not closed, neither is its entry.
        faults = [fault for fault in faults if fault.message != "not closed"]
    told: dict[str, CommandFault] = {}
    for fault in faults:
        told.setdefault(fault.message, fault)
    if not (told or uses):
        return None
    return CheckedCommand(index, command.end, tuple(told.values()), tuple(uses))
