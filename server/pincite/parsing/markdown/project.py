"""The project of a Markdown file, whose settings name bibliographies, and its book.

Settings are in ``_quarto.yml`` with profiles, the ``_metadata.yml`` of folders and
``metadata-files``, in ``_bookdown.yml`` (or the ``site`` of ``index.Rmd``), ``_output.yml``,
``_config.yml`` and ``_toc.yml`` of Jupyter Book, ``myst.yml``, Sphinx's ``conf.py``,
``mkdocs.yml``, and Pandoc's defaults: a YAML file beside the draft that names it, or is named
``defaults`` or ``metadata``. The header of a file names more: below its formats, in
``metadata-files``, in a LaTeX template.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import lru_cache
from itertools import chain, islice, product
from pathlib import Path
from typing import Any, Final

from ..disk import Disk
from ..latex.commands import CommandTable
from ..markups import MARKDOWN, markup_of
from ..paths import is_pattern
from ..yaml import mapping_in
from .dialect import ALONE, Dialect, custom_prefixes, header_of

_MAX_FOLDERS_ABOVE: Final = 5
_MAX_CHAPTERS: Final = 1_000
#: Settings and headers to cache.
_MAX_SETTINGS: Final = 200
#: How deep parts of a book are nested.
_DEPTH: Final = 8
_LEVELS: Final = "parts chapters sections children contents subtrees entries".split()
_FILES: Final = "root part file href pattern glob".split()
_CHAPTER_SUFFIXES: Final = ("", ".md", ".qmd", ".Rmd", ".rmd", ".markdown")
NOTEBOOK: Final = ".ipynb"
#: The folder of what MyST has made.
_BUILT: Final = "_build"
#: An upper bound, as a folder may have very many files.
_MAX_DEFAULTS: Final = 50
#: The entries of a header with the formats to write, and what they are made with.
_OF_HEADER: Final = frozenset(
    """
    format output metadata-files variables template header-includes include-in-header
    citation_package cite-method natbib biblatex documentclass pdf-engine
    """.split()
)
#: Entries that name more settings.
_MORE: Final = ("metadata-files", "metadata-file", "defaults", "extends")
#: Entries that name files of LaTeX.
_IN_LATEX: Final = ("template", "in_header", "include-in-header", "before_body", "after_body")
_LATEX_SUFFIXES: Final = (".tex", ".latex")
_YAML: Final = (".yml", ".yaml")
_RMD: Final = re.compile(r".*\.rmd", re.IGNORECASE | re.DOTALL)
#: The entries of Pandoc's defaults that name drafts.
_INPUTS: Final = ("input-files", "input-file")
#: Settings that name no drafts: those that are beside them.
_BESIDE: Final = re.compile("defaults|metadata", re.IGNORECASE)
#: In the settings of Sphinx, which are code, and of MkDocs.
_BIBFILES: Final = re.compile(
    r"^(?:bibtex_bibfiles[^=\n]*=\s*(\[[^\[\]]*|.*)|[ \t-]*bib_file:[ \t]*[\"']?([^\s\"'#]+))",
    re.MULTILINE,
)
_QUOTED: Final = re.compile(r"[\"']([^\"'\r\n]+)[\"']")
_PROFILE: Final = re.compile(r"_quarto-[^/]+\.ya?ml")
#: What is written with TeX.
_WITH_TEX: Final = re.compile(
    r"pdf|latex|\.tex\b|beamer|natbib|biblatex|documentclass|rticles|tufte_(?:handout|book)"
)


@dataclass(frozen=True, slots=True)
class Project:
    """The project of a file: its settings, with the bibliographies as each of them `named` these.

    `chapters` are those of a book, in order and existing; empty if it is none. `pages` are the
    notebooks of a book, or all pages of a project in MyST: each may refer to the labels of all.
    `around` is how its files are read.
    """

    folder: Path
    named: Mapping[Path, tuple[str, ...]]
    chapters: tuple[Path, ...] = ()
    pages: tuple[Path, ...] = ()
    around: Dialect = ALONE

    @property
    def bibliographies(self) -> Iterator[tuple[Path, str]]:
        """The bibliographies that are named, with the file that names each."""
        return ((path, name) for path, names in self.named.items() for name in names)


class Projects:
    """Finds the projects of files; `read` returns the text of a file, empty if it cannot be."""

    def __init__(self, read: Callable[[Path], str], disk: Disk) -> None:
        self._text, self._disk = read, disk
        #: The projects by their settings, with the state of the disk: each page of a book has them.
        self._known: dict[Path, tuple[object, Project | None]] = {}

    def of(self, path: Path) -> Project:
        """Return the project of a file, with what its header, or a book's first one, names."""
        project = self._of_folders(path)
        around, named = project.around, dict(project.named)
        main = project.chapters[0] if project.chapters else path
        text = self._text(main)
        header, written = _of_header(text[: header_of(text).end])
        # Nearer settings come later, as in Quarto.
        if around.cross_references:
            holding = dict.fromkeys(each.parent for each in (main, path, *project.chapters))
            above = (folder for each in holding for folder in (*reversed(each.parents), each))
            within = dict.fromkeys(each for each in above if each.is_relative_to(project.folder))
            for folder, suffix in product(within, _YAML):
                self._add(folder / f"_metadata{suffix}", named)
        self._add(main.with_name("_output.yml"), named)
        self._add(main, named, header)
        in_yaml = (each for each in named if around.cross_references and each.suffix in _YAML)
        prefixes = frozenset[str]().union(*map(custom_prefixes, map(self._settings, in_yaml)))
        texts = (written if each == main else self._text(each) for each in named)
        typeset = any(map(_WITH_TEX.search, texts))
        around = replace(around, typeset=typeset, prefixes=prefixes)
        return replace(project, named=named, around=around)

    def _of_folders(self, path: Path) -> Project:
        # Above the workspace, too: Quarto looks there, and it may be the folder of one post.
        for folder in path.parents[: _MAX_FOLDERS_ABOVE + 1]:
            for name, read in _KINDS:
                settings = folder / name
                if self._disk.is_file(settings):
                    state, known = self._disk.state, self._known.get(settings)
                    if known is None or known[0] is not state:
                        known = self._known[settings] = state, read(self, settings)
                    found = known[1]
                    # Settings of a website may be for other things than citations.
                    if found is not None and (not found.chapters or path in found.chapters):
                        return found
        # Pandoc's defaults files beside the file.
        named: dict[Path, tuple[str, ...]] = {}
        in_yaml = (each for each in self._listed(path.parent) if each.lower().endswith(_YAML))
        for name in islice(in_yaml, _MAX_DEFAULTS):
            read_in = self._settings(path.with_name(name))
            inputs = [Path(each).name for key in _INPUTS for each in _strings(read_in.get(key))]
            if path.name in inputs or (not inputs and _BESIDE.search(name)):
                self._add(path.with_name(name), named)
        return Project(path.parent, named)

    def _listed(self, folder: Path) -> tuple[str, ...]:
        return self._disk.listed(os.fspath(folder)).files

    def _settings(self, path: Path) -> Mapping[str, Any]:
        """Return the settings in a file: those of LaTeX name bibliographies."""
        return _settings_in(self._text(path), in_latex=path.suffix.lower() in _LATEX_SUFFIXES)

    def _add(
        self, path: Path, named: dict[Path, tuple[str, ...]], read: Mapping[str, Any] | None = None
    ) -> None:
        """Add the bibliographies that a file names, and those of the files that it names."""
        if path in named or len(named) >= _MAX_DEFAULTS:
            return
        if read is None:
            if not self._disk.is_file(path):
                return
            read = self._settings(path)
        # Pandoc has a variable for the folder of a defaults file.
        found = (name.replace("${.}/", "") for name in _under(read, "bibliography"))
        named[path] = tuple(dict.fromkeys(found))
        for more, suffix in product(_under(read, *_MORE), ("", ".yaml")):
            self._add(_joined(path.parent, f"{more}{suffix}"), named)
        for tex, suffix in product(_under(read, *_IN_LATEX), ("", *_LATEX_SUFFIXES)):
            file = _joined(path.parent, f"{tex}{suffix}")
            if file.suffix.lower() in _LATEX_SUFFIXES:
                self._add(file, named)

    def _quarto(self, settings: Path) -> Project:
        folder, named = settings.parent, dict[Path, tuple[str, ...]]()
        for name in (settings.name, *filter(_PROFILE.fullmatch, self._listed(folder))):
            self._add(folder / name, named)
        books = [_mapping(self._settings(each).get("book")) for each in named]
        parts = (book.get(part) for book in books for part in ("chapters", "appendices"))
        listed = [*chain.from_iterable(map(_files_in, parts))]
        notebooks = tuple(self._notebooks(folder, listed))
        around = Dialect(cross_references=True)
        return Project(folder, named, self._existing(folder, listed), notebooks, around)

    def _bookdown(self, settings: Path) -> Project:
        """Return the project with ``rmd_files``, else all ``.Rmd`` of the folder, index first."""
        read = self._settings(settings)
        folder, files, below = settings.parent, read.get("rmd_files"), read.get("rmd_subdir")
        # By the format of the output: of all, those of the longest list first.
        lists = [[*_strings(each)] for each in _mapping(files).values()] or [[*_strings(files)]]
        chapters = self._existing(folder, [*chain(*sorted(lists, key=len, reverse=True))])
        if not chapters:
            chapters = self._existing(folder, [*filter(_RMD.fullmatch, self._listed(folder))])
        for each in (".",) if below is True else _strings(below):
            within = self._disk.draft_files(folder / each, (MARKDOWN,))
            found = (os.fspath(path) for path in within if _RMD.fullmatch(path.name))
            chapters += self._existing(folder, [*islice(found, _MAX_CHAPTERS)])
        merged = re.sub(r"\.\w+\Z", "", str(read.get("book_filename", "_main"))).lower() + ".rmd"
        own = [
            path
            for path in dict.fromkeys(chapters)
            if not path.name.startswith("_") and path.name.lower() != merged
        ]
        own.sort(key=lambda path: path != folder / path.name or path.stem.lower() != "index")
        return Project(folder, {settings: tuple(_strings(read.get("bibliography")))}, tuple(own))

    def _bookdown_site(self, index: Path) -> Project | None:
        sites = header_of(self._text(index)).strings("site")
        settings = index.with_name("_bookdown.yml")
        if self._disk.is_file(settings) or not any("bookdown_site" in site for site, _ in sites):
            return None
        return replace(self._bookdown(settings), named={})

    def _pages(self, settings: Path) -> Project | None:
        """Return a project in MyST, or of Jupyter Book: pages are listed, or all in its folder."""
        read, table = self._settings(settings), settings.with_name("_toc.yml")
        named: dict[Path, tuple[str, ...]] = {}
        if settings.name == "myst.yml":
            self._add(settings, named)
            contents = _mapping(read.get("project")).get("toc")
        else:
            config = _mapping(_mapping(read.get("sphinx")).get("config"))
            files = read.get("bibtex_bibfiles") or config.get("bibtex_bibfiles")
            contents = self._settings(table) if self._disk.is_file(table) else {}
            if not contents and not files:
                return None  # Jekyll's
            named |= {settings: tuple(dict.fromkeys(_strings(files))), table: ()}
        folder, listed = settings.parent, [*_files_in(contents)]
        chapters = self._existing(folder, listed)
        pages = (*chapters, *self._notebooks(folder, listed))
        if not pages:
            inside = (self._disk.draft_files(folder, (MARKDOWN,)), self._disk.notebooks(folder))
            own = (each for each in chain(*inside) if _BUILT not in each.parts)
            pages = tuple(islice(own, _MAX_CHAPTERS))
        return Project(folder, named, chapters, pages, Dialect(myst=True))

    def _site(self, settings: Path) -> Project | None:
        """Return a site of Sphinx or MkDocs; what code computes is named as it is written."""
        named: list[str] = []
        for code, name in _BIBFILES.findall(self._text(settings)):
            written = re.sub("#.*", "", code).strip()
            is_computed = "(" in written.lstrip("(")
            named += [name or written] if name or is_computed else _QUOTED.findall(written)
        return Project(settings.parent, {settings: tuple(named)}) if named else None

    def _notebooks(self, folder: Path, named: list[str]) -> Iterator[Path]:
        for name in named:
            path = folder / (name if name.endswith(NOTEBOOK) else f"{name}{NOTEBOOK}")
            if self._disk.is_file(path):
                yield path

    def _existing(self, folder: Path, named: list[str]) -> tuple[Path, ...]:
        found: dict[Path, None] = {}
        for name in named[:_MAX_CHAPTERS]:
            if is_pattern(name):
                inside = self._disk.draft_files(folder, (MARKDOWN,))
                fitting = (each for each in inside if fnmatch(os.path.relpath(each, folder), name))
                found.update(dict.fromkeys(fitting))
            paths = [_joined(folder, f"{name}{suffix}") for suffix in _CHAPTER_SUFFIXES]
            own = [*islice(filter(self._disk.is_file, filter(_is_page, paths)), 1)]
            if not own:  # Windows and macOS ignore case
                path, listed = paths[0], self._listed(paths[0].parent)
                same = (path.with_name(n) for n in listed if n.lower() == path.name.lower())
                own = [*filter(_is_page, same)]
            found.update(dict.fromkeys(own))
        return tuple(found)


