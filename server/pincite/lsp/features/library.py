"""A whole draft, for views of the client: the health of its library, and the claim check.

Papers are read in the background; the answers have what is known now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from ...checking import draft_report
from ...checking.library_health import EntryHealth, LibraryProblem, library_health
from ...checking.whole_draft import KINDS, CheckedDraft, check_draft
from ...model.spans import TextSpan
from .. import wire
from ..documents import Lines
from ..session import OpenDraft, Project
from .keys import bib_items


def health(project: Project, path: Path, _lines: Lines, folders: Sequence[str]) -> wire.Json | None:
    """Return what is known of all entries of a document's draft; None where there is no draft.

    `folders` are base folders besides those of the settings.
    """
    opened = project.open_draft(path)
    if opened is None:
        return None
    workspace = opened.workspace
    found = library_health(
        opened.draft,
        opened.bibliography.files,
        opened.recommender.candidates,
        workspace.library(opened.draft),
        project.text,
        bases=(*workspace.settings.library.base_folders, *map(Path, folders)),
        fallbacks=workspace.known_fallback_texts(opened.draft),
        complete=opened.complete,
    )
    items = bib_items(opened.draft)
    common = found.common_folder
    return wire.answer(
        draft=opened.draft.root.name,
        complete=opened.complete,
        entries=[_entry(project, opened, items, each) for each in found.entries],
        counts=wire.answer(**asdict(found.counts)),
        others=[_problem(project, each) for each in found.others],
        fetched=[wire.answer(**asdict(each)) for each in found.fetched],
        common_folder=None if common is None else wire.answer(**asdict(common)),
    )


def _entry(
    project: Project,
    opened: OpenDraft,
    items: dict[str, tuple[Path, TextSpan]],
    known: EntryHealth,
) -> wire.Json:
    candidate = opened.recommender.candidates[known.key]
    entry = candidate.entry
    place = opened.bibliography.place(entry) if entry else None
    at = items.get(known.key) if place is None or entry is None else (entry.path, place.key_span)
    return wire.answer(
        key=known.key,
        author_year=entry.author_year if entry else "",
        title=candidate.title,
        basis=known.basis,
        cited=known.cited,
        problems=[_problem(project, each) for each in known.problems],
        file=None if known.file is None else known.file.as_uri(),
        from_zotero=known.from_zotero or None,
        open_access=known.open_access or None,
        cited_by=known.cited_by,
        entry=None if at is None or entry is None else project.location(*at),
    )


def _problem(project: Project, found: LibraryProblem) -> wire.Json:
    return wire.answer(
        kind=found.kind,
        what=found.what,
        advice=found.advice,
        file=found.file or None,
        location=None if found.place is None else project.location(*found.place),
    )


def check(
    project: Project,
    path: Path,
    _lines: Lines,
    kinds: Sequence[wire.FindingKind] | None,
    report: wire.ReportFormat | None,
    progress: Callable[[int, int], None],
) -> wire.Json | None:
    """Return the findings in the whole draft of a document; None where there is no draft.

    It takes seconds for a long draft. Papers that are still being read are not reported.
    """
    read = project.read_draft(path)
    whole = None if read is None else project.open_draft(read.draft.root)
    opened = whole or project.open_draft(path)
    if opened is None:
        return None
    known = opened.bibliography
    recommender = opened.recommender if opened.complete else None
    checked = CheckedDraft(opened.draft, known.files, known.find, recommender)
    found = check_draft(checked, KINDS if kinds is None else kinds, progress)
    root = opened.draft.root
    return wire.answer(
        draft=root.name,
        complete=opened.complete,
        findings=[
            wire.answer(
                file=draft_report.relative(each.place.file, root.parent),
                line=each.place.line,
                column=each.place.column,
                kind=each.kind,
                key=each.key,
                message=each.message,
                excerpt=each.excerpt,
                sentence=each.sentence,
                location=location,
            )
            for each in found
            if (location := project.location(each.place.file, TextSpan(each.start, each.end)))
        ],
        report=draft_report.report(report, root.name, opened.draft, found, root.parent)
        if report
        else None,
    )
