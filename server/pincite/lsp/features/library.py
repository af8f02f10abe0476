"""A whole draft, for views of the client: the health of its library, the claim check, and fetching.

Papers are read in the background; the answers have what is known now. Nothing is sent to services
except by a request with the plan that the author has seen, and only while the plan is still the
same: with other entries, it is another plan. The setting ``enrich`` forbids it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import date
from importlib.util import find_spec
from pathlib import Path

from ...checking import draft_report
from ...checking.decisions import FILE_NAME, Decision, accept, read_decisions
from ...checking.library_health import LibraryProblem, library_health
from ...checking.references import REFERENCE_KINDS
from ...checking.verdicts import VerdictCounts
from ...checking.whole_draft import (
    KINDS,
    OF_PAPERS,
    CheckedCitation,
    CheckedDraft,
    check_citations,
    check_draft,
    cited_first,
)
from ...enrichment.enrich import Outcome
from ...enrichment.plans import Plan, plan, run, sources, text_is_known
from ...enrichment.sources import Sent, Source
from ...model.papers import BibEntry
from ...model.problems import InputError
from ...model.spans import TextSpan
from ...parsing.paths import is_virtual
from ...project.bibliographies import DraftBibliography
from .. import wire
from ..session import Document, OpenDraft, Project
from . import references
from .keys import bib_items, entry_location


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
    items, entries = bib_items(opened.draft), []
    for each in known.entries:
        candidate = candidates[each.key]
        entry = candidate.entry
        written = wire.answer(
            each,
            "key basis cited cited_by",
            author_year=entry.author_year if entry else "",
            title=candidate.title,
            problems=[_problem(project, problem) for problem in each.problems],
            file=None if each.file is None else each.file.as_uri(),
            from_zotero=each.from_zotero or None,
            open_access=each.open_access or None,
            entry=entry_location(project, opened, entry, items) if entry else None,
        )
        entries.append(written)
    common = known.common_folder
    findings, problems = _of_entries(project, opened)
    return wire.answer(
        draft=opened.draft.root.name,
        complete=opened.complete,
        entries=entries,
        counts=wire.answer(**asdict(known.counts)),
        others=[_problem(project, each) for each in known.others],
        fetched=[wire.answer(**asdict(each)) for each in known.fetched],
        findings=findings,
        problems=problems or None,
        common_folder=None if common is None else wire.answer(**asdict(common)),
    )


def _of_entries(project: Project, opened: OpenDraft) -> tuple[list[wire.Json], list[str]]:
    """Return what services say is wrong with the entries of a draft, and what could not be read."""
    draft, known = opened.draft, opened.bibliography
    decisions = read_decisions(draft.root.parent / FILE_NAME)
    checked = CheckedDraft(draft, known.files, known.find)
    found, problems = references.entry_findings(project, known, _ordered(checked, known))
    problems += map(str, decisions.problems)
    return references.shown(project, draft.root, found, decisions), problems


def _problem(project: Project, found: LibraryProblem) -> wire.Json:
    at = None if found.place is None else project.location(*found.place)
    return wire.answer(found, "kind what advice", file=found.file or None, location=at)


def check(
    here: Document,
    kinds: tuple[wire.FindingKind, ...] | None = None,
    report: wire.ReportFormat | None = None,
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
        ordered = _ordered(checked, known)
        of_entries, problems = references.entry_findings(project, known, ordered)
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
        findings=references.shown(project, root, found, decisions),
        verdicts=_verdicts(project, root, cited) if cited else None,
        report=written,
        problems=problems or None,
    )


def decide(
    here: Document,
    findings: tuple[wire.DecidedFinding, ...],
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


def _ordered(checked: CheckedDraft, known: DraftBibliography) -> list[BibEntry]:
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
            unchecked.append(references.place_in(each.place, root) | shown)
    return wire.answer(
        counts,
        "citations supported without_support not_checked",
        reasons=[{"reason": reason, "number": number} for reason, number in counts.reasons],
        text=str(counts),
        unchecked=unchecked,
    )


def why_not_fetched(project: Project) -> str | None:
    """Return why no service can be asked, in Markdown; None if one can."""
    if project.settings.enrich == "off":
        return "The setting `pincite.enrich` is off: nothing is sent."
    if find_spec("httpx") is None:
        return "httpx is not installed: `pip install 'pincite[enrich]'` gets it."
    return None


def shared(source: Source, email: str, **values: Sequence[str]) -> wire.Json:
    """Return what a service would be sent."""
    service, host, has_email, has_key = source.shared(email)
    return wire.answer(service=service, host=host, has_email=has_email, has_key=has_key, **values)


def sent(planned: Iterable[Sent], email: str) -> list[wire.Json]:
    """Return the DOIs and titles that services would be sent."""
    return [shared(each.source, email, dois=each.dois, titles=each.titles) for each in planned]


def missing(here: Document, only: wire.Fetchable | None = None) -> wire.Json | None:
    """Return what the entries of a document's draft lack, and what would be sent.

    `only` limits what is looked for: abstracts and citing sentences by default.
    """
    opened = here.opened()
    if opened is None:
        return None
    planned, email = _plan(opened, only), here.project.settings.email
    return wire.answer(
        planned,
        "entries without_abstract unanswered",
        draft=opened.draft.root.name,
        plan=planned.name(email),
        sent=sent(planned.sent, email),
        email=email or None,
        problem=why_not_fetched(here.project),
    )


def _plan(opened: OpenDraft, only: wire.Fetchable | None) -> Plan:
    library, fallbacks = opened.workspace.library(opened.draft), opened.workspace.fallback_texts
    entries = tuple(opened.bibliography.sound_entries())
    has_text = text_is_known(library, fallbacks(opened.draft))
    if only == "references":
        known = opened.bibliography
        checked = CheckedDraft(opened.draft, known.files, known.find)
        return plan((), has_text, sources(), _ordered(checked, known))
    abstracts, citing = only != "citing", only != "abstracts"
    return plan(entries, has_text, sources(), abstracts=abstracts, citing=citing)


def fetched(
    here: Document,
    plan: str,
    only: wire.Fetchable | None = None,
    *,
    progress: Callable[[int, int], None],
) -> wire.Json | None:
    """Fetch missing data, but only if the plan is still the one that the author agreed to."""
    if (problem := why_not_fetched(here.project)) is not None:
        raise InputError(problem)
    opened = here.opened()
    if opened is None:
        return None
    planned = _plan(opened, only)
    email, outcome = here.project.settings.email, Outcome()
    changed = planned.name(email) != plan
    if not changed:
        try:
            run(planned, outcome, email=email, progress=progress)
        except (InputError, OSError) as error:
            # What came before is reported, too.
            outcome.given_up["fetching"] = str(error)
    wrong_dois = []
    for wrong in outcome.wrong_dois:
        at = entry_location(here.project, opened, wrong.entry)
        wrong_dois.append(wire.answer(key=wrong.entry.key, message=str(wrong), entry=at))
    return wire.answer(
        changed=changed,
        found=[wire.answer(**asdict(each)) for each in outcome.by_service()],
        wrong_dois=wrong_dois,
        failures=list(filter(None, (*outcome.given_up.values(), outcome.not_stored))),
    )