_KINDS: Final[tuple[tuple[str, Callable[[Projects, Path], Project | None]], ...]] = (
    ("_quarto.yml", Projects._quarto),
    ("_quarto.yaml", Projects._quarto),
    ("_bookdown.yml", Projects._bookdown),
    *((name, Projects._pages) for name in ("myst.yml", "_config.yml", "_toc.yml")),
    *((name, Projects._site) for name in ("conf.py", "mkdocs.yml")),
    ("index.Rmd", Projects._bookdown_site),
    ("index.rmd", Projects._bookdown_site),
)


@lru_cache(maxsize=_MAX_SETTINGS)
def _settings_in(text: str, *, in_latex: bool) -> Mapping[str, Any]:
    if in_latex:
        return {"bibliography": _named_in_latex(text)}
    read = mapping_in(text)
    if not read and text.lstrip().startswith("-"):  # the list of an old Jupyter Book
        read = mapping_in(f"chapters:\n{text}")
    return read


@lru_cache(maxsize=_MAX_SETTINGS)
def _of_header(text: str) -> tuple[Mapping[str, Any], str]:
    """Return the entries of a header that are read here, and as they are written."""
    header = header_of(text)
    entries = [f"{name}:{header.value(name)}" for name in header.entries if name in _OF_HEADER]
    read: dict[str, Any] = {}
    for each in entries:
        read |= mapping_in(each)
    written = "\n".join(entries)
    if "\\" in written:
        read["header-includes"] = {"bibliography": _named_in_latex(written)}
    return read, written


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_page(path: Path) -> bool:
    return markup_of(path) is MARKDOWN


