"""Read drafts in Typst: a main file with what it includes and imports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...model.drafts import BibliographySource, Draft, DraftFile
from ..bibliography_files import NamedBibliography, bibliography_files
from ..markup import ReaderInputs
from ..walk import Walk, WalkedDraftReader
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
        walk = Walk(
            main,
            self._file,
            lambda name, includer: self._existing(self._folders(name, includer, main), name),
        )
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
        return (main.parent, *main.parent.parents[:3], *self._workspace)

    def _named(self, walk: Walk) -> Iterator[NamedBibliography]:
        for path, file in walk.files.items():
            for each in file.bibliographies:
                folders = self._folders(each.name, path, walk.main)
                inside = each.name.lstrip("/")
                found = bibliography_files(inside, folders, folders, self._disk)
                sources = tuple(map(BibliographySource, found))
                yield NamedBibliography(path, file.text, each.name, each.span, sources)

    def _needs_any(self, files: Sequence[DraftFile], cites: bool) -> bool:
        return any(file.cites for file in files)

    def _languages(self, file: DraftFile) -> Iterable[str]:
        """Return the languages that ``#set text(lang: "de")`` declares."""
        return _LANGUAGE.findall(file.text) if "lang" in file.text else ()
