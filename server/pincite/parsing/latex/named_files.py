r"""Find the files that a LaTeX file names: included files, bibliographies, ``thebibliography``.

An option of a package or class names a bibliography if it is known for that, or if its value is a
`.bib` file: ``\thesissetup{bib = {a.bib, b.bib}}``. A package of the draft's own may store the
value of an option in a macro that it passes to ``\addbibresource``; keyval, xkeyval, kvoptions,
pgfkeys, l3keys and LaTeX's own keys store it in the ways that `stored_in` knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...model.drafts import BibItem, BibliographyName, Include, IncludeKind, Spanned
from ...model.spans import TextSpan
from .arguments import (
    argument_span,
    brace_end,
    filled_in,
    option_span,
    read_arguments,
    skip_space,
)
from .commands import (
    BIBLIOGRAPHIES,
    COMMAND,
    FOLDER_INCLUDES,
    KNOWN_NAMES,
    PACKAGE_INCLUDES,
    TEXT_INCLUDES,
    CommandTable,
    is_being_defined,
)
from .symbols import plain_text

_COMMAND = re.compile(
    rf"\\(?:({KNOWN_NAMES}|bib(?:item)?|harvarditem|IfFileExists)(?![A-Za-z@])\*?|[^A-Za-z])",
    re.DOTALL,
)
#: biblatex's reference sections.
_SECTIONS = frozenset(("newrefsection", "begin{refsection}"))
#: biblatex's commands name one file, or a pattern in which commas may be.
_RESOURCES = frozenset(("addbibresource", "addglobalbib", "addsectionbib"))
_BARE_NAME = re.compile(r"[ \t]+([^\s{}\\%#]+)")
_BIB_ITEM_END = re.compile(r"\\(?:bib|harvard)item(?![A-Za-z])|\\end\s*\{")
_FIELD_VALUE = re.compile(r"=\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_NO_PATH = re.compile(r"[#\\]")
_MAX_NAMES = 4_000
_SUBFIX = re.compile(r"\\(?:subfix|detokenize)\s*\{([^{}]*)\}")
#: A macro, as in LaTeX or in LaTeX3.
_MACRO = re.compile(r"\\([lg]_[A-Za-z@_]+|[A-Za-z@]+|.)", re.DOTALL)
#: The draft's own commands are followed so deep, and so often in a part of the text.
_DEPTH = 5
_MAX_EXPANSIONS = 2_000

#: A command with options of packages or classes.
_CARRIER = re.compile(
    r"\\(?!hyper|caption|si)(?:documentclass|usepackage|RequirePackage|LoadClass"
    r"|PassOptionsTo(?:Package|Class)|keys_set:[a-z]+|[A-Za-z@]*(?:[sS]etup|[kK]eys(?!_)))(?![A-Za-z@])\*?"
)
_KEY = r"(?<![\w-])([A-Za-z][\w -]{0,40}?)"
_GAP = r"\s{0,9}"
_OPTION = re.compile(rf"{_KEY}[ \t]*=\s*(?:\{{([^{{}}]*)\}}|([^,={{}}\[\]]*))")
#: Options that name bibliographies, whether with or without a suffix.
_NAMING = re.compile(r"(?:bib|bibliography|bib-?(?:files?|resources?|sources?|data(?:base)?))\Z")
_MAX_ARGUMENTS = 3
_MAX_VALUE = 500
_SETTER = re.compile(
    r"\\(?:def|newcommand\*?|DeclareRobustCommand\*?|NewDocumentCommand)"
    rf"{_GAP}\{{?{_GAP}\\([A-Za-z@]+){_GAP}\}}?\s*(?:\[1\]|#1|\{{\s*m\s*\}})"
    r"\s*\{\s*(?:\\global\s*)?\Z"
)
_IN_BRACKETS = r"(?:\[([^\[\]]*)\]\s*)?"
_KEY_HEAD = re.compile(
    r"\\(?:define@key\s*(?:\[[^\[\]]*\]\s*)?\{[^{}]*\}"
    r"|DeclareOptionX\*?\s*(?:\[[^\[\]]*\]\s*)?(?:<[^<>]*>)?)"
    rf"\s*\{{([^{{}}]*)\}}\s*{_IN_BRACKETS}(?=\{{)"
    rf"|{_KEY}{_GAP}/?{_GAP}\.code(?::n)?\s*=\s*(?=\{{)"
)
#: kvoptions and \define@cmdkey put the family before the option's name.
_DECLARED = re.compile(
    rf"\\DeclareStringOption\s*{_IN_BRACKETS}\{{([^{{}}]*)\}}"
    r"|\\define@cmdkey\s*(?:\[[^\[\]]*\]\s*)?\{[^{}]*\}\s*(?:\[[^\[\]]*\]\s*)?\{([^{}]*)\}\s*"
    rf"{_IN_BRACKETS}"
)


@dataclass(frozen=True, slots=True)
class Option(Spanned):
    """An option that a text gives to a package or class, and the place of its value."""

    name: str
    value: str
    span: TextSpan

    @property
    def bibliographies(self) -> list[str]:
        """The bibliographies that it names."""
        if "bib" not in self.name or _NO_PATH.search(self.value):
            return []
        names = (each.strip().strip('"') for each in self.value.split(","))
        any_suffix = _NAMING.match(self.name)
        return [name for name in names if name and (any_suffix or name.endswith(".bib"))]


class NamedFiles:
    r"""What one file names, in order.

    `unresolved` are unknown macros in names, and commands that may name a bibliography in another
    way: multibib defines such as ``\bibliographyweb``. `options` are those of packages and classes,
    by which the draft's own may name bibliographies.
    """

    def __init__(self) -> None:
        self.includes: list[Include] = []
        self.bibliographies: list[BibliographyName] = []
        self.bib_items: list[BibItem] = []
        self.unresolved: set[str] = set()
        self.options: list[Option] = []

    def add(self, part: NamedFiles, by: int) -> None:
        """Add what a part of the file names, which begins at an offset."""
        self.includes += (each.moved(by) for each in part.includes)
        self.bibliographies += (each.moved(by) for each in part.bibliographies)
        self.bib_items += (each.moved(by) for each in part.bib_items)
        self.options += (each.moved(by) for each in part.options)
        self.unresolved |= part.unresolved


def find_named_files(visible: str, table: CommandTable) -> NamedFiles:
    """Find the files that a file names; `visible` is its text without hidden parts."""
    return _Finder(visible, table, 0, iter(range(_MAX_EXPANSIONS)))


class _Finder(NamedFiles):
    def __init__(
        self, visible: str, table: CommandTable, depth: int, expansions: Iterator[int]
    ) -> None:
        super().__init__()
        self.visible, self.table, self.depth = visible, table, depth
        #: One for each use of an own command that may still be followed.
        self.expansions = expansions
        #: Files of which the text asks whether they exist, and where what it does then ends.
        self.tested: set[str] = set()
        self.tested_end = 0
        for match in _COMMAND.finditer(visible):
            name, end = match[1], match.end()
            if name in ("IfFileExists", "InputIfFileExists"):
                # A name, and what to do with and without the file.
                tested = read_arguments(visible, end, "mmm")
                self.tested_end = max(self.tested_end, tested.end)
                self.tested |= {_stem(visible[slice(*s)]) for s in tested.spans[:1] if s}
            if name == "IfFileExists":
                continue
            if name in TEXT_INCLUDES or name in PACKAGE_INCLUDES:
                self._include(match, name)
            elif name in ("bib", "bibitem", "harvarditem"):
                self._bib_item(match)
            elif name in BIBLIOGRAPHIES or (name and f"cite{name[12:]}" in table.shapes):
                self._bibliography(match)
            elif name is not None:
                self.unresolved.add(name)
        for match in COMMAND.finditer(visible) if table.naming and depth < _DEPTH else ():
            if match[1] in table.naming:
                self._own_command(match)
        self.includes.sort(key=lambda each: each.span.start)
        self.bibliographies.sort(key=lambda each: each.span.start)
        self.options += _given_options(visible)

    def _own_command(self, match: re.Match[str]) -> None:
        """Add what a command of the draft's own names, found in its body with the arguments."""
        start, end = match.span()
        if is_being_defined(self.visible, start):
            return
        own = self.table.naming[match[1]]
        given = read_arguments(self.visible, end, own.parameters)
        if len(given.spans) < len(own.parameters) or next(self.expansions, None) is None:
            return
        body = filled_in(self.visible, own.body, given.spans, own.defaults)
        named = _Finder(body, self.table, self.depth + 1, self.expansions)
        place = TextSpan(start, given.end)
        self.includes += [replace(each, span=place) for each in named.includes]
        self.bibliographies += [replace(each, span=place) for each in named.bibliographies]
        self.unresolved |= named.unresolved

    def _include(self, match: re.Match[str], name: str) -> None:
        place = self._without_options(match.end())
        parameters = "mm" if name in FOLDER_INCLUDES else "m"
        given = read_arguments(self.visible, place, parameters, _MAX_NAMES)
        spans, end = [span for span in given.spans if span], given.end
        if not spans:
            bare = _BARE_NAME.match(self.visible, match.end())
            if name != "input" or bare is None:
                return
            spans, end = [bare.span(1)], bare.end()
        folder = self._path(*spans[0]) if len(spans) == 2 else ""
        path = self._path(*spans[-1])
        is_tested = _stem(self.visible[slice(*spans[-1])]) in self.tested
        optional = is_tested or match.start() < self.tested_end
        is_package = name in PACKAGE_INCLUDES
        kind: IncludeKind = "package" if is_package else "text"
        span = TextSpan(match.start(), end)
        for listed in path.split(",") if is_package else [path]:
            if (stated := listed.strip().strip('"')) and not _NO_PATH.search(listed):
                self.includes.append(Include(stated, span, kind, folder, optional))
        # \documentclass[main.tex]{subfiles}: the main file's preamble serves this one.
        root = option_span(self.visible, match.end())
        if name == "documentclass" and path == "subfiles" and root is not None:
            span = TextSpan(match.start(), root[1] + 1)
            self.includes.append(Include(self._path(*root), span, "root"))

    def _bibliography(self, match: re.Match[str]) -> None:
        name, end = match[1], match.end()
        if name in _SECTIONS or name == "putbib":
            span = option_span(self.visible, end)
        else:
            span = argument_span(self.visible, self._without_options(end), _MAX_NAMES)
        if span is None:
            return
        named = self._path(*span)
        place, optional = TextSpan(match.start(), span[1] + 1), match.start() < self.tested_end
        for listed in [named] if name in _RESOURCES else named.split(","):
            # A reference section may name a resource by the label that it was given.
            is_label = name in _SECTIONS and "." not in listed
            if (stated := listed.strip()) and not is_label and not _NO_PATH.search(listed):
                self.bibliographies.append(BibliographyName(stated.strip('"'), place, optional))

    def _bib_item(self, match: re.Match[str]) -> None:
        # Harvard's items have authors and year before the key, those of amsrefs fields behind it.
        of_amsrefs, before = match[1] == "bib", 2 * (match[1] == "harvarditem")
        arguments = "mmm" if of_amsrefs else "m" * (before + 1)
        given = read_arguments(
            self.visible, self._without_options(match.end()), arguments, _MAX_NAMES
        )
        span = given.spans[before] if len(given.spans) == len(arguments) else None
        key = self.visible[slice(*span)].strip() if span else ""
        if span is None or not key or _NO_PATH.search(key):
            return
        start = self.visible.index(key, span[0])
        stop = _BIB_ITEM_END.search(self.visible, span[1] + 1)
        end = given.end if of_amsrefs else stop.start() if stop else len(self.visible)
        text = self.visible[span[1] + 1 : end].replace("\\newblock", " ")
        text = plain_text(", ".join(_FIELD_VALUE.findall(text)) if of_amsrefs else text)
        key_span = TextSpan(start, start + len(key))
        self.bib_items.append(BibItem(key, text, TextSpan(match.start(), end), key_span))

    def _path(self, start: int, end: int) -> str:
        r"""Read a file name: ``\subfix{...}`` and the draft's own text macros are resolved."""
        name = _SUBFIX.sub(r"\1", self.visible[start:end]).strip()
        for macro in _MACRO.findall(name):
            if (value := self.table.texts.get(macro)) is not None:
                parts = re.split(rf"\\{macro}(?![A-Za-z@])(?:\{{\}}|\s+)?", name)
                name = value.join(parts)
        self.unresolved.update(_MACRO.findall(name))
        return re.sub(r"\s+", " ", name)

    def _without_options(self, position: int) -> int:
        while (option := option_span(self.visible, position)) is not None:
            position = option[1] + 1
        return skip_space(self.visible, position)


