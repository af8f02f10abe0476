"""What a Markdown file belongs to: a project whose settings name bibliographies, and a book.

=================  ==============================================================================
``_quarto.yml``    Quarto: ``bibliography``; a book's ``chapters`` and ``appendices``, with parts
``_bookdown.yml``  bookdown: ``rmd_files``, else all ``.Rmd`` of the folder, ``index.Rmd`` first
``_config.yml``    Jupyter Book: ``bibtex_bibfiles``; ``_toc.yml`` has the chapters
``myst.yml``       MyST: ``project: bibliography``, ``toc``
Pandoc's defaults  any YAML file beside the draft that names it, or is named ``defaults``
=================  ==============================================================================
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ...model.markups import markup_of
from ...model.problems import InputError
from ..disk import Disk
from ..markup import ReadText
from ..yaml import mapping_in

_MOST_FOLDERS_ABOVE: Final = 5
_MOST_CHAPTERS: Final = 1_000
#: How deep parts of a book are nested.
_DEPTH: Final = 8
_CHAPTER_SUFFIXES: Final = ("", ".md", ".qmd", ".Rmd", ".rmd", ".markdown")
#: An upper bound, as a folder may have very many files.
_MOST_DEFAULTS: Final = 50


@dataclass(frozen=True, slots=True)
class Project:
    """The project of a file: its `settings` files, and what they name.

    `bibliographies` are names as written, with the file that names each. `chapters` are those of a
    book, in order and existing; empty if it is none.
    """

    folder: Path
    settings: tuple[Path, ...] = ()
    bibliographies: tuple[tuple[Path, str], ...] = ()
    chapters: tuple[Path, ...] = ()
    quarto: bool = False


class Projects:
    """Finds the projects of files, whose settings are parsed when they change."""

    def __init__(self, read: ReadText, disk: Disk) -> None:
        """Read settings with `read`."""
        self._read = read
        self._disk = disk
        self._parsed: dict[Path, tuple[str, Mapping[str, Any]]] = {}

    def of(self, path: Path) -> Project:
        """Return the project of a file: that of the nearest folder with settings."""
        # Above the workspace, too: Quarto looks there, and it may be the folder of one post.
        for folder in path.parents[: _MOST_FOLDERS_ABOVE + 1]:
            for name, read in _KINDS:
                settings = folder / name
                if self._disk.is_file(settings):
                    found = read(self, settings)
                    # Settings of a website may be for other things than citations.
                    if found is not None and (not found.chapters or path in found.chapters):
                        return found
        return self._with_defaults(path)

    def _settings(self, path: Path) -> Mapping[str, Any]:
        try:
            text = self._read(path)
        except InputError:
            return {}
        known = self._parsed.get(path)
        if known is None or known[0] != text:
            known = self._parsed[path] = text, mapping_in(text)
        return known[1]

    def _quarto(self, settings: Path) -> Project:
        read = self._settings(settings)
        book = _mapping(read.get("book"))
        named = [*_listed(book.get("chapters")), *_listed(book.get("appendices"))]
        names = (*_strings(read.get("bibliography")), *_strings(book.get("bibliography")))
        return self._project(settings, names, self._existing(settings.parent, named), quarto=True)

    def _bookdown(self, settings: Path) -> Project:
        read = self._settings(settings)
        folder, files = settings.parent, read.get("rmd_files")
        if isinstance(files, dict):
            files = next(iter(files.values()), None)
        chapters = self._existing(folder, list(_strings(files)))
        if not chapters:
            own = (
                folder / name
                for name in self._disk.listed(os.fspath(folder)).files
                if name.lower().endswith(".rmd") and not name.startswith("_")
            )
            chapters = tuple(sorted(own, key=lambda each: each.stem.lower() != "index"))
        return self._project(settings, _strings(read.get("bibliography")), chapters)

    def _jupyter_book(self, settings: Path) -> Project | None:
        read = self._settings(settings)
        table = settings.with_name("_toc.yml")
        contents = self._settings(table) if self._disk.is_file(table) else {}
        config = _mapping(_mapping(read.get("sphinx")).get("config"))
        files = read.get("bibtex_bibfiles") or config.get("bibtex_bibfiles")
        if not contents and not files:
            return None  # Jekyll's
        chapters = self._existing(settings.parent, list(_listed(contents)))
        found = self._project(settings, _strings(files), chapters)
        return replace(found, settings=(settings, table))

    def _myst(self, settings: Path) -> Project:
        project = _mapping(self._settings(settings).get("project"))
        chapters = self._existing(settings.parent, list(_listed(project.get("toc"))))
        return self._project(settings, _strings(project.get("bibliography")), chapters)

    def _with_defaults(self, path: Path) -> Project:
        """Return the project that Pandoc's defaults files beside a file make, if any."""
        used: list[Path] = []
        names: list[tuple[Path, str]] = []
        listed = self._disk.listed(os.fspath(path.parent)).files
        files = [name for name in listed if name.lower().endswith((".yaml", ".yml"))]
        for name in files[:_MOST_DEFAULTS]:
            settings = path.parent / name
            read = self._settings(settings)
            metadata = _mapping(read.get("metadata"))
            inputs = (*_strings(read.get("input-files")), *_strings(read.get("input-file")))
            is_meant = path.name in (Path(each).name for each in inputs)
            if is_meant or (not inputs and "defaults" in name.lower()):
                used.append(settings)
                for entries in (read, metadata):
                    found = _strings(entries.get("bibliography"))
                    # Pandoc's variable for the folder of the file itself.
                    names += ((settings, each.replace("${.}/", "")) for each in found)
        return Project(path.parent, tuple(used), tuple(names))

    def _project(
        self,
        settings: Path,
        names: Iterable[str],
        chapters: tuple[Path, ...],
        *,
        quarto: bool = False,
    ) -> Project:
        named = tuple((settings, name) for name in dict.fromkeys(names))
        return Project(settings.parent, (settings,), named, chapters, quarto)

    def _existing(self, folder: Path, named: list[str]) -> tuple[Path, ...]:
        found: dict[Path, None] = {}
        for name in named[:_MOST_CHAPTERS]:
            for suffix in _CHAPTER_SUFFIXES:
                path = Path(os.path.normpath(folder / f"{name}{suffix}"))
                if markup_of(path) == "markdown" and self._disk.is_file(path):
                    found[path] = None
                    break
        return tuple(found)


_KINDS: Final[tuple[tuple[str, Callable[[Projects, Path], Project | None]], ...]] = (
    ("_quarto.yml", Projects._quarto),
    ("_quarto.yaml", Projects._quarto),
    ("_bookdown.yml", Projects._bookdown),
    ("myst.yml", Projects._myst),
    ("_config.yml", Projects._jupyter_book),
)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _strings(value: object) -> Iterator[str]:
    """Yield the strings of a scalar or a list."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str) and each.strip():
            yield each.strip()


def _listed(value: object, depth: int = 0) -> Iterator[str]:
    """Yield the names of files in a table of contents, in order, whatever its levels are called."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _listed(each, depth)
    elif isinstance(value, dict) and depth < _DEPTH:
        for name in ("root", "part", "file", "href"):
            if isinstance(named := value.get(name), str):
                yield named
        for name in ("parts", "chapters", "sections", "children", "contents"):
            yield from _listed(value.get(name), depth + 1)
