"""``pincite recommend``: ranked entries for the placeholders of a draft."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pincite

from .options import Options
from .output import (
    console,
    counted,
    echo,
    languages_line,
    place_json,
    print_json,
    read_papers,
    report_problems,
    show,
    shown_place,
    support_json,
    support_line,
)

_ENTRIES_IN_TEXT = 5
_ENTRIES_WITH_ALL = 10
_ENTRIES_WITH_SENTENCES = 3
_AT = re.compile(r"(?:(?P<file>.+):)?(?P<line>\d+):(?P<column>\d+)")


@dataclass(frozen=True, slots=True)
class _Shown:
    """The entries shown for one place, with the evidence of the first; `cited` are keys there."""

    ranking: pincite.Ranking
    entries: Sequence[tuple[pincite.Suggestion, Sequence[pincite.Evidence]]]
    cited: Sequence[str]

    @property
    def context(self) -> str:
        words = (self.ranking.left, "[CITATION HERE]", self.ranking.right)
        return " ".join(filter(None, words))


def run(
    given: Path, at: str | None, every: bool, top: int | None, options: Options, as_json: bool
) -> int:
    """Run the command and return its exit status."""
    if at is not None and every:
        raise pincite.PinciteError("--at and --all cannot be combined")
    project = pincite.open(given, **options)
    places = _places(project, at, every)
    if places or project.citations:
        project.require_entries()
    if not places:
        echo(_no_place(given, project, every), err=True)
        if as_json:
            print_json({"draft": str(given), "placeholders": []})
        return report_problems(project)
    read_papers(project)
    if top is None and (every or not as_json):
        top = _ENTRIES_WITH_ALL if as_json else _ENTRIES_IN_TEXT
    found = (_ranked(project, place, cited, top) for place, cited in places)
    if as_json:
        placeholders = [_json(project, each) for each in found]
        status = report_problems(project)
        print_json({"draft": str(given), "placeholders": placeholders})
        return status
    status = report_problems(project)
    for each in found:
        _print(project, each)
    return status


def _no_place(given: Path, project: pincite.Project, every: bool) -> str:
    if every:
        return f"pincite: {given}: the draft cites nothing"
    return (
        f"pincite: {given}: no citation placeholder found. "
        f"Write {project.placeholder_syntax} or [citation needed] "
        "where a citation is missing, rank for any position with --at LINE:COL, or for every "
        "citation of the draft with --all"
    )


def _places(
    project: pincite.Project, at: str | None, every: bool
) -> Sequence[tuple[pincite.Place, Sequence[str]]]:
    """Return the places to rank entries for, with the keys cited there."""
    if every:
        return [(each.place, each.cited) for each in project.citations if not each.listed_only]
    places = project.placeholders if at is None else [_place_at(project, at)]
    return [(place, project.cited_at(place)) for place in places]


def _place_at(project: pincite.Project, at: str) -> pincite.Place:
    match = _AT.fullmatch(at)
    if match is None:
        raise pincite.PinciteError(f"--at {at}: expected [FILE:]LINE:COL, counted from 1")
    try:
        return project.place(match["file"], line=int(match["line"]), column=int(match["column"]))
    except pincite.PinciteError as error:
        raise pincite.PinciteError(f"--at {at}: {error}") from None


def _ranked(
    project: pincite.Project, place: pincite.Place, cited: Sequence[str], top: int | None
) -> _Shown:
    ranking = project.rank(place)
    entries = [
        (each, project.evidence(place, each.key) if each.rank <= _ENTRIES_WITH_SENTENCES else ())
        for each in ranking.best(top)
    ]
    return _Shown(ranking, entries, cited)


def _json(project: pincite.Project, found: _Shown) -> dict[str, Any]:
    entries = [
        {
            "key": each.key,
            "score": round(each.score, 6),
            "internal": round(each.internal, 6),
            "external": round(each.external, 6),
            "basis": list(each.basis),
            "matched": list(each.matched),
            "reasons": list(each.reasons),
            **support_json(evidence, each.languages),
        }
        for each, evidence in found.entries
    ]
    shown = {
        **place_json(project, found.ranking.place),
        "context": found.context,
        "entries": entries,
    }
    if found.cited:
        shown["cited"] = [{"key": key, "rank": found.ranking.rank_of(key)} for key in found.cited]
    return shown


def _print(project: pincite.Project, found: _Shown) -> None:
    screen, ranking = console(), found.ranking
    show(screen, shown_place(project, ranking.place), 0, "bold")
    show(screen, f"… {found.context} …", 2)
    for key in found.cited:
        rank = ranking.rank_of(key)
        stands = f"rank {rank} of {len(ranking)}" if rank else "undefined"
        show(screen, f"cited here: {key} ({stands})", 2)
    for each, evidence in found.entries:
        if each.score <= 0.0:
            others = counted(len(ranking) - each.rank + 1, "entry", "entries")
            show(screen, f"{others} without a word of this context", 2)
            break
        heading = f"{each.rank}. {each.key}  {each.score:.3f}  {each.entry.label}"
        show(screen, heading.rstrip(), 2, "bold")
        rests = " + ".join(each.basis)
        matched = (f"matched: {', '.join(each.matched)}",) if each.matched else ()
        show(screen, "; ".join((f"on {rests}", *(each.reasons or matched))), 5)
        if each.languages is not None:
            show(screen, languages_line(each.languages), 5)
        for sentence in evidence:
            show(screen, support_line(sentence, styled=screen.is_terminal), 7)
    screen.print()
