"""Scan a file for what is needed before the draft's commands are known."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

from ...model.programs import BIBER, BIBTEX, Program
from ...model.spans import TextSpan
from .commands import NOTHING, CommandTable, Definitions, find_definitions, learn_commands
from .named_files import NamedFiles, find_named_files, joined
from .regions import CACHED_REGIONS, Region, split

# Lines may end with a lone carriage return.
_MAGIC, _LINE_ENDS = r"(?:^|(?<=\r))[ \t]*%+[ \t]*![ \t]*", r"[ \t]*(?=[\r\n]|\Z)"
_MAGIC_ROOT = re.compile(
    rf"{_MAGIC}TEX[ \t]+root[ \t]*=[ \t]*([^\s][^\r\n]*?){_LINE_ENDS}", re.IGNORECASE | re.M
)
_MAGIC_BIB = re.compile(
    rf"{_MAGIC}BIB[ \t]+(?:(?:TS-)?program[ \t]*=[ \t]*(?P<program>[\w-]+)"
    rf"|(?:\w*[ \t]*=[ \t]*)?(?P<file>[^\s][^\r\n]*?\.bib)){_LINE_ENDS}",
    re.IGNORECASE | re.M,
)
_MAGIC_LINES = 2_000
_BIBLATEX = re.compile(
    r"\\(?:usepackage|RequirePackage)\s*(?:\[(?P<options>[^\]]{0,2000})\])?\s*\{[^{}]*\bbiblatex\b"
    r"|\\PassOptionsToPackage\s*\{(?P<passed>[^{}]{0,2000})\}\s*\{[^{}]*\bbiblatex\b"
)
#: What only biblatex has, which a class of the distribution may load.
_OF_BIBLATEX = re.compile(r"\\(?:addbibresource|printbibliography)(?![A-Za-z])")
_BACKEND_BIBTEX = re.compile(r"\bbackend\s*=\s*bibtex")
_BABEL = re.compile(r"\\(?:usepackage|RequirePackage)\s*\[([^\]]{0,2000})\]\s*\{babel\}")
_POLYGLOSSIA = re.compile(
    r"\\(?:set(?:default|main)|select)language\s*(?:\[[^\]]{0,2000}\])?\s*\{([^{}]*)\}"
    r"|\\babelprovide\s*\[(?=[^\]]{0,200}?\bmain\b)[^\]]{0,500}\]\s*\{([^{}]*)\}"
)
_DOCUMENT = re.compile(r"\\(?:documentclass|begin\{document\})")


class _Noted(NamedTuple):
    """What a region has of what `Scan` has; `backend_bibtex` is an option of biblatex."""

    definitions: Definitions
    named: NamedFiles
    document: TextSpan | None
    biblatex: bool
    backend_bibtex: bool
    languages: tuple[str, ...]


@lru_cache(CACHED_REGIONS)
def _noted(region: Region) -> _Noted:
    visible = region.hidden.text
    document = _DOCUMENT.search(visible)
    packages = [match["options"] or match["passed"] or "" for match in _BIBLATEX.finditer(visible)]
    return _Noted(
        find_definitions(visible),
        find_named_files(visible, CommandTable()),
        TextSpan(*document.span()) if document else None,
        bool(packages) or _OF_BIBLATEX.search(visible) is not None,
        any(map(_BACKEND_BIBTEX.search, packages)),
        tuple(_languages(visible)),
    )


class Scan:
    """What is needed from a file before the draft's commands are known.

    `magic_roots` and `magic_bibliographies` are named in comments for editors. `program` reads the
    bibliographies, None if the file does not determine it; `biblatex` indicates whether it uses
    that package, `document` is the first command that only main files have.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.regions = split(text)
        self._starts = [*accumulate((len(each.text) for each in self.regions[:-1]), initial=0)]
        self._noted = noted = [*map(_noted, self.regions)]
        placed = [*zip(self._starts, self.regions, noted, strict=True)]
        definitions = (each.definitions for each in noted)
        self.definitions = tuple(each for each in definitions if each is not NOTHING)
        own = learn_commands(self.definitions)
        self.texts = own.texts
        self.named = self.named_with(own)
        #: The macros in names of files, known or not.
        self.macros_in_names = frozenset().union(*(each.named.unresolved for each in noted))
        self.embedded_files = tuple(
            file.moved(start)
            for start, region, _ in placed
            for file in region.hidden.embedded_files
        )
        documents = (each.document.moved(start) for start, _, each in placed if each.document)
        self.document = next(documents, None)
        # Nearly all files have none of these comments, and looking for a character is fast.
        head = text[:_MAGIC_LINES] if "!" in text[:_MAGIC_LINES] else ""
        magic = [*_MAGIC_BIB.finditer(head)]
        self.magic_roots = tuple(match[1] for match in _MAGIC_ROOT.finditer(head))
        self.magic_bibliographies = tuple(
            (match["file"], TextSpan(*match.span("file"))) for match in magic if match["file"]
        )
        programs = [match["program"].lower() for match in magic if match["program"]]
        self.program: Program | None = None
        if programs:
            self.program = BIBTEX if programs[0].startswith("bibtex") else BIBER
        elif any(each.backend_bibtex for each in noted):
            self.program = BIBTEX
        self.biblatex = any(each.biblatex for each in noted)
        self.languages = tuple(name for each in noted for name in each.languages)

    @cached_property
    def visible(self) -> str:
        """The text without hidden parts, at equal length."""
        return "".join(region.hidden.text for region in self.regions)

    def named_with(self, table: CommandTable) -> NamedFiles:
        """Return what the file names, parsed with the commands of `table`."""
        found: list[tuple[int, NamedFiles]] = []
        for start, region, noted in zip(self._starts, self.regions, self._noted, strict=True):
            named, visible = noted.named, region.hidden.text
            if named.unresolved or any(f"\\{own}" in visible for own in table.naming):
                named = find_named_files(visible, table)
            found.append((start, named))
        return joined(found)


def program_of(scans: Collection[Scan]) -> Program:
    """Return the program that reads the bibliographies of a draft."""
    default = BIBER if any(scan.biblatex for scan in scans) else BIBTEX
    return next((scan.program for scan in scans if scan.program is not None), default)


def _languages(visible: str) -> Iterator[str]:
    """Yield the names of the main languages that a file declares."""
    for match in _BABEL.finditer(visible):
        options = [option.strip() for option in match[1].split(",") if option.strip()]
        mains = [o.split("=", 1)[1].strip() for o in options if o.startswith("main")]
        plain = [option for option in options if "=" not in option]
        if chosen := (mains or plain[-1:]):
            yield chosen[0].lower()
    for match in _POLYGLOSSIA.finditer(visible):
        yield (match[1] or match[2]).strip().lower()
