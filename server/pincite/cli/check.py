"""``pincite check``: the claim check of a whole draft before submission."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pincite

from ..api.nouns import KINDS, OF_PAPERS
from ..api.project import check_report_path
from .options import Options
from .output import (
    console,
    counted,
    echo,
    first_of,
    place_json,
    print_json,
    progress_bar,
    read_papers,
    report,
    report_problems,
    show,
    shown_place,
    wrapped,
)

_MAX_WORKS = 40


def run(
    given: Path,
    kinds: Collection[str],
    report_path: Path | None,
    options: Options,
    as_json: bool,
) -> int:
    """Run the command; return 1 if anything is found, 2 if a paper is broken, else 0."""
    if report_path is not None:
        check_report_path(report_path)
    project = pincite.open(given, **options)
    of_papers = OF_PAPERS.intersection(kinds or KINDS)
    needs_papers = bool(of_papers) and not project.no_entries
    if needs_papers:
        read_papers(project)
    with progress_bar("Checking citations") as progress:
        found = project.check(kinds, progress=progress)
    status = 0
    if needs_papers:
        status = report_problems(project)
    else:
        report(project.problems_of("draft", "entries", "bibliographies", "setup"))
    if report_path is not None:
        project.write_report(found, report_path)
    undefined = [each for each in found if each.kind == "undefined-key"]
    has_none = not project.has_bibliography and "undefined-key" in (kinds or KINDS)
    if as_json:
        print_json({"draft": str(given), "findings": [_json(project, each) for each in found]})
    else:
        _print(project, found, has_none=has_none)
    if has_none and not undefined and project.citations:
        # These names may be no keys, so none is among the findings.
        echo(f"pincite: {given}: {project.no_entries}", err=True)
        status = 1
    counts = Counter(each.kind for each in found)
    summary = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    summary = f": {summary}" if summary else ""
    echo(f"pincite: {given}: {counted(len(found), 'finding')}{summary}", err=True)
    return 1 if found else status


def _json(project: pincite.Project, finding: pincite.Finding) -> dict[str, Any]:
    return {
        **place_json(project, finding.place),
        "kind": finding.kind,
        "key": finding.key,
        "message": finding.message,
        "excerpt": finding.excerpt,
    }


def _print(project: pincite.Project, found: Sequence[pincite.Finding], *, has_none: bool) -> None:
    """Print the findings place by place; a key that is undefined at many places is printed once.

    Where there is no bibliography at all, the keys are printed together.
    """
    screen = console()
    if has_none and (keys := [each for each in found if each.kind == "undefined-key"]):
        found = [each for each in found if each.kind != "undefined-key"]
        cited = list(dict.fromkeys(each.key for each in keys))
        place = shown_place(project, keys[0].place)
        show(screen, f"{place}  {counted(len(cited), 'undefined key')}", 0, "bold")
        wrapped(screen, keys[0].message, 2)
        wrapped(screen, ", ".join(first_of(cited, _MAX_WORKS)), 4)
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
        show(screen, f"{shown_place(project, finding.place)}  {finding.kind}", 0, "bold")
        wrapped(screen, message, 2)
        if not is_undefined:
            wrapped(screen, finding.excerpt, 4)
    titles = [each for each in found if each.kind == "title-only"]
    if titles:
        known = (
            "cited work is known by its title only",
            "cited works are known by their titles only",
        )
        show(screen, counted(len(titles), *known), 0, "bold")
        wrapped(screen, "What is said of them was not checked (title-only).", 2)
        wrapped(screen, ", ".join(first_of([each.key for each in titles], _MAX_WORKS)), 4)
        show(screen, "pincite library says what to do for each.", 2)
