"""Read drafts in Markdown: a file, or the chapters of a book, with what they include."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final

from ...model.drafts import BibliographySource, Citation, Draft, DraftFile
from ...model.programs import BIBER, BIBTEX, CITATION_JS, PANDOC, PYBTEX, Program
from ...model.spans import TextSpan
from ..drafts import (
    DraftInputs,
    NamedBibliography,
    Walk,
    WalkedDraftReader,
    bibliography_files,
)
from ..markups import MARKDOWN, markup_of
from .chunks import bibliographies_in_code
from .citations import DOI_LINK
from .dialect import (
    ALONE,
    MAX_PAGES,
    Dialect,
    dialect_of,
    header_of,
    in_myst,
    is_myst,
    keys_given,
    labels_among,
    labels_given,
    notebook_text,
)
from .project import NOTEBOOK, Project, Projects
from .scanner import Scanner, parse_markdown

#: ``[@name]: https://…``, where a name in brackets is a link to somebody.
_NAMED_LINK: Final = re.compile(r"^[ ]{0,3}\[@[^\]\r\n]+\]:[ \t]*\S", re.MULTILINE)
_REMOTE: Final = re.compile(r"(?:https?|ftp)://")
#: Where knitr is set to run: ``opts_knit$set(root.dir = "..")``, ``knit_root_dir = ".."``.
_ROOT: Final = re.compile(r"root[._]dir[ \t]*=[ \t]*[\"']([^\"'\r\n]{1,200})[\"']")
_MAX_FOLDERS_ABOVE: Final = 5
_COMMAND_OR_ROLE: Final = re.compile(r"\{cite|\\[A-Za-z]{0,20}cite", re.IGNORECASE)
#: What may precede the first item of a list in YAML, and how it begins.
_LIST: Final = re.compile(r"(?:\s|#[^\r\n]*[\r\n])*(?:-\s|\[)")
#: The programs of projects other than Pandoc's.
_OF_PROJECTS: Final = {"myst.yml": CITATION_JS, "_config.yml": PYBTEX, "conf.py": PYBTEX}
#: The option for citations made by LaTeX, in R Markdown and Quarto, and formats other than LaTeX.
_CITES_IN_LATEX: Final = re.compile(
    r"^[ \t]*(?:citation_package|cite-method):[ \t]*[\"']?(natbib|biblatex)\b", re.MULTILINE
)
_NO_LATEX: Final = re.compile(
    r"(?:^|[ \t:])(?:\w*html\w*|gitbook|bs4_book|epub\w*|docx|odt|word_document\w*|revealjs)"
    r"[ \t]*(?::|$)",
    re.MULTILINE,
)
#: The labels of notebooks, with the state of each. A reader is made anew with each letter typed.
_LABELS: Final[dict[Path, tuple[object, frozenset[str]]]] = {}
#: Files that are always drafts.
ONLY_DRAFTS: Final = frozenset((".qmd", ".rmd"))


@dataclass(slots=True, kw_only=True)
class _ProjectWalk(Walk[DraftFile]):
    project: Project


def certain_citations(file: DraftFile) -> Iterator[Citation]:
    """Yield the citations in brackets, and the roles; none if links have such names."""
    if not ("]:" in file.text and _NAMED_LINK.search(file.text)):
        yield from file.citations_by(lambda command: command not in ("@", "nocite", DOI_LINK))


class MarkdownDraftReader(WalkedDraftReader[_ProjectWalk]):
    """Reads drafts in Markdown; a book's first chapter is its main file and includes the others."""

    def __init__(self, inputs: DraftInputs) -> None:
        super().__init__(inputs)
        self._projects = Projects(self._text, self._disk)

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """Read the draft at `path`; see `MarkupReader.read`."""
        project = self._projects.of(path)
        main = project.chapters[0] if project.chapters else root or path
        in_it = bool(project.chapters) or main == path
        return self._draft(path, self._walk(main, path, project if in_it else None))

    def read_alone(self, path: Path) -> Draft | None:
        """Read the draft at `path`, if it or its project names a bibliography."""
        project = self._projects.of(path)
        names_any = any(project.named.values()) or project.chapters
        return self.read(path) if names_any or self._names_any(path, project) else None

    def main_named_by(self, path: Path) -> Path | None:
        """Return the first chapter of the book that a file is a chapter of."""
        chapters = self._projects.of(path).chapters
        return chapters[0] if chapters and chapters[0] != path else None

    def starts_document(self, path: Path) -> bool:
        """Return whether a file certainly begins a draft: it names, or cites, a bibliography."""
        project = self._projects.of(path)
        if project.chapters:
            return path == project.chapters[0]
        if self._names_any(path, project):
            return True
        text = self._read(path)
        if not (("[" in text and "@" in text) or _COMMAND_OR_ROLE.search(text)):
            return False
        file = self._file(path, self._around(project, path))
        if next(certain_citations(file), None) is None:
            return False
        return any(project.named.values()) or bool(self._beside(path, project))

    def _names_any(self, path: Path, project: Project) -> bool:
        text = self._read(path)
        if "bibliography" in header_of(text).entries:
            return True
        if not any(sign in text for sign in ("\nbibliography:", "\nreferences:", "{bibliography}")):
            return False
        file = self._file(path, self._around(project, path))
        return bool(file.bibliographies) or _inline_entries(file) is not None

    def _file(self, path: Path, around: Dialect) -> DraftFile:
        text = self._read(path)
        return parse_markdown(path, text, dialect_of(path, text, around))

    def _around(self, project: Project, main: Path) -> Dialect:
        """Return how to read the files of a project with this main file."""
        labels, keys = frozenset[str](), frozenset[str]()
        if project.around.myst or is_myst(self._text(main)):
            labels = labels.union(*map(self._names_in, project.pages))
            if given := labels | self._names_in(main):
                header = header_of(self._text(main)).strings("bibliography")
                named = [*project.bibliographies, *((main, name) for name, _ in header)]
                folders = [([path.parent, project.folder], name) for path, name in named]
                found = (bibliography_files(name, each, each, self._disk) for each, name in folders)
                files = chain(*found) if named else self._beside(main, project)
                keys = keys.union(*(labels_among(self._names_in(each), given) for each in files))
        return replace(project.around, labels=labels, keys=keys)

    def _names_in(self, path: Path) -> frozenset[str]:
        """Return the labels that a page in MyST gives, or the keys of a bibliography."""
        if path.suffix != NOTEBOOK:
            names_in = labels_given if markup_of(path) is MARKDOWN else keys_given
            return names_in(self._text(path))
        # A notebook with its pictures is long, and is read again only when it changes.
        state, known = self._disk.status(path), _LABELS.get(path)
        if known is None or known[0] != state:
            if len(_LABELS) >= MAX_PAGES:
                _LABELS.clear()
            known = _LABELS[path] = state, labels_given(notebook_text(self._text(path)))
        return known[1]

    def _walk(self, main: Path, path: Path, project: Project | None = None) -> _ProjectWalk:
        project = project or self._projects.of(main)
        around, text = self._around(project, main), self._text(main)
        # Knitr may run in a folder above, where a project of RStudio or a repository begins.
        roots = [main.parent / name for name in _ROOT.findall(text)] if "root" in text else []
        further = (main.parent, project.folder, *main.parents[1:_MAX_FOLDERS_ABOVE])

        def find(name: str, includer: Path) -> Path | None:
            is_in_project = name.startswith("/")
            own = [project.folder] if is_in_project else (*roots, includer.parent, *further)
            return self._existing(own, name)

        walk = _ProjectWalk(main, lambda each: self._file(each, around), find, project=project)
        walk.visit(main, path)
        is_book = bool(project.chapters) and main == project.chapters[0]
        for chapter in project.chapters if is_book else ():
            if chapter not in walk.files:
                walk.visit(chapter, path)
                if chapter in walk.files and main in walk.files:
                    end = len(walk.files[main].text)
                    walk.inclusions.setdefault(main, []).append((end, chapter))
        if path not in walk.files:
            walk.visit(path, path)
        return walk

    def _program(self, walk: _ProjectWalk) -> Program:
        """Return Pandoc, unless LaTeX alone makes the citations."""
        settings = tuple(walk.project.named)
        if settings and (of_project := _OF_PROJECTS.get(settings[0].name)) is not None:
            return of_project
        texts = [(path, self._text(path)) for path in settings]
        read = [text[: header_of(text).end] if path == walk.main else text for path, text in texts]
        package = next((found for text in read if (found := _CITES_IN_LATEX.search(text))), None)
        if package is None or any(map(_NO_LATEX.search, read)):
            return PANDOC
        return BIBTEX if package[1] == "natbib" else BIBER

    def _draft(self, path: Path, walk: _ProjectWalk) -> Draft:
        draft, project = super()._draft(path, walk), walk.project
        only_draft = path.suffix.lower() in ONLY_DRAFTS
        return replace(
            draft,
            own_paths=draft.own_paths.union(project.named),
            lacks_bibliography=draft.lacks_bibliography and only_draft,
            # Notebooks are not read, nor what settings list.
            has_all_text=draft.has_all_text
            and not any(page.suffix == NOTEBOOK for page in project.pages)
            and not any("nocite" in self._text(each) for each in {*project.named} - {*walk.files}),
            resolves_dois=any(
                in_myst(each.path, each.text, project.around) for each in draft.files
            ),
        )

    def _inline(self, walk: _ProjectWalk) -> Iterator[BibliographySource]:
        """Yield the entries in the files themselves, as CSL YAML; Pandoc prefers these."""
        for file in walk.files.values():
            if (span := _inline_entries(file)) is not None:
                line, _ = file.line_column(span.start)
                yield BibliographySource(file.path, span.of(file.text), line, span.start)

    def _fallback_bibliographies(self, walk: _ProjectWalk) -> Sequence[Path]:
        return self._beside(walk.main, walk.project)

    def _beside(self, main: Path, project: Project) -> list[Path]:
        """Return the bibliographies beside a main file, else in the folder of its project."""
        find = self._inputs.find_fallbacks
        return [*find(main)] or [*find(project.folder / main.name)]

    def _named(self, walk: _ProjectWalk) -> Iterator[NamedBibliography]:
        top, main = walk.project.folder, walk.main
        for path, text, name, span in self._names(walk):
            folders = [path.parent, main.parent, top]
            within = [*folders, *self._workspace]
            found = [*bibliography_files(name, folders, within, self._disk)]
            if not found and name.startswith("/"):  # from the folder of a project
                found += bibliography_files(name.lstrip("/"), [top], within, self._disk)
            above = [*folders, *main.parents[1:_MAX_FOLDERS_ABOVE]]
            for paths in bibliographies_in_code(name) if not found else ():
                files = ([*bibliography_files(each, above, within, self._disk)] for each in paths)
                found += next(filter(None, files), ())
            sources = tuple(map(BibliographySource, found))
            remote = _REMOTE.match(name) is not None
            yield NamedBibliography(path, text, name, span, sources, remote)

    def _names(self, walk: _ProjectWalk) -> Iterator[tuple[Path, str, str, TextSpan]]:
        for path, name in walk.project.bibliographies:
            text = self._read(path)
            start = max(text.find(name), 0)
            yield path, text, name, TextSpan(start, start + len(name))
        for path, file in walk.files.items():
            for each in file.bibliographies:
                yield path, file.text, each.name, each.span

    def _languages(self, file: DraftFile) -> Iterator[str]:
        return (value for value, _ in header_of(file.text).strings("lang"))


def _inline_entries(file: DraftFile) -> TextSpan | None:
    """Return the place of the list of entries in a header, else in another block of metadata."""
    metadata = [(0, header_of(file.text))]
    for start, region in file.placed:
        if "\nreferences:" in region.text:
            scanner = Scanner(region.text, ALONE)
            scanner.read()
            metadata += ((start, each) for each in scanner.metadata)
    for start, each in metadata:
        place = each.entries.get("references")
        if place is not None and _LIST.match(each.text, place.start, place.end):
            return place.moved(start)
    return None
