"""Parse one entry of a bibliography, with recovery from errors.

Braces count even after a backslash, as in BibTeX; escaped braces are taken for text only if the
entry cannot be parsed otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from ...model.bibliographies import FaultKind

#: Macros that every bibliography style defines.
MONTHS: Final[dict[str, str]] = {
    "jan": "January",
    "feb": "February",
    "mar": "March",
    "apr": "April",
    "may": "May",
    "jun": "June",
    "jul": "July",
    "aug": "August",
    "sep": "September",
    "oct": "October",
    "nov": "November",
    "dec": "December",
}

# Parsing an entry stops after this many faults, which bounds its time.
_MAX_FAULTS: Final = 20
# Macros that double in length with every line would fill any memory.
MAX_JOINED: Final = 50_000

NAME: Final = r"""[^\s"#%'(),={}]+"""
ENTRY_START: Final = re.compile(r"@\s*([A-Za-z][\w-]*)\s*([{(])")
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
CLOSING: Final[dict[str, str]] = {"{": "}", "(": ")"}
KEY_BEHIND: Final = re.compile(r"\s*[^\s,={}()]+\s*[,=]")
_BRACED: Final = r"[^{}]*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}[^{}]*)*"
_QUOTED: Final = r'[^"{}]*(?:\{[^{}]*\}[^"{}]*)*'
# Nearly all fields: one value, braces at most three deep, then a comma or the end of the entry.
_PLAIN_FIELD: Final = re.compile(
    rf"""[\s,]*({NAME})\s*=\s*(?:\{{({_BRACED})\}}|"({_QUOTED})"|({NAME}))\s*(?:,|(?=[}})]))"""
)
#: Titles, and a field in one: a brace of the title is closed too late.
_TITLES: Final = frozenset(("title", "subtitle", "titleaddon"))
_FIELD_IN_TITLE: Final = re.compile(
    r"""(?:^|[\s,{])([A-Za-z][\w-]{2,}\s*=)\s*\{|,\s*([A-Za-z][\w-]{2,}\s*=)\s*["\d]"""
)
_READS_ON: Final = re.compile(r"""\s*,\s*[A-Za-z][\w-]*\s*=\s*["{\w]""")
#: Commands that are not entries.
NO_ENTRIES: Final = frozenset(("comment", "preamble", "string"))
#: The citable entry types of BibTeX's standard styles and biblatex.
ENTRY_TYPES: Final = frozenset(
    (
        *("article", "artwork", "audio", "bibnote", "book", "bookinbook", "booklet", "collection"),
        *("commentary", "conference", "dataset", "electronic", "image", "inbook", "incollection"),
        *("inproceedings", "inreference", "jurisdiction", "legal", "legislation", "letter"),
        *("manual", "mastersthesis", "misc", "movie", "music", "mvbook", "mvcollection"),
        *("mvproceedings", "mvreference", "online", "patent", "performance", "periodical"),
        *("phdthesis", "proceedings", "reference", "report", "review", "set", "software"),
        *("standard", "suppbook", "suppcollection", "suppperiodical", "techreport", "thesis"),
        *("unpublished", "video", "www", "xdata"),
    )
)
_TO_LINE_END: Final = re.compile(r"[^\r\n]*")
_SEPARATORS: Final = re.compile(r"[\s,]*")
_SPACE: Final = re.compile(r"\s*")
_FIELD_NAME: Final = re.compile(rf"""({NAME})\s*(?:(=)\s*|(?=[{{"]))""")
_BARE: Final = re.compile(NAME)
# What may follow a value, by the delimiter that closes the entry.
_BEHIND_VALUE: Final[dict[str, re.Pattern[str]]] = {
    closing: re.compile(rf"\s*(?:[,#}}{closing}]|{NAME}\s*=)") for closing in "})"
}
_BEHIND_QUOTE: Final[dict[str, re.Pattern[str]]] = {
    closing: re.compile(
        rf"\s*(?:,\s*(?:[,}}%{closing}]|{NAME}\s*=|\Z)|[}}{closing}]"
        rf'|#\s*["{{\w]|{NAME}\s*=|\Z)'
    )
    for closing in "})"
}
_FIELD_LINE: Final = re.compile(r"""[\r\n][ \t]*[A-Za-z][\w-]*[ \t]*=\s*["{\w]""")
BRACES: Final = re.compile(r"[{}]")
_UNESCAPED_BRACES: Final = re.compile(r"\\.|[{}]", re.DOTALL)
_BRACES_OR_QUOTE: Final = re.compile(r'[{}"]')
_UNQUOTED_END: Final = re.compile(r"[,{}\r\n]")
_JUNK_END: Final = re.compile(rf"[,{{}})]|[\r\n](?=[ \t]*{NAME}[ \t]*=)")


def begins_entry(text: str, start: re.Match[str]) -> bool:
    """Return whether a broken entry before `start`, an `ENTRY_START`, must end there.

    Prose in a value may have a line such as ``@ann (a reader)``, so a parenthesis needs more.
    """
    if not starts_line(text, start.start()):
        return False
    return start[2] == "{" or KEY_BEHIND.match(text, start.end()) is not None


def starts_line(text: str, offset: int) -> bool:
    """Return whether there is only space before `offset` in its line."""
    while offset and text[offset - 1] in " \t":
        offset -= 1
    return offset == 0 or text[offset - 1] in "\r\n"


class CommandFault(NamedTuple):
    """A fault in a command, at an `offset` of the text that was read."""

    message: str
    offset: int
    kind: FaultKind


class Command(NamedTuple):
    """A command, which begins with ``@``: an entry, macros or a preamble.

    `kind` is in lower case. `key` is empty for an entry without key, and for other commands.
    `undefined` are macros that have no value.
    """

    kind: str
    key: str
    key_start: int
    end: int
    fields: dict[str, str]
    #: The name of each field, repeated ones included, and where the field begins.
    names: list[tuple[str, int]]
    faults: list[CommandFault]
    undefined: list[tuple[str, int]]

    def moved(self, by: int) -> Command:
        """Return the command in a text that begins earlier."""
        return self._replace(
            key_start=self.key_start + by,
            end=self.end + by,
            names=[(name, offset + by) for name, offset in self.names],
            faults=[fault._replace(offset=fault.offset + by) for fault in self.faults],
            undefined=[(name, offset + by) for name, offset in self.undefined],
        )


#: Returns the value of a macro, by its name in lower case.
Macro = Callable[[str], str | None]


def read_command(text: str, start: re.Match[str], limit: int, macro: Macro) -> Command:
    """Parse the command at an `ENTRY_START`, up to `limit`; it must not be a ``@comment``.

    `macro` knows what is defined before it.
    """
    return EntryReader(text, limit, CLOSING[start[2]], macro).command(start)


class EntryReader:
    """Parses the text between the delimiters of one entry; reads nothing from `limit` on."""

    __slots__ = (
        *("closing", "faults", "fields", "limit", "macro", "names", "patience", "repeated"),
        *("text", "undefined"),
    )

    def __init__(self, text: str, limit: int, closing: str, macro: Macro) -> None:
        self.text = text
        self.limit = limit
        self.closing = closing
        self.macro = macro
        self.fields: dict[str, str] = {}
        self.faults: list[CommandFault] = []
        self.names: list[tuple[str, int]] = []
        self.undefined: list[tuple[str, int]] = []
        self.repeated: set[str] = set()
        self.patience = _MAX_FAULTS

    def command(self, start: re.Match[str]) -> Command:
        """Parse the command at an `ENTRY_START`; it must not be a ``@comment``."""
        command, key, position = start[1].lower(), "", start.end()
        if command == "preamble":
            end = self.preamble(position)
        elif command == "string":
            end = self.read(position)
        else:
            key, position = self.key(position, start[2])
            end = self.read(position)
            if not key:
                self.note(start.start(), "no citation key, so it cannot be cited")
        return Command(
            command,
            key,
            self.text.find(key, start.end()),
            end,
            self.fields,
            self.names,
            self.faults,
            self.undefined,
        )

    def fault(self, offset: int, message: str, kind: FaultKind = "other") -> None:
        """Record a syntax fault at `offset`; parsing stops after too many of them."""
        self.note(offset, message, kind)
        self.patience -= 1

    def note(self, offset: int, message: str, kind: FaultKind = "other") -> None:
        """Record what is wrong at `offset`."""
        self.faults.append(CommandFault(message, offset, kind))

    def at(self, position: int) -> str:
        """Return the character at `position`, empty at the limit."""
        return self.text[position] if position < self.limit else ""

    def skip(self, pattern: re.Pattern[str], position: int) -> int:
        """Return the offset after the match of `pattern` at `position`."""
        match = pattern.match(self.text, position, self.limit)
        return match.end() if match else position

    def key(self, position: int, opening: str) -> tuple[str, int]:
        """Parse the citation key; return it with the offset where the fields start."""
        match = _KEY_IN[opening].match(self.text, position, self.limit)
        if match is None:  # the pattern also matches nothing
            return "", position
        key, position = match[1], match.end()
        behind = self.at(position)
        rest = _KEY_FROM_EQUALS.match(self.text, match.end(1), self.limit)
        if key and rest is not None and " " not in key and not _FIELD_FOR_KEY.match(key):
            return key + rest.group(), self.skip(_SPACE, rest.end())
        if behind == "=":
            # "@book{title = ..." has no key, "@book{key title = ..." no comma after it.
            last = match.start(1) + max(key.rfind(" "), key.rfind("\t")) + 1
            key, position = self.text[match.start(1) : last].rstrip(), last
        if key and behind not in (",", self.closing, ""):
            self.fault(position, "no comma after the key", "no comma")
        return key, position

    def preamble(self, position: int) -> int:
        """Skip the text of a `@preamble`; return the offset after it."""
        _, position = self.value(position, "preamble")
        position = self.skip(_SPACE, position)
        if self.at(position) == self.closing:
            return position + 1
        self.fault(position, "not closed", "not closed")
        return self.limit

    def read(self, position: int) -> int:
        """Parse fields to the end of the entry; return the offset after it."""
        text, limit = self.text, self.limit
        while self.patience > 0:
            plain = _PLAIN_FIELD.match(text, position, limit)
            if plain:
                name, braced, quoted, bare = plain.groups()
                value = braced if quoted is None else quoted
                value = self.expand(bare, plain.start(4)) if value is None else value
                self.keep(name, value, position)
                position = plain.end()
                continue
            last, position = position, self.skip(_SEPARATORS, position)
            if position >= limit:
                self.fault(last, "not closed", "not closed")
                return limit
            if text[position] == self.closing or text[position] == "}":
                if not _READS_ON.match(text, position + 1, limit):
                    if text[position] != self.closing:
                        self.fault(position, "opened with ( but closed with }")
                    return position + 1
                self.fault(position, "one closing brace too many", "extra brace")
                position += 1
            else:
                position = self.field(position)
        self.fault(position, "too many faults; the rest of it is left out")
        return limit

    def keep(self, name: str, value: str, position: int) -> None:
        """Store a value under its name, unless there is one already."""
        name = name.lower()
        self.names.append((name, position))
        if name not in self.fields:
            self.fields[name] = value
            inside = _FIELD_IN_TITLE.search(value) if name in _TITLES else None
            # A value that is not closed is told as such.
            if inside is not None and not any(
                "is not closed" in fault.message for fault in self.faults
            ):
                field = inside[1] or inside[2]
                message = f"“{field}” is in the {name}, of which a brace is closed too late"
                self.note(self.skip(_SEPARATORS, position), message)
        elif name not in self.repeated:
            self.repeated.add(name)
            self.note(self.skip(_SEPARATORS, position), f"field {name} is given twice")

    def expand(self, bare: str, offset: int) -> str:
        """Return a number unchanged and a macro's value, or its name if it has none."""
        if bare.isdigit():
            return bare
        value = self.macro(bare.lower())
        if value is None:
            self.undefined.append((bare, offset))
            return bare
        return value

    def field(self, position: int) -> int:
        """Parse one field of any form, or skip other text; return the offset after it."""
        if self.at(position) == "%":
            return self.skip_comment(position)
        match = _FIELD_NAME.match(self.text, position, self.limit)
        if match is None:
            self.fault(position, "text that is no field")
            return self.skip_junk(position)
        name = match[1]
        if match[2] is None:
            self.fault(position, f"no = after {name}")
        value, behind = self.value(match.end(), name)
        self.keep(name, value, position)
        behind = self.skip(_SPACE, behind)
        while self.at(behind) == "%":
            behind = self.skip(_SPACE, self.skip_comment(behind))
        if self.at(behind) in (",", self.closing, "}", ""):
            return behind
        self.fault(behind, f"no comma after the value of {name}", "no comma")
        if _FIELD_NAME.match(self.text, behind, self.limit):
            return behind
        return self.skip_junk(behind)

    def skip_comment(self, position: int) -> int:
        """Return the end of the line; what stands there is a comment for biber alone."""
        self.note(position, "for BibTeX, % begins no comment inside an entry", "comment")
        return _TO_LINE_END.match(self.text, position, self.limit).end()  # type: ignore[union-attr]

    def skip_junk(self, position: int) -> int:
        """Return where the next field or the end of the entry may be, after `position`."""
        depth = 0
        first = position
        for mark in _JUNK_END.finditer(self.text, position, self.limit):
            sign = mark.group()
            if sign == "{":
                depth += 1
            elif sign == "}" and depth:
                depth -= 1
            elif sign in "\r\n" or (depth == 0 and (sign in ",}" or sign == self.closing)):
                if mark.start() > first or sign in ",\r\n":
                    return mark.start()
                return mark.start() + 1 if sign != self.closing else mark.start()
        return self.limit

    def value(self, position: int, name: str) -> tuple[str, int]:
        """Parse a value of parts joined with `#`; return it with the offset after it."""
        parts: list[str] = []
        while True:
            position = self.skip(_SPACE, position)
            sign = self.at(position)
            if sign == "{":
                part, position = self.braced(position, name)
            elif sign == '"':
                part, position = self.quoted(position, name)
            else:
                part, position = self.bare(position, name)
            parts.append(part)
            behind = self.skip(_SPACE, position)
            if self.at(behind) != "#":
                break
            position = behind + 1
        joined = "".join(parts)
        if len(parts) > 1 and len(joined) > MAX_JOINED:
            # The values of macros do not affect where the entry ends.
            self.note(position, f"value of {name} is longer than {MAX_JOINED} characters")
            joined = joined[:MAX_JOINED]
        return joined, position

    def bare(self, position: int, name: str) -> tuple[str, int]:
        """Parse a number, a macro, or text without delimiters."""
        match = _BARE.match(self.text, position, self.limit)
        if match is None:
            self.fault(position, f"no value for {name}")
            return "", position
        is_commented = self.at(self.skip(_SPACE, match.end())) == "%"
        if is_commented or _BEHIND_VALUE[self.closing].match(self.text, match.end(), self.limit):
            return self.expand(match.group(), position), match.end()
        end = _UNQUOTED_END.search(self.text, position, self.limit)
        stop = end.start() if end else self.limit
        text = self.text[position:stop].strip()
        if text == match.group():
            return self.expand(text, position), stop
        self.fault(position, f"value of {name} stands in neither braces nor quotes")
        return text, stop

    def braced(self, position: int, name: str) -> tuple[str, int]:
        """Parse a value in braces; if BibTeX's brace count fails, parse what was probably meant."""
        text, limit = self.text, self.limit
        behind = _BEHIND_VALUE[self.closing]
        end = closing_brace(BRACES, text, position, limit)
        if end is not None and behind.match(text, end, limit):
            return text[position + 1 : end - 1], end
        meant = closing_brace(_UNESCAPED_BRACES, text, position, limit)
        if meant is not None and meant != end and behind.match(text, meant, limit):
            self.fault(position, f"escaped brace without a partner in {name}")
            return text[position + 1 : meant - 1], meant
        # It consumed the entry's closing brace: end it at the next line that looks like a field.
        if end is None or not text[end:limit].strip():
            # A brace is missing here or, if nothing in the value looks like a field, at the end.
            at_end = end is not None and "=" not in text[position:end]
            return self.unclosed(position, name, "not closed" if at_end else "other")
        return text[position + 1 : end - 1], end

    def quoted(self, position: int, name: str) -> tuple[str, int]:
        """Parse a value in quotes; the text after each quote decides whether it ends the value."""
        depth = 0
        stray = False
        for mark in _BRACES_OR_QUOTE.finditer(self.text, position + 1, self.limit):
            sign = mark.group()
            if sign == "{":
                depth += 1
            elif sign == "}":
                depth -= 1
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
        if not line:
            value = value.rstrip("})").rstrip().rstrip(",")
            # A closing delimiter at the end belongs to the entry.
            last = position + len(self.text[position:end].rstrip()) - 1
            is_closing = last > position and self.text[last] == self.closing
            return value, last if is_closing else end
        # A comma at the end of the cut value belongs to the entry.
        return value, end - 1 if self.text[end - 1] == "," else end


def closing_brace(braces: re.Pattern[str], text: str, position: int, limit: int) -> int | None:
    """Return the offset after the brace that closes the one at `position`, if there is one."""
    depth = 0
    for brace in braces.finditer(text, position, limit):
        sign = brace.group()
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0:
                return brace.end()
    return None
