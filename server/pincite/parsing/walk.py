"""Read drafts by walking from a main file to what it includes, in Markdown and Typst."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Generic, TypeVar

from ..model.drafts import BibliographySource, Draft, DraftFile, Include
from ..model.problems import InputError, Problem
from ..model.programs import Program
from .drafts import DraftInputs, NamedBibliography, bibliographies_of
from .markups import markup_of

_MAX_FILES: Final = 5_000


@dataclass(slots=True)
class Walk:
    """The files of a draft, in reading order, with what each includes.

    `read` returns a parsed file, `find` the existing file that another one includes by a name.
    """

    main: Path
    read: Callable[[Path], DraftFile]
    find: Callable[[str, Path], Path | None]
    files: dict[Path, DraftFile] = field(default_factory=dict)
    inclusions: dict[Path, list[tuple[int, Path]]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def visit(self, first: Path, wanted: Path) -> None:
        """Read a file and what it includes; raise `InputError` if the `wanted` one cannot be."""
        waiting: list[tuple[Path, tuple[Path, Include] | None]] = [(first, None)]
        while waiting and len(self.files) < _MAX_FILES:
            current, named = waiting.pop()
            if current in self.files:
                continue
            try:
                file = self.read(current)
            except InputError as error:
                if current == wanted:
                    raise
                self._add_problem(str(error), *(named or (None, None)))
                continue
            self.files[current] = file
            inner: list[tuple[Path, tuple[Path, Include]]] = []
            for include in file.includes:
                target = self.find(include.name, current)
                if target is None:
                    message = f"the file “{include.name}”, which is read here, does not exist"
                    self._add_problem(message, current, include)
                elif markup_of(target) == markup_of(current):
                    self.inclusions.setdefault(current, []).append((include.span.start, target))
                    inner.append((target, (current, include)))
            waiting += reversed(inner)

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

    def _add_problem(self, message: str, path: Path | None, include: Include | None) -> None:
        found = self.files[path] if path else None
        line = found.line_column(include.span.start)[0] if found and include else None
        self.problems.append(Problem(path, line, message))


_Walk = TypeVar("_Walk", bound=Walk)


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
        paths = (Path(os.path.normpath(folder / name.lstrip("/"))) for folder in folders)
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
