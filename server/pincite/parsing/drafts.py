r"""A draft of several files: what its root reads, and the bibliographies that come with it.

A file may be part of a larger draft: ``% !TeX root = main.tex`` or the `subfiles` class name the
main file, whose definitions and bibliographies then serve. File names are looked up as LaTeX
does, from the main file's folder, and also from the folder of the file that names them.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path

from ..model.drafts import BibliographySource, Draft, EmbeddedFile, Include, TexFile
from ..model.problems import InputError, MissingBibliography, Problem, UnnamedBibliography
from ..model.spans import TextSpan, line_starts
from .encoding import read_text
from .latex.commands import CommandTable, Definitions, find_definitions, learn_commands
from .latex.hidden import blank_hidden
from .latex.named_files import NamedFiles, find_named_files
from .latex.parse import TexReader
from .latex.regions import LooseEnds, RegionReader
from .paths import expanded, is_file, is_folder, matching

#: Reads a file's text; raises `InputError`. The editor gives the text of open documents.
ReadText = Callable[[Path], str]
#: Finds a file by the name a draft gives it, where the usual places do not have it.
FindFile = Callable[[str], Path | None]
#: Finds what may stand in for bibliographies that the draft with this main file lacks.
FindStandIns = Callable[[Path], Iterable[Path]]

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
    r"\\(?:usepackage|RequirePackage)\s*(\[[^\]]{0,2000}\])?\s*\{[^{}]*\bbiblatex\b"
)
_BABEL = re.compile(r"\\(?:usepackage|RequirePackage)\s*\[([^\]]{0,2000})\]\s*\{babel\}")
_POLYGLOSSIA = re.compile(
    r"\\set(?:default|main)language\s*(?:\[[^\]]{0,2000}\])?\s*\{([^{}]*)\}"
    r"|\\babelprovide\s*\[(?=[^\]]{0,200}?\bmain\b)[^\]]{0,500}\]\s*\{([^{}]*)\}"
)
_DOCUMENT = re.compile(r"\\(?:documentclass|begin\{document\})")
_MOST_FILES = 5_000
#: A message names no more files than these.
_MOST_NAMED = 3
#: TeX distributions bring these along; they hold names of journals and no entries.
_DISTRIBUTED_BIBLIOGRAPHIES = frozenset(("ieeeabrv", "ieeefull", "mrabbrev"))


@dataclass(frozen=True)
class _ScannedRegion:
    """What must be known of a region before the draft's commands are."""

    text: str
    visible: str
    ends: LooseEnds
    definitions: Definitions
    named: NamedFiles
    embedded_files: tuple[EmbeddedFile, ...]
    document: TextSpan | None
    #: The options of biblatex where the region loads it.
    package: str | None
    adds_resource: bool
    names_job: bool
    languages: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> _ScannedRegion:
        hidden = blank_hidden(text, CommandTable())
        visible = hidden.text
        document = _DOCUMENT.search(visible)
        package = _BIBLATEX.search(visible)
        return cls(
            text=text,
            visible=visible,
            ends=LooseEnds.of(hidden),
            definitions=find_definitions(visible),
            named=find_named_files(visible, CommandTable()),
            embedded_files=hidden.embedded_files,
            document=TextSpan(*document.span()) if document else None,
            package=package.group(1) or "" if package else None,
            adds_resource="\\addbibresource" in visible,
            names_job="\\jobname" in visible,
            languages=tuple(_languages(visible)),
        )