def _joined(folder: Path, name: str) -> Path:
    return Path(os.path.normpath(folder / name))


def _named_in_latex(text: str) -> list[str]:
    """Return the bibliographies that LaTeX names, but not those of Pandoc's variables."""
    from ..latex.named_files import find_named_files
    from ..latex.regions import Region

    named = find_named_files(Region(text).text, CommandTable()).bibliographies
    return [each.name for each in named if "$" not in each.name]


def _under(value: object, *names: str) -> Iterator[str]:
    """Yield the strings of the entries with some names, at any depth."""
    waiting, seen = [value], set[int]()
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict) and id(current) not in seen:
            seen.add(id(current))  # YAML may repeat a part many times
            for name in names:
                yield from _strings(current.get(name))
            waiting += reversed(current.values())


def _strings(value: object) -> Iterator[str]:
    values = [*value.values()] if isinstance(value, dict) else [value]
    for each in value if isinstance(value, list) else values:
        if isinstance(each, str) and each.strip():
            yield each.strip()


def _files_in(value: object, depth: int = 0) -> Iterator[str]:
    """Yield the names of files in a table of contents, in order, whatever its levels are called."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _files_in(each, depth)
    elif isinstance(value, dict) and depth < _DEPTH:
        yield from (value[name] for name in _FILES if isinstance(value.get(name), str))
        for name in _LEVELS:
            yield from _files_in(value.get(name), depth + 1)
