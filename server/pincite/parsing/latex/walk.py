"""Walk over the files that a main file includes, which are scanned before its commands are known.

File names are looked up as LaTeX does, from the main file's folder, and also from the folder of the
file that names them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from ...model.drafts import DraftFile, Include
from ...model.programs import BIBER, BIBTEX, Program
from ...model.spans import TextSpan
from ..disk import Disk
from ..drafts import Walk
from ..paths import expanded, normal
from .commands import HIDING, NOTHING, CommandTable, Definitions, find_definitions, learn_commands
from .named_files import NamedFiles, find_named_files, stored_in
from .parse import parse_tex
from .regions import CACHED_REGIONS, Region, split

# Lines may end with a lone carriage return.
_MAGIC, _LINE_ENDS = r"(?:^|(?<=\r))[ \t]*%+[ \t]*![ \t]*", r"[ \t]*(?=[\r\n]|\Z)"
_MAGIC_ROOT = re.compile(
    rf"{_MAGIC}(?:TEX|RNW)[ \t]+root[ \t]*=[ \t]*([^\s][^\r\n]*?){_LINE_ENDS}", re.IGNORECASE | re.M
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
    r"\\(?:set(?:default|main)|select)language\s*(?:\[[^\]]{0,2000}\])?\s*\{([^{}]+)\}"
    r"|\\babelprovide\s*\[(?=[^\]]{0,200}?\bmain\b)[^\]]{0,500}\]\s*\{([^{}]+)\}"
)
_DOCUMENT = re.compile(r"\\(?:documentclass|begin\{document\})")
#: The list of folders in which LaTeX looks for a file last.
_INPUT_PATH = re.compile(r"\\input@path\s*\}?\s*\{((?:\s*\{[^{}]*\})+)")

#: The files may be read so often, as they define commands for those that name others.
_MAX_PASSES = 10
#: In how many folders above that of the main file LaTeX may run.
_MAX_ABOVE = 2
#: How many macros in names may be options of packages.
_MAX_STORED = 50
#: How many names and paths of files are cached.
_MAX_PATHS = 5_000
_NO_TEXT = frozenset({".sty", ".cls", ".clo", ".def", ".cfg", ".bbl", ".ltx.def"})
#: Files of TeX distributions that drafts read by ``\input``.
_DISTRIBUTED = frozenset(
    "glyphtounicode glyphtounicode-cmr xy amssym epsf psfig pstricks texdraw".split()
)


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
    document = _DOCUMENT.search(region.text)
    biblatex = [*_BIBLATEX.finditer(region.text)]
    return _Noted(
        find_definitions(region.text),
        find_named_files(region.text, CommandTable()),
        TextSpan(*document.span()) if document else None,
        bool(biblatex) or _OF_BIBLATEX.search(region.text) is not None,
        any(_BACKEND_BIBTEX.search(each["options"] or each["passed"] or "") for each in biblatex),
        tuple(_languages(region.text)),
    )


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


class Scan:
    """What is needed from a file before the draft's commands are known.

    `magic_roots` and `magic_bibliographies` are named in comments for editors. `program` reads the
    bibliographies, None if the file does not determine it; `biblatex` indicates whether it uses
    that package, `document` is the first command that only main files have.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.regions = split(text)
        starts = [*accumulate((len(each.source) for each in self.regions[:-1]), initial=0)]
        noted = [*map(_noted, self.regions)]
        self._placed = [*zip(starts, self.regions, noted, strict=True)]
        self.definitions = tuple(n.definitions for n in noted if n.definitions is not NOTHING)
        own = learn_commands(self.definitions)
        self.texts = own.texts
        self.named = self.named_with(own)
        #: The macros in names of files, known or not.
        self.macros_in_names = frozenset().union(*(each.named.unresolved for each in noted))
        embedded = ((start, each) for start, r, _ in self._placed for each in r.embedded_files)
        self.embedded_files = tuple(file.moved(start) for start, file in embedded)
        documents = (n.document.moved(start) for start, _, n in self._placed if n.document)
        self.document = next(documents, None)
        head = text[:_MAGIC_LINES]
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
        listed = _INPUT_PATH.findall(self.visible) if "\\input@path" in text else []
        self.folders = [folder for each in listed for folder in re.findall(r"\{([^{}]*)\}", each)]

    @cached_property
    def visible(self) -> str:
        """The text without hidden parts, at equal length."""
        return "".join(region.text for region in self.regions)

    def named_with(self, table: CommandTable) -> NamedFiles:
        """Return what the file names, parsed with the commands of `table`."""
        found = NamedFiles()
        for start, region, (_, named, *_) in self._placed:
            if named.unresolved or any(f"\\{own}" in region.text for own in table.naming):
                named = find_named_files(region.text, table)
            found.add(named, start)
            found.includes += (each.moved(start) for each in region.children)
        found.includes.sort(key=lambda each: each.span)
        return found