class _Scan:
    """What must be known of a file before the draft's commands are.

    `magic_bibliographies` are named in comments for editors. `case_sensitive` says how keys are
    written where the file is clear about that, `biblatex` whether it uses that package.
    """

    def __init__(self, text: str, regions: Sequence[_ScannedRegion]) -> None:
        self.text = text
        self._regions = regions
        self._starts = list(accumulate((len(each.text) for each in regions[:-1]), initial=0))
        nothing = Definitions()
        self.definitions = [each.definitions for each in regions if each.definitions != nothing]
        own = learn_commands(self.definitions)
        self.texts = own.texts
        self.named = self.named_with(own)
        self.embedded_files = tuple(
            file.moved(start) for start, each in self._placed for file in each.embedded_files
        )
        self.names_job = any(each.names_job for each in regions)
        magic = tuple(_MAGIC_BIB.finditer(text, 0, _MAGIC_LINES))
        self.magic_bibliographies = tuple(
            (match["file"], TextSpan(*match.span("file"))) for match in magic if match["file"]
        )
        package = next((each.package for each in regions if each.package is not None), None)
        self.case_sensitive = _case_sensitive(magic, package)
        self.biblatex = package is not None or any(each.adds_resource for each in regions)
        self.languages = tuple(name for each in regions for name in each.languages)

    @property
    def _placed(self) -> Iterator[tuple[int, _ScannedRegion]]:
        return zip(self._starts, self._regions, strict=True)

    @cached_property
    def visible(self) -> str:
        """The text without hidden parts, at equal length."""
        return "".join(each.visible for each in self._regions)

    @cached_property
    def document(self) -> TextSpan | None:
        """The first thing in a file that only main files have."""
        found = (each.document.moved(by) for by, each in self._placed if each.document is not None)
        return next(found, None)

    def named_with(self, table: CommandTable) -> NamedFiles:
        """Return what the file names, where names are read with the commands of `table`."""
        found = [
            (start, find_named_files(each.visible, table) if each.named.unresolved else each.named)
            for start, each in self._placed
        ]
        return NamedFiles(
            tuple(include.moved(by) for by, named in found for include in named.includes),
            tuple(name.moved(by) for by, named in found for name in named.bibliographies),
            tuple(item.moved(by) for by, named in found for item in named.bib_items),
            any(named.unresolved for _, named in found),
        )


