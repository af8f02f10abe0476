"""What services report about entries, from cached answers: shown, and fixed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lsprotocol import types

from ...checking.decisions import FILE_NAME, Decisions, read_decisions
from ...checking.references import Retractions
from ...checking.retractions import read_retractions
from ...checking.whole_draft import Finding, Place, check_references
from ...enrichment.plans import known_of, sources
from ...model.papers import BibEntry
from ...model.problems import InputError
from ...model.spans import TextSpan
from ...parsing.bibliographies import entry_at
from ...parsing.paths import relative
from ...project.adding import taking_plan, takings_of
from ...project.bibliographies import DraftBibliography
from .. import wire
from ..session import Document, Project, ReadDraft
from .workspace_edits import editable_in, workspace_edit

#: Entries that are looked up, those that are cited first; more would take long.
_MAX_ENTRIES = 1_000


def entry_findings(
    project: Project, known: DraftBibliography, entries: Iterable[BibEntry]
) -> tuple[list[Finding], list[str]]:
    """Return what is wrong with some entries of a draft, and why files cannot be used for that."""
    answered = known_of([*entries][:_MAX_ENTRIES], sources())
    file, problems = project.settings.retractions, list[str]()
    retractions: tuple[Retractions, ...] = ()
    try:
        retractions = () if file is None else (read_retractions(file),)
    except InputError as error:
        problems.append(str(error))
    return check_references(answered, known.where, *retractions), problems


def undecided(project: Project, read: ReadDraft, entries: Iterable[BibEntry]) -> list[Finding]:
    """Return what is wrong with entries and was not accepted; the claim check reports problems."""
    found, _ = entry_findings(project, read.bibliography, entries)
    accepted = read_decisions(read.draft.root.parent / FILE_NAME).made
    return [each for each in found if each.id not in accepted]


def shown(
    project: Project, root: Path, findings: Sequence[Finding], decisions: Decisions
) -> list[wire.Json]:
    """Return findings in a draft as an answer has them, each with the decision about it."""
    answers = []
    for each in findings:
        location = project.location(each.place.file, TextSpan(each.start, each.end))
        if location is not None:
            made = decisions.made.get(each.id)
            answer = wire.answer(
                each,
                "kind key message excerpt sentence work id about",
                location=location,
                notice=each.notice or None,
                values=dict(each.values) or None,
                accepted=None if made is None else wire.answer(made, "on note by"),
                changed=None if made is not None else decisions.change(each, findings) or None,
            )
            answers.append(place_in(each.place, root) | answer)
    return answers


def place_in(place: Place, root: Path) -> wire.Json:
    """Return a place with the path of its file from the folder of the draft."""
    return wire.answer(place, "line column", file=relative(place.file, root.parent))


def mending(
    here: Document, span: TextSpan, diagnostics: Sequence[types.Diagnostic]
) -> Iterator[types.CodeAction]:
    """Yield the fixes that update the entry at a place in a bibliography from services."""
    if (at := entry_at(here.path, here.text, span.start)) is None:
        return
    for read in here.project.drafts_with(here.path):
        entry = read.bibliography.entries.get(at.key)
        if entry is None or entry.path != here.path:
            continue
        for finding in undecided(here.project, read, [entry]):
            fixed = [each for each in diagnostics if each.code == finding.kind]
            for action in _takings(here, read.bibliography, finding):
                action.diagnostics = fixed or None
                yield action
        return


def _takings(
    here: Document, known: DraftBibliography, finding: Finding
) -> Iterator[types.CodeAction]:
    project = here.project
    for taking in takings_of(known, finding):
        action = types.CodeAction(taking.title, kind=types.CodeActionKind.QuickFix)
        try:
            plan = taking_plan(known, [(finding, taking)], lambda path: editable_in(project, path))
            if plan.texts != {here.path: here.text}:
                continue
            action.edit = workspace_edit(project, plan.edits)
        except InputError as error:
            if not project.client.disabled_actions:
                continue
            action.disabled = types.CodeActionDisabled(str(error))
        yield action
