"""A whole draft, for views of the client: its library, what is wrong with it, the claim check.

Papers are read in the background; the answers have what is known now. What services report about
entries is from cached answers. Duplicates are merged by an edit that the author looks at first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Literal

from lsprotocol import types

from ...checking import draft_report
from ...checking.decisions import FILE_NAME, Decision, Decisions, accept, read_decisions
from ...checking.library_health import LibraryProblem, library_health
from ...checking.references import REFERENCE_KINDS, Retractions
from ...checking.retractions import read_retractions
from ...checking.verdicts import VerdictCounts
from ...checking.whole_draft import (
    KINDS,
    OF_PAPERS,
    CheckedCitation,
    CheckedDraft,
    Finding,
    FindingKind,
    Place,
    check_citations,
    check_draft,
    check_references,
    cited_first,
)
from ...enrichment.plans import known_of, sources
from ...model.papers import BibEntry
from ...model.problems import InputError
from ...model.programs import BIBER
from ...model.spans import TextSpan
from ...parsing.bibliographies import entry_at
from ...parsing.paths import is_virtual, relative
from ...project.adding import taking_plan, takings_of
from ...project.bibliographies import DraftBibliography
from ...project.merging import EntryPlace, drafts_sharing, merge_plan
from .. import wire
from ..session import Document, OpenDraft, Project, ReadDraft
from .keys import entry_location, shown_path
from .navigation import refuse_files_of_others
from .workspace_edits import editable_in, require_unchanged, workspace_edit

#: Entries that are looked up, those that are cited first; more would take long.
_MAX_ENTRIES = 1_000
#: Of a value that differs, so many characters are sent.
_MAX_VALUE = 500
ReportFormat = Literal["html", "markdown"]


class DecidedFinding(wire.Params):
    """What a decision is about, as the answer to ``pincite/check`` has it."""

    id: str
    kind: FindingKind
    key: str
    work: str
    about: str


def health(here: Document, base_folders: tuple[str, ...] = ()) -> wire.Json | None:
    """Return what is known about a draft's entries.

    `base_folders` are looked into besides those of the setting, to see what they would mend.
    """
    project, opened = here.project, here.opened()
    if opened is None:
        return None
    workspace, candidates = opened.workspace, opened.recommender.candidates
    known = library_health(
        opened.draft,
        opened.bibliography.files,
        candidates,
        workspace.library(opened.draft),
        project.text,
        bases=(*workspace.settings.library.base_folders, *map(Path, base_folders)),
        fallbacks=workspace.known_fallback_texts(opened.draft),
        complete=opened.complete,
    )
    entries = []
    for each in known.entries:
        candidate = candidates[each.key]
        entry = candidate.entry
        written = wire.answer(
            each,
            "key basis cited cited_by",
            author_year=candidate.author_year,
            title=candidate.title,
            problems=[_problem(project, problem) for problem in each.problems],
            file=None if each.file is None else each.file.as_uri(),
            from_zotero=each.from_zotero or None,
            open_access=each.open_access or None,
            entry=entry_location(project, opened, entry) if entry else None,
        )
        entries.append(written)
    common = known.common_folder
    root = opened.draft.root
    found, problems = _entry_findings(project, opened.bibliography, cited_then_others(opened))
    decisions = read_decisions(root.parent / FILE_NAME)
    problems += map(str, decisions.problems)
    return wire.answer(
        draft=root.name,
        complete=opened.complete,
        entries=entries,
        counts=wire.answer(**asdict(known.counts)),
        others=[_problem(project, each) for each in known.others],
        fetched=[wire.answer(**asdict(each)) for each in known.fetched],
        findings=_shown(project, root, found, decisions),
        problems=problems or None,
        common_folder=None if common is None else wire.answer(**asdict(common)),
    )


def _problem(project: Project, found: LibraryProblem) -> wire.Json:
    at = None if found.place is None else project.location(*found.place)
    return wire.answer(found, "kind what advice", file=found.file or None, location=at)


def check(
    here: Document,
    kinds: tuple[FindingKind, ...] | None = None,
    report: ReportFormat | None = None,
    *,
    progress: Callable[[int, int], None],
) -> wire.Json | None:
    """Return the findings in the whole draft of a document, and the verdicts on its citations.

    They are of all `kinds` by default; with `report`, there is a report in that format, too. While
    papers are being read, nothing is reported of them.
    """
    project, read = here.project, here.read()
    whole = None if read is None else project.open_draft(read.draft.root)
    opened = whole or here.opened()
    if opened is None:
        return None
    known, root = opened.bibliography, opened.draft.root
    recommender = opened.recommender if opened.complete else None
    lacks_text = opened.workspace.lacks_text(opened.draft)
    checked = CheckedDraft(opened.draft, known.files, known.find, recommender, lacks_text)
    chosen = [kind for kind in KINDS if kinds is None or kind in kinds]
    cited = check_citations(checked, progress) if OF_PAPERS.intersection(chosen) else []
    found = check_draft(checked, chosen, (lambda _done, _total: None) if cited else progress)
    problems: list[str] = []
    if kinds is None or not {*REFERENCE_KINDS}.isdisjoint(kinds):
        of_entries, problems = _entry_findings(project, known, cited_then_others(opened))
        found += [each for each in of_entries if kinds is None or each.kind in kinds]
    decisions = read_decisions(root.parent / FILE_NAME)
    problems += map(str, decisions.problems)
    undecided = [each for each in found if each.id not in decisions.made]
    written = None
    if report is not None:
        written = draft_report.report(
            report, root.name, opened.draft, undecided, root.parent, cited
        )
    return wire.answer(
        draft=root.name,
        complete=opened.complete,
        findings=_shown(project, root, found, decisions),
        verdicts=_verdicts(project, root, cited) if cited else None,
        report=written,
        problems=problems or None,
    )


def decide(
    here: Document,
    findings: tuple[DecidedFinding, ...],
    accepted: bool = True,
    note: str = "",
) -> wire.Json | None:
    """Write which findings the author has accepted, or accepts no longer."""
    if (read := here.read()) is None:
        return None
    if is_virtual(read.draft.root):
        name = read.draft.root.name
        raise InputError(f"Decisions are stored beside a draft, but {name} is not a file.")
    today = date.today().isoformat()
    made = [
        Decision(each.id, each.kind, each.key, each.work, each.about, today, note)
        for each in findings
    ]
    path = read.draft.root.parent / FILE_NAME
    accept(path, made if accepted else [], () if accepted else [each.id for each in findings])
    return wire.answer(file=path.as_uri())


def cited_then_others(opened: OpenDraft) -> list[BibEntry]:
    """Return the sound entries of a draft, those that it cites first, in reading order."""
    known = opened.bibliography
    checked = CheckedDraft(opened.draft, known.files, known.find)
    return cited_first(checked, known.sound_entries())


def _verdicts(project: Project, root: Path, cited: Sequence[CheckedCitation]) -> wire.Json:
    """Return how many citations have each verdict, and which were not checked."""
    counts = VerdictCounts.of(each.verdict for each in cited)
    unchecked = []
    for each in cited:
        if each.verdict.reason is not None:
            location = project.location(each.place.file, TextSpan(each.start, each.end))
            judged = wire.verdict(each.verdict)
            shown = wire.answer(each, "key sentence", verdict=judged, location=location)
            unchecked.append(_place_in(each.place, root) | shown)
    return wire.answer(
        counts,
        "citations supported without_support not_checked",
        reasons=[{"reason": reason, "number": number} for reason, number in counts.reasons],
        text=str(counts),
        unchecked=unchecked,
    )


def _entry_findings(
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
    found, _ = _entry_findings(project, read.bibliography, entries)
    accepted = read_decisions(read.draft.root.parent / FILE_NAME).made
    return [each for each in found if each.id not in accepted]


def _shown(
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
            answers.append(_place_in(each.place, root) | answer)
    return answers


def _place_in(place: Place, root: Path) -> wire.Json:
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


def merging(here: Document, aliases: bool = False) -> wire.Json | None:
    """Return how the duplicates of a draft are merged, in all drafts that share its entries.

    Raises `InputError` if the files have changed since the request.
    """
    project, read = here.project, here.read()
    if read is None:
        return None
    workspace, root = read.workspace, read.draft.root
    drafts = {each.draft.root: each for each in drafts_sharing(workspace, workspace.draft(root))}
    for source, _ in read.bibliography.files:
        for other in project.drafts_with(source.path):
            drafts.setdefault(other.draft.root, other)

    def encoding_of(path: Path) -> str:
        refuse_files_of_others(here, (path,))
        return editable_in(project, path)

    plan = merge_plan(tuple(drafts.values()), encoding_of, aliases=aliases)
    edit = workspace_edit(project, plan.edits) if plan.edits else None
    require_unchanged(project, ((path, plan.texts[path]) for path in plan.by_path))

    def place(entry: EntryPlace) -> wire.Json:
        at = types.Position(entry.line - 1, 0)
        location = types.Location(project.buffers.uri(entry.path), types.Range(at, at))
        file = shown_path(project, entry.path)
        return wire.answer(entry, "key line", file=file, entry=location)

    return wire.answer(
        draft=root.name,
        merges=[
            wire.answer(kept=place(each.kept), gone=[place(gone) for gone in each.gone])
            for each in plan.merges
        ],
        unmerged=[
            wire.answer(
                entries=[place(entry) for entry in each.entries],
                why=each.why,
                fields=[
                    wire.answer(field=f, values=[value[:_MAX_VALUE] for value in values])
                    for f, *values in each.values
                ],
            )
            for each in plan.unmerged
        ],
        by_biber=read.draft.program == BIBER,
        files=[shown_path(project, path) for path in plan.files],
        diff=plan.diff(lambda path: shown_path(project, path)),
        edit=edit,
    )