class DraftReader:
    """Reads drafts and keeps what it parsed, so that an edit costs the edited file only."""

    def __init__(
        self,
        read: ReadText = read_text,
        find_bibliography: FindFile = lambda _name: None,
        find_stand_ins: FindStandIns = lambda _main: (),
    ) -> None:
        """Read files with `read`; `find_bibliography` looks further for one that is not there.

        `find_stand_ins` finds what serves a main file that names none, or one that is missing.
        """
        self._find_bibliography = find_bibliography
        self._find_stand_ins = find_stand_ins
        self._read = read
        self._scans: dict[Path, tuple[RegionReader[_ScannedRegion], _Scan]] = {}
        #: By main file: a part that two drafts share is read with the commands of each.
        self._parsed: dict[tuple[Path, Path], tuple[TexReader, TexFile]] = {}

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """Read the draft at `path`; `root` is its main file where that is known otherwise.

        Raises `InputError` when `path` itself cannot be read.
        """
        path = _normal(path)
        walk = self._walk_to(path, root)
        return self._draft(path, walk, self._bibliographies(walk))

    def read_alone(self, path: Path) -> Draft | None:
        """Read the draft at `path`, if it is a main file, names one or has works to cite.

        Raises `InputError` when `path` cannot be read.
        """
        path = _normal(path)
        walk = self._walk_to(path)
        found = self._bibliographies(walk)
        if not (found.sources or walk.lists_works or self.starts_document(path)):
            return None
        return self._draft(path, walk, found)

    def read_within(self, root: Path, path: Path) -> Draft | None:
        """Read the draft at `path` if the main file `root` reads it.

        Raises `InputError` when `path` cannot be read.
        """
        path = _normal(path)
        walk = self._walk_to(path, root)
        return None if walk.outside else self._draft(path, walk, self._bibliographies(walk))

    def _walk_to(self, path: Path, root: Path | None = None) -> _Walk:
        scan = self._scan(path)
        main = self._main_file(path, scan) or (_normal(root) if root else path)
        walk = _Walk(self._scan, main)
        walk.visit(main)
        if path not in walk.scans:
            # The main file does not read this one (yet): it still lends what it defines.
            walk.outside = True
            outside = _Walk(self._scan, main, walk.texts)
            outside.visit(path)
            walk.absorb(outside)
        return walk

    def _bibliographies(self, walk: _Walk) -> _Bibliographies:
        sources, missing = _bibliographies(walk, walk.main, self._find_bibliography)
        main = walk.scans.get(walk.main)
        lacks = any(not each.distributed for each in missing)
        if main is None or main.document is None:
            return _Bibliographies(sources, missing)
        if not lacks and (sources or walk.lists_works):
            return _Bibliographies(sources, missing)
        named = {source.path for source in sources}
        others = (path for path in self._find_stand_ins(walk.main) if path not in named)
        return _Bibliographies(sources, missing, tuple(map(BibliographySource, others)))

    def _draft(self, path: Path, walk: _Walk, found: _Bibliographies) -> Draft:
        table = learn_commands(each for scan in walk.scans.values() for each in scan.definitions)
        items = tuple(item for scan in walk.scans.values() for item in scan.named.bib_items)
        # LaTeX itself, which reads these, minds the case.
        lists_works = bool(items) and not found.sources
        members = walk.reached_from(path)
        others = [other for other in walk.reached_from(walk.main) if other not in set(members)]
        parsed = [
            tuple(self._parse(walk.main, member, walk.scans[member].text, table) for member in some)
            for some in (members, others)
        ]
        files = parsed[0]
        cites = any(file.cites for file in files)
        return Draft(
            path=path,
            root=walk.main,
            files=files,
            others=parsed[1],
            own_paths=frozenset(walk.scans),
            bibliographies=found.sources,
            stand_ins=found.stand_ins,
            bib_items=items,
            case_sensitive_keys=lists_works or _are_case_sensitive(walk.scans.values()),
            languages=tuple(name for scan in walk.scans.values() for name in scan.languages),
            problems=(*walk.problems, *_said_of(found, walk, cites=cites)),
            inclusions={path: tuple(read) for path, read in walk.inclusions.items()},
        )

    def includes(self, path: Path) -> tuple[Path, ...]:
        """Return the files that the file at `path` reads, as far as they exist."""
        walk = _Walk(self._scan, _normal(path))
        walk.visit(_normal(path))
        return tuple(walk.scans)

    def rests_on(self, path: Path) -> tuple[Path, ...]:
        """Return the files that the draft with this main file is made of, bibliographies too."""
        walk = _Walk(self._scan, _normal(path))
        walk.visit(walk.main)
        found = self._bibliographies(walk)
        sources = (*found.sources, *found.stand_ins)
        return tuple(dict.fromkeys((*walk.scans, *(source.path for source in sources))))

    def main_named_by(self, path: Path) -> Path | None:
        """Return the main file that the file at `path` names, if it does and that exists."""
        return self._main_file(_normal(path), self._scan(_normal(path)))

    def visible(self, path: Path) -> str:
        """Return the text of a file with comments and listings as spaces, at equal length."""
        return self._scan(_normal(path)).visible

    def commands(self, draft: Draft) -> CommandTable:
        """Return the commands that the files of a draft were read with."""
        known = self._parsed.get((draft.root, draft.path))
        return CommandTable() if known is None else known[0].table

    def starts_document(self, path: Path) -> bool:
        r"""Tell whether a file is a main file (it has a ``\documentclass`` or a document)."""
        return self._scan(path).document is not None

    def _scan(self, path: Path) -> _Scan:
        text = self._read(path)
        known = self._scans.get(path)
        if known is not None and known[1].text == text:
            return known[1]
        reader = RegionReader(_ScannedRegion.of) if known is None else known[0]
        scan = _Scan(text, reader.read(text))
        self._scans[path] = (reader, scan)
        return scan

    def _parse(self, main: Path, path: Path, text: str, table: CommandTable) -> TexFile:
        known = self._parsed.get((main, path))
        reader, file = known if known is not None else (None, None)
        if reader is None or reader.table != table:
            reader, file = TexReader(path, table), None
        if file is None or file.text != text:
            file = reader.read(text)
            self._parsed[main, path] = (reader, file)
        return file

    def _main_file(self, path: Path, scan: _Scan) -> Path | None:
        """Return the main file that this one names, if it exists."""
        names = [
            *(match.group(1) for match in _MAGIC_ROOT.finditer(scan.text, 0, _MAGIC_LINES)),
            *(include.name for include in scan.named.includes if include.kind == "root"),
        ]
        for name in names:
            for suffix in ("", ".tex"):
                main = Path(os.path.normpath(path.parent / f"{name}{suffix}"))
                if is_file(main) and main != path:
                    return main
        return None


