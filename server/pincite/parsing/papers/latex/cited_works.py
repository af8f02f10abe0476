"""The works that a LaTeX paper cites: entries of its .bib files, or printed references."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ....model.drafts import Draft
from ....model.papers import BibEntry, Reference
from ....model.problems import InputError
from ...bibtex import Bibliography, MergedEntries, parse_bibliography, read_bibliography
from ...latex.draft import LatexDraftReader
from ..references import reference_of
from .printed_references import printed_references
from .sources import read_source


class CitedWorks:
    """The reference list of a paper, in order of first citation."""

    def __init__(self, reader: LatexDraftReader, draft: Draft) -> None:
        self.references: list[Reference] = []
        self._fold: Callable[[str], str] = str if draft.case_sensitive_keys else str.lower
        self._entries = dict(self._named_entries(draft))
        self._printed = dict(self._printed_works(reader, draft))
        self._numbers: dict[str, int | None] = {}

    def number(self, key: str) -> int | None:
        """Return the index of the reference that a key cites, None if the work is unknown."""
        key = self._fold(key)
        entry = self._entries.get(key)
        if entry is not None:
            key = self._fold(entry.key)
        if key not in self._numbers:
            printed = self._printed.pop(key, None)
            reference = printed if entry is None else reference_of(entry)
            self._numbers[key] = None if reference is None else len(self.references)
            if reference is not None:
                self.references.append(reference)
        return self._numbers[key]

    def all(self) -> tuple[Reference, ...]:
        """Return the references; those that are printed but not cited come last."""
        return (*self.references, *self._printed.values())

    def _named_entries(self, draft: Draft) -> Iterator[tuple[str, BibEntry]]:
        """Yield entries of the .bib files by all their names; of equal names, the first is last."""
        files: list[Bibliography] = []
        strings: dict[str, str] = {}
        for source in draft.bibliographies:
            try:
                if source.text is None:
                    files.append(read_bibliography(source.path, strings))
                else:
                    files.append(parse_bibliography(source.text, source.path, strings))
                strings.update(files[-1].strings)
            except InputError:
                continue
        entries = tuple(MergedEntries(files).values())
        for entry in reversed(entries):
            for alias in entry.aliases:
                yield self._fold(alias), entry
        for entry in reversed(entries):
            yield self._fold(entry.key), entry

    def _printed_works(
        self, reader: LatexDraftReader, draft: Draft
    ) -> Iterator[tuple[str, Reference]]:
        paths = [file.path for file in draft.files if file.bib_items]
        if not paths and not self._entries:
            paths = _bbl_files(draft)
        for path in paths:
            try:
                for reference in printed_references(read_source(path), reader.visible(path)):
                    yield self._fold(reference.label), reference
            except InputError:
                continue


def _bbl_files(draft: Draft) -> list[Path]:
    """Return the .bbl of a main file: with its name, included by it, or the only one."""
    own = draft.root.with_suffix(".bbl")
    if own.is_file():
        return [own]
    read = sorted(path for path in draft.own_paths if path.suffix.lower() == ".bbl")
    beside = [path for path in draft.root.parent.glob("*.bbl") if path.is_file()]
    return read or (beside if len(beside) == 1 else [])
