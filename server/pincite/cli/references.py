"""Asking services about the entries of a draft, once the author agrees; taking what they have."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pincite

from . import output
from .enrich import requests_shown
from .output import counted, echo, say


def ask_services(
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
        for indent, line in requests_shown(plan, email, all_of_it=only_show, more=more):
            echo(f"{' ' * indent}{line}", err=True)
    if only_show or not plan.must_ask:
        return 0
    try:
        if not output.may_send(agreed=agreed, err=True):
            return 0
    except pincite.PinciteError as error:
        say(str(error))
        return 0
    with output.progress_bar("Asking services") as progress:
        enriched = pincite.enrich(plan, progress=progress)
    for reason in enriched.given_up.values():
        say(f"{reason}; run the command again later to continue from here")
    return 2 if enriched.given_up else 0


def takings_of(project: pincite.Project, finding: pincite.Finding) -> Iterator[tuple[str, str]]:
    """Yield what can be taken for a finding: how it is called, and what it does."""
    for each in pincite.takings(project, finding):
        yield f"{finding.id}:{each.name}", each.title


def show_taking(
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
        say(f"{draft}: {done}")
    return 0
