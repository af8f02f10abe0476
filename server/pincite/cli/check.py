"""``pincite check``: the claim check of a whole draft before submission."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..checking.draft_report import Report, begins_report
from ..checking.whole_draft import (
    KINDS,
    OF_PAPERS,
    CheckedDraft,
    DraftFinding,
    FindingKind,
    check_draft,
    has_no_bibliography,
)
from ..model.problems import InputError
from .files import require_writable, writing
from .inputs import DraftInput, progress_bar, read_input
from .options import DraftOptions
from .output import console, counted, echo, first_of, print_json, show, wrapped

_MOST_WORKS = 40
#: The bytes of a file that show whether it is a report.
_BEGINNING = 1_000


def run(
    given: Path,
    kinds: Sequence[str],
    report: Path | None,
    options: DraftOptions,
    output: str,
) -> int:
    """Run the command; return 1 if anything is found, 2 if a paper is broken, else 0."""
    chosen = _chosen(kinds)
    if report is not None:
        _check_report(report)
    draft = read_input(given, options)
    recommender = draft.texts() if chosen & OF_PAPERS and draft.bibliography.entries else None
    checked = CheckedDraft(
        draft.draft, draft.bibliography.files, draft.bibliography.find, recommender
    )
    with progress_bar("Checking citations") as progress:
        found = check_draft(checked, chosen, progress)
    status = 0
    has_none = has_no_bibliography(checked) and "undefined-key" in chosen
    if recommender is None:
        draft.report_draft_problems()
    else:
        status = draft.report_problems()
    if report is not None:
        _write_report(report, given, draft, found)
    if output == "json":
        print_json({"draft": str(given), "findings": [_json(draft, each) for each in found]})
    else:
        _print(draft, found, has_none=has_none)
    told = any(each.kind == "undefined-key" for each in found)
    if has_none and not told and any(file.citations for file in draft.draft.files):
        # These names may be no keys, so none is among the findings.
        echo(f"pincite: {given}: {draft.no_entries()}", err=True)
        status = 1
    counts = Counter(each.kind for each in found)
    summary = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    summary = f": {summary}" if summary else ""
    echo(f"pincite: {given}: {counted(len(found), 'finding')}{summary}", err=True)
    return 1 if found else status


def _chosen(kinds: Sequence[str]) -> frozenset[FindingKind]:
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise InputError(f"no kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    return frozenset(kind for kind in KINDS if kind in kinds or not kinds)


def _json(draft: DraftInput, finding: DraftFinding) -> dict[str, Any]:
    return {
        "file": draft.relative(finding.path),
        "line": finding.line,
        "column": finding.column,
        "kind": finding.kind,
        "key": finding.key,
        "message": finding.message,
        "excerpt": finding.excerpt,
    }


def _print(draft: DraftInput, found: Sequence[DraftFinding], *, has_none: bool) -> None:
    """Print the findings place by place; a key that is undefined at many places is told once.

    Where there is no bibliography at all, the keys are printed together.
    """
    screen = console()
    if has_none and (keys := [each for each in found if each.kind == "undefined-key"]):
        found = [each for each in found if each.kind != "undefined-key"]
        cited = list(dict.fromkeys(each.key for each in keys))
        place = draft.place(keys[0].path, keys[0].line, keys[0].column)
        show(screen, f"{place}  {counted(len(cited), 'undefined key')}", 0, "bold")
        wrapped(screen, keys[0].message, 2)
        wrapped(screen, ", ".join(first_of(cited, _MOST_WORKS)), 4)
    again = Counter(each.key for each in found if each.kind == "undefined-key")
    told: set[str] = set()
    for finding in found:
        if finding.kind == "title-only" or (
            finding.kind == "undefined-key" and finding.key in told
        ):
            continue
        message = finding.message
        if finding.kind == "undefined-key":
            told.add(finding.key)
            if more := again[finding.key] - 1:
                message += f" It is cited in {counted(more, 'more place')}."
        place = draft.place(finding.path, finding.line, finding.column)
        show(screen, f"{place}  {finding.kind}", 0, "bold")
        wrapped(screen, message, 2)
        if finding.kind != "undefined-key":
            wrapped(screen, finding.excerpt, 4)
    titles = [each for each in found if each.kind == "title-only"]
    if titles:
        known = (
            "cited work is known by its title only",
            "cited works are known by their titles only",
        )
        show(screen, counted(len(titles), *known), 0, "bold")
        wrapped(screen, "What is said of them was not checked (title-only).", 2)
        wrapped(screen, ", ".join(first_of([each.key for each in titles], _MOST_WORKS)), 4)
        show(screen, "pincite library says what to do for each.", 2)


def _check_report(path: Path) -> None:
    """Raise `InputError` before the work begins if no report can be written."""
    if path.suffix.lower() not in (".html", ".htm", ".md", ".markdown"):
        raise InputError(f"{path}: a report is FILE.html or FILE.md")
    require_writable(path)
    if path.is_file() and not _is_report(path):
        raise InputError(f"{path}: exists and is not a report; choose another name")


def _is_report(path: Path) -> bool:
    """Return whether a file is empty or looks like one that we have written."""
    with path.open("rb") as file:
        return begins_report(file.read(_BEGINNING).decode("utf-8", "replace"))


def _write_report(
    path: Path, given: Path, draft: DraftInput, found: Sequence[DraftFinding]
) -> None:
    report = Report.of(given.name, draft.draft, found, draft.draft.path.parent)
    text = report.html() if path.suffix.lower() in (".html", ".htm") else report.markdown()
    with writing(path) as file:
        file.write(text)
