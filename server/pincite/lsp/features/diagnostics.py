"""Diagnostics of drafts and bibliographies, pulled by the client or pushed to it, and their fixes.

Half-typed text is not reported: a finding whose scope contains the end of the last edit is hidden
until the next edit ends elsewhere or the document is saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from lsprotocol import types

from ...cancellation import checked
from ...checking import bibliographies, citations, claims
from ...checking.citations import Code, Finding, free_key, nearest_keys
from ...edits.citations import key_replaced
from ...model.bibliographies import Fault
from ...model.contexts import CitationContext
from ...model.drafts import CitationKey
from ...model.edits import TextEdit
from ...model.papers import Candidate
from ...model.problems import InputError
from ...model.programs import BIBTEX
from ...parsing.bibliographies import has_items, parse_bibliography
from ...project.project import is_bibliography
from ...text.characters import without_controls
from ..commands import ADD_ENTRY
from ..documents import Lines
from ..session import OpenDraft, Project, ReadDraft
from .edits import workspace_edit

SOURCE = "Pincite"

#: More fixes would not help, and searching a large bibliography for similar keys takes long.
_MAX_FIXED = 10
#: With more entries than this, each would have to be read to find those that are broken.
_MAX_JUDGED = 5_000
#: Findings that affect the printed text are warnings; all others are information.
_SEVERITIES: Mapping[Code, types.DiagnosticSeverity] = {
    "undefined-key": types.DiagnosticSeverity.Warning,
    "duplicate-key": types.DiagnosticSeverity.Warning,
    "broken-entry": types.DiagnosticSeverity.Warning,
    "missing-bibliography": types.DiagnosticSeverity.Warning,
    "unused-entry": types.DiagnosticSeverity.Hint,
}
#: Findings about entries that do not affect the printed text.
_FADED: frozenset[Code] = frozenset(("duplicate-key", "unused-entry"))


def diagnostics(
    project: Project, path: Path, lines: Lines, edited: int | None = None
) -> list[types.Diagnostic]:
    """Return the diagnostics of a document, in the order of the text.

    `edited` is the end of the last unsaved edit.
    """
    return [
        _diagnostic(project, lines, finding)
        for finding in _findings(project, path, lines.text)
        if edited is None or not finding.scope.covers(edited)
    ]


def closed_diagnostics(project: Project, path: Path) -> list[types.Diagnostic]:
    """Return the broken entries of a bibliography that is not open in the editor."""
    lines = project.lines(path)
    if lines is None or not project.does("diagnostics", path):
        return []
    found = {f for read in project.drafts_with(path) for f in broken_in(project, read, path)}
    return [_diagnostic(project, lines, f) for f in sorted(found, key=lambda f: f.span)]


def broken_in(project: Project, read: ReadDraft, path: Path) -> Iterator[Finding]:
    """Find the broken entries in one bibliography of a draft, unless it is very large."""
    own = (each for source, each in read.bibliography.files if source.path == path)
    judged = (each for each in own if len(each.entries) <= _MAX_JUDGED)
    faults = [fault for bibliography in judged for fault in bibliography.faults]
    if faults and (text := project.text(path)) is not None:
        yield from _broken(read, text, faults)


def fixes(
    project: Project,
    path: Path,
    lines: Lines,
    range_: types.Range,
    diagnostics: Sequence[types.Diagnostic] = (),
) -> list[types.CodeAction]:
    """Return the quick fixes for the findings in a range of a document.

    Each fix names those of the client's `diagnostics` that it fixes. Placeholders and missing
    citations have none: the author chooses what to cite (see the other code actions).
    """
    start, end = lines.offset(range_.start), lines.offset(range_.end)
    inside = (
        finding
        for finding in _findings(project, path, lines.text)
        if finding.span.start <= end and start <= finding.span.end
    )
    actions = []
    for finding in checked(islice(inside, _MAX_FIXED)):
        place = lines.range(finding.span.start, finding.span.end)
        fixed = [each for each in diagnostics if (each.code, each.range) == (finding.code, place)]
        for action in _fixes_of(project, path, lines.text, finding):
            action.kind = types.CodeActionKind.QuickFix
            action.diagnostics = fixed or None
            actions.append(action)
    return actions


def judge_support(project: Project, path: Path, lines: Lines) -> bool:
    """Judge how well a document's citations are supported; return whether any judgement is new.

    This is slow, so `diagnostics` does not wait for it but uses the judgements made so far.
    """
    if not (project.settings.editor.weak_support and project.does("diagnostics", path)):
        return False
    opened = project.open_draft(path)
    if opened is None or not opened.complete:
        return False
    news = False
    for _, context, candidate in checked(_judged(opened)):
        if claims.judgement(opened.recommender, context, candidate) is None:
            news = claims.judge(opened.recommender, context, candidate) or news
    return news


def _findings(project: Project, path: Path, text: str) -> list[Finding]:
    if not project.does("diagnostics", path):
        return []
    find = _in_bibliography if is_bibliography(path) else _in_draft
    found = dict.fromkeys(find(project, path, text))
    return sorted(found, key=lambda finding: (finding.span, finding.code))


def _in_draft(project: Project, path: Path, text: str) -> Iterator[Finding]:
    read = project.read_draft(path)
    if read is None:
        return
    draft, file, known = read.draft, read.file, read.bibliography
    yield from citations.placeholders(file)
    if citations.knows_all_entries(draft, known.files):
        yield from citations.undefined_keys(file, draft, lambda key: known.find(key) is not None)
    elif draft.lacks_bibliography and not (known.files or known.unread):
        yield from citations.keys_without_bibliography(file, draft)
    yield from citations.missing_bibliographies(draft, path)
    yield from bibliographies.repeated_items(file)
    # Bibliographies that are embedded in this file.
    yield from _in_entries(read, path, text)
    editor = project.settings.editor
    if editor.missing_citations:
        yield from claims.missing_citations(file)
    if editor.weak_support and (opened := project.open_draft(path)) is not None:
        for key, context, candidate in _judged(opened):
            if claims.judgement(opened.recommender, context, candidate):
                yield claims.weak_support(key, candidate)


def _in_bibliography(project: Project, path: Path, text: str) -> Iterator[Finding]:
    drafts = project.drafts_with(path)
    # Many drafts may have the same finding.
    alike = {
        (id(read.bibliography), read.draft.bibliographies, read.draft.problems): read
        for read in drafts
    }
    for read in checked(alike.values()):
        yield from _in_entries(read, path, text)
    if project.settings.editor.unused_entries:
        used_by = [(read.draft, read.bibliography.files) for read in drafts]
        yield from bibliographies.unused_entries(path, used_by)
    if not drafts and not has_items(path):
        # Any JSON or YAML may be open, so what no draft reads is not judged.
        alone = parse_bibliography(text, path)
        yield from bibliographies.repeated_in(path, alone)
        yield from bibliographies.broken_entries(text, alone.faults, macros_known=False)


def _in_entries(read: ReadDraft, path: Path, text: str) -> Iterator[Finding]:
    """Find what is wrong with the entries in one file of a draft."""
    files = read.bibliography.files
    own = [bibliography for source, bibliography in files if source.path == path]
    if own:
        yield from bibliographies.repeated_keys(path, read.draft, files)
    for bibliography in own:
        yield from _broken(read, text, bibliography.faults)


def _broken(read: ReadDraft, text: str, faults: Iterable[Fault]) -> Iterator[Finding]:
    complete = citations.knows_all_entries(read.draft, read.bibliography.files)
    by_bibtex = read.draft.program == BIBTEX
    return bibliographies.broken_entries(text, faults, macros_known=complete, by_bibtex=by_bibtex)


def _judged(opened: OpenDraft) -> Iterator[tuple[CitationKey, CitationContext, Candidate]]:
    """Yield the citations of a document whose support can be judged."""
    return claims.judged(opened.draft, opened.file, opened.bibliography.find, opened.recommender)


def _diagnostic(project: Project, lines: Lines, finding: Finding) -> types.Diagnostic:
    first = finding.first and project.location(*finding.first)
    related = first and [types.DiagnosticRelatedInformation(first, "This entry is the one in use.")]
    return types.Diagnostic(
        range=lines.range(finding.span.start, finding.span.end),
        message=without_controls(finding.message),
        severity=_SEVERITIES.get(finding.code, types.DiagnosticSeverity.Information),
        code=finding.code,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code in _FADED else None,
        related_information=related or None,
        data={"key": finding.key} if finding.key else None,
    )


def _fixes_of(
    project: Project, path: Path, text: str, finding: Finding
) -> Iterator[types.CodeAction]:
    for number, (title, edit) in enumerate(_edits_for(project, path, text, finding)):
        with suppress(InputError):  # `code_actions` reports why
            changed = workspace_edit(project, [edit])
            preferred = number == 0 and finding.code != "duplicate-key"
            yield types.CodeAction(title, edit=changed, is_preferred=preferred or None)
    if finding.code != "undefined-key" or project.global_library.candidate(finding.key) is None:
        return
    # The library has an entry with this key.
    read = project.read_draft(path)
    sources = () if read is None else read.draft.bibliographies
    if names := [source.path.name for source in sources if source.text is None]:
        title = f"Add {finding.key} to {names[0] if len(names) == 1 else 'the bibliography'}"
        asked = {"path": str(path), "key": finding.key}
        yield types.CodeAction(title, command=types.Command(title, ADD_ENTRY, arguments=[asked]))


def _edits_for(
    project: Project, path: Path, text: str, finding: Finding
) -> Iterator[tuple[str, TextEdit]]:
    """Yield title and edit of each fix for a finding, best first."""
    if finding.code == "undefined-key":
        read = project.read_draft(path)
        for key in nearest_keys(finding.key, read.bibliography.entries if read else ()):
            yield f"Change to {key}", key_replaced(path, text, finding.span, key)
    elif finding.code == "duplicate-key":
        drafts = project.drafts_with(path)
        used = {key.lower() for read in drafts for key in read.bibliography.entries}
        # Any key in the file is in use, including that of a broken entry.
        key = free_key(finding.key, lambda key: key.lower() in used or key in text)
        yield f"Change this key to {key}", TextEdit(path, finding.span, key)
    elif finding.code == "broken-entry" and (found := bibliographies.repaired(path, text, finding)):
        yield found
