"""``pincite enrich``: fetch from the network what is missing of a bibliography's entries."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer

import pincite

from ..api import enriching
from .output import console, counted, echo, progress_bar, report, show, wrapped

#: The number of DOIs and titles that are named of each service before the author is asked.
_MAX_NAMED: Final = 10


def run(
    bibliographies: Sequence[Path],
    services: Sequence[str],
    email: str,
    *,
    agreed: bool,
    only_show: bool,
    write: bool = False,
) -> int:
    """Run the command and return its exit status: 2 where a source could not be asked.

    Nothing is sent before the author agrees, on the terminal or by an option. To `write` is to add
    abstracts and DOIs to the bibliographies, too.
    """
    for path in bibliographies if write else ():
        enriching.check_bibliography_path(path)
    plan = pincite.plan_enrichment(bibliographies, services=services, email=email, zotero="auto")
    report(plan.problems)
    _show(plan, email, all_of_it=only_show)
    if only_show or not plan.asked:
        return 0
    if plan.must_ask and not agreed:
        if not sys.stdin.isatty():
            raise pincite.PinciteError(
                "nothing was sent: say yes with --yes, as no terminal is there to ask"
            )
        if not typer.confirm("Send this?", default=False):
            echo("Nothing was sent.")
            return 0
    with progress_bar("Fetching") as progress:
        try:
            enriched = pincite.enrich(plan, progress=progress)
        except KeyboardInterrupt:
            echo("pincite: what came is kept; run the command again for the rest", err=True)
            raise
    _print(enriched, plan.asked)
    for path in bibliographies if write else ():
        changed = counted(enriched.write(path), "entry", "entries")
        show(console(), f"{path}: fields were added to {changed}", 0)
    return 2 if enriched.given_up or enriched.not_cached else 0


def check_services(services: Sequence[str], email: str) -> int:
    """Ask each service for one well-known work; return 1 if any does not know it."""
    answers = enriching.check_services(services, email)
    for _, answer, _ in answers:
        show(console(), answer, 0)
    return 0 if all(knows for _, _, knows in answers) else 1


def _show(plan: pincite.EnrichmentPlan, email: str, *, all_of_it: bool) -> None:
    screen = console()
    number = counted(plan.entries, "entry", "entries")
    show(screen, f"{number}, {plan.without_abstract:,} without an abstract or a full text", 0)
    if not plan.must_ask:
        show(screen, "Nothing has to be sent: all that could be asked for was answered.", 0)
        return
    for sent in plan.requests:
        parts = [counted(len(sent.dois), "DOI")] if sent.dois else []
        parts += [counted(len(sent.titles), "title")] if sent.titles else []
        parts += [f"your address {email}"] if sent.with_email else []
        parts += ["your key"] if sent.with_key else []
        show(screen, f"to {sent.service} ({sent.host}): at most {', '.join(parts)}", 2)
        each = [*sent.dois, *sent.titles]
        for value in each if all_of_it else each[:_MAX_NAMED]:
            show(screen, value, 4)
        if not all_of_it and len(each) > _MAX_NAMED:
            show(screen, f"… and {len(each) - _MAX_NAMED:,} more (--show lists all)", 4)
    wrapped(
        screen,
        "A title is sent only where a DOI is missing, unknown or wrong; the DOI that is found with "
        "it is sent to the others. Nothing of a draft, no notes, no names of files are sent.",
        2,
    )


def _print(enriched: pincite.Enriched, asked: int) -> None:
    screen = console()
    for each in enriched.by_service:
        for number, noun in ((each.abstracts, "abstract"), (each.sentences, "citing sentence")):
            if number:
                show(screen, f"{counted(number, noun)} from {each.service}", 0)
    if not enriched.found:
        show(screen, f"Nothing was found of {counted(asked, 'entry', 'entries')}.", 0)
    report(enriched.wrong_dois)
    for reason in enriched.given_up.values():
        echo(f"pincite: {reason}; run the command again later, it goes on from here", err=True)
    if enriched.not_cached:
        echo(f"pincite: {enriched.not_cached}", err=True)