def _normal(path: Path) -> Path:
    """Return the one name under which a file is known, however it was given."""
    return Path(os.path.normpath(path.absolute()))


@dataclass(frozen=True, slots=True)
class _Bibliographies:
    """The bibliographies of a draft: those that it names, by what is there, and their stand-ins."""

    sources: tuple[BibliographySource, ...]
    missing: Sequence[MissingBibliography]
    stand_ins: tuple[BibliographySource, ...] = ()


class _Walk:
    """A walk over the files that a main file reads, each once, in the order of reading."""

    def __init__(
        self, scan: Callable[[Path], _Scan], main: Path, texts: dict[str, str] | None = None
    ) -> None:
        self._scan = scan
        self.main = main
        #: Whether the file that is asked for is none that the main file reads.
        self.outside = False
        self.scans: dict[Path, _Scan] = {}
        self.children: dict[Path, list[Path]] = {}
        self.inclusions: dict[Path, list[tuple[int, Path]]] = {}
        self.import_folders: dict[Path, Path] = {}
        self.problems: list[Problem] = []
        self.texts = texts if texts is not None else {}

    def visit(
        self,
        path: Path,
        import_folder: Path | None = None,
        named: tuple[Path, str, int] | None = None,
    ) -> None:
        """Read `path` and what it reads in turn; unreadable files become problems.

        `named` is the file that names it, with its text and the offset there.
        """
        if path in self.scans or len(self.scans) >= _MOST_FILES:
            return
        try:
            scan = self._scan(path)
        except InputError as error:
            place, line = None, None
            if named is not None:
                place, line = named[0], _line(*named[1:])
            self.problems.append(Problem(place, line, str(error)))
            return
        self.scans[path] = scan
        self.children[path] = []
        if import_folder is not None:
            self.import_folders[path] = import_folder
        self.texts.update(scan.texts)
        for include in self.named(scan).includes:
            if include.kind == "root":
                continue
            found = self._find(include, path)
            if found is not None:
                target, folder = found
                self.visit(target, folder, (path, scan.text, include.span.start))
                if target not in self.scans:
                    continue  # it cannot be read, which is told
                self.children[path].append(target)
                if include.kind == "text":
                    self.inclusions.setdefault(path, []).append((include.span.start, target))
            elif include.kind == "text" and _should_exist(include.name):
                line = _line(scan.text, include.span.start)
                message = f"the file “{include.name}” that is read here does not exist"
                self.problems.append(Problem(path, line, message))

    @property
    def lists_works(self) -> bool:
        """Whether the draft prints a list of works by hand."""
        return any(scan.named.bib_items for scan in self.scans.values())

    def named(self, scan: _Scan) -> NamedFiles:
        """Return what a file names; names made with macros are read with what is known."""
        texts = self.texts
        if scan.names_job:
            texts = {**texts, "jobname": self.main.stem}
        if not scan.named.unresolved or not texts:
            return scan.named
        return scan.named_with(CommandTable(texts=texts))

    def _find(self, include: Include, includer: Path) -> tuple[Path, Path | None] | None:
        folders = [self.main.parent, includer.parent]
        if (current := self.import_folders.get(includer)) is not None:
            folders.insert(0, current)
        if include.folder:
            folders = [folder / include.folder for folder in folders]
        # With every letter typed, all files of a draft are looked for.
        for folder in folders:
            for name in _names(include.name, include.kind):
                path = os.path.normpath(os.path.join(folder, name))  # noqa: PTH118
                if os.path.isfile(path):  # noqa: PTH113
                    return _path(path), folder if include.folder else current
        return None

    def reached_from(self, path: Path) -> list[Path]:
        """Return the text files that `path` reads, itself first, in the order of reading."""
        reached: dict[Path, None] = {}
        stack = [path] if path in self.scans else []
        while stack:
            current = stack.pop()
            if current in reached:
                continue
            reached[current] = None
            stack.extend(reversed(self.children.get(current, [])))
        return [p for p in reached if p == path or p.suffix.lower() not in _NO_TEXT]

    def absorb(self, other: _Walk) -> None:
        """Take over what another walk found."""
        self.scans |= other.scans
        self.children |= other.children
        self.inclusions |= other.inclusions
        self.import_folders |= other.import_folders
        self.problems += other.problems


