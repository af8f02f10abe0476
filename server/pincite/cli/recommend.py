"""``pincite recommend``: ranked entries for the placeholders of a draft."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from ..model.contexts import CitationContext
from ..model.drafts import Citation, Draft, TexFile
from ..model.problems import InputError
from ..model.results import RankedEntry, SupportingSentence
from ..parsing.latex import is_gap
from ..recommend import Recommender, candidate_language
from ..text.languages import declared, identified
from .inputs import DraftInput, read_input
from .output import console, print_json, support_json, support_line

_ENTRIES_IN_TEXT = 5
_ENTRIES_WITH_ALL = 10
_ENTRIES_WITH_SENTENCES = 3
_CONTEXT_MARK = "[CITATION HERE]"
_AT = re.compile(r"(?:(?P<file>.+):)?(?P<line>\d+):(?P<column>\d+)")


@dataclass(frozen=True, slots=True)
class _Place:
    """A place to rank for; `own` are the keys cited there."""

    file: TexFile
    offset: int
    line: int
    column: int
    own: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Ranking:
    """What is shown for one place; `own` maps cited keys to their ranks, None if undefined."""

    place: _Place
    context: CitationContext
    entries: tuple[RankedEntry, ...]
    supporting: tuple[tuple[SupportingSentence, ...], ...]
    languages: tuple[tuple[str, str] | None, ...]
    own: tuple[tuple[str, int | None], ...]
    number_of_candidates: int


def run(
    given: Path,
    at: str | None,
    every: bool,
    top: int | None,
    bibliographies: Sequence[Path],
    libraries: Sequence[Path],
    workspace: Path | None,
    output: str,
) -> int:
    """Run the command and return its exit status."""
    if at is not None and every:
        raise InputError("--at and --all exclude each other")
    draft = read_input(given, bibliographies, libraries, workspace)
    places = list(_places(draft.draft, at, every))
    if places or any(file.citations for file in draft.draft.files):
        draft.require_entries()
    if not places:
        typer.echo(_no_place(given, every), err=True)
        if output == "json":
            print_json({"draft": str(given), "placeholders": []})
        return draft.report_problems()
    recommender = draft.recommender()
    listed = top or (None if output == "json" and not every else _default_top(output))
    rankings = (_ranking(draft, recommender, place, listed) for place in places)
    if output == "json":
        found = [_json(draft, ranking) for ranking in rankings]
        status = draft.report_problems()
        print_json({"draft": str(given), "placeholders": found})
        return status
    status = draft.report_problems()
    for ranking in rankings:
        _print(draft, ranking)
    return status


def _default_top(output: str) -> int:
    return _ENTRIES_WITH_ALL if output == "json" else _ENTRIES_IN_TEXT


def _no_place(given: Path, every: bool) -> str:
    if every:
        return f"pincite: {given}: the draft cites nothing"
    return (
        f"pincite: {given}: no citation placeholder found. Write \\cite{{}} or [citation needed] "
        "where a citation is missing, rank for any position with --at LINE:COL, or for every "
        "citation of the draft with --all"
    )


def _places(draft: Draft, at: str | None, every: bool) -> Iterator[_Place]:
    if at is not None:
        yield _place_at(draft, at)
        return
    for file in draft.files:
        if every:
            for citation in file.citations:
                if not citation.listed_only:
                    yield _place(file, citation.span.start, citation)
        else:
            for gap in file.placeholders:
                yield _place(file, gap.span.start, gap.citation)


def _place(file: TexFile, offset: int, citation: Citation | None) -> _Place:
    line, column = file.line_column(offset)
    own = tuple(key.key for key in citation.keys if not is_gap(key.key)) if citation else ()
    return _Place(file, offset, line, column, own)


def _place_at(draft: Draft, at: str) -> _Place:
    match = _AT.fullmatch(at)
    if match is None:
        raise InputError(f"--at {at}: expected LINE:COL or FILE:LINE:COL, counted from 1")
    file = draft.files[0]
    if match["file"]:
        wanted = [(draft.path.parent / match["file"]).resolve(), Path(match["file"]).resolve()]
        found = [file for file in draft.files if file.path.resolve() in wanted]
        if not found:
            raise InputError(f"--at {at}: {match['file']} is not a file of this draft")
        file = found[0]
    line, column = int(match["line"]), int(match["column"])
    if not 1 <= line <= len(file.line_starts) or column < 1:
        raise InputError(f"--at {at}: {file.path.name} has {len(file.line_starts)} lines")
    offset = file.offset(line, column)
    around = [c for c in file.citations if c.span.start <= offset < c.span.end]
    own = tuple(key.key for c in around for key in c.keys if not is_gap(key.key))
    start = around[0].span.start if around else offset
    return _Place(file, start, line, column, own)


def _ranking(
    draft: DraftInput, recommender: Recommender, place: _Place, listed: int | None
) -> _Ranking:
    context = recommender.context(place.file, place.offset)
    ranked = recommender.rank(context, listed)
    ranks = {entry.key: rank for rank, entry in enumerate(ranked, 1)}
    own = []
    for key in place.own:
        entry = draft.bibliography.find(key)
        own.append((key, ranks.get(entry.key) if entry else None))
    shown = tuple(ranked if listed is None else ranked[:listed])
    return _Ranking(
        place,
        context,
        shown,
        tuple(
            tuple(recommender.supporting(context, entry.key))
            for entry in shown[:_ENTRIES_WITH_SENTENCES]
        ),
        tuple(_languages(draft.draft, place.file, shown[:_ENTRIES_WITH_ALL])),
        tuple(own),
        len(ranked),
    )


def _languages(
    draft: Draft, file: TexFile, entries: Sequence[RankedEntry]
) -> Iterator[tuple[str, str] | None]:
    """Yield the languages of draft and work for each entry where they surely differ."""
    stated = [code for name in draft.languages if (code := declared(name))]
    mine = stated[-1] if stated else identified(file.prose.text)
    for entry in entries:
        theirs = candidate_language(entry.candidate)
        yield (mine, theirs) if mine and theirs and mine != theirs else None


def _context_text(context: CitationContext) -> str:
    return " ".join((*context.left, _CONTEXT_MARK, *context.right))


def _json(draft: DraftInput, ranking: _Ranking) -> dict[str, Any]:
    entries = []
    for number, entry in enumerate(ranking.entries):
        supporting = ranking.supporting[number] if number < len(ranking.supporting) else ()
        item: dict[str, Any] = {
            "key": entry.key,
            "score": round(entry.score, 6),
            "internal": round(entry.internal, 6),
            "external": round(entry.external, 6),
            "basis": list(entry.basis),
            "matched": list(entry.matched),
            "supporting": [support_json(sentence) for sentence in supporting],
        }
        differ = ranking.languages[number] if number < len(ranking.languages) else None
        if differ is not None:
            item["languages"] = {"draft": differ[0], "entry": differ[1]}
        entries.append(item)
    found: dict[str, Any] = {
        "file": draft.relative(ranking.place.file),
        "line": ranking.place.line,
        "column": ranking.place.column,
        "context": _context_text(ranking.context),
        "entries": entries,
    }
    if ranking.own:
        found["cited"] = [{"key": key, "rank": rank} for key, rank in ranking.own]
    return found


def _print(draft: DraftInput, ranking: _Ranking) -> None:
    screen = console()
    styled = screen.is_terminal
    place = ranking.place
    where = f"{draft.relative(place.file)}:{place.line}:{place.column}"
    screen.print(where, style="bold" if styled else None, markup=False)
    screen.print(f"  … {_context_text(ranking.context)} …", markup=False)
    for key, rank in ranking.own:
        stands = f"rank {rank} of {ranking.number_of_candidates}" if rank else "undefined"
        screen.print(f"  cited here: {key} ({stands})", markup=False)
    for number, entry in enumerate(ranking.entries):
        known = entry.candidate.entry
        what = " · ".join(filter(None, (known.author_year, known.title))) if known else ""
        screen.print(
            f"  {number + 1}. {entry.key}  {entry.score:.3f}  {what}",
            style="bold" if styled else None,
            markup=False,
        )
        rests = " + ".join(entry.basis)
        matched = f"; matched: {', '.join(entry.matched)}" if entry.matched else ""
        screen.print(f"     on {rests}{matched}", markup=False)
        differ = ranking.languages[number] if number < len(ranking.languages) else None
        if differ is not None:
            screen.print(
                f"     languages differ: draft {differ[0]}, work {differ[1]}", markup=False
            )
        for sentence in ranking.supporting[number] if number < len(ranking.supporting) else ():
            screen.print(support_line(sentence, "       ", styled=styled))
    screen.print()
