"""Read drafts in Typst: a main file with what it includes and imports."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...model.drafts import BibliographySource, Draft, DraftFile
from ..bibliography_files import bibliography_files
from ..disk import Disk
from ..markup import FindFile, FindStandIns, ReadText
from ..walk import NamedBibliography, Walk, bibliographies_of
from .parse import TypstParser
from .syntax import TypstSyntax

_LANGUAGE: Final = re.compile(
    r"""^[ \t]*#set[ ]text\([^()\r\n]*?\blang:[ ]*"([a-z]{2,3})\"""", re.MULTILINE
)


@dataclass(slots=True)
class _Known:
    """What was parsed of a file, which knew of some labels that it refers to."""

    parser: TypstParser
    labels: frozenset[str]
    file: DraftFile


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

    def _file(self, path: Path, labels: frozenset[str] | None = None) -> DraftFile:
        """Return a file; without `labels` of its draft, with those that it was read with before."""
        text = self._read(path)
        known = self._parsed.get(path)
        parser = TypstParser(path) if known is None else known.parser
        if known is None or known.file.text != text:
            used = frozenset() if known is None else known.labels
            known = _Known(parser, used, parser.read(text, used))
            self._parsed[path] = known
        if labels is not None and (meant := labels & parser.references) != known.labels:
            known.labels, known.file = meant, parser.read(text, meant)
        return known.file

    def _walk(self, main: Path, path: Path) -> Walk:
        """Read a main file with all that it includes, and `path`, which it may not include."""
        walk = Walk(main, self._file, lambda name, includer: self._target(name, includer, main))
        walk.visit(main, path)
        if path not in walk.files:
            walk.visit(path, path)
        # What a name refers to is known when all labels are.
        defined = (self._parsed[each].parser.labels for each in walk.files)
        labels = frozenset(label for each in defined for label in each)
        for each in walk.files:
            walk.files[each] = self._file(each, labels)
        return walk

    def _folders(self, name: str, path: Path, main: Path) -> tuple[Path, ...]:
        """Return where a name is looked for: ``/`` is the root of the project, above its files."""
        if not name.startswith("/"):
            return (path.parent, main.parent)
        within = [self._workspace] if self._workspace else []
        return (main.parent, *main.parent.parents[:3], *within)

    def _target(self, name: str, path: Path, main: Path) -> Path | None:
        for folder in self._folders(name, path, main):
            found = Path(os.path.normpath(folder / name.lstrip("/")))
            if self._disk.is_file(found):
                return found
        return None

    def _draft(self, path: Path, walk: Walk) -> Draft:
        members = dict.fromkeys(walk.reached_from(path))
        files = tuple(walk.files[each] for each in members)
        others = tuple(file for each, file in walk.files.items() if each not in members)
        named = self._named(walk)
        sources, missing = bibliographies_of(named, self._find_bibliography)
        stand_ins: tuple[Path, ...] = ()
        if not sources and any(file.cites for file in files):
            stand_ins = tuple(self._find_stand_ins(walk.main))
        has_any = bool(sources or missing or stand_ins)
        cites = any(map(TypstSyntax().certain_citations, files))
        return Draft(
            path=path,
            root=walk.main,
            files=files,
            others=others,
            own_paths=frozenset(walk.files),
            bibliographies=sources,
            stand_ins=tuple(map(BibliographySource, stand_ins)),
            lacks_bibliography=cites and not has_any,
            has_all_text=not walk.problems,
            is_other_text=not (has_any or cites),
            languages=tuple(_languages(walk.files.values())),
            problems=(*walk.problems, *missing),
            inclusions={each: tuple(read) for each, read in walk.inclusions.items()},
        )

    def _named(self, walk: Walk) -> Iterator[NamedBibliography]:
        for path, file in walk.files.items():
            for each in file.bibliographies:
                folders = self._folders(each.name, path, walk.main)
                inside = each.name.lstrip("/")
                found = bibliography_files(inside, folders, folders, self._disk)
                sources = tuple(map(BibliographySource, found))
                yield NamedBibliography(path, file.text, each.name, each.span, sources)


def _languages(files: Iterable[DraftFile]) -> Iterator[str]:
    """Yield the languages that ``#set text(lang: "de")`` declares."""
    for file in files:
        if "lang" in file.text:
            yield from _LANGUAGE.findall(file.text)


def _normal(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))
