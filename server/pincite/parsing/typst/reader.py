"""Read drafts in Typst: a main file with what it includes and imports."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from ...model.drafts import BibliographySource, Draft, DraftFile
from ...model.problems import InputError
from ...model.programs import TYPST, Program
from ..drafts import (
    NamedBibliography,
    Walk,
    WalkedDraftReader,
    bibliographies_of,
    bibliography_files,
)
from .names import (
    ALONE,
    BUILT_IN,
    Dialect,
    Names,
    Shape,
    keys_in,
    merged,
    names_in_data,
    possible_labels,
    visible,
)
from .scanner import parse_typst

_LANGUAGE: Final = re.compile(
    r"""^[ \t]*#set[ ]text\([^()\r\n]*?\blang:[ ]*"([a-z]{2,3})\"""", re.MULTILINE
)
#: Larger files of data have no terms of a glossary.
_MAX_DATA: Final = 200_000


class TypstDraftReader(WalkedDraftReader[Walk[DraftFile]]):
    """Reads drafts in Typst; imported files are parts of them, as functions may contain text."""

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """Read the draft at `path`; see `MarkupReader.read`."""
        return self._draft(path, self._walk(root or path, path))

    def read_alone(self, path: Path) -> Draft | None:
        """Read the draft at `path`, if it or what it includes names a bibliography."""
        walk = self._walk(path, path)
        if not any(file.bibliographies for file in walk.files.values()):
            return None
        return self._draft(path, walk)

    def main_named_by(self, path: Path) -> Path | None:
        """Return None: a file of Typst does not name its main file."""
        return None

    def starts_document(self, path: Path) -> bool:
        """Return whether a file names a bibliography, or includes others."""
        text = self._read(path)
        if "bib" not in text and ".typ" not in text:
            return False
        file, _ = parse_typst(path, text)
        return bool(file.bibliographies or file.includes)

    def _walk(self, main: Path, path: Path) -> Walk[DraftFile]:
        """Read a main file with all that it includes, and `path`, which it may not include.

        The files are read three times: for their names, with the functions that cite, and then also
        with the labels, which are known only after that.
        """

        def find(name: str, includer: Path) -> Path | None:
            return self._existing(self._folders(name, includer, main), name)

        names: dict[Path, Names] = {}

        def read(each: Path, dialect: Dialect = ALONE) -> DraftFile:
            file, names[each] = parse_typst(each, self._read(each), dialect)
            return file

        walk = Walk(main, read, find)
        walk.visit(main, path)
        if path not in walk.files:
            walk.visit(path, path)
        defined = {each: (of.definitions, of.imports) for each, of in names.items()}
        calls: dict[Path, frozenset[tuple[str, Shape]]] = {}
        for each, functions in visible(defined, find).items():
            used = {name: functions[name] for name in functions.keys() & names[each].called}
            calls[each] = frozenset({**BUILT_IN, **used}.items())
            walk.files[each] = read(each, (frozenset(), calls[each], ()))
        every = merged(names.values())
        labels = self._labels(walk, every, {each: of.data for each, of in names.items()})
        prefixes = tuple(sorted(every.prefixes, key=len, reverse=True))
        for each, of in [*names.items()]:
            mentioned = of.references | (every.labels & of.handed)
            walk.files[each] = read(each, (labels & mentioned, calls[each], prefixes))
        return walk

    def _labels(
        self, walk: Walk[DraftFile], every: Names, data: Mapping[Path, set[str]]
    ) -> frozenset[str]:
        """Return the names that cite nothing in a draft with some names, and its files of data."""
        unknown = every.references - every.labels
        found = {walk.find(name, path) for path, names in data.items() for name in names}
        paths: list[Path] = []
        if possible_labels(every, unknown) or any(found):
            sources, _ = bibliographies_of(self._named(walk), self._inputs.find_bibliography)
            paths = [each.path for each in sources] or [*self._fallback_bibliographies(walk)]
        if not paths:
            return frozenset(every.labels)  # what can be cited is unknown
        unknown = unknown.difference(*map(keys_in, self._texts(paths)))
        if unknown:
            every.possible.update(*map(names_in_data, self._texts(found, _MAX_DATA)))
        return possible_labels(every, unknown) | every.labels

    def _texts(self, paths: Iterable[Path | None], largest: float = math.inf) -> Iterator[str]:
        for path in dict.fromkeys(filter(None, paths)):
            status = self._disk.status(path)
            if status is not None and status.size <= largest:
                with suppress(InputError):
                    yield self._read(path)

    def _folders(self, name: str, path: Path, main: Path) -> tuple[Path, ...]:
        """Return the folders of a name: ``/`` is the root of the project, above its files."""
        if not name.startswith("/"):
            return (path.parent, main.parent)
        return (main.parent, *main.parent.parents[:3], *self._workspace)

    def _named(self, walk: Walk[DraftFile]) -> Iterator[NamedBibliography]:
        for path, file in walk.files.items():
            for each in file.bibliographies:
                folders = self._folders(each.name, path, walk.main)
                inside = each.name.lstrip("/")
                found = bibliography_files(inside, folders, folders, self._disk)
                sources = tuple(map(BibliographySource, found))
                yield NamedBibliography(path, file.text, each.name, each.span, sources)

    def _program(self, walk: Walk[DraftFile]) -> Program:
        return TYPST

    def _needs_any(self, files: Sequence[DraftFile], cites: bool) -> bool:
        return any(file.cites for file in files)

    def _languages(self, file: DraftFile) -> Iterable[str]:
        return _LANGUAGE.findall(file.text) if "lang" in file.text else ()
