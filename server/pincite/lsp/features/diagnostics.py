"""Diagnostics of drafts and bibliographies, pulled by the client or pushed to it, and fixes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from lsprotocol import types

from ...cancellation import checked
from ...checking import bibliographies, citations, claims
from ...checking.citations import Code, Finding, nearest_keys
from ...edits.citations import key_replaced
from ...edits.new_keys import free_key
from ...model.bibliographies import Fault
from ...model.contexts import CitationContext
from ...model.drafts import CitationKey
from ...model.edits import TextEdit
from ...model.papers import Candidate
from ...model.problems import InputError
from ...model.programs import BIBTEX
from ...model.spans import TextSpan
from ...parsing.bibliographies import has_items, parse_bibliography
from ...project.project import is_bibliography
from ...text.characters import without_controls
from ..commands import ADD_ENTRY
from ..session import Document, OpenDraft, Project, ReadDraft
from .first_bibliography import offers
from .library import mending, undecided
from .workspace_edits import workspace_edit

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
    "retracted": types.DiagnosticSeverity.Warning,
    "wrong-identifier": types.DiagnosticSeverity.Warning,
    "unused-entry": types.DiagnosticSeverity.Hint,
}
#: Findings about entries that do not affect the printed text.
_FADED: frozenset[Code] = frozenset(("duplicate-key", "unused-entry"))


def diagnostics(here: Document, edited: int | None = None) -> list[types.Diagnostic]:
    """Return the diagnostics of a document, but for half-typed text: where the last edit ended."""
    found = _findings(here)
    return [_diagnostic(here, f) for f in found if edited is None or not f.scope.covers(edited)]


def closed_diagnostics(project: Project, path: Path) -> list[types.Diagnostic]:
    """Return the broken entries of a bibliography that is not open in the editor."""
    found = {f for read in project.drafts_with(path) for f in broken_in(project, read, path)}
    # The lines of a large bibliography are as large as everything else that is known of it.
    lines = project.lines(path) if found else None
    if lines is None or not (here := Document(project, path, lines)).does("diagnostics"):
        return []
    return [_diagnostic(here, f) for f in sorted(found, key=lambda f: f.span)]


def broken_in(project: Project, read: ReadDraft, path: Path) -> Iterator[Finding]:
    """Find the broken entries in one bibliography of a draft, unless it is very large."""
    own = (each for source, each in read.bibliography.files if source.path == path)
    judged = (each for each in own if len(each.entries) <= _MAX_JUDGED)
    faults = [fault for bibliography in judged for fault in bibliography.faults]
    if faults and (text := project.text(path)) is not None:
        yield from _broken(read, text, faults)


def fixes(
    here: Document, asked: types.Range, diagnostics: Sequence[types.Diagnostic] = ()
) -> list[types.CodeAction]:
    """Return the fixes for findings in a range, with the client's `diagnostics` that they fix."""
    span = here.lines.span(asked)
    inside = (f for f in _findings(here) if f.span.start <= span.end and span.start <= f.span.end)
    actions = []
    for finding in checked(islice(inside, _MAX_FIXED)):
        place = here.lines.range(finding.span)
        fixed = [each for each in diagnostics if (each.code, each.range) == (finding.code, place)]
        for action in _fixes_of(here, finding):
            action.kind = types.CodeActionKind.QuickFix
            action.diagnostics = fixed or None
            actions.append(action)
    if is_bibliography(here.path) and here.does("diagnostics"):
        actions += mending(here, span, diagnostics)
    return actions


def judge_support(here: Document) -> Iterator[bool]:
    """Judge how well citations are supported, slowly; yield of each new one if it is weak."""
    if not (here.project.settings.editor.weak_support and here.does("diagnostics")):
        return
    opened = here.opened()
    if opened is None or not opened.complete:
        return
    for _, context, candidate in checked(_cited(opened)):
        asked = opened.recommender, context, candidate
        if not claims.is_judged(*asked) and not claims.why_unchecked(*asked):
            yield claims.verdict_on(*asked).is_weak


def _findings(here: Document) -> list[Finding]:
    if not here.does("diagnostics"):
        return []
    found = _in_bibliography(here) if is_bibliography(here.path) else _in_draft(here)
    return sorted(dict.fromkeys(found), key=lambda finding: (finding.span, finding.code))


def _in_draft(here: Document) -> Iterator[Finding]:
    read = here.read()
    if read is None:
        return
    draft, file, known = read.draft, read.file, read.bibliography

    def is_entry(key: str) -> bool:
        return known.find(key) is not None

    yield from citations.placeholders(file, is_entry)
    if not known.unread and citations.knows_all_entries(draft, known.files):
        yield from citations.undefined_keys(file, draft, is_entry)
    elif draft.lacks_bibliography and not (known.files or known.unread):
        yield from citations.keys_without_bibliography(file, draft)
    yield from citations.missing_bibliographies(draft, here.path)
    yield from citations.unread_bibliographies(file, known.unread)
    yield from bibliographies.repeated_items(file)
    # Bibliographies that are embedded in this file.
    yield from _in_entries(here, read)
    editor = here.project.settings.editor
    if editor.missing_citations:
        yield from claims.missing_citations(file, known.find)
    if editor.weak_support and (opened := here.opened()) is not None:
        for key, context, candidate in _cited(opened):
            asked = opened.recommender, context, candidate
            if claims.is_judged(*asked):
                found = claims.verdict_on(*asked)
                if found.is_weak:
                    yield claims.weak_support(key, candidate, found)


