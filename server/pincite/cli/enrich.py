"""``pincite enrich``: fetch from the network what is missing of a bibliography's entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

import pincite

from . import output
from .options import EmailOption, ShowOption, SourceOption, YesOption, option
from .output import MAX_NAMED, counted, log, show


def enrich(
    bibliographies: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE.bib...", help="The bibliographies.")
    ] = None,
    source: SourceOption = None,
    email: EmailOption = "",
    yes: YesOption = False,
    only_show: ShowOption = False,
    write: Annotated[
        bool,
        option("--write", "Add abstracts and missing DOIs to the .bib files, too."),
    ] = False,
    only_check: Annotated[
        bool, option("--check", "Ask each service for one well-known work.")
    ] = False,
) -> None:
    """Fetch abstracts and citing sentences from the network, once you agree to what is sent."""
    from ..api.enriching import check_bibliography_path, check_services

    if only_check:
        answers = check_services(source or (), email)
        for _, answer, _ in answers:
            show(answer)
        raise typer.Exit(0 if all(knows for _, _, knows in answers) else 1)
    if not bibliographies:
        raise pincite.PinciteError("name a bibliography, such as refs.bib")
    for path in bibliographies if write else ():
        check_bibliography_path(path)
    plan = pincite.plan_enrichment(
        bibliographies, services=source or (), email=email, zotero="auto"
    )
    output.report(plan.problems)
    entries = counted(plan.entries, "entry", "entries")
    show(f"{entries}, {plan.without_abstract:,} without an abstract or a full text")
    for indent, line in requests_shown(plan, all_of_it=only_show):
        show(line, indent)
    if only_show or not plan.asked:
        raise typer.Exit
    if plan.must_ask and not output.may_send(agreed=yes):
        raise typer.Exit
    with output.progress_bar("Fetching") as progress:
        try:
            enriched = pincite.enrich(plan, progress=progress)
        except KeyboardInterrupt:
            log("the results so far are stored; run the command again for the rest")
            raise
    _show(enriched, plan.asked)
    for path in bibliographies if write else ():
        changed = counted(enriched.write(path), "entry", "entries")
        show(f"{path}: fields were added to {changed}")
    raise typer.Exit(2 if enriched.given_up or enriched.not_cached else 0)


def _show(enriched: pincite.Enriched, asked: int) -> None:
    for each in enriched.by_service:
        for number, noun in ((each.abstracts, "abstract"), (each.sentences, "citing sentence")):
            if number:
                show(f"{counted(number, noun)} from {each.service}")
    if not enriched.found:
        show(f"Nothing was found for {counted(asked, 'entry', 'entries')}.")
    output.report(enriched.wrong_dois)
    for reason in enriched.given_up.values():
        log(f"{reason}; run the command again later to continue from here")
    if enriched.not_cached:
        log(enriched.not_cached)


def requests_shown(
    plan: pincite.EnrichmentPlan, *, all_of_it: bool, more: str = ""
) -> Iterator[tuple[int, str]]:
    """Yield what would be sent to whom, in lines with their indents; `more` is sent, too."""
    if not plan.must_ask:
        yield 0, "Nothing needs to be sent: everything has been asked before."
        return
    yield from service_requests(plan.requests, all_of_it=all_of_it)
    text = (
        "A title is sent only where a DOI is missing, unknown or wrong; the DOI that is found with "
        f"it is sent to the others. {more}Nothing of a draft, no notes, no names of files are sent."
    )
    yield from ((2, line) for line in output.lines_of(text, 2))


def service_requests(
    requests: Sequence[pincite.ServiceRequest], *, all_of_it: bool
) -> Iterator[tuple[int, str]]:
    """Yield what each service would be sent, in lines with their indents."""
    for sent in requests:
        others = [each for each in sent.dois if not each.startswith("10.")]
        number = len(sent.dois) - len(others)
        parts = [counted(number, "DOI")] if number else []
        parts += [counted(len(others), "PMID or ISBN", "PMIDs and ISBNs")] if others else []
        parts += [counted(len(sent.titles), "title")] if sent.titles else []
        parts += shared_values(sent)
        yield 2, f"to {sent.service} ({sent.host}): at most {', '.join(parts)}"
        for value in sent.values if all_of_it else sent.values[:MAX_NAMED]:
            yield 4, value
        if not all_of_it and (more := len(sent.values) - MAX_NAMED) > 0:
            yield 4, f"… and {more:,} more (--show lists all)"


def shared_values(sent: pincite.ServiceRequest) -> list[str]:
    """Return what a service learns beside what it is asked, in words."""
    address = [f"your address {sent.email}"] if sent.with_email else []
    return address + ["your key"] * sent.with_key