_NO_TEXT = frozenset({".sty", ".cls", ".clo", ".def", ".cfg", ".bbl", ".ltx.def"})


#: Files of the TeX distribution that drafts read by ``\input``.
_DISTRIBUTED = frozenset(
    "glyphtounicode glyphtounicode-cmr xy amssym epsf psfig pstricks texdraw".split()
)


def _should_exist(name: str) -> bool:
    """Tell whether a missing file is worth a word: a part of the text, not a picture or output."""
    path = Path(name)
    is_text = bool(path.name) and path.suffix.lower() in ("", ".tex", ".ltx")
    return is_text and path.with_suffix("").as_posix() not in _DISTRIBUTED


@lru_cache(maxsize=_MOST_FILES)
def _names(name: str, kind: str) -> tuple[str, ...]:
    """Return the names that a file may have which is named so."""
    name = expanded(name)
    if kind == "package":
        return (f"{name}.sty", f"{name}.cls")
    return (f"{name}.tex", name) if Path(name).suffix else (f"{name}.tex", f"{name}.ltx", name)


_path = lru_cache(maxsize=_MOST_FILES)(Path)


def _line(text: str, offset: int) -> int:
    return bisect_right(_line_starts(text), offset)


#: A draft may miss many files: its lines are counted once.
_line_starts = lru_cache(maxsize=4)(line_starts)


def _bibliographies(
    walk: _Walk, main: Path, find_elsewhere: FindFile
) -> tuple[tuple[BibliographySource, ...], list[MissingBibliography]]:
    """Find the .bib files that a draft names: each once, in the order of naming."""
    sources: dict[Path, BibliographySource] = {}
    problems: list[MissingBibliography] = []
    embedded = {
        file.name.replace("\\jobname", main.stem): (path, scan, file)
        for path, scan in walk.scans.items()
        for file in scan.embedded_files
    }
    for path, scan in walk.scans.items():
        for name, span in [
            *((b.name, b.span) for b in walk.named(scan).bibliographies),
            *scan.magic_bibliographies,
        ]:
            folders = [main.parent, path.parent, *_bibinputs()]
            if (imported := walk.import_folders.get(path)) is not None:
                folders.insert(0, imported)
            found = list(_bibliography_files(name, folders))
            for file in found:
                sources.setdefault(file, BibliographySource(file))
            if found:
                continue
            carrier = embedded.get(name) or embedded.get(f"{name}.bib")
            if carrier is not None:
                carrier_path, carrier_scan, file_ = carrier
                text = file_.span.of(carrier_scan.text)
                first_line = _line(carrier_scan.text, file_.span.start)
                start = file_.span.start
                source = BibliographySource(carrier_path, text, first_line, start)
                sources.setdefault(carrier_path / file_.name, source)
                continue
            remote = re.match(r"(?:https?|ftp)://", name)
            if not remote and (elsewhere := find_elsewhere(name)) is not None:
                sources.setdefault(elsewhere, BibliographySource(elsewhere))
                continue
            what = "is on the network and is not read" if remote else "does not exist"
            problems.append(
                MissingBibliography(
                    path,
                    _line(scan.text, span.start),
                    f"the bibliography “{name}” {what}",
                    name=name,
                    span=span,
                    remote=remote is not None,
                    distributed=name.lower().removesuffix(".bib") in _DISTRIBUTED_BIBLIOGRAPHIES,
                )
            )
    return tuple(sources.values()), problems


