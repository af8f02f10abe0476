"""``pincite discover``: find works around those of a draft, on the network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

import typer

import pincite

from . import output
from .enrich import service_requests, shared_values
from .options import (
    DraftArgument,
    EmailOption,
    Options,
    ShowOption,
    YesOption,
    option,
    shared_options,
)
from .output import MAX_NAMED, counted, log, show
from .places import discovered_json, place_at, show_discovered

_SHARED: Final = ("service", "host", "with_email", "with_key")


@shared_options("bibliographies")
def discover(
    draft: DraftArgument,
    source: Annotated[
        list[str] | None,
        option(
            "--source NAME",
            "Ask only this: openalex or semantic-scholar, with --at also crossref or arxiv"
            " (repeatable).",
        ),
    ] = None,
    email: EmailOption = "",
    yes: YesOption = False,
    only_show: ShowOption = False,
    at: Annotated[
        str | None,
        option("--at [FILE:]LINE:COL", "Search the literature with words, for this position."),
    ] = None,
    words: Annotated[
        str, option("--words TEXT", "What to search for (default: it proposes rare words).")
    ] = "",
    uncited: Annotated[
        bool,
        option("--uncited", "Ask about all works in the bibliography, not only the cited ones."),
    ] = False,
    *,
    options: Options,
    as_json: bool,
) -> int:
    """Find works that your works cite, or that cite them, once you agree to what is sent.

    ``pincite recommend --discover`` suggests them. Without this command, it knows those in the
    reference lists of your papers. With ``--at``, services are searched by words instead, and what
    they find is ranked for that position.
    """
    project = output.opened(draft, options)
    if at is not None or words:
        place = place_at(project, at)
        services = source or ()
        return _search(
            project, place, words, services, email, agreed=yes, only_show=only_show, as_json=as_json
        )
    plan = pincite.plan_discovery(
        project, cited_only=not uncited, services=source or (), email=email
    )
    if not as_json:
        _show_plan(plan, all_of_it=only_show)
    if only_show:
        if as_json:
            sent = [output.picked(each, *_SHARED, "dois") for each in plan.requests]
            output.print_json({"sent": sent, "most": plan.most})
        return 0
    if plan.requests and not output.may_send(agreed=yes, as_json=as_json):
        return 0
    with output.progress_bar("Discovering") as progress:
        found = pincite.discover(plan, progress=progress)
    if as_json:
        output.print_json({"works": found.works, "unknown": found.unknown, "ended": found.ended})
    else:
        around = counted(found.works, "work")
        show(f"{around} around yours; pincite recommend --discover suggests them")
        if found.unknown:
            show(f"not found there, or under a different title: {_listed(found.unknown)}", 2)
    if found.ended:
        log(f"{found.ended}; run the command again later to continue from here")
    return 2 if found.ended else 0


def _search(
    project: pincite.Project,
    place: pincite.Place,
    words: str,
    services: Sequence[str],
    email: str,
    *,
    agreed: bool,
    only_show: bool,
    as_json: bool,
) -> int:
    """Search the literature by words that the author has seen; return the exit status."""
    from ..api.discovering import searched_services

    project.require_entries()
    words = words or pincite.proposed_words(project, place)
    asked = searched_services(services, email)
    if not as_json:
        what = f"“{words}”" if words else "no words"
        for to in asked:
            sent = ", ".join((what, *shared_values(to)))
            show(f"to {to.service} ({to.host}): {sent}", 2)
        output.wrapped("Nothing else from the draft is sent.", 2)
    if only_show:
        if as_json:
            shared = [output.picked(to, *_SHARED) for to in asked]
            output.print_json({"words": words, "sent": shared})
        return 0
    if not agreed:
        output.require_terminal(as_json=as_json)
        words = typer.prompt("Send these words, or others", default=words or None)
    found = pincite.search_literature(project, place, words, services=services, email=email)
    if as_json:
        works = [discovered_json(each) for each in found.works]
        output.print_json({"words": words, "works": works, "failures": dict(found.failures)})
    else:
        show(f"{counted(len(found.works), 'work')} that you do not have:", style="bold")
        for each in found.works:
            show_discovered(each)
    for reason in found.failures.values():
        log(reason)
    return 2 if found.failures else 0


def _show_plan(plan: pincite.DiscoveryPlan, *, all_of_it: bool) -> None:
    number = plan.entries - len(plan.unidentified)
    show(f"{counted(plan.entries, 'work')}, {number:,} with a DOI or an arXiv identifier")
    if plan.unidentified:
        show(f"not asked about, because they have neither: {_listed(plan.unidentified)}", 2)
    if not plan.requests:
        return
    for indent, line in service_requests(plan.requests, all_of_it=all_of_it):
        show(line, indent)
    names = " and ".join(each.service for each in plan.requests)
    learn = "learns" if len(plan.requests) == 1 else "learn"
    output.wrapped(
        f"They are sent with the service's own identifiers of works, in at most {plan.most}"
        f" requests: {names} {learn} which works you cite. Nothing of a draft, no titles, no notes,"
        " no names of files are sent.",
        2,
    )


def _listed(keys: tuple[str, ...]) -> str:
    more = f" and {len(keys) - MAX_NAMED:,} more" if len(keys) > MAX_NAMED else ""
    return ", ".join(keys[:MAX_NAMED]) + more
