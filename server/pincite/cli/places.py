"""Commands about the places of a draft: its citations, their evidence, and what to cite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import pincite

from . import output
from .options import LIBRARY, MATCHING, DraftArgument, Options, option, shared_options
from .output import echo, log, picked, show

_ENTRIES_IN_TEXT = 5
_ENTRIES_WITH_ALL = 10
_ENTRIES_WITH_SENTENCES = 3
_AT = re.compile(r"(?:(?P<file>.+):)?(?P<line>\d+):(?P<column>\d+)")
#: What follows a citation without a space.
_CLOSING = re.compile(r"[.,;:!?)\]]")
#: A suggestion, with the evidence of the first ones.
_Shown = tuple["pincite.Suggestion", Sequence["pincite.Evidence"]]


@shared_options(*LIBRARY, "ranker", *MATCHING)
def recommend(
    draft: DraftArgument,
    at: Annotated[
        str | None, option("--at [FILE:]LINE:COL", "Rank for this position instead.")
    ] = None,
    every: Annotated[
        bool,
        option(
            "--all",
            "Treat every citation as a placeholder; show the ranks of its own entries.",
        ),
    ] = False,
    top: Annotated[
        int | None,
        option(
            "--top N",
            "Entries per placeholder (default: 5; in JSON all, or 10 with --all).",
            min=1,
        ),
    ] = None,
    discover: Annotated[
        bool,
        option(
            "--discover",
            "Show works that you do not have everywhere, not only where no entry is likely "
            "(pincite discover finds more).",
        ),
    ] = False,
    *,
    options: Options,
    as_json: bool,
) -> int:
    """Rank the entries of the bibliography for every citation placeholder of a draft."""
    if at is not None and every:
        raise pincite.PinciteError("--at and --all cannot be combined")
    project = output.opened(draft, options)
    places = _places(project, at, every)
    if places or project.citations:
        project.require_entries()
    if places:
        output.read_papers(project)
    elif every:
        log(f"{draft}: the draft cites nothing")
    else:
        log(
            f"{draft}: no citation placeholder found. "
            f"Write {project.placeholder_syntax} or [citation needed] "
            "where a citation is missing, rank for any position with --at LINE:COL, or for every "
            "citation of the draft with --all"
        )
        if project.no_entries:
            log(f"{draft}: {project.no_entries}")
    if top is None and (every or not as_json):
        top = _ENTRIES_WITH_ALL if as_json else _ENTRIES_IN_TEXT

    def beyond(ranking: pincite.Ranking) -> Sequence[pincite.Suggestion]:
        """Return works that the author does not have, where asked for or no entry is likely."""
        if discover:
            return project.discover(ranking.place, top)
        is_needed = ranking.nothing_fits and not every
        return project.discover(ranking.place, _ENTRIES_IN_TEXT) if is_needed else ()

    found = ((project.rank(place), cited) for place, cited in places)
    if as_json:
        placeholders = [
            _ranked_json(project, *each, top)
            | (
                {"discovered": [*map(discovered_json, new)]}
                if (new := beyond(each[0])) or discover
                else {}
            )
            for each in found
        ]
        # Not before: a matcher may have something to report.
        status = output.report_problems(project) if places else 0
        output.print_json({"draft": str(draft), "placeholders": placeholders})
        return status if places else output.report_problems(project)
    status = output.report_problems(project)
    for each in found:
        _show_ranked(project, *each, top)
        if new := beyond(each[0]):
            show("works that you do not have:", 2, "bold")
            for work in new:
                show_discovered(work)
        elif discover:
            show("no works around yours are known", 2, "bold")
        echo()
    return status


def _places(
    project: pincite.Project, at: str | None, every: bool
) -> Sequence[tuple[pincite.Place, Sequence[str]]]:
    """Return the places to rank entries for, with the keys cited there."""
    if every:
        return [(each.place, each.cited) for each in project.citations if not each.listed_only]
    places = project.placeholders if at is None else (place_at(project, at),)
    return [(place, project.cited_at(place)) for place in places]


def place_at(project: pincite.Project, at: str | None) -> pincite.Place:
    """Return the place that ``--at`` names, by default the first placeholder."""
    if at is None:
        if not project.placeholders:
            raise pincite.PinciteError("give a position with --at [FILE:]LINE:COL")
        return project.placeholders[0]
    if (match := _AT.fullmatch(at)) is None:
        raise pincite.PinciteError(f"--at {at}: expected [FILE:]LINE:COL, counted from 1")
    line, column = int(match["line"]), int(match["column"])
    try:
        return project.place(match["file"], line=line, column=column)
    except pincite.PinciteError as error:
        raise pincite.PinciteError(f"--at {at}: {error}") from None


def _first(project: pincite.Project, ranking: pincite.Ranking, top: int | None) -> list[_Shown]:
    return [
        (each, project.evidence(ranking.place, each.key))
        if each.rank <= _ENTRIES_WITH_SENTENCES
        else (each, ())
        for each in ranking.best(top)
    ]


def _ranked_json(
    project: pincite.Project, ranking: pincite.Ranking, cited: Sequence[str], top: int | None
) -> dict[str, Any]:
    entries = [
        {
            "key": each.key,
            "score": round(each.score, 6),
            "internal": round(each.internal, 6),
            "external": round(each.external, 6),
            **picked(each, "basis", "matched", "reasons"),
            **output.support_json(evidence, each.languages),
        }
        for each, evidence in _first(project, ranking, top)
    ]
    place = output.place_json(project, ranking.place)
    ranks = [{"key": key, "rank": ranking.rank_of(key)} for key in cited]
    context = " ".join(filter(None, (ranking.left, "[CITATION HERE]", ranking.right)))
    shown = {**place, "context": context, "entries": entries}
    return {**shown, "cited": ranks} if ranks else shown


def _show_ranked(
    project: pincite.Project, ranking: pincite.Ranking, cited: Sequence[str], top: int | None
) -> None:
    show(output.shown_place(project, ranking.place), style="bold")
    before, behind = project.text_around(ranking.place)
    here = f"{before} [CITATION HERE]{'' if _CLOSING.match(behind) else ' '}{behind}"
    show(here.strip(), 2)
    for key in cited:
        rank = ranking.rank_of(key)
        stands = f"rank {rank} of {len(ranking)}" if rank else "undefined"
        show(f"cited here: {key} ({stands})", 2)
    for each, evidence in _first(project, ranking, top):
        if each.score <= 0.0:
            others = output.counted(len(ranking) - each.rank + 1, "entry", "entries")
            show(f"{others} with no word in common with this context", 2)
            break
        heading = f"{each.rank}. {each.key}  {each.score:.3f}  {each.entry.label}"
        show(heading.rstrip(), 2, "bold")
        text = () if each.basis[0] == "title" else (f"by its {each.basis[0]}",)
        if why := "; ".join((*text, *each.reasons)):
            show(why, 5)
        output.show_languages(each.languages, 5)
        output.show_support(evidence, 7)


def discovered_json(each: pincite.Suggestion) -> dict[str, Any]:
    """Return a work that the author does not have, for JSON."""
    return {
        **picked(each, "key", "rank"),
        "score": round(each.score, 6),
        **picked(each, "matched", "reasons"),
        **picked(each.entry, "title", "authors", "year", "doi"),
    }


def show_discovered(each: pincite.Suggestion) -> None:
    """Print a work that the author does not have."""
    show(f"{each.rank}. {each.entry.label}", 2)
    show("; ".join(filter(None, (*each.reasons, each.entry.doi))), 5)


@shared_options(*LIBRARY, *MATCHING)
def evidence(
    draft: DraftArgument,
    key: Annotated[str | None, option("--key KEY", "Only the citations of this key.")] = None,
    sentences: Annotated[
        int | None, option("--sentences N", "Sentences per citation (default: 4).", min=1)
    ] = None,
    *,
    options: Options,
    as_json: bool,
) -> int:
    """Print the sentences of the cited works that support each citation of a draft."""
    project = output.opened(draft, options)
    if project.citations:
        project.require_entries()
    output.read_papers(project)
    entry = None if key is None else project.entry(key)
    found = [
        project.support(citation.place, cited, sentences)
        for citation in project.citations
        if not citation.listed_only
        for cited in citation.cited
        if key in (None, cited) or (entry is not None and project.entry(cited) == entry)
    ]
    if not found and key is not None:
        raise pincite.PinciteError(f"{draft}: does not cite {key}")
    status = output.report_problems(project)
    if not found:
        log(f"{draft}: the draft cites nothing")
    if as_json:
        citations = [
            {
                **output.place_json(project, each.place),
                **picked(each, "key", "citance", "basis"),
                "verdict": asdict(each.verdict),
                **output.support_json(each.sentences, each.languages),
            }
            for each in found
        ]
        output.print_json({"draft": str(draft), "citations": citations})
        return status
    for each in found:
        label = each.entry.label if each.entry else ""
        where = output.shown_place(project, each.place)
        show(f"{where}  {each.key}  {label}".rstrip(), style="bold")
        show(each.citance, 2)
        output.show_languages(each.languages, 4)
        if each.verdict.kind == "supported":
            of_abstract = "abstract" in each.basis
            source = " by the abstract; the full text was not found" if of_abstract else ""
            show(f"{each.verdict}{source}", 4)
        for remark in each.remarks:
            show(remark, 4)
        output.show_support(each.sentences, 4)
        echo()
    return status


@shared_options("bibliographies", "workspace")
def citations(draft: DraftArgument, *, options: Options, as_json: bool) -> int:
    """List every citation of a draft; exit with status 1 if a key is undefined."""
    project = output.opened(draft, options)
    output.report(project.problems_of("draft", "entries", "bibliographies"))
    found = project.citations
    if as_json:
        listed = [
            {
                **output.place_json(project, each.place),
                "command": each.command,
                "keys": [
                    {"key": key, "line": at.line, "column": at.column}
                    for key, at in zip(each.keys, each.key_places, strict=True)
                ],
                "undefined": list(each.undefined),
            }
            for each in found
        ]
        output.print_json({"draft": str(draft), "citations": listed})
    else:
        for each in found:
            missing = f"  undefined: {', '.join(each.undefined)}" if each.undefined else ""
            place = output.shown_place(project, each.place)
            echo(f"{place}  {each.written}  {', '.join(each.keys)}{missing}")
    undefined = {key for each in found for key in each.undefined}
    numbers = (len(found), "citation"), (len(undefined), "undefined key")
    summary = ", ".join(output.counted(*each) for each in numbers)
    why = f"; {project.no_entries}" if undefined and project.no_entries else ""
    log(f"{draft}: {summary}{why}")
    return 1 if undefined else 0
