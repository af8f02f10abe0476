"""Find the files that a LaTeX file names: included files, bibliographies, ``thebibliography``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ...model.drafts import BibItem, BibliographyName, Include, IncludeKind
from ...model.spans import TextSpan
from .arguments import argument_span, filled_in, option_span, own_arguments, skip_space
from .commands import CommandTable
from .file_commands import (
    BIBLIOGRAPHIES,
    FOLDER_INCLUDES,
    KNOWN_NAMES,
    PACKAGE_INCLUDES,
    TEXT_INCLUDES,
    USE,
)
from .options import Option, given_options
from .symbols import plain_text

_COMMAND = re.compile(
    rf"\\(?:({KNOWN_NAMES}|bibitem|IfFileExists)(?![A-Za-z@])\*?|[^A-Za-z])", re.DOTALL
)
#: biblatex's reference sections.
_SECTIONS = frozenset(("newrefsection", "begin{refsection}"))
#: These have the names in brackets.
_IN_BRACKETS = _SECTIONS | {"putbib"}
#: biblatex's commands name one file, or a pattern in which commas may be.
_RESOURCES = frozenset(("addbibresource", "addglobalbib", "addsectionbib"))
_BARE_NAME = re.compile(r"[ \t]+([^\s{}\\%#]+)")
_BIB_ITEM_END = re.compile(r"\\bibitem(?![A-Za-z])|\\end\s*\{")
_NO_PATH = re.compile(r"[#\\]")
_MAX_NAMES = 4_000
_SUBFIX = re.compile(r"\\(?:subfix|detokenize)\s*\{([^{}]*)\}")
#: What is before the name of a command that is being defined.
_DEFINED = re.compile(r"\\[A-Za-z]*(?:[cC]ommandx?|cmd|[gex]?def|let|Copy)\*?\s*\{?\s*\Z")
_MAX_DEFINING = 60
#: A macro, as in LaTeX or in LaTeX3.
_MACRO = re.compile(r"\\([lg]_[A-Za-z@_]+|[A-Za-z@]+|.)", re.DOTALL)
#: The draft's own commands are followed so deep, and so often in a part of the text.
_DEPTH = 5
_MAX_EXPANSIONS = 2_000


@dataclass(frozen=True, slots=True)
class NamedFiles:
    r"""What one file names, in order.

    `unresolved` are unknown macros in names, and commands that may name a bibliography in another
    way: multibib defines such as ``\bibliographyweb``. `options` are those of packages and classes,
    by which the draft's own may name bibliographies.
    """

    includes: tuple[Include, ...] = ()
    bibliographies: tuple[BibliographyName, ...] = ()
    bib_items: tuple[BibItem, ...] = ()
    unresolved: frozenset[str] = frozenset()
    options: tuple[Option, ...] = ()

    def moved(self, by: int) -> NamedFiles:
        """Return the same `by` code points later."""
        return NamedFiles(
            tuple(each.moved(by) for each in self.includes),
            tuple(each.moved(by) for each in self.bibliographies),
            tuple(each.moved(by) for each in self.bib_items),
            self.unresolved,
            tuple(each.moved(by) for each in self.options),
        )

    @classmethod
    def joined(cls, parts: Sequence[NamedFiles]) -> NamedFiles:
        """Return what all parts of a file name."""
        return cls(
            tuple(each for part in parts for each in part.includes),
            tuple(each for part in parts for each in part.bibliographies),
            tuple(each for part in parts for each in part.bib_items),
            frozenset().union(*(part.unresolved for part in parts)),
            tuple(each for part in parts for each in part.options),
        )


#: The result for most parts of a text.
NO_FILES: Final = NamedFiles()


def _without_suffix(name: str) -> str:
    return name.strip().strip('"').removesuffix(".tex")


def find_named_files(visible: str, table: CommandTable) -> NamedFiles:
    """Find the files that a file names; `visible` is its text without hidden parts."""
    return _Finder(visible, table).find()


class _Finder:
    def __init__(
        self,
        visible: str,
        table: CommandTable,
        depth: int = 0,
        expansions: Iterator[int] | None = None,
    ) -> None:
        self.visible = visible
        self.table = table
        self.depth = depth
        #: One for each use of an own command that may still be followed.
        self.expansions = iter(range(_MAX_EXPANSIONS)) if expansions is None else expansions
        #: Files of which the text asks whether they exist, and where what it does then ends.
        self.tested: set[str] = set()
        self.tested_end = 0
        self.includes: list[Include] = []
        self.bibliographies: list[BibliographyName] = []
        self.bib_items: list[BibItem] = []
        self.unresolved: set[str] = set()

    def find(self) -> NamedFiles:
        for match in _COMMAND.finditer(self.visible):
            name = match.group(1)
            if name is None:
                continue
            if name in ("IfFileExists", "InputIfFileExists"):
                self._tested(match.end())
            if name == "IfFileExists":
                continue
            if name in TEXT_INCLUDES or name in PACKAGE_INCLUDES:
                self._include(match, name)
            elif name == "bibitem":
                self._bib_item(match)
            elif name in BIBLIOGRAPHIES or f"cite{name[12:]}" in self.table.shapes:
                self._bibliography(match)
            else:
                self.unresolved.add(name)
        if self.table.naming and self.depth < _DEPTH:
            for match in USE.finditer(self.visible):
                if match[1] in self.table.naming:
                    self._own_command(match)
        named = NamedFiles(
            tuple(sorted(self.includes, key=lambda each: each.span.start)),
            tuple(sorted(self.bibliographies, key=lambda each: each.span.start)),
            tuple(self.bib_items),
            frozenset(self.unresolved),
            tuple(given_options(self.visible)),
        )
        return NO_FILES if named == NO_FILES else named

    def _own_command(self, match: re.Match[str]) -> None:
        """Add what a command of the draft's own names, found in its body with the arguments."""
        if _DEFINED.search(self.visible, max(0, match.start() - _MAX_DEFINING), match.start()):
            return
        own = self.table.naming[match[1]]
        values, end = own_arguments(self.visible, match.end(), own.parameters, own.defaults)
        if len(values) < len(own.parameters) or next(self.expansions, None) is None:
            return
        body = filled_in(own.body, values)
        named = _Finder(body, self.table, self.depth + 1, self.expansions).find()
        place = TextSpan(match.start(), end)
        self.includes += [replace(each, span=place) for each in named.includes]
        self.bibliographies += [replace(each, span=place) for each in named.bibliographies]
        self.unresolved |= named.unresolved

    def _tested(self, position: int) -> None:
        """Note the arguments of such a test: a name, and what to do with and without it."""
        for number in range(3):
            if (span := argument_span(self.visible, position)) is None:
                break
            if not number:
                self.tested.add(_without_suffix(self.visible[slice(*span)]))
            position = span[1] + 1
        self.tested_end = max(self.tested_end, position)

    def _include(self, match: re.Match[str], name: str) -> None:
        position = self._without_options(match.end())
        arguments: list[tuple[int, int]] = []
        for _ in range(2 if name in FOLDER_INCLUDES else 1):
            span = self._braced(position)
            if span is None:
                break
            arguments.append(span)
            position = span[1] + 1
        if not arguments:
            bare = _BARE_NAME.match(self.visible, match.end())
            if name != "input" or bare is None:
                return
            arguments, position = [bare.span(1)], bare.end()
        kind: IncludeKind = "package" if name in PACKAGE_INCLUDES else "text"
        folder = self._path(*arguments[0]) if len(arguments) == 2 else ""
        name_given = self._path(*arguments[-1])
        place = TextSpan(match.start(), position)
        written = self.visible[slice(*arguments[-1])]
        optional = match.start() < self.tested_end or _without_suffix(written) in self.tested
        for listed in name_given.split(",") if kind == "package" else [name_given]:
            if listed.strip() and not _NO_PATH.search(listed):
                named = listed.strip().strip('"')
                self.includes.append(Include(named, place, kind, folder, optional))
        if name == "documentclass" and name_given == "subfiles":
            # \documentclass[main.tex]{subfiles}: the main file's preamble serves this one.
            root = option_span(self.visible, match.end())
            if root is not None:
                place = TextSpan(match.start(), root[1] + 1)
                self.includes.append(Include(self._path(*root), place, "root"))

    def _bibliography(self, match: re.Match[str]) -> None:
        if match.group(1) in _IN_BRACKETS:
            span = option_span(self.visible, match.end())
        else:
            span = self._braced(self._without_options(match.end()))
        if span is None:
            return
        named = self._path(*span)
        for name in [named] if match.group(1) in _RESOURCES else named.split(","):
            # A reference section may name a resource by the label that it was given.
            is_label = match.group(1) in _SECTIONS and "." not in name
            if name.strip() and not is_label and not _NO_PATH.search(name):
                place = TextSpan(match.start(), span[1] + 1)
                optional = match.start() < self.tested_end
                found = BibliographyName(name.strip().strip('"'), place, optional)
                self.bibliographies.append(found)

    def _bib_item(self, match: re.Match[str]) -> None:
        span = self._braced(self._without_options(match.end()))
        if span is None:
            return
        written = self.visible[span[0] : span[1]]
        key = written.strip()
        key_start = span[0] + len(written) - len(written.lstrip())
        stop = _BIB_ITEM_END.search(self.visible, span[1] + 1)
        end = stop.start() if stop else len(self.visible)
        text = plain_text(self.visible[span[1] + 1 : end].replace("\\newblock", " "))
        if key and not _NO_PATH.search(key):
            key_span = TextSpan(key_start, key_start + len(key))
            self.bib_items.append(BibItem(key, text, TextSpan(match.start(), end), key_span))

    def _path(self, start: int, end: int) -> str:
        r"""Read a file name: ``\subfix{...}`` and the draft's own text macros are resolved."""
        name = _SUBFIX.sub(r"\1", self.visible[start:end]).strip()
        for macro in _MACRO.findall(name):
            if macro in self.table.texts:
                value = self.table.texts[macro]
                name = re.sub(rf"\\{macro}(?![A-Za-z@])(?:\{{\}}|\s+)?", lambda _: value, name)  # noqa: B023
        self.unresolved.update(_MACRO.findall(name))
        return re.sub(r"\s+", " ", name)

    def _without_options(self, position: int) -> int:
        while (option := option_span(self.visible, position)) is not None:
            position = option[1] + 1
        return skip_space(self.visible, position)

    def _braced(self, position: int) -> tuple[int, int] | None:
        return argument_span(self.visible, position, _MAX_NAMES)
