"""Asking services about the entries of a draft, once the author agrees."""

from __future__ import annotations

from collections.abc import Sequence

import pincite

from . import output
from .enrich import requests_shown
from .output import echo, say


def ask_services(
    project: pincite.Project, services: Sequence[str], email: str, *, agreed: bool, only_show: bool
) -> int:
    """Show what would be sent, and send it if the author agrees; return 2 where that failed.

    What was answered before is used in any case. All is printed on stderr, beside the findings.
    """
    plan = pincite.plan_references(project, services=services, email=email)
    if only_show or plan.must_ask:
        for indent, line in requests_shown(plan, email, all_of_it=only_show):
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
        say(f"{reason}; run the command again later, it goes on from here")
    return 2 if enriched.given_up else 0
