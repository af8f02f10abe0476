"""Plan edits that put data of services into the bibliographies of a draft; nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from ..checking.whole_draft import Finding
from ..edits.taking import Taking, taken, takings
from ..edits.written_entries import WrittenEntry
from ..model.edits import PlannedEdits
from ..model.problems import InputError
from .bibliographies import DraftBibliography


def takings_of(bibliography: DraftBibliography, finding: Finding) -> list[Taking]:
    """Return the changes that a finding about an entry offers; none for other findings."""
    entry = bibliography.entries.get(finding.key) if finding.values else None
    return [] if entry is None else takings(entry, finding.values, finding.entry_type)


def taking_plan(
    bibliography: DraftBibliography,
    chosen: Iterable[tuple[Finding, Taking]],
    encoding_of: Callable[[Path], str],
) -> PlannedEdits:
    """Return the edits that apply chosen changes to entries; raise `InputError` if one cannot be.

    `encoding_of` returns a file's encoding, or raises `InputError` if the file cannot be edited.
    """
    by_entry: dict[tuple[Path, str], Taking] = {}
    for finding, each in chosen:
        where = finding.place.file, finding.key
        before = by_entry.get(where)
        by_entry[where] = each if before is None else before.with_more(each)
    edits, texts = [], {}
    for (path, key), taking in by_entry.items():
        entry = _written(bibliography, path, key)
        try:
            edits += taken(entry, taking, encoding_of(path))
        except InputError as error:
            raise InputError(f"{path.name}:{entry.place.line}: {key}: {error}") from None
        texts[path] = entry.text
    return PlannedEdits(tuple(sorted(edits, key=lambda edit: (edit.path, edit.span))), texts)


def _written(bibliography: DraftBibliography, path: Path, key: str) -> WrittenEntry:
    files = [file for source, file in bibliography.files if source.text is None]
    own = next((file for file in files if file.path == path and key in file.positions), None)
    if own is None:
        raise InputError(f"{path.name}: {key} is in the draft itself; change it by hand")
    strings = {name: value for file in files for name, value in file.strings.items()}
    return WrittenEntry(own, own.positions[key], own.text, strings)
