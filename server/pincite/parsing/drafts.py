"""Read drafts, each by the reader of its markup, and find the bibliographies that they name.

In Markdown and Typst, a draft is read by walking from its main file to what that includes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, TypeVar

from ..model.drafts import BibliographySource, Draft, DraftFile, Include
from ..model.problems import InputError, MissingBibliography, Problem
from ..model.programs import Program
from ..model.spans import TextSpan, line_at
from .disk import Disk
from .markups import Markup, MarkupReader, markup_of
from .paths import expanded, is_pattern, normal

#: Reads a file's text, for open documents from the editor; raises `InputError`.
ReadText = Callable[[Path], str]
#: Finds a file by its name in a draft, if it is not in the usual places.
FindFile = Callable[[str], Path | None]
#: Finds fallbacks for bibliographies that the draft with this main file lacks.
FindFallbacks = Callable[[Path], Iterable[Path]]

_MAX_FILES: Final = 5_000
#: A file as it was read, whose `text` is known.
_File = TypeVar("_File", bound=Any)


@dataclass(frozen=True, slots=True)
class DraftInputs:
    """What drafts are read from.

    `find_bibliography` searches for one that is missing, `find_fallbacks` for those of a main file
    that names none. Patterns may lead anywhere in the `workspace`.
    """

    read_text: ReadText
    find_bibliography: FindFile
    find_fallbacks: FindFallbacks
    disk: Disk
    workspace: Path | None


class DraftReader:
    """Reads drafts in all markup languages, each `of` them with a reader of its own."""

    def __init__(
        self,
        read: ReadText | None = None,
        find_bibliography: FindFile = lambda _name: None,
        find_fallbacks: FindFallbacks = lambda _main: (),
        disk: Disk | None = None,
        workspace: Path | None = None,
    ) -> None:
        """Read files with `read`, or else from `disk`, on which they are searched."""
        disk = Disk() if disk is None else disk
        find = find_bibliography, find_fallbacks
        self.inputs = DraftInputs(disk.read if read is None else read, *find, disk, workspace)
        #: Each is made, and its modules are imported, with its first draft. None refers to this
        #: object: texts that were edited since must not wait for the garbage collection.
        self._readers: dict[Markup, MarkupReader] = {}

    def of(self, path: Path) -> MarkupReader:
        """Return the reader of the markup of a file."""
        markup = markup_of(path)
        if markup not in self._readers:
            self._readers[markup] = markup.reader(self.inputs)
        return self._readers[markup]

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """Read the draft at `path`, which may be in any form; see `MarkupReader.read`."""
        return self.of(path).read(normal(path), root and normal(root))


def bibliography_files(
    name: str, folders: Iterable[Path], within: Collection[Path], disk: Disk
) -> Iterator[Path]:
    """Yield the file with a name, with or without suffix, from the first of `folders` that has it.

    For a pattern, those are all matching files; they are searched only `within` some folders.
    """
    name = expanded(name)
    for folder in folders:
        for file in (name if name.lower().endswith(".bib") else f"{name}.bib", name):
            path = normal(folder / file)
            if disk.is_file(path):
                yield path
                return
            fits = is_pattern(file) and not Path(file).is_absolute()
            if fits and (matches := disk.matching(folder, file, within)):
                yield from matches
                return


class NamedBibliography(NamedTuple):
    """A bibliography as the `text` of a file names it; a `distributed` one is part of TeX."""

    path: Path
    text: str
    name: str
    span: TextSpan
    sources: tuple[BibliographySource, ...]
    remote: bool = False
    distributed: bool = False


def bibliographies_of(
    named: Iterable[NamedBibliography], elsewhere: FindFile
) -> tuple[tuple[BibliographySource, ...], list[MissingBibliography]]:
    """Return the bibliographies that a draft names, each once, in order, and those missing."""
    sources: dict[BibliographySource, None] = {}
    missing: list[MissingBibliography] = []
    for each in named:
        found = each.sources
        if not found and not each.remote and (other := elsewhere(each.name)) is not None:
            found = (BibliographySource(other),)
        sources.update(dict.fromkeys(found))
        if not found and not each.distributed:
            what = "is on the network, so it is not read" if each.remote else "does not exist"
            missing.append(
                MissingBibliography(
                    each.path,
                    line_at(each.text, each.span.start),
                    f"the bibliography “{each.name}” {what}",
                    name=each.name,
                    span=each.span,
                    remote=each.remote,
                )
            )
    return tuple(sources), missing


@dataclass(slots=True)
class Walk(Generic[_File]):
    """The files of a draft, in reading order, with what each includes.

    `read` returns a parsed file, `find` the existing file that another one includes by a name.
    """

    main: Path
    read: Callable[[Path], _File]
    find: Callable[[str, Path], Path | None] = lambda _name, _includer: None
    files: dict[Path, _File] = field(default_factory=dict)
    inclusions: dict[Path, list[tuple[int, Path]]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def visit(self, first: Path, wanted: Path | None = None) -> None:
        """Read a file and what it includes; raise `InputError` if the `wanted` one cannot be."""
        # Not by recursive calls: a chain of files may be deeper than Python's stack.
        waiting: list[tuple[Path, Include] | None] = [None]
        while waiting and len(self.files) < _MAX_FILES:
            named = waiting.pop()
            path = first if named is None else self._included(*named)
            if path is None:
                continue
            if path not in self.files:
                try:
                    self.files[path] = self.read(path)
                except InputError as error:
                    if path == wanted:
                        raise
                    self._add_problem(str(error), named)
                    continue
                waiting += reversed([(path, each) for each in self._includes(path)])
            if named is not None:
                includer, include = named
                self.inclusions.setdefault(includer, []).append((include.span.start, path))

    def _includes(self, path: Path) -> Iterable[Include]:
        """Return what a file that was read includes."""
        includes: tuple[Include, ...] = self.files[path].includes
        return includes

    def _included(self, path: Path, include: Include) -> Path | None:
        """Return the file that another one includes, if it is to be read."""
        found = self.find(include.name, path)
        if found is None:
            self._add_missing(path, include)
        return found if found and markup_of(found) == markup_of(path) else None

    def _add_missing(self, path: Path, include: Include) -> None:
        message = f"the file “{include.name}”, which is read here, does not exist"
        self._add_problem(message, (path, include))

    def _add_problem(self, message: str, named: tuple[Path, Include] | None) -> None:
        path, include = named or (None, None)
        line = line_at(self.files[path].text, include.span.start) if path and include else None
        self.problems.append(Problem(path, line, message))

    def reached_from(self, path: Path) -> list[Path]:
        """Return the files that one includes, itself first."""
        reached: dict[Path, None] = {}
        waiting = [path]
        while waiting:
            current = waiting.pop()
            if current not in reached and current in self.files:
                reached[current] = None
                waiting += [each for _, each in reversed(self.inclusions.get(current, []))]
        return list(reached)


_Walk = TypeVar("_Walk", bound="Walk[DraftFile]")


class WalkedDraftReader(ABC, Generic[_Walk]):
    """Reads drafts by walking from a main file to what it includes; see `MarkupReader`."""

    def __init__(self, inputs: DraftInputs) -> None:
        self._inputs, self._read, self._disk = inputs, inputs.read_text, inputs.disk
        #: The folder of the workspace, if there is one.
        self._workspace = (inputs.workspace,) if inputs.workspace else ()

    def read_within(self, root: Path, path: Path) -> Draft | None:
        """Read the draft at `path` if the main file `root` reads it."""
        walk = self._walk(root, root)
        return self._draft(path, walk) if path in walk.files else None

    def includes(self, path: Path) -> tuple[Path, ...]:
        """Return the existing files of the draft with this main file."""
        return tuple(self._walk(path, path).files)

    def inputs(self, path: Path) -> tuple[Path, ...]:
        """Return the files of the draft with this main file, including bibliographies."""
        draft = self._draft(path, self._walk(path, path))
        sources = (*draft.bibliographies, *draft.fallback_bibliographies)
        return tuple(dict.fromkeys((*draft.own_paths, *(source.path for source in sources))))

    @abstractmethod
    def _walk(self, main: Path, path: Path) -> _Walk:
        """Read a main file with all that it includes, and `path`, which it may not include."""

    @abstractmethod
    def _named(self, walk: _Walk) -> Iterator[NamedBibliography]:
        """Yield the bibliographies that a draft names, in the order of naming."""

    @abstractmethod
    def _languages(self, file: DraftFile) -> Iterable[str]: ...

    @abstractmethod
    def _program(self, walk: _Walk) -> Program: ...

    def _inline(self, walk: _Walk) -> Iterable[BibliographySource]:
        """Return the bibliographies in the files themselves, which come first."""
        return ()

    def _fallback_bibliographies(self, walk: _Walk) -> Sequence[Path]:
        """Return the bibliographies to use for a draft that has none."""
        return tuple(self._inputs.find_fallbacks(walk.main))

    def _needs_any(self, files: Sequence[DraftFile], cites: bool) -> bool:
        """Return whether files need a bibliography; `cites` is whether they surely cite."""
        return cites

    def _text(self, path: Path) -> str:
        try:
            return self._read(path)
        except InputError:
            return ""

    def _existing(self, folders: Iterable[Path], name: str) -> Path | None:
        """Return the file with a name, from the first of some folders that has it."""
        paths = (normal(folder / name.lstrip("/")) for folder in folders)
        return next(filter(self._disk.is_file, paths), None)

    def _draft(self, path: Path, walk: _Walk) -> Draft:
        members = dict.fromkeys(walk.reached_from(path))
        files = tuple(walk.files[each] for each in members)
        found, missing = bibliographies_of(self._named(walk), self._inputs.find_bibliography)
        sources = (*self._inline(walk), *found)
        certain = markup_of(path).syntax.certain_citations
        cites = any(True for file in files for _ in certain(file))
        lacks_any = not sources and self._needs_any(files, cites)
        fallback_bibliographies = self._fallback_bibliographies(walk) if lacks_any else ()
        has_any = bool(sources or missing or fallback_bibliographies)
        program = self._program(walk)
        return Draft(
            path=path,
            root=walk.main,
            files=files,
            others=tuple(file for each, file in walk.files.items() if each not in members),
            own_paths=frozenset(walk.files),
            bibliographies=sources,
            fallback_bibliographies=tuple(map(BibliographySource, fallback_bibliographies)),
            lacks_bibliography=cites and not has_any,
            has_all_text=not walk.problems,
            case_sensitive_keys=program.case_sensitive,
            program=program,
            is_other_text=not (has_any or cites),
            languages=tuple(each for file in walk.files.values() for each in self._languages(file)),
            problems=(*walk.problems, *missing),
            inclusions={each: tuple(read) for each, read in walk.inclusions.items()},
        )