def _stem(name: str) -> str:
    return name.strip().strip('"').removesuffix(".tex")


def _given_options(visible: str) -> Iterator[Option]:
    """Yield the options that a text gives to packages and classes."""
    position = 0
    for match in _CARRIER.finditer(visible):
        if match.start() < position:
            continue  # within the options of another one
        position = match.end()
        for _ in range(_MAX_ARGUMENTS):
            found = option_span(visible, position) or argument_span(visible, position)
            if found is None:
                break
            for option in _OPTION.finditer(visible, *found):
                at = option.lastindex or 0
                if len(value := option[at].strip()) <= _MAX_VALUE:
                    yield Option(option[1], value, TextSpan(*option.span(at)))
            position = found[1] + 1


def stored_in(macro: str, text: str) -> tuple[str, str] | None:
    r"""Return the option or ``\command`` whose value a text stores in a macro, and its default."""
    name, using = re.escape(macro), text if f"\\{macro}" in text else ""  # the searches are slow
    place = rf"{_KEY}{_GAP}/?{_GAP}\.(?:e?store(?: in)?|tl_g?set:N)\s*=\s*\\{name}(?![\w@])"
    if (stored := re.search(place, using)) is not None:
        key = rf"(?<![\w-]){re.escape(stored[1])}{_GAP}/?{_GAP}"
        initial = re.search(rf"{key}\.initial(?::n)?\s*=\s*\{{?([^{{}},]*)", text)
        return stored[1], initial[1].strip() if initial else ""
    assigned = re.search(
        rf"\\(?:[gex]?def|(?:re)?newcommand\*?|providecommand\*?){_GAP}\{{?{_GAP}\\{name}{_GAP}\}}?"
        rf"\s*\{{\s*#1\s*\}}|\\tl_g?set:N[nx]\s*\\{name}\s*\{{\s*#1\s*\}}",
        using,
    )
    if assigned is not None:
        at = assigned.start()
        for head in reversed([*_KEY_HEAD.finditer(text, 0, at)]):
            if (brace_end(text, head.end()) or 0) > at:
                return (head[1] or head[3]).strip(), (head[2] or "").strip()
        if (setter := _SETTER.search(text[:at])) is not None:
            return f"\\{setter[1]}", ""
    for declared in _DECLARED.finditer(text):
        option_name = (declared[2] or declared[3]).strip()
        if option_name and macro.endswith(f"@{option_name}"):
            return option_name, (declared[1] or declared[4] or "").strip()
    return None
