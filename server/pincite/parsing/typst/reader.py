"""Read drafts in Typst: a main file with what it includes and imports."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...model.drafts import BibliographySource, Draft, DraftFile
from ...model.problems import InputError
from ...model.programs import TYPST, Program
from ..bibliography_files import NamedBibliography, bibliographies_of, bibliography_files
from ..markup import ReaderInputs
from ..walk import Walk, WalkedDraftReader
from .functions import BUILT_IN, visible
from .names import Names, keys_in, names_in_data, possible_labels
from .parse import Dialect, TypstParser
from .syntax import TypstSyntax

_LANGUAGE: Final = re.compile(
    r"""^[ \t]*#set[ ]text\([^()\r\n]*?\blang:[ ]*"([a-z]{2,3})\"""", re.MULTILINE
)
#: Larger files of data have no terms of a glossary.
_LARGEST_DATA: Final = 200_000


@dataclass(slots=True)
class _Known:
    """What was parsed of a file, and in which dialect."""

    parser: TypstParser
    dialect: Dialect
    file: DraftFile


class TypstDraftReader(WalkedDraftReader[Walk]):
    """Reads drafts in Typst, and caches parsed files.

    A file that a draft imports is a part of it, as its functions may hold text and bibliographies.
    """

    _syntax = TypstSyntax()

    def __init__(self, inputs: ReaderInputs) -> None:
        """Read files as `DraftReader` does."""
        super().__init__(inputs)
        self._parsed: dict[Path, _Known] = {}

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
        file = self._file(path)
        return bool(file.bibliographies or file.includes)

    def _file(self, path: Path, dialect: Dialect | None = None) -> DraftFile:
        """Return a file, in the dialect that it was read in before if none is given."""
        text = self._read(path)
        known = self._parsed.get(path)
        if known is None or known.file.text != text:
            parser = TypstParser(path) if known is None else known.parser
            used = Dialect() if known is None else known.dialect
            known = self._parsed[path] = _Known(parser, used, parser.read(text, used))
        if dialect is not None and dialect != known.dialect:
            known.dialect, known.file = dialect, known.parser.read(text, dialect)
        return known.file

    def _walk(self, main: Path, path: Path) -> Walk:
        """Read a main file with all that it includes, and `path`, which it may not include."""
        walk = Walk(main, self._file, lambda name, includer: self._found(name, includer, main))
        walk.visit(main, path)
        if path not in walk.files:
            walk.visit(path, path)
        # What a name means is known when all files are: first which functions cite.
        names = {each: self._parsed[each].parser.names for each in walk.files}
        functions = visible(
            {each: (tuple(of.definitions), tuple(of.imports)) for each, of in names.items()},
            lambda name, importer: self._found(name, importer, main),
        )
        for each, of in names.items():
            used = {name: shape for name, shape in functions[each].items() if name in of.called}
            known = self._parsed[each]
            self._file(each, Dialect(known.dialect.labels, {**BUILT_IN, **used}))
        labels = self._labels(walk)
        defined = {label for each in walk.files for label in self._parsed[each].parser.names.labels}
        for each in walk.files:
            known = self._parsed[each]
            of = known.parser.names
            mentioned = of.references | (defined & of.handed)
            walk.files[each] = self._file(
                each, Dialect(labels & mentioned, known.dialect.functions)
            )
        return walk

    def _labels(self, walk: Walk) -> frozenset[str]:
        """Return the names that cite nothing in the files of a draft."""
        names = {each: self._parsed[each].parser.names for each in walk.files}
        every = Names()
        for each in names.values():
            every.add(each)
        unknown = every.references - every.labels
        data = {
            self._found(name, path, walk.main) for path, of in names.items() for name in of.data
        }
        if not (possible_labels(every, unknown) or any(data)):
            return frozenset(every.labels)
        sources, _ = bibliographies_of(self._named(walk), self._inputs.find_bibliography)
        paths = [each.path for each in sources] or list(self._stand_ins(walk))
        if not paths:
            return frozenset(every.labels)  # nothing says what can be cited
        unknown = unknown.difference(*map(keys_in, self._texts(paths)))
        if unknown:
            every.possible.update(*map(names_in_data, self._texts(data, _LARGEST_DATA)))
        return possible_labels(every, unknown) | every.labels

    def _texts(self, paths: Iterable[Path | None], largest: float = math.inf) -> Iterator[str]:
        """Yield the texts of the files that can be read; what cannot is reported elsewhere."""
        for path in dict.fromkeys(filter(None, paths)):
            status = self._disk.status(path)
            if status is not None and status.size <= largest:
                with suppress(InputError):
                    yield self._read(path)

    def _found(self, name: str, path: Path, main: Path) -> Path | None:
        """Return the existing file that one names."""
        return self._existing(self._folders(name, path, main), name)

    def _folders(self, name: str, path: Path, main: Path) -> tuple[Path, ...]:
        """Return where a name is looked for: ``/`` is the root of the project, above its files."""
        if not name.startswith("/"):
            return (path.parent, main.parent)
        return (main.parent, *main.parent.parents[:3], *self._workspace)

    def _named(self, walk: Walk) -> Iterator[NamedBibliography]:
        for path, file in walk.files.items():
            for each in file.bibliographies:
                folders = self._folders(each.name, path, walk.main)
                inside = each.name.lstrip("/")
                found = bibliography_files(inside, folders, folders, self._disk)
                sources = tuple(map(BibliographySource, found))
                yield NamedBibliography(path, file.text, each.name, each.span, sources)

    def _program(self, walk: Walk) -> Program:
        return TYPST

    def _needs_any(self, files: Sequence[DraftFile], cites: bool) -> bool:
        return any(file.cites for file in files)

    def _languages(self, file: DraftFile) -> Iterable[str]:
        """Return the languages that ``#set text(lang: "de")`` declares."""
        return _LANGUAGE.findall(file.text) if "lang" in file.text else ()
