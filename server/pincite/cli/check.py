"""The check of a whole draft before it is submitted; ``--references`` also asks services."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import pincite

from . import output
from .enrich import requests_shown
from .formats import github, sarif
from .options import (
    LIBRARY,
    MATCHING,
    DraftArgument,
    EmailOption,
    FindingFormat,
    Options,
    SourceOption,
    YesOption,
    option,
    shared_options,
)
from .output import counted, echo, first_of, log, picked, show, wrapped

#: What a group lists; a wall of text helps nobody, and JSON has everything.
_MAX_KEYS = 40


@shared_options(*LIBRARY, *MATCHING, formats=FindingFormat)
def check(
    draft: DraftArgument,
    kind: Annotated[
        list[str] | None,
        option(
            "--kind KIND",
            "Find only this kind: undefined-key, placeholder, weak-support, missing-citation or "
            "title-only; with --references, also retracted, wrong-identifier, not-found, published "
            "or entry-differs (repeatable).",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        option("--report FILE", "Write a report: FILE.html, or FILE.md for Markdown."),
    ] = None,
    references: Annotated[
        bool,
        option(
            "--references",
            "Also check whether the entries' works exist, were retracted, or have been published.",
        ),
    ] = False,
    retractions: Annotated[
        Path | None,
        option("--retractions FILE", "The CSV file of the Retraction Watch Database (offline)."),
    ] = None,
    source: SourceOption = None,
    email: EmailOption = "",
    yes: YesOption = False,
    only_show: Annotated[
        bool, option("--show", "Show what --references would send to whom, and send nothing.")
    ] = False,
    accept: Annotated[
        list[str] | None,
        option("--accept ID", "Accept a finding, or all of a kind (repeatable)."),
    ] = None,
    note: Annotated[str, option("--note TEXT", "With --accept: the reason.")] = "",
    sign: Annotated[
        bool, option("--sign", "With --accept: also record your name, as git has it.")
    ] = False,
    decided: Annotated[
        bool, option("--decided", "List what was accepted, when and by whom.")
    ] = False,
    take: Annotated[
        list[str] | None,
        option(
            "--take ID:WHAT",
            "Show how to update an entry with what services have for a finding: one field, or "
            "replace or add for a published preprint (repeatable).",
        ),
    ] = None,
    write: Annotated[bool, option("--write", "With --take: change the bibliography.")] = False,
    since: Annotated[
        str | None,
        option("--since REV", "Only citations and entries that changed since a Git revision."),
    ] = None,
    *,
    options: Options,
    form: str,
) -> int:
    """Check a whole draft before submission; exit with status 1 if anything is found."""
    from ..api.nouns import KINDS
    from ..api.paths import check_report_path
    from ..api.revisions import ChangedSince

    # What was found with --references is accepted and taken without it, from cached answers.
    of_services = bool(references or take or accept or decided or retractions is not None)
    of_draft, of_entries = _kinds(kind or (), of_services=of_services)
    checks_draft = not take and bool(of_draft or not of_entries)
    if report is not None:
        check_report_path(report)
    project = output.opened(draft, options)
    changes = None if since is None else ChangedSince(project, since)
    keys = None if changes is None else changes.keys
    status = 0
    if references:
        status = _ask_services(project, source or (), email, keys, agreed=yes, only_show=only_show)
        if only_show:
            return status
    found, cited, broken = _found_in(project, of_draft if checks_draft else None)
    asked = None
    if of_services:
        checked = pincite.check_references(
            project, retractions=retractions, services=source or (), keys=keys
        )
        found += [e for e in checked.findings if not of_entries or e.kind in of_entries]
        asked = checked.asked if references or retractions is not None else None
    if changes is not None:
        found = [*filter(changes.has, found)]
        cited = [*filter(changes.has, cited)]
    if take or write:
        return _show_taking(project, draft, found, take, write=write, as_json=form == "json")
    if accept or note or sign:
        _accept(project, found, accept or (), note, sign=sign)
    known = pincite.decided(project, found)
    output.report(known.problems)
    found = [each for each, _ in known.undecided]
    if report is not None:
        project.write_report(found, report, cited)
    has_none = checks_draft and not project.has_bibliography
    has_none = has_none and "undefined-key" in (of_draft or KINDS)
    if form == "text":
        _show_findings(project, known.undecided, has_none=has_none)
        if decided:
            _show_decided(project, known)
        if cited:
            wrapped(f"{pincite.VerdictCounts.of(each.verdict for each in cited)}.", 0)
        if asked is not None:
            wrapped(f"{asked}.", 0)
    else:
        _print_as(form, project, draft, known, cited)
    if has_none and not any(each.kind == "undefined-key" for each in found) and project.citations:
        # These names may be no keys, so none is among the findings.
        log(f"{draft}: {project.no_entries}")
        broken = 1
    _log_counts(draft, found, known)
    return 1 if found else broken or status


def _accept(
    project: pincite.Project,
    found: Sequence[pincite.Finding],
    names: Sequence[str],
    note: str,
    *,
    sign: bool,
) -> None:
    from ..api.decisions import git_user

    if not names:
        raise pincite.PinciteError("--note and --sign need --accept")
    by = git_user(project.path.parent) if sign else ""
    log(f"{counted(pincite.accept(project, found, names, note, by), 'finding')} accepted")


def _kinds(names: Sequence[str], *, of_services: bool) -> tuple[list[str], list[str]]:
    """Return the kinds that are found in drafts, and those that services know about entries."""
    from ..api.decisions import ALL_KINDS
    from ..api.nouns import REFERENCE_KINDS

    for each in names:
        if each not in ALL_KINDS:
            kinds = ", ".join(ALL_KINDS)
            raise pincite.PinciteError(f"unknown kind {each!r}; choose from {kinds}")
    of_entries: list[str] = [each for each in names if each in REFERENCE_KINDS]
    if of_entries and not of_services:
        raise pincite.PinciteError(f"--kind {of_entries[0]} needs --references or --retractions")
    return [each for each in names if each not in of_entries], of_entries


def _log_counts(draft: Path, found: Sequence[pincite.Finding], known: pincite.Decided) -> None:
    from ..api.decisions import ALL_KINDS

    counts = Counter[str](each.kind for each in found)
    summary = ", ".join(f"{counts[kind]} {kind}" for kind in ALL_KINDS if counts[kind])
    summary = f"{counted(len(found), 'finding')}{summary and f': {summary}'}"
    if known.accepted:
        summary += f"; {len(known.accepted)} accepted (--decided lists them)"
    log(f"{draft}: {summary}")


def _found_in(
    project: pincite.Project, kinds: Sequence[str] | None
) -> tuple[list[pincite.Finding], Sequence[pincite.CheckedCitation], int]:
    """Return what is found in a draft, the verdicts, and 2 if a paper is broken, else 0.

    Without `kinds` everything is looked for, with None nothing.
    """
    from ..api.nouns import KINDS, OF_PAPERS

    if kinds is None or project.no_entries or OF_PAPERS.isdisjoint(kinds or KINDS):
        found = [] if kinds is None else project.check(kinds)
        output.report(project.problems_of("draft", "entries", "bibliographies", "setup"))
        return found, [], 0
    output.read_papers(project)
    with output.progress_bar("Checking citations") as progress:
        cited = project.verdicts(progress=progress)
        found = project.check(kinds) if cited else project.check(kinds, progress=progress)
    return found, cited, output.report_problems(project)


def _print_as(
    form: str,
    project: pincite.Project,
    draft: Path,
    known: pincite.Decided,
    cited: Sequence[pincite.CheckedCitation],
) -> None:
    if form == "json":
        verdicts = _verdicts_json(project, cited)
        output.print_json({"draft": str(draft), **_findings_json(project, known), **verdicts})
    elif form == "sarif":
        output.print_json(sarif(known))
    else:
        for line in github(each for each, _ in known.undecided):
            echo(line)


def _findings_json(project: pincite.Project, known: pincite.Decided) -> dict[str, Any]:
    def shown(each: pincite.Finding) -> dict[str, Any]:
        taken = [{"take": name, "title": title} for name, title in _takings_of(project, each)]
        more = {"notice": each.notice, "values": dict(each.values), "takings": taken}
        return {
            "id": each.id,
            **output.place_json(project, each.place),
            **picked(each, "kind", "key", "message", "excerpt"),
            **{name: value for name, value in more.items() if value},
        }

    return {
        "findings": [
            shown(each) | ({"changed": change} if change else {})
            for each, change in known.undecided
        ],
        "accepted": [
            shown(each) | picked(made, "on", "note", "by") for each, made in known.accepted
        ],
    }


def _show_decided(project: pincite.Project, known: pincite.Decided) -> None:
    for each, made in known.accepted:
        place = output.shown_place(project, each.place)
        show(f"{place}  {each.kind}  [{made.id}]  {_decision(made)}")
        wrapped(each.message, 2)
    for made in known.others:
        named = f"{made.kind} {made.key}".rstrip()
        show(f"{named}  [{made.id}]  {_decision(made)}; not found by this check")


def _decision(made: pincite.Decision) -> str:
    by, note = made.by and f" by {made.by}", made.note and f": {made.note}"
    return f"accepted on {made.on}{by}{note}"


def _verdicts_json(
    project: pincite.Project, cited: Sequence[pincite.CheckedCitation]
) -> dict[str, Any]:
    counts = pincite.VerdictCounts.of(each.verdict for each in cited)
    return {
        "verdicts": {**asdict(counts), "reasons": dict(counts.reasons)},
        "citations": [
            {
                **output.place_json(project, each.place),
                "key": each.key,
                "verdict": asdict(each.verdict),
            }
            for each in cited
        ],
    }


def _show_findings(
    project: pincite.Project, shown: Sequence[tuple[pincite.Finding, str]], *, has_none: bool
) -> None:
    """Print the findings place by place; a key that is undefined at many places is printed once."""
    found = [each for each, _ in shown]
    changes = {id(each): change for each, change in shown}
    if has_none and (keys := [each for each in found if each.kind == "undefined-key"]):
        found = [each for each in found if each.kind != "undefined-key"]
        cited = list(dict.fromkeys(each.key for each in keys))
        place = output.shown_place(project, keys[0].place)
        show(f"{place}  {counted(len(cited), 'undefined key')}", style="bold")
        wrapped(keys[0].message, 2)
        wrapped(", ".join(first_of(cited, _MAX_KEYS)), 4)
    number = Counter(each.key for each in found if each.kind == "undefined-key")
    printed: set[str] = set()
    for finding in found:
        is_undefined, message = finding.kind == "undefined-key", finding.message
        if finding.kind == "title-only" or (is_undefined and finding.key in printed):
            continue
        if is_undefined:
            printed.add(finding.key)
            if more := number[finding.key] - 1:
                message += f" It is cited in {counted(more, 'more place')}."
        head = f"{output.shown_place(project, finding.place)}  {finding.kind}"
        show(f"{head}  [{finding.id}]", style="bold")
        wrapped(message, 2)
        wrapped(changes[id(finding)], 2)
        for name, title in _takings_of(project, finding):
            wrapped(f"--take {name}: {title}", 4)
        if not is_undefined:
            wrapped(finding.excerpt, 4)
    titles = [each.key for each in found if each.kind == "title-only"]
    if titles:
        one = "cited work is known by its title only"
        many = "cited works are known by their titles only"
        show(counted(len(titles), one, many), style="bold")
        wrapped("What the draft says about them was not checked (title-only).", 2)
        wrapped(", ".join(first_of(titles, _MAX_KEYS)), 4)
        show("pincite library shows what to do about each.", 2)


def _ask_services(
    project: pincite.Project,
    services: Sequence[str],
    email: str,
    keys: Collection[str] | None,
    *,
    agreed: bool,
    only_show: bool,
) -> int:
    """Show what would be sent, and send it if the author agrees; return 2 where that failed.

    What was answered before is used in any case. All is printed on stderr, beside the findings.
    """
    plan = pincite.plan_references(project, services=services, email=email, keys=keys)
    if only_show or plan.must_ask:
        more = "Of a preprint, the DOI of its publication is sent, too. "
        for indent, line in requests_shown(plan, all_of_it=only_show, more=more):
            echo(f"{' ' * indent}{line}", err=True)
    if only_show or not plan.must_ask:
        return 0
    try:
        if not output.may_send(agreed=agreed, err=True):
            return 0
    except pincite.PinciteError as error:
        log(str(error))
        return 0
    with output.progress_bar("Asking services") as progress:
        enriched = pincite.enrich(plan, progress=progress)
    for reason in enriched.given_up.values():
        log(f"{reason}; run the command again later to continue from here")
    return 2 if enriched.given_up else 0


def _takings_of(project: pincite.Project, finding: pincite.Finding) -> Iterator[tuple[str, str]]:
    """Yield what can be taken for a finding: how it is called, and what it does."""
    for each in pincite.takings(project, finding):
        yield f"{finding.id}:{each.name}", each.title


def _show_taking(
    project: pincite.Project,
    draft: Path,
    found: Sequence[pincite.Finding],
    names: Sequence[str] | None,
    *,
    write: bool,
    as_json: bool,
) -> int:
    """Print as a diff what is taken into entries; write it if asked to."""
    if not names:
        raise pincite.PinciteError("--write needs --take")
    changes = pincite.plan_taking(project, found, names)
    output.show_changes(changes, draft, write=write, as_json=as_json)
    if not as_json:
        files = counted(len(changes.files), "file")
        done = (
            f"{files} changed" if write else f"{files} would be changed; add --write to change them"
        )
        log(f"{draft}: {done}")
    return 0
