"""Read drafts in Markdown: a file, or the chapters of a book, with what they include."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from ...model.drafts import BibliographySource, Draft, DraftFile
from ...model.spans import TextSpan
from ..bibliography_files import bibliography_files
from ..disk import Disk
from ..markup import FindFile, FindStandIns, ReadText
from ..walk import NamedBibliography, Walk, bibliographies_of
from .header import Header
from .parse import MarkdownParser
from .project import Project, Projects
from .syntax import MarkdownSyntax

_REMOTE: Final = re.compile(r"(?:https?|ftp)://")
#: What may precede the first item of a list in YAML, and how it begins.
_LIST: Final = re.compile(r"(?:\s|#[^\r\n]*[\r\n])*(?:-\s|\[)")
#: Files that have no other use than to be drafts.
_ONLY_DRAFTS: Final = frozenset((".qmd", ".rmd"))


class MarkdownDraftReader:
    """Reads drafts in Markdown, and caches parsed files.

    A book's first chapter is its main file; it includes the others at its end.
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
        self._projects = Projects(self._read, self._disk)
        self._parsed: dict[Path, tuple[MarkdownParser, bool, DraftFile]] = {}

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """Read the draft at `path`; see `MarkupReader.read`."""
        path = _normal(path)
        project = self._projects.of(path)
        main = project.chapters[0] if project.chapters else _normal(root) if root else path
        return self._draft(path, self._walk(main, path, project), project)

    def read_alone(self, path: Path) -> Draft | None:
        """Read the draft at `path`, if it or its project names a bibliography."""
        path = _normal(path)
        project = self._projects.of(path)
        if not (project.bibliographies or project.chapters or self._names_any(path)):
            return None
        return self.read(path)

    def read_within(self, root: Path, path: Path) -> Draft | None:
        """Read the draft at `path` if the main file `root` reads it."""
        path, root = _normal(path), _normal(root)
        project = self._projects.of(root)
        walk = self._walk(root, root, project)
        return self._draft(path, walk, project) if path in walk.files else None

    def includes(self, path: Path) -> tuple[Path, ...]:
        """Return the existing files of the draft with this main file."""
        path = _normal(path)
        return tuple(self._walk(path, path, self._projects.of(path)).files)

    def inputs(self, path: Path) -> tuple[Path, ...]:
        """Return the files of the draft with this main file, including bibliographies."""
        path = _normal(path)
        project = self._projects.of(path)
        draft = self._draft(path, self._walk(path, path, project), project)
        sources = (*draft.bibliographies, *draft.stand_ins)
        return tuple(dict.fromkeys((*draft.own_paths, *(source.path for source in sources))))

    def main_named_by(self, path: Path) -> Path | None:
        """Return the first chapter of the book that a file is a chapter of."""
        path = _normal(path)
        chapters = self._projects.of(path).chapters
        return chapters[0] if chapters and chapters[0] != path else None

    def starts_document(self, path: Path) -> bool:
        """Return whether a file is certainly the main file of a draft.

        It names a bibliography, or its project does, or it has citations in brackets and there is
        a bibliography beside it.
        """
        path = _normal(path)
        project = self._projects.of(path)
        if project.chapters:
            return path == project.chapters[0]
        if self._names_any(path):
            return True
        text = self._read(path)
        if not _may_cite_in_brackets(text):
            return False
        cites = _cites_for_certain(self._file(path, project))
        return cites and bool(project.bibliographies or next(self._stand_ins(path, project), None))

    def _names_any(self, path: Path) -> bool:
        text = self._read(path)
        names_one = Header.of(text).entry("bibliography") is not None
        return names_one or _inline_entries(text) is not None

    def _file(self, path: Path, project: Project) -> DraftFile:
        text = self._read(path)
        known = self._parsed.get(path)
        if known is None or known[1] != project.quarto or known[2].text != text:
            parser = MarkdownParser(path) if known is None else known[0]
            known = parser, project.quarto, parser.read(text, in_quarto=project.quarto)
            self._parsed[path] = known
        return known[2]

    def _walk(self, main: Path, path: Path, project: Project) -> Walk:
        """Read a main file with all that it includes, and `path`, which it may not include."""
        walk = Walk(
            main,
            lambda each: self._file(each, project),
            lambda name, includer: self._included(name, includer, main, project),
        )
        is_book = bool(project.chapters) and main == project.chapters[0]
        walk.visit(main, path)
        for chapter in project.chapters if is_book else ():
            if chapter not in walk.files:
                walk.visit(chapter, path)
                if chapter in walk.files and main in walk.files:
                    end = len(walk.files[main].text)
                    walk.inclusions.setdefault(main, []).append((end, chapter))
        if path not in walk.files:
            walk.visit(path, path)
        return walk

    def _included(self, name: str, includer: Path, main: Path, project: Project) -> Path | None:
        """Return the included file with a name; ``/`` is the folder of the project."""
        inside = name.lstrip("/")
        own = [] if name.startswith("/") else [includer.parent, main.parent]
        for folder in (*own, project.folder):
            found = Path(os.path.normpath(folder / inside))
            if self._disk.is_file(found):
                return found
        return None

    def _draft(self, path: Path, walk: Walk, project: Project) -> Draft:
        members = dict.fromkeys(walk.reached_from(path))
        files = tuple(walk.files[each] for each in members)
        others = tuple(file for each, file in walk.files.items() if each not in members)
        named = self._named(walk, project)
        found, missing = bibliographies_of(named, self._find_bibliography)
        # Pandoc prefers the entries in headers.
        sources = (*_inline_bibliographies(walk.files.values()), *found)
        names_any = bool(sources or missing)
        cites = any(map(_cites_for_certain, files))
        stand_ins: tuple[Path, ...] = ()
        if cites and not sources:
            stand_ins = tuple(self._stand_ins(walk.main, project))
        only_draft = path.suffix.lower() in _ONLY_DRAFTS
        return Draft(
            path=path,
            root=walk.main,
            files=files,
            others=others,
            own_paths=frozenset((*walk.files, *project.settings)),
            bibliographies=sources,
            stand_ins=tuple(map(BibliographySource, stand_ins)),
            lacks_bibliography=only_draft and cites and not (names_any or stand_ins),
            has_all_text=not walk.problems,
            is_other_text=not (names_any or cites),
            languages=tuple(self._languages(walk)),
            problems=(*walk.problems, *missing),
            inclusions={each: tuple(read) for each, read in walk.inclusions.items()},
        )

    def _stand_ins(self, main: Path, project: Project) -> Iterator[Path]:
        """Yield the bibliographies beside a main file, else in the folder of its project."""
        found = tuple(self._find_stand_ins(main))
        yield from found or self._find_stand_ins(project.folder / main.name)

    def _named(self, walk: Walk, project: Project) -> Iterator[NamedBibliography]:
        """Yield the bibliographies that a draft or its project names, in the order of naming."""
        for path, text, name, span in self._names(walk, project):
            folders = [path.parent, walk.main.parent, project.folder]
            within = [*folders, *([self._workspace] if self._workspace else [])]
            found = bibliography_files(name, folders, within, self._disk)
            sources = tuple(map(BibliographySource, found))
            remote = _REMOTE.match(name) is not None
            yield NamedBibliography(path, text, name, span, sources, remote)

    def _names(self, walk: Walk, project: Project) -> Iterator[tuple[Path, str, str, TextSpan]]:
        for path, file in walk.files.items():
            for each in file.bibliographies:
                yield path, file.text, each.name, each.span
        for path, name in project.bibliographies:
            text = self._read(path)
            start = max(text.find(name), 0)
            yield path, text, name, TextSpan(start, start + len(name))

    @staticmethod
    def _languages(walk: Walk) -> Iterable[str]:
        for file in walk.files.values():
            for value, _ in Header.of(file.text).strings("lang"):
                yield value


def _inline_bibliographies(files: Iterable[DraftFile]) -> Iterator[BibliographySource]:
    """Yield the entries in some files themselves, as bibliographies in CSL YAML."""
    for file in files:
        span = _inline_entries(file.text)
        if span is not None:
            line, _ = file.line_column(span.start)
            yield BibliographySource(file.path, span.of(file.text), line, span.start)


def _inline_entries(text: str) -> TextSpan | None:
    """Return the place of the list of entries in a header, else at the end of the file."""
    found = (header.entry("references") for header in (Header.of(text), Header.at_end(text)))
    lists = (
        entry.span
        for entry in found
        if entry is not None and _LIST.match(text, entry.span.start, entry.span.end)
    )
    return next(lists, None)


def _cites_for_certain(file: DraftFile) -> bool:
    return bool(MarkdownSyntax().certain_citations(file))


def _may_cite_in_brackets(text: str) -> bool:
    return ("[" in text and "@" in text) or "{cite" in text


def _normal(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))
