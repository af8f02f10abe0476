"""Read drafts in Typst: a main file with what it includes and imports."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ...model.drafts import BibliographySource, Draft, Include, TexFile
from ...model.markups import markup_of
from ...model.problems import InputError, MissingBibliography, Problem
from ...model.spans import TextSpan
from ..bibliography_files import bibliography_files
from ..disk import Disk
from ..markup import FindFile, FindStandIns, ReadText
from .parse import TypstParser, names_in

_MOST_FILES: Final = 5_000


@dataclass(slots=True)
class _Walk:
    """The files of a draft, in reading order, with what each includes."""

    main: Path
    files: dict[Path, TexFile] = field(default_factory=dict)
    inclusions: dict[Path, list[tuple[int, Path]]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

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


@dataclass(slots=True)
class _Known:
    """What was parsed of a file; its `names` look like references."""

    parser: TypstParser
    names: frozenset[str]
    labels: frozenset[str]
    file: TexFile


class TypstDraftReader:
    """Reads drafts in Typst, and caches parsed files.

    A file that a draft imports is a part of it, as its functions may hold text and bibliographies.
    """

    def __init__(
        self,
        read: ReadText | None = None,
        find_bibliography: FindFile = lambda _name: None,
        find_stand_ins: FindStandIns = lambda _main: (),
        disk: Disk | None = None,
        workspace: Path | None = None,
    ) -> None:
        """Read files as `DraftReader` does."""
        self._disk = Disk() if disk is None else disk
        self._read = self._disk.read if read is None else read
        self._find_bibliography = find_bibliography
        self._find_stand_ins = find_stand_ins
        self._workspace = workspace
        self._parsed: dict[Path, _Known] = {}

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """Read the draft at `path`; see `MarkupReader.read`."""
        path = _normal(path)
        main = _normal(root) if root else path
        return self._draft(path, self._walk(main, path))

    def read_alone(self, path: Path) -> Draft | None:
        """Read the draft at `path`, if it or what it includes names a bibliography."""
        path = _normal(path)
        walk = self._walk(path, path)
        if not any(file.bibliographies for file in walk.files.values()):
            return None
        return self._draft(path, walk)

    def read_within(self, root: Path, path: Path) -> Draft | None:
        """Read the draft at `path` if the main file `root` reads it."""
        path, root = _normal(path), _normal(root)
        walk = self._walk(root, root)
        return self._draft(path, walk) if path in walk.files else None

    def includes(self, path: Path) -> tuple[Path, ...]:
        """Return the existing files of the draft with this main file."""
        path = _normal(path)
        return tuple(self._walk(path, path).files)

    def inputs(self, path: Path) -> tuple[Path, ...]:
        """Return the files of the draft with this main file, including bibliographies."""
        path = _normal(path)
        draft = self._draft(path, self._walk(path, path))
        sources = (*draft.bibliographies, *draft.stand_ins)
        return tuple(dict.fromkeys((*draft.own_paths, *(source.path for source in sources))))

    def main_named_by(self, path: Path) -> Path | None:
        """Return None: a file of Typst does not name its main file."""
        return None

    def starts_document(self, path: Path) -> bool:
        """Return whether a file names a bibliography, or includes others."""
        text = self._read(path := _normal(path))
        if "bib" not in text and ".typ" not in text:
            return False
        file = self._file(path)
        return bool(file.bibliographies or file.includes)

    def _file(self, path: Path, labels: frozenset[str] | None = None) -> TexFile:
        """Return a file; without `labels` of its draft, with those that it was read with before."""
        text = self._read(path)
        known = self._parsed.get(path)
        parser = TypstParser(path) if known is None else known.parser
        if known is None or known.file.text != text:
            used = frozenset() if known is None else known.labels
            names = frozenset(names_in(text))
            known = _Known(parser, names, used, parser.read(text, used))
            self._parsed[path] = known
        if labels is not None and (meant := labels & known.names) != known.labels:
            known.labels, known.file = meant, parser.read(text, meant)
        return known.file

    def _walk(self, main: Path, path: Path) -> _Walk:
        """Read a main file with all that it includes, and `path`, which it may not include."""
        walk = _Walk(main)
        self._visit(walk, main, path)
        if path not in walk.files:
            self._visit(walk, path, path)
        # What a name refers to is known when all labels are.
        defined = (self._parsed[each].parser.labels for each in walk.files)
        labels = frozenset(label for each in defined for label in each)
        for each in walk.files:
            walk.files[each] = self._file(each, labels)
        return walk

    def _visit(self, walk: _Walk, first: Path, path: Path) -> None:
        """Read a file and what it includes; only `path` itself must be readable."""
        waiting: list[tuple[Path, tuple[Path, Include] | None]] = [(first, None)]
        while waiting and len(walk.files) < _MOST_FILES:
            current, named = waiting.pop()
            if current in walk.files:
                continue
            try:
                file = self._file(current)
            except InputError as error:
                if current == path:
                    raise
                line = self._line(walk, *named) if named else None
                walk.problems.append(Problem(named[0] if named else None, line, str(error)))
                continue
            walk.files[current] = file
            inner: list[tuple[Path, tuple[Path, Include]]] = []
            for include in file.includes:
                target = self._target(include.name, current, walk)
                if target is None:
                    message = f"the file “{include.name}” that is read here does not exist"
                    line = self._line(walk, current, include)
                    walk.problems.append(Problem(current, line, message))
                elif markup_of(target) == "typst":
                    walk.inclusions.setdefault(current, []).append((include.span.start, target))
                    inner.append((target, (current, include)))
            waiting += reversed(inner)

    def _folders(self, name: str, path: Path, walk: _Walk) -> tuple[Path, ...]:
        """Return where a name is looked for: ``/`` is the root of the project, above its files."""
        if not name.startswith("/"):
            return (path.parent, walk.main.parent)
        within = [self._workspace] if self._workspace else []
        return (walk.main.parent, *walk.main.parent.parents[:3], *within)

    def _target(self, name: str, path: Path, walk: _Walk) -> Path | None:
        for folder in self._folders(name, path, walk):
            found = Path(os.path.normpath(folder / name.lstrip("/")))
            if self._disk.is_file(found):
                return found
        return None

    @staticmethod
    def _line(walk: _Walk, path: Path, include: Include) -> int:
        return walk.files[path].line_column(include.span.start)[0]

    def _draft(self, path: Path, walk: _Walk) -> Draft:
        members = walk.reached_from(path)
        files = tuple(walk.files[each] for each in members)
        others = tuple(file for each, file in walk.files.items() if each not in set(members))
        sources, missing = self._bibliographies(walk)
        cites = any(file.cites for file in files)
        stand_ins: tuple[Path, ...] = ()
        if cites and not sources:
            stand_ins = tuple(self._find_stand_ins(walk.main))
        return Draft(
            path=path,
            root=walk.main,
            files=files,
            others=others,
            own_paths=frozenset(walk.files),
            bibliographies=sources,
            stand_ins=tuple(map(BibliographySource, stand_ins)),
            lacks_bibliography=cites and not (sources or missing or stand_ins),
            has_all_text=not walk.problems,
            problems=(*walk.problems, *missing),
            inclusions={each: tuple(read) for each, read in walk.inclusions.items()},
        )

    def _bibliographies(
        self, walk: _Walk
    ) -> tuple[tuple[BibliographySource, ...], list[MissingBibliography]]:
        """Find the bibliographies that a draft names: each once, in the order of naming."""
        sources: dict[Path, BibliographySource] = {}
        missing: list[MissingBibliography] = []
        for path, name, span in self._names(walk):
            folders = self._folders(name, path, walk)
            inside = name.lstrip("/")
            found = list(bibliography_files(inside, folders, folders, self._disk))
            if not found and (other := self._find_bibliography(name)) is not None:
                found = [other]
            for file in found:
                sources.setdefault(file, BibliographySource(file))
            if not found:
                message = f"the bibliography “{name}” does not exist"
                line = walk.files[path].line_column(span.start)[0]
                missing.append(MissingBibliography(path, line, message, name=name, span=span))
        return tuple(sources.values()), missing

    @staticmethod
    def _names(walk: _Walk) -> Iterator[tuple[Path, str, TextSpan]]:
        for path, file in walk.files.items():
            for each in file.bibliographies:
                yield path, each.name, each.span


def _normal(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))