class LatexWalk(Walk[Scan]):
    """The files that a main file includes, and `path`, which it may not include (yet)."""

    def __init__(self, scan: Callable[[Path], Scan], main: Path, disk: Disk, path: Path) -> None:
        self.disk = disk
        # LaTeX may run in a folder above: its file names are then relative to that one.
        self.above = main.parent.parents[:_MAX_ABOVE]
        #: The commands that the draft's files define.
        self.table = CommandTable()
        for _ in range(_MAX_PASSES):
            super().__init__(main, scan)
            self._named: dict[Path, NamedFiles] = {}
            #: Where LaTeX looks last.
            self._folders: list[Path] = []
            #: The folders that ``\import`` gives to files.
            self.import_folders: dict[Path, Path] = {}
            self.visit(main)
            self.visit(path)
            known, scans = self.table, self.files.values()
            self.table = learn_commands(tuple(d for scan in scans for d in scan.definitions))
            is_open = self.table.naming or any(scan.named.unresolved for scan in scans)
            same = known.texts == self.table.texts and known.naming == self.table.naming
            if not is_open or same:
                break
        main_file = self.files.get(main)
        #: The first command of the main file that only main files have.
        self.document = None if main_file is None else main_file.document
        #: The lists of works that the draft prints by hand.
        self.bib_items = tuple(item for scan in scans for item in scan.named.bib_items)

    def _includes(self, path: Path) -> Iterable[Include]:
        scan = self.files[path]
        self._folders += (self.main.parent / folder.strip() for folder in scan.folders)
        self._named[path] = scan.named
        if self.table.naming or scan.named.unresolved:
            self._named[path] = self._named_in(scan, {})
        return (each for each in self._named[path].includes if each.kind != "root")

    def _included(self, path: Path, include: Include) -> Path | None:
        own_folder = self.import_folders.get(path)
        folders = (own_folder, self.main.parent, path.parent, *self._folders, *self.above)
        for folder in filter(None, folders):
            folder = folder / include.folder if include.folder else folder
            for found in _paths(folder, include.name, include.kind):
                if self.disk.is_file(found):
                    import_folder = folder if include.folder else own_folder
                    if import_folder and found not in self.files:
                        self.import_folders[found] = import_folder
                    return found
        if is_text(path) and _should_exist(include):
            self._add_missing(path, include)
        return None

    def _named_in(self, scan: Scan, options: dict[str, str]) -> NamedFiles:
        """Return what a file names, with its own macros before those of others."""
        texts = {**self.table.texts, **scan.texts, "jobname": self.main.stem, **options}
        return scan.named_with(replace(self.table, texts=texts))

    def parsed(self, path: Path) -> DraftFile:
        """Return a file, parsed with the commands of the draft."""
        scan = self.files[path]
        regions = scan.regions if self.table.hiding == HIDING else None
        return parse_tex(path, scan.text, self.table, regions)

    @cached_property
    def named_files(self) -> dict[Path, NamedFiles]:
        """What each file names, with the macros of the whole draft."""
        options = {macro: value for macro, (_, value) in self.stored.items() if value}
        stored = {
            path: self._named_in(scan, options)
            for path, scan in self.files.items()
            if not scan.macros_in_names.isdisjoint(options)
        }
        return self._named | stored

    @cached_property
    def stored(self) -> dict[str, tuple[str, str]]:
        """By macro in names of files, the option or command that the author sets, and its value."""
        macros = {macro for scan in self.files.values() for macro in scan.macros_in_names}
        packages = [scan for path, scan in self.files.items() if not is_text(path)]
        others = [scan for path, scan in self.files.items() if is_text(path)]
        # What the author sets counts, before what a package sets.
        given = {each.name: each.value for scan in packages + others for each in scan.named.options}
        found: dict[str, tuple[str, str]] = {}
        for macro in sorted(macros)[:_MAX_STORED]:
            stores = (stored_in(macro, scan.visible) for scan in packages + others)
            if (option := next(filter(None, stores), None)) is None:
                continue
            name, default = option
            value = given.get(name)
            if name.startswith("\\"):
                given_to = re.compile(rf"{re.escape(name)}\s*\{{([^{{}}#\\]{{1,500}})\}}")
                uses = (given_to.search(scan.visible) for scan in others + packages)
                value = next((use[1].strip() for use in uses if use), None)
            found[macro] = name, value or self.table.texts.get(macro, default)
        return found

    def reached_from(self, path: Path) -> list[Path]:
        """Return the text files that one includes, itself first, in reading order."""
        return [each for each in super().reached_from(path) if each == path or is_text(each)]


def _should_exist(include: Include) -> bool:
    """Return whether to report a missing file: a part of the text, not a picture or output."""
    path = Path(include.name)
    is_piped = include.name.startswith("|")  # the output of a program
    is_part = bool(path.name) and path.suffix.lower() in ("", ".tex", ".ltx") and not is_piped
    is_needed = include.kind == "text" and not include.optional
    return is_part and is_needed and path.with_suffix("").as_posix() not in _DISTRIBUTED


@lru_cache(maxsize=_MAX_PATHS)  # all are looked up with every letter typed
def _paths(folder: Path, name: str, kind: str) -> tuple[Path, ...]:
    """Return the paths in a folder that a name in LaTeX may stand for."""
    name = expanded(name)
    if kind == "package":
        suffixes: Sequence[str] = (".sty", ".cls")
    else:
        suffixes = (".tex", "") if Path(name).suffix else (".tex", ".ltx", "")
    return tuple(normal(folder / f"{name}{each}") for each in suffixes)


@lru_cache(maxsize=_MAX_PATHS)
def is_text(path: Path) -> bool:
    """Return whether a file may be a part of the text, not a package or a class."""
    return path.suffix.lower() not in _NO_TEXT