def _said_of(found: _Bibliographies, walk: _Walk, *, cites: bool) -> Iterator[Problem]:
    """Yield what is said of bibliographies; once, which files stand in for what is not there."""
    said = not found.stand_ins
    until = f"Until then {_listed(found.stand_ins)} beside {walk.main.name}"
    until += f" {'serves' if len(found.stand_ins) == 1 else 'serve'} for suggestions and evidence"
    for problem in found.missing:
        if not said and not problem.distributed:
            said = True
            message = f"{problem.message}; name one that can be read. {until}"
            problem = replace(problem, message=message)
        yield problem
    main = walk.scans.get(walk.main)
    if not said and cites and main is not None and main.document is not None:
        yield UnnamedBibliography(
            walk.main,
            _line(main.text, main.document.start),
            f"no bibliography is named; name one with \\bibliography or \\addbibresource. {until}",
            span=main.document,
        )


def _listed(sources: Sequence[BibliographySource]) -> str:
    """Return the names of files as they are listed in a sentence; empty for none."""
    names = [source.path.name for source in sources]
    if len(names) > _MOST_NAMED:
        names[_MOST_NAMED:] = [f"{len(names) - _MOST_NAMED} more"]
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _bibliography_files(name: str, folders: Iterable[Path]) -> Iterator[Path]:
    name = expanded(name)
    for folder in folders:
        for file in (name if name.lower().endswith(".bib") else f"{name}.bib", name):
            if "*" in file and not Path(file).is_absolute():
                if matches := matching(folder, file):
                    yield from (Path(os.path.normpath(match)) for match in matches)
                    return
                continue
            path = Path(os.path.normpath(folder / file))
            if is_file(path):
                yield path
                return


def _bibinputs() -> Iterator[Path]:
    """Yield the folders of ``BIBINPUTS``; a trailing ``//`` stands for all folders below."""
    for part in os.environ.get("BIBINPUTS", "").split(os.pathsep):
        if not part:
            continue
        folder = Path(expanded(part.rstrip("/") or "/"))
        yield folder
        if part.endswith("//"):
            yield from (path for path in matching(folder, "**/*") if is_folder(path))


def _are_case_sensitive(scans: Collection[_Scan]) -> bool:
    """Tell whether keys must be written as in the bibliography: biber says yes, BibTeX no."""
    for scan in scans:
        if scan.case_sensitive is not None:
            return scan.case_sensitive
    return any(scan.biblatex for scan in scans)


def _case_sensitive(magic: Iterable[re.Match[str]], package: str | None) -> bool | None:
    """Tell whether a file says how keys must be written."""
    for match in magic:
        if match["program"]:
            return not match["program"].lower().startswith("bibtex")
    if package and re.search(r"backend\s*=\s*bibtex", package):
        return False
    return None


def _languages(visible: str) -> Iterator[str]:
    """Yield the names of the main languages that a file declares."""
    for match in _BABEL.finditer(visible):
        options = [option.strip() for option in match.group(1).split(",") if option.strip()]
        mains = [o.split("=", 1)[1].strip() for o in options if o.startswith("main")]
        plain = [option for option in options if "=" not in option]
        if chosen := (mains or plain[-1:]):
            yield chosen[0].lower()
    for match in _POLYGLOSSIA.finditer(visible):
        yield (match.group(1) or match.group(2)).strip().lower()