def _in_bibliography(here: Document) -> Iterator[Finding]:
    path, drafts = here.path, here.project.drafts_with(here.path)
    # Many drafts may have the same finding.
    alike = {
        (id(read.bibliography), read.draft.bibliographies, read.draft.problems): read
        for read in drafts
    }
    for read in checked(alike.values()):
        yield from _in_entries(here, read)
    if here.project.settings.editor.unused_entries:
        used_by = [(read.draft, read.bibliography.files) for read in drafts]
        yield from bibliographies.unused_entries(path, used_by)
    if here.project.settings.editor.wrong_references:
        for read in checked(alike.values()):
            yield from _wrong_references(here, read)
    if not drafts and not has_items(path):
        # Any JSON or YAML file may be open, so one that no draft reads is not checked.
        alone = parse_bibliography(here.text, path)
        yield from bibliographies.repeated_in(path, alone)
        yield from bibliographies.broken_entries(here.text, alone.faults, macros_known=False)


def _wrong_references(here: Document, read: ReadDraft) -> Iterator[Finding]:
    """Find what services report as wrong with the entries of a file, unless it was accepted."""
    own = (entry for entry in read.bibliography.sound_entries() if entry.path == here.path)
    for each in undecided(here.project, read, own):
        span = TextSpan(each.start, each.end)
        yield Finding(each.kind, span, each.message, span, each.key, notice=each.notice)


def _in_entries(here: Document, read: ReadDraft) -> Iterator[Finding]:
    """Find what is wrong with the entries in one file of a draft."""
    files = read.bibliography.files
    own = [bibliography for source, bibliography in files if source.path == here.path]
    if own:
        yield from bibliographies.repeated_keys(here.path, read.draft, files)
    for bibliography in own:
        yield from _broken(read, here.text, bibliography.faults)


def _broken(read: ReadDraft, text: str, faults: Iterable[Fault]) -> Iterator[Finding]:
    complete = citations.knows_all_entries(read.draft, read.bibliography.files)
    by_bibtex = read.draft.program == BIBTEX
    return bibliographies.broken_entries(text, faults, macros_known=complete, by_bibtex=by_bibtex)


def _cited(opened: OpenDraft) -> Iterator[tuple[CitationKey, CitationContext, Candidate]]:
    """Yield the keys that a document cites with the works that they mean."""
    named = opened.draft, opened.file, opened.bibliography.find, opened.recommender
    for key, context, candidate in claims.citations_in(*named):
        if candidate is not None:
            yield key, context, candidate


def _diagnostic(here: Document, finding: Finding) -> types.Diagnostic:
    first = finding.first and here.project.location(*finding.first)
    related = first and [types.DiagnosticRelatedInformation(first, "This entry is the one in use.")]
    return types.Diagnostic(
        range=here.lines.range(finding.span),
        message=without_controls(finding.message),
        severity=_SEVERITIES.get(finding.code, types.DiagnosticSeverity.Information),
        code=finding.code,
        code_description=types.CodeDescription(finding.notice) if finding.notice else None,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code in _FADED else None,
        related_information=related or None,
        data={"key": finding.key} if finding.key else None,
    )


def _fixes_of(here: Document, finding: Finding) -> Iterator[types.CodeAction]:
    key, project = finding.key, here.project
    read = here.read()
    lacks_any = read is not None and read.draft.lacks_bibliography and not read.bibliography.files
    about_files = finding.code in ("missing-bibliography", "unnamed-bibliography")
    if read is not None and (about_files or (finding.code == "undefined-key" and lacks_any)):
        for number, offer in enumerate(offers(project, here.path, read)):
            is_first = number == 0 or None
            yield types.CodeAction(offer.title, command=offer.command, is_preferred=is_first)
    preferred: bool | None = finding.code != "duplicate-key" or None
    for title, edit in _edits_for(here, finding):
        with suppress(InputError):  # `code_actions` reports why
            changed = workspace_edit(project, [edit])
            yield types.CodeAction(title, edit=changed, is_preferred=preferred)
        preferred = None
    if finding.code != "undefined-key" or project.global_library.candidate(key) is None:
        return
    # The library has an entry with this key.
    sources = () if read is None else read.draft.bibliographies
    if names := [source.path.name for source in sources if source.text is None]:
        title = f"Add {key} to {names[0] if len(names) == 1 else 'the bibliography'}"
        asked = {"path": str(here.path), "key": key}
        yield types.CodeAction(title, command=types.Command(title, ADD_ENTRY, arguments=[asked]))


def _edits_for(here: Document, finding: Finding) -> Iterator[tuple[str, TextEdit]]:
    """Yield title and edit of each fix for a finding, best first."""
    path, text = here.path, here.text
    if finding.code == "undefined-key":
        known = read.bibliography.entries if (read := here.read()) else {}
        # A comma is missing, or a semicolon or the sign of another script stands for it.
        keys = re.split(r"[;\s\uff0c\uff1b\u3001\u060c\u061b]+", finding.key)
        listed = len(keys) > 1 and all(key in known for key in keys)
        for key in [",".join(keys)] if listed else nearest_keys(finding.key, known):
            yield f"Change to {key}", key_replaced(path, text, finding.span, key)
    elif finding.code == "duplicate-key":
        drafts = here.project.drafts_with(path)
        used = {key.lower() for read in drafts for key in read.bibliography.entries}
        # Any key in the file is in use, including that of a broken entry.
        key = free_key(finding.key, lambda key: key.lower() in used or key in text)
        yield f"Change this key to {key}", TextEdit(path, finding.span, key)
    elif finding.code == "placeholder" and finding.key:
        # What stands before it separates works only if it is a semicolon.
        before = TextSpan(len(text[: finding.span.start].rstrip()) - 1, finding.span.start)
        sign = before.of(text).replace(",", ";")
        yield f"Write @{finding.key}", TextEdit(path, before, f"{sign}@")
    elif finding.code == "broken-entry" and (found := bibliographies.repaired(path, text, finding)):
        yield found
