"""The works that a LaTeX paper cites: entries of its .bib files, or printed references."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from ....model.drafts import Draft
from ....model.papers import Reference
from ....model.problems import InputError
from ...bibtex import Bibliography, MergedEntries, parse_bibliography
from ...encoding import read_text
from ...latex.draft import LatexDraftReader
from ..references import reference_of
from .printed_references import printed_references
from .sources import read_source


class CitedWorks:
    """The reference list of a paper, in order of first citation."""

    def __init__(self, reader: LatexDraftReader, draft: Draft) -> None:
        self.references: list[Reference] = []
        self._fold: Callable[[str], str] = str if draft.case_sensitive_keys else str.lower
        self._case_sensitive = draft.case_sensitive_keys
        self._entries = MergedEntries(tuple(_bibliographies(draft)))
        self._printed = dict(self._printed_works(reader, draft))
        self._numbers: dict[str, int | None] = {}

    def number(self, key: str) -> int | None:
        """Return the index of the reference that a key cites, None if the work is unknown."""
        name = self._entries.key_of(key, case_sensitive=self._case_sensitive)
        key = self._fold(key if name is None else name)
        if key not in self._numbers:
            printed = self._printed.pop(key, None)
            reference = printed if name is None else reference_of(self._entries[name])
            self._numbers[key] = None if reference is None else len(self.references)
            if reference is not None:
                self.references.append(reference)
        return self._numbers[key]

    def all(self) -> tuple[Reference, ...]:
        """Return the references; those that are printed but not cited come last."""
        return (*self.references, *self._printed.values())

    def _printed_works(
        self, reader: LatexDraftReader, draft: Draft
    ) -> Iterator[tuple[str, Reference]]:
        paths = [file.path for file in draft.files if file.bib_items]
        if not paths and not self._entries:
            paths = _bbl_files(draft)
        for path in paths:
            with suppress(InputError):
                for reference in printed_references(read_source(path), reader.visible(path)):
                    yield self._fold(reference.label), reference


def _bibliographies(draft: Draft) -> Iterator[Bibliography]:
    """Yield the .bib files that can be read; each knows the strings of those before it."""
    strings: dict[str, str] = {}
    for source in draft.bibliographies:
        with suppress(InputError):
            text = read_text(source.path) if source.text is None else source.text
            bibliography = parse_bibliography(text, source.path, strings, draft.program)
            strings.update(bibliography.strings)
            yield bibliography


def _bbl_files(draft: Draft) -> list[Path]:
    """Return the .bbl of a main file: with its name, included by it, or the only one."""
    own = draft.root.with_suffix(".bbl")
    if own.is_file():
        return [own]
    read = sorted(path for path in draft.own_paths if path.suffix.lower() == ".bbl")
    beside = [path for path in draft.root.parent.glob("*.bbl") if path.is_file()]
    return read or (beside if len(beside) == 1 else [])
