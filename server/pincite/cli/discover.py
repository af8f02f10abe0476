"""``pincite discover``: find works around those of a draft, on the network."""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

import pincite

from . import output
from .options import (
    DraftArgument,
    EmailOption,
    Options,
    YesOption,
    option,
    shared_options,
)
from .output import counted, echo, say, show
from .places import discovered_json, place_at, show_discovered

#: The number of keys and of DOIs that are named before the author is asked.
_MAX_NAMED: Final = 10


@shared_options("bibliographies")
def discover(
    draft: DraftArgument,
    email: EmailOption = "",
    yes: YesOption = False,
    only_show: Annotated[
        bool, option("--show", "Show what would be sent to whom, and send nothing.")
    ] = False,
    at: Annotated[
        str | None,
        option("--at [FILE:]LINE:COL", "Search the literature by words, for this position."),
    ] = None,
    words: Annotated[
        str, option("--words TEXT", "What to search for (default: it proposes rare words).")
    ] = "",
    uncited: Annotated[
        bool, option("--uncited", "Ask about all works of the bibliography, not the cited ones.")
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
        return _search(
            project, place, words, email, agreed=yes, only_show=only_show, as_json=as_json
        )
    plan = pincite.plan_discovery(project, cited_only=not uncited, email=email)
    if not as_json:
        _show_plan(plan, email, all_of_it=only_show)
    if only_show:
        if as_json:
            output.print_json({"host": plan.host, "dois": plan.dois, "requests": plan.requests})
        return 0
    if plan.dois and not yes:
        if as_json or not sys.stdin.isatty():
            raise pincite.PinciteError(
                "nothing was sent: confirm with --yes, as there is no terminal to ask on"
            )
        if not typer.confirm("Send this?", default=False):
            echo("Nothing was sent.")
            return 0
    with output.progress_bar("Discovering") as progress:
        found = pincite.discover(plan, progress=progress)
    if as_json:
        output.print_json({"works": found.works, "unknown": found.unknown, "ended": found.ended})
    else:
        around = counted(found.works, "work")
        show(f"{around} around yours; pincite recommend --discover suggests them")
        if found.unknown:
            show(f"unknown there, or with another title: {_listed(found.unknown)}", 2)
    if found.ended:
        say(f"{found.ended}; run the command again later, it goes on from here")
    return 2 if found.ended else 0


def _search(
    project: pincite.Project,
    place: pincite.Place,
    words: str,
    email: str,
    *,
    agreed: bool,
    only_show: bool,
    as_json: bool,
) -> int:
    """Search the literature by words that the author has seen; return the exit status."""
    project.require_entries()
    words = words or pincite.proposed_words(project, place)
    if not as_json:
        show(f"to OpenAlex, Crossref and Semantic Scholar: {words or 'no words'}", 2)
        output.wrapped("Nothing else of the draft is sent.", 2)
    if only_show:
        if as_json:
            output.print_json({"words": words})
        return 0
    if not agreed:
        if as_json or not sys.stdin.isatty():
            raise pincite.PinciteError(
                "nothing was sent: confirm with --yes, as there is no terminal to ask on"
            )
        words = typer.prompt("Send these words, or others", default=words or None)
    found = pincite.search_literature(project, place, words, email=email)
    if as_json:
        works = [discovered_json(each) for each in found.works]
        output.print_json({"words": words, "works": works, "failures": dict(found.failures)})
    else:
        show(f"{counted(len(found.works), 'work')} that you do not have:", style="bold")
        for each in found.works:
            show_discovered(each)
    for reason in found.failures.values():
        say(reason)
    return 2 if found.failures else 0


def _show_plan(plan: pincite.DiscoveryPlan, email: str, *, all_of_it: bool) -> None:
    show(f"{counted(plan.entries, 'work')}, {len(plan.dois):,} with a DOI or an arXiv identifier")
    if plan.unidentified:
        show(f"not asked about, as they have none: {_listed(plan.unidentified)}", 2)
    if not plan.dois:
        return
    parts = [counted(len(plan.dois), "DOI"), "its own identifiers of works"]
    parts += [f"your address {email}"] if plan.with_email else []
    parts += ["your key"] if plan.with_key else []
    show(
        f"to {plan.service} ({plan.host}): {', '.join(parts)}; at most {plan.requests} requests", 2
    )
    for doi in plan.dois if all_of_it else plan.dois[:_MAX_NAMED]:
        show(doi, 4)
    if not all_of_it and len(plan.dois) > _MAX_NAMED:
        show(f"… and {len(plan.dois) - _MAX_NAMED:,} more (--show lists all)", 4)
    output.wrapped(
        f"{plan.service} learns which works you cite. Nothing of a draft, no titles, no notes, no "
        "names of files are sent.",
        2,
    )


def _listed(keys: tuple[str, ...]) -> str:
    more = f" and {len(keys) - _MAX_NAMED:,} more" if len(keys) > _MAX_NAMED else ""
    return ", ".join(keys[:_MAX_NAMED]) + more
