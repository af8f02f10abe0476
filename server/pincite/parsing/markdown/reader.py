"""Read drafts in Markdown: a file, or the chapters of a book, with what they include."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ...model.drafts import BibliographySource, Draft, DraftFile
from ...model.spans import TextSpan
from ..bibliography_files import NamedBibliography, bibliography_files
from ..markup import ReaderInputs
from ..walk import Walk, WalkedDraftReader
from .header import Header
from .parse import MarkdownParser
from .project import Project, Projects
from .syntax import MarkdownSyntax

_REMOTE: Final = re.compile(r"(?:https?|ftp)://")
#: What may precede the first item of a list in YAML, and how it begins.
_LIST: Final = re.compile(r"(?:\s|#[^\r\n]*[\r\n])*(?:-\s|\[)")
#: Files that have no other use than to be drafts.
_ONLY_DRAFTS: Final = frozenset((".qmd", ".rmd"))


@dataclass(slots=True, kw_only=True)
class _ProjectWalk(Walk):
    """The files of a draft that belongs to a project."""

    project: Project


class MarkdownDraftReader(WalkedDraftReader[_ProjectWalk]):
    """Reads drafts in Markdown, and caches parsed files.

    A book's first chapter is its main file; it includes the others at its end.
    """

    _syntax = MarkdownSyntax()

    def __init__(self, inputs: ReaderInputs) -> None:
        """Read files as `DraftReader` does."""
        super().__init__(inputs)
        self._projects = Projects(self._read, self._disk)
        self._parsed: dict[Path, tuple[MarkdownParser, bool, DraftFile]] = {}

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """Read the draft at `path`; see `MarkupReader.read`."""
        project = self._projects.of(path)
        main = project.chapters[0] if project.chapters else root or path
        return self._draft(path, self._walk_in(project, main, path))

    def read_alone(self, path: Path) -> Draft | None:
        """Read the draft at `path`, if it or its project names a bibliography."""
        project = self._projects.of(path)
        if not (project.bibliographies or project.chapters or self._names_any(path)):
            return None
        return self.read(path)

    def main_named_by(self, path: Path) -> Path | None:
        """Return the first chapter of the book that a file is a chapter of."""
        chapters = self._projects.of(path).chapters
        return chapters[0] if chapters and chapters[0] != path else None

    def starts_document(self, path: Path) -> bool:
        """Return whether a file is certainly the main file of a draft.

        It names a bibliography, or its project does, or it has citations in brackets and there is
        a bibliography beside it.
        """
        project = self._projects.of(path)
        if project.chapters:
            return path == project.chapters[0]
        if self._names_any(path):
            return True
        text = self._read(path)
        if not _may_cite_in_brackets(text):
            return False
        if not self._syntax.certain_citations(self._file(path, project)):
            return False
        return bool(project.bibliographies or next(self._beside(path, project), None))

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

    def _walk(self, main: Path, path: Path) -> _ProjectWalk:
        return self._walk_in(self._projects.of(path), main, path)

    def _walk_in(self, project: Project, main: Path, path: Path) -> _ProjectWalk:
        walk = _ProjectWalk(
            main,
            lambda each: self._file(each, project),
            lambda name, includer: self._included(name, includer, main, project),
            project=project,
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
        own = [] if name.startswith("/") else [includer.parent, main.parent]
        return self._existing((*own, project.folder), name)

    def _draft(self, path: Path, walk: _ProjectWalk) -> Draft:
        draft = super()._draft(path, walk)
        only_draft = path.suffix.lower() in _ONLY_DRAFTS
        return replace(
            draft,
            own_paths=draft.own_paths.union(walk.project.settings),
            lacks_bibliography=draft.lacks_bibliography and only_draft,
        )

    def _inline(self, walk: _ProjectWalk) -> Iterator[BibliographySource]:
        """Yield the entries in the files themselves, as CSL YAML; Pandoc prefers these."""
        for file in walk.files.values():
            span = _inline_entries(file.text)
            if span is not None:
                line, _ = file.line_column(span.start)
                yield BibliographySource(file.path, span.of(file.text), line, span.start)

    def _stand_ins(self, walk: _ProjectWalk) -> Iterator[Path]:
        return self._beside(walk.main, walk.project)

    def _beside(self, main: Path, project: Project) -> Iterator[Path]:
        """Yield the bibliographies beside a main file, else in the folder of its project."""
        found = tuple(self._inputs.find_stand_ins(main))
        yield from found or self._inputs.find_stand_ins(project.folder / main.name)

    def _named(self, walk: _ProjectWalk) -> Iterator[NamedBibliography]:
        """Yield the bibliographies that a draft or its project names, in the order of naming."""
        for path, text, name, span in self._names(walk):
            folders = [path.parent, walk.main.parent, walk.project.folder]
            within = [*folders, *self._workspace]
            found = bibliography_files(name, folders, within, self._disk)
            sources = tuple(map(BibliographySource, found))
            remote = _REMOTE.match(name) is not None
            yield NamedBibliography(path, text, name, span, sources, remote)

    def _names(self, walk: _ProjectWalk) -> Iterator[tuple[Path, str, str, TextSpan]]:
        for path, file in walk.files.items():
            for each in file.bibliographies:
                yield path, file.text, each.name, each.span
        for path, name in walk.project.bibliographies:
            text = self._read(path)
            start = max(text.find(name), 0)
            yield path, text, name, TextSpan(start, start + len(name))

    def _languages(self, file: DraftFile) -> Iterator[str]:
        return (value for value, _ in Header.of(file.text).strings("lang"))


def _inline_entries(text: str) -> TextSpan | None:
    """Return the place of the list of entries in a header, else at the end of the file."""
    found = (header.entry("references") for header in (Header.of(text), Header.at_end(text)))
    lists = (
        entry.span
        for entry in found
        if entry is not None and _LIST.match(text, entry.span.start, entry.span.end)
    )
    return next(lists, None)


def _may_cite_in_brackets(text: str) -> bool:
    return ("[" in text and "@" in text) or "{cite" in text
