"""Commands about a whole draft: the claim check, and the health of its library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import pincite

from . import output
from .options import LIBRARY, MATCHING, DraftArgument, Options, option, shared_options
from .output import counted, echo, first_of, picked, say, show, wrapped

#: What a group lists; a wall of text helps nobody, and JSON has everything.
_MAX_PROBLEMS, _MAX_KEYS = 10, 40
#: Where one folder mends all missing files, a few show what they are.
_MAX_IN_FOLDER = 3
#: The groups in the order in which they are printed: first what one step mends for many entries.
_TITLES: dict[str, str] = {
    "missing-file": "Files that are not on this computer",
    "encrypted": "Encrypted files",
    "scanned": "Files without text",
    "unreadable": "Files that cannot be read",
    "broken-entry": "Broken entries",
    "duplicate": "Duplicates",
    "repeated-key": "Keys of several entries, of which only one counts",
    "no-year": "Entries without a year",
    "title-only": "Entries of which only the title is known",
}
#: Groups in which all entries have the same problem: their keys say everything.
_ONLY_KEYS: frozenset[str] = frozenset(("repeated-key", "no-year", "title-only"))
_Listed = Sequence[tuple[str, "pincite.LibraryProblem"]]


@shared_options(*LIBRARY, *MATCHING)
def check(
    draft: DraftArgument,
    kind: Annotated[
        list[str] | None,
        option(
            "--kind KIND",
            "Check only this: undefined-key, placeholder, weak-support, missing-citation or "
            "title-only (repeatable).",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        option("--report FILE", "Write a report: FILE.html, or FILE.md for Markdown."),
    ] = None,
    *,
    options: Options,
    as_json: bool,
) -> int:
    """Check a whole draft before submission; exit with status 1 if anything is found."""
    from ..api.nouns import KINDS, OF_PAPERS
    from ..api.paths import check_report_path

    kinds = kind or ()
    if report is not None:
        check_report_path(report)
    project = output.opened(draft, options)
    needs_papers = bool(OF_PAPERS.intersection(kinds or KINDS)) and not project.no_entries
    if needs_papers:
        output.read_papers(project)
    with output.progress_bar("Checking citations") as progress:
        cited = project.verdicts(progress=progress) if needs_papers else []
        found = project.check(kinds) if cited else project.check(kinds, progress=progress)
    status = 0
    if needs_papers:
        status = output.report_problems(project)
    else:
        output.report(project.problems_of("draft", "entries", "bibliographies", "setup"))
    if report is not None:
        project.write_report(found, report, cited)
    has_none = not project.has_bibliography and "undefined-key" in (kinds or KINDS)
    if as_json:
        findings = [
            {
                **output.place_json(project, each.place),
                **picked(each, "kind", "key", "message", "excerpt"),
            }
            for each in found
        ]
        verdicts = _verdicts_json(project, cited)
        output.print_json({"draft": str(draft), "findings": findings, **verdicts})
    else:
        _show_findings(project, found, has_none=has_none)
        if cited:
            wrapped(f"{pincite.VerdictCounts.of(each.verdict for each in cited)}.", 0)
    counts = Counter(each.kind for each in found)
    if has_none and not counts["undefined-key"] and project.citations:
        # These names may be no keys, so none is among the findings.
        say(f"{draft}: {project.no_entries}")
        status = 1
    summary = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    say(f"{draft}: {counted(len(found), 'finding')}{': ' if summary else ''}{summary}")
    return 1 if found else status


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
    project: pincite.Project, found: Sequence[pincite.Finding], *, has_none: bool
) -> None:
    """Print the findings place by place; a key that is undefined at many places is printed once."""
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
        show(f"{output.shown_place(project, finding.place)}  {finding.kind}", style="bold")
        wrapped(message, 2)
        if not is_undefined:
            wrapped(finding.excerpt, 4)
    titles = [each.key for each in found if each.kind == "title-only"]
    if titles:
        one = "cited work is known by its title only"
        many = "cited works are known by their titles only"
        show(counted(len(titles), one, many), style="bold")
        wrapped("What is said of them was not checked (title-only).", 2)
        wrapped(", ".join(first_of(titles, _MAX_KEYS)), 4)
        show("pincite library says what to do for each.", 2)


@shared_options(*LIBRARY)
def library(draft: DraftArgument, *, options: Options, as_json: bool) -> int:
    """Show what is known of each entry of a draft, what is wrong with it, and what to do."""
    project = output.opened(draft, options)
    project.require_entries()
    output.read_papers(project)
    health = project.library()
    # What is wrong with entries and papers is in the result.
    output.report(project.problems_of("draft", "bibliographies", "setup"))
    if as_json:
        output.print_json({"draft": str(draft), **_health_json(health)})
    else:
        _show_health(draft, health)
    return 2 if health.counts.encrypted or health.counts.unreadable else 0


def _health_json(health: pincite.LibraryHealth) -> dict[str, Any]:
    return {
        "entries": [
            {
                **picked(entry, "key", "basis", "cited"),
                "file": entry.file and str(entry.file),
                "from_zotero": entry.from_zotero,
                "open_access": entry.open_access or None,
                "cited_by": entry.cited_by,
                "problems": [problem.message for problem in entry.problems],
                "kinds": [problem.kind for problem in entry.problems],
            }
            for entry in health.entries
        ],
        "counts": asdict(health.counts),
        "common_folder": health.common_folder and asdict(health.common_folder),
        "others": [problem.message for problem in health.others],
        "fetched": [asdict(each) for each in health.fetched],
    }


def _show_health(draft: Path, health: pincite.LibraryHealth) -> None:
    counts = health.counts
    entries = counted(counts.entries, "entry", "entries")
    show(f"{draft}: {entries}, {counts.cited} cited", style="bold")
    digits = len(f"{counts.entries:,}")
    bases = {"full text": counts.full_text, "abstract only": counts.abstract}
    for label, number in {**bases, "title only": counts.title}.items():
        show(f"{label:<14}{number:>{digits},}", 2)
    if counts.from_zotero:
        of_zotero = Counter[str](entry.basis for entry in health.entries if entry.from_zotero)
        kinds = ("full text", "abstract")
        given = (counted(of_zotero[basis], basis) for basis in kinds if of_zotero[basis])
        show(f"from Zotero: {', '.join(given)}", 2)
    for each in health.fetched:
        numbers = ((each.abstracts, "abstract"), (each.sentences, "citing sentence"))
        parts = [counted(number, noun) for number, noun in numbers if number]
        show(f"from {each.service}: {', '.join(parts)}", 2)
    listed: dict[str, list[tuple[str, pincite.LibraryProblem]]] = {}
    # What the draft cites matters most.
    ordered = sorted(health.entries, key=lambda entry: not entry.cited)
    found = [(entry.key, problem) for entry in ordered for problem in entry.problems]
    for key, problem in (*found, *(("", problem) for problem in health.others)):
        listed.setdefault(problem.kind, []).append((key, problem))
    if not listed:
        show("No problems found.")
    for kind, title in _TITLES.items():
        if group := listed.get(kind):
            echo()
            _show_group(kind, title, group, health)


def _show_group(kind: str, title: str, group: _Listed, health: pincite.LibraryHealth) -> None:
    number, cited = f"{len(group):,}", {e.key for e in health.entries if e.cited}
    is_missing = kind == "missing-file"
    if is_missing:
        number += f" of {health.counts.named_files}"
    number_cited = len({key for key, _ in group} & cited)
    if 0 < number_cited < len(group):
        number += f", {number_cited} of them cited (listed first)"
    show(f"{title}: {number}", style="bold")
    limit, common, advice = _MAX_PROBLEMS, health.common_folder, group[0][1].advice
    if is_missing and common is not None and len(group) > 1:
        number = "All" if common.shared == len(group) else f"{common.shared:,} of them"
        # The path on a line of its own: it may be long, and be copied.
        show(f"{number} are in one folder:", 2)
        show(common.folder, 4)
        advice, limit = advice.replace("its folder", "this"), _MAX_IN_FOLDER
    wrapped(f"{advice[0].upper()}{advice[1:]}.", 2)
    if kind in _ONLY_KEYS:
        keys = list(dict.fromkeys(key for key, _ in group))
        wrapped(", ".join(first_of(keys, _MAX_KEYS)), 4)
        return
    lines = (f"{key}  {each.file if is_missing else each.what}".strip() for key, each in group)
    for line in first_of(list(dict.fromkeys(lines)), limit):
        show(line, 4)
