"""Parse one entry of a bibliography, with recovery from errors.

Braces count even after a backslash, as in BibTeX; escaped braces are taken for text only if the
entry cannot be parsed otherwise.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final, NamedTuple

from ...model.bibliographies import FaultKind

#: The values of macros that every bibliography style defines.
MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
#: The macros for journals of BibTeX's own styles, from which most others are made.
JOURNALS: Final = {
    "acmcs": "ACM Computing Surveys",
    "acta": "Acta Informatica",
    "cacm": "Communications of the ACM",
    "ibmjrd": "IBM Journal of Research and Development",
    "ibmsj": "IBM Systems Journal",
    "ieeese": "IEEE Transactions on Software Engineering",
    "ieeetc": "IEEE Transactions on Computers",
    "ieeetcad": "IEEE Transactions on Computer-Aided Design of Integrated Circuits",
    "ipl": "Information Processing Letters",
    "jacm": "Journal of the ACM",
    "jcss": "Journal of Computer and System Sciences",
    "scp": "Science of Computer Programming",
    "sicomp": "SIAM Journal on Computing",
    "tcs": "Theoretical Computer Science",
    "tocs": "ACM Transactions on Computer Systems",
    "tods": "ACM Transactions on Database Systems",
    "tog": "ACM Transactions on Graphics",
    "toms": "ACM Transactions on Mathematical Software",
    "toois": "ACM Transactions on Office Information Systems",
    "toplas": "ACM Transactions on Programming Languages and Systems",
}
# Parsing an entry stops after this many faults, which bounds its time.
_MAX_FAULTS: Final = 20
# Macros that double in length with every line would fill any memory.
_MAX_JOINED: Final = 50_000
#: Commands that are not entries.
NO_ENTRIES: Final = frozenset(("comment", "preamble", "string"))
CLOSING: Final[dict[str, str]] = {"{": "}", "(": ")"}
_NAME: Final = r"""[^\s"#%'(),={}]+"""
#: The beginning of a command, and the key behind it if it is an ordinary one.
HEAD: Final = re.compile(r"""@\s*([A-Za-z][\w-]*)\s*([{(])(?=(?:\s*([^\s"(),={}]+)\s*,)?)""")
_KEY_IN: Final[dict[str, re.Pattern[str]]] = {
    "{": re.compile(r"\s*([^\s,={}]*(?:[ \t]+[^\s,={}]+)*)\s*"),
    "(": re.compile(r"\s*([^\s,={})]*(?:[ \t]+[^\s,={})]+)*)\s*"),
}
#: The rest of a key with an equals sign, as all programs but biber read it.
_KEY_FROM_EQUALS: Final = re.compile(r"""(?:=[^\s,={}()"#]+)+(?=\s*,)""")
#: What is more likely a field behind a forgotten key.
_FIELD_FOR_KEY: Final = re.compile(
    r"(?:author|editor|title|year|date|month|volume|number|pages|edition|note|key)\Z", re.IGNORECASE
)
_KEY_BEHIND: Final = re.compile(r"\s*[^\s,={}()]+\s*[,=]")
_BRACED: Final = r"[^{}]*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}[^{}]*)*"
_QUOTED: Final = r'[^"{}]*(?:\{[^{}]*\}[^"{}]*)*'
# Nearly all fields: one value, braces at most three deep, then a comma or the end of the entry.
_PLAIN_FIELD: Final = re.compile(
    rf"""[\s,]*({_NAME})\s*=\s*(\{{({_BRACED})\}}|"({_QUOTED})"|({_NAME}))\s*(?:,|(?=[}})]))"""
)
#: Titles, and a field in one: a brace of the title is closed too late.
_TITLES: Final = frozenset(("title", "subtitle", "titleaddon"))
_FIELD_IN_TITLE: Final = re.compile(
    r"""(?:^|[\s,{])([A-Za-z][\w-]{2,}\s*=)\s*\{|,\s*([A-Za-z][\w-]{2,}\s*=)\s*["\d]"""
)
_READS_ON: Final = re.compile(r"""\s*,\s*[A-Za-z][\w-]*\s*=\s*["{\w]""")
_TO_LINE_END: Final = re.compile(r"[^\r\n]*")
_SEPARATORS: Final = re.compile(r"[\s,]*")
_SPACE: Final = re.compile(r"\s*")
_FIELD_NAME: Final = re.compile(rf"""({_NAME})\s*(?:(=)\s*|(?=[{{"]))""")
_BARE: Final = re.compile(_NAME)
# What may follow a value, by the delimiter that closes the entry.
_BEHIND_VALUE: Final[dict[str, re.Pattern[str]]] = {
    closing: re.compile(rf"\s*(?:[,#}}{closing}]|{_NAME}\s*=)") for closing in "})"
}
_BEHIND_QUOTE: Final[dict[str, re.Pattern[str]]] = {
    closing: re.compile(
        rf"\s*(?:,\s*(?:[,}}%{closing}]|{_NAME}\s*=|\Z)|[}}{closing}]"
        rf'|#\s*["{{\w]|{_NAME}\s*=|\Z)'
    )
    for closing in "})"
}
_FIELD_LINE: Final = re.compile(r"""[\r\n][ \t]*[A-Za-z][\w-]*[ \t]*=\s*["{\w]""")
BRACES: Final = re.compile(r"[{}]")
_UNESCAPED_BRACES: Final = re.compile(r"\\.|[{}]", re.DOTALL)
_BRACES_OR_QUOTE: Final = re.compile(r'[{}"]')
_UNQUOTED_END: Final = re.compile(r"[,{}\r\n]")
_JUNK_END: Final = re.compile(rf"[,{{}})]|[\r\n](?=[ \t]*{_NAME}[ \t]*=)")

#: The values of macros, each with the number of the ``@string`` that defines it, in order; macros
#: that are defined before the file have the number 0.
Macros = dict[str, list[tuple[int, str]]]


class CommandFault(NamedTuple):
    """A fault in a command, at an `offset` of it."""

    message: str
    offset: int
    kind: FaultKind


@dataclass(slots=True)
class Command:
    """A command, which begins with ``@``: an entry, macros or a preamble; offsets are from there.

    `kind` is in lower case. `key` is empty for an entry without key, and for other commands.
    `places` are the names of all fields, repeated ones included, and where their values are;
    `undefined` are macros that have no value.
    """

    kind: str
    key: str = ""
    key_start: int = 0
    end: int = 1
    fields: dict[str, str] = field(default_factory=dict)
    places: list[tuple[str, int, int]] = field(default_factory=list)
    faults: list[CommandFault] = field(default_factory=list)
    undefined: list[tuple[str, int]] = field(default_factory=list)


def starts_line(text: str, offset: int) -> bool:
    """Return whether there is only space before `offset` in its line."""
    while offset and text[offset - 1] in " \t":
        offset -= 1
    return offset == 0 or text[offset - 1] in "\r\n"


def begins_entry(text: str, head: re.Match[str]) -> bool:
    """Return whether a broken entry before a `HEAD` must end there."""
    # Prose in a value may have a line such as "@ann (a reader)".
    begins = head[2] == "{" or _KEY_BEHIND.match(text, head.end()) is not None
    return begins and starts_line(text, head.start())


def closing_brace(braces: re.Pattern[str], text: str, position: int, limit: int) -> int | None:
    """Return the offset after the brace that closes the one at `position`, if there is one."""
    depth = 0
    for brace in braces.finditer(text, position, limit):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0 and brace[0] == "}":
            return brace.end()
    return None


def plain_value(text: str, name: str) -> str | None:
    """Return the value of the first field with a name, if it and all before it are plain."""
    head = HEAD.match(text)
    position = head.end(3) if head is not None and head[2] == "{" else -1
    while position >= 0 and (plain := _PLAIN_FIELD.match(text, position)) is not None:
        if plain[1].lower() == name:
            return plain[4] if plain[3] is None else plain[3]
        position = plain.end()
    return None


def read_command(
    text: str, head: re.Match[str], limit: int, macros: Macros, definitions: int
) -> Command:
    """Parse the command at a `HEAD`, after so many definitions of `macros`, up to `limit`."""
    return _Reader(text, head, limit, macros, definitions).command


class _Reader:
    """One pass over a command; a method that reads something returns where it ends."""

    def __init__(
        self, text: str, head: re.Match[str], limit: int, macros: Macros, definitions: int
    ) -> None:
        self.text, self.limit, self.macros, self.definitions = text, limit, macros, definitions
        self.base, self.closing = head.start(), CLOSING[head[2]]
        self.repeated: set[str] = set()
        self.patience = _MAX_FAULTS
        self.command = command = Command(head[1].lower())
        if command.kind == "preamble":
            _, end = self.value(head.end(), "preamble")
            end = self.skip(_SPACE, end) + 1
            if self.at(end - 1) != self.closing:
                self.fault(end - 1, "not closed", "not closed")
                end = limit
        elif command.kind == "string":
            end = self.read(head.end())
        else:
            command.key, start = self.key(head.end(), head[2])
            end = self.read(start)
            if not command.key:
                self.note(self.base, "no citation key, so it cannot be cited")
        command.key_start = text.find(command.key, head.end()) - self.base
        command.end = end - self.base

    def fault(self, offset: int, message: str, kind: FaultKind = "other") -> None:
        """Record a syntax fault; parsing stops after too many of them."""
        self.note(offset, message, kind)
        self.patience -= 1

    def note(self, offset: int, message: str, kind: FaultKind = "other") -> None:
        self.command.faults.append(CommandFault(message, offset - self.base, kind))

    def at(self, position: int) -> str:
        return self.text[position] if position < self.limit else ""

    def skip(self, pattern: re.Pattern[str], position: int) -> int:
        match = pattern.match(self.text, position, self.limit)
        return match.end() if match else position

    def key(self, position: int, opening: str) -> tuple[str, int]:
        match = _KEY_IN[opening].match(self.text, position, self.limit)
        assert match is not None  # it matches the empty string
        key, position = match[1], match.end()
        behind = self.at(position)
        rest = _KEY_FROM_EQUALS.match(self.text, match.end(1), self.limit)
        if key and rest is not None and " " not in key and not _FIELD_FOR_KEY.match(key):
            return key + rest[0], self.skip(_SPACE, rest.end())
        if behind == "=":
            # "@book{title = ..." has no key, "@book{key title = ..." no comma after it.
            last = match.start(1) + max(key.rfind(" "), key.rfind("\t")) + 1
            key, position = self.text[match.start(1) : last].rstrip(), last
        if key and behind not in (",", self.closing, ""):
            self.fault(position, "no comma after the key", "no comma")
        return key, position

    def read(self, position: int) -> int:
        """Parse fields to the end of the entry."""
        text, limit, plain_field = self.text, self.limit, _PLAIN_FIELD.match
        while self.patience > 0:
            if plain := plain_field(text, position, limit):
                name, _, value, quoted, bare = plain.groups()
                if bare is not None:
                    value = self.expand(bare, plain.start(5))
                self.add(name, quoted if value is None else value, position, plain.span(2))
                position = plain.end()
                continue
            last, position = position, self.skip(_SEPARATORS, position)
            if position >= limit:
                self.fault(last, "not closed", "not closed")
                return limit
            if text[position] not in (self.closing, "}"):
                position = self.field(position)
                continue
            if not _READS_ON.match(text, position + 1, limit):
                if text[position] != self.closing:
                    self.fault(position, "opened with ( but closed with }")
                return position + 1
            self.fault(position, "one closing brace too many", "extra brace")
            position += 1
        self.fault(position, "too many faults; the rest of the entry was skipped")
        return limit

    def add(self, name: str, value: str, position: int, span: tuple[int, int]) -> None:
        """Store a value under its name, unless there is one already."""
        name, command, base = name.lower(), self.command, self.base
        command.places.append((name, span[0] - base, span[1] - base))
        message = ""
        if name not in command.fields:
            command.fields[name] = value
            if name not in _TITLES or "=" not in value:
                return
            inside = _FIELD_IN_TITLE.search(value)
            # A value that is not closed is reported as such.
            if inside and not any("is not closed" in fault.message for fault in command.faults):
                found = inside[1] or inside[2]
                message = (
                    f"“{found}” is inside the {name}, which has a brace that is closed too late"
                )
        elif name not in self.repeated:
            self.repeated.add(name)
            message = f"field {name} is given twice"
        if message:
            self.note(self.skip(_SEPARATORS, position), message)

    def expand(self, bare: str, offset: int) -> str:
        """Return a number unchanged and a macro's value, or its name if it has none."""
        if bare.isdigit():
            return bare
        values = self.macros.get(bare.lower(), ())
        if defined := bisect_right(values, self.definitions, key=itemgetter(0)):
            return values[defined - 1][1]
        if not bare.startswith("IEEE_"):  # TeX's own IEEEabrv.bib defines them
            self.command.undefined.append((bare, offset - self.base))
        return bare

    def field(self, position: int) -> int:
        """Parse one field of any form, or skip other text."""
        if self.at(position) == "%":
            return self.skip_comment(position)
        match = _FIELD_NAME.match(self.text, position, self.limit)
        if match is None:
            self.fault(position, "text that is not a field")
            return self.skip_junk(position)
        name = match[1]
        if match[2] is None:
            self.fault(position, f"no = after {name}")
        start = match.end()
        value, end = self.value(start, name)
        self.add(name, value, position, (start, end))
        behind = self.skip(_SPACE, end)
        while self.at(behind) == "%":
            behind = self.skip(_SPACE, self.skip_comment(behind))
        if self.at(behind) in (",", self.closing, "}", ""):
            return behind
        self.fault(behind, f"no comma after the value of {name}", "no comma")
        is_field = _FIELD_NAME.match(self.text, behind, self.limit)
        return behind if is_field else self.skip_junk(behind)

    def skip_comment(self, position: int) -> int:
        """Skip to the end of the line; only to biber, its text is a comment."""
        self.note(position, "in BibTeX, % does not begin a comment inside an entry", "comment")
        return self.skip(_TO_LINE_END, position)

    def skip_junk(self, position: int) -> int:
        """Skip from `position` to where the next field or the end of the entry may be."""
        depth = 0
        for mark in _JUNK_END.finditer(self.text, position, self.limit):
            sign = mark[0]
            if sign == "{":
                depth += 1
            elif sign == "}" and depth:
                depth -= 1
            elif sign in "\r\n" or (depth == 0 and sign in (",", "}", self.closing)):
                return mark.start()
        return self.limit

    def value(self, position: int, name: str) -> tuple[str, int]:
        """Parse a value of parts joined with `#`."""
        parts: list[str] = []
        while True:
            position = self.skip(_SPACE, position)
            read = {"{": self.braced, '"': self.quoted}.get(self.at(position), self.bare)
            part, position = read(position, name)
            parts.append(part)
            behind = self.skip(_SPACE, position)
            if self.at(behind) != "#":
                break
            position = behind + 1
        joined = "".join(parts)
        if len(parts) > 1 and len(joined) > _MAX_JOINED:
            # The values of macros do not affect where the entry ends.
            self.note(position, f"value of {name} is longer than {_MAX_JOINED} characters")
            joined = joined[:_MAX_JOINED]
        return joined, position

    def bare(self, position: int, name: str) -> tuple[str, int]:
        """Parse a number, a macro, or text without delimiters."""
        text, limit = self.text, self.limit
        match = _BARE.match(text, position, limit)
        if match is None:
            self.fault(position, f"no value for {name}")
            return "", position
        is_commented = self.at(self.skip(_SPACE, match.end())) == "%"
        if is_commented or _BEHIND_VALUE[self.closing].match(text, match.end(), limit):
            return self.expand(match[0], position), match.end()
        end = _UNQUOTED_END.search(text, position, limit)
        stop = end.start() if end else limit
        value = text[position:stop].strip()
        if value == match[0]:
            return self.expand(value, position), stop
        self.fault(position, f"value of {name} is in neither braces nor quotes")
        return value, stop

    def braced(self, position: int, name: str) -> tuple[str, int]:
        """Parse a value in braces; if BibTeX's brace count fails, parse the probable intent."""
        text, limit = self.text, self.limit
        behind = _BEHIND_VALUE[self.closing]
        end = closing_brace(BRACES, text, position, limit)
        if end is not None and behind.match(text, end, limit):
            return text[position + 1 : end - 1], end
        likely = closing_brace(_UNESCAPED_BRACES, text, position, limit)
        if likely is not None and likely != end and behind.match(text, likely, limit):
            self.fault(position, f"unmatched escaped brace in {name}")
            return text[position + 1 : likely - 1], likely
        # It consumed the entry's closing brace: end it at the next line that looks like a field.
        if end is None or not text[end:limit].strip():
            # A brace is missing here or, if nothing in the value looks like a field, at the end.
            at_end = end is not None and "=" not in text[position:end]
            return self.unclosed(position, name, "not closed" if at_end else "other")
        return text[position + 1 : end - 1], end

    def quoted(self, position: int, name: str) -> tuple[str, int]:
        """Parse a value in quotes; the text after each quote decides whether it ends the value."""
        depth, stray = 0, False
        for mark in _BRACES_OR_QUOTE.finditer(self.text, position + 1, self.limit):
            if mark[0] != '"':
                depth += 1 if mark[0] == "{" else -1
                if depth < 0:
                    break
            elif depth == 0:
                if _BEHIND_QUOTE[self.closing].match(self.text, mark.end(), self.limit):
                    if stray:
                        self.fault(position, f"quotes inside the quoted value of {name}")
                    return self.text[position + 1 : mark.start()], mark.end()
                stray = True
        return self.unclosed(position, name)

    def unclosed(self, position: int, name: str, kind: FaultKind = "other") -> tuple[str, int]:
        """Cut an unclosed value at the next line that looks like a field."""
        self.fault(position, f"value of {name} is not closed", kind)
        line = _FIELD_LINE.search(self.text, position + 1, self.limit)
        end = line.start() if line else self.limit
        value = self.text[position + 1 : end].rstrip().rstrip(",")
        if line:
            # A comma at the end of the cut value belongs to the entry.
            return value, end - 1 if self.text[end - 1] == "," else end
        # A closing delimiter at the end belongs to the entry.
        last = position + len(self.text[position:end].rstrip()) - 1
        is_closing = last > position and self.text[last] == self.closing
        value = value.rstrip("})").rstrip().rstrip(",")
        return value, last if is_closing else end
