"""``pincite recommend``: ranked entries for the placeholders of a draft."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import regex

from ..model.contexts import CitationContext
from ..model.drafts import Citation, Draft, DraftFile, is_gap
from ..model.problems import InputError
from ..model.results import Languages, RankedEntry, SupportingSentence
from ..parsing.drafts import syntax_of
from ..recommend import Recommender
from .inputs import DraftInput, read_input
from .options import DraftOptions
from .output import (
    console,
    counted,
    echo,
    label,
    languages_line,
    print_json,
    show,
    support_json,
    support_line,
)

_ENTRIES_IN_TEXT = 5
_ENTRIES_WITH_ALL = 10
_ENTRIES_WITH_SENTENCES = 3
_CONTEXT_MARK = "[CITATION HERE]"
_UNSPACED_PAIR = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]{2}")
_REST_OF_WORD = regex.compile(
    r"(?V1)(?<=[\w--\p{Han}--\p{Hiragana}--\p{Katakana}])"
    r"[\w--\p{Han}--\p{Hiragana}--\p{Katakana}]+"
)
_AT = re.compile(r"(?:(?P<file>.+):)?(?P<line>\d+):(?P<column>\d+)")


@dataclass(frozen=True, slots=True)
class _Place:
    """A place to rank entries for; `own` are the keys cited there."""

    file: DraftFile
    offset: int
    line: int
    column: int
    own: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Shown:
    """An entry that is shown, with the sentences that support it if it is among the first."""

    entry: RankedEntry
    supporting: Sequence[SupportingSentence]
    languages: Languages | None


@dataclass(frozen=True, slots=True)
class _Ranking:
    """The ranking shown for one place; `own` maps cited keys to ranks, None if undefined."""

    place: _Place
    context: CitationContext
    entries: tuple[_Shown, ...]
    own: tuple[tuple[str, int | None], ...]
    number_of_candidates: int


def run(
    given: Path,
    at: str | None,
    every: bool,
    top: int | None,
    options: DraftOptions,
    output: str,
) -> int:
    """Run the command and return its exit status."""
    if at is not None and every:
        raise InputError("--at and --all cannot be combined")
    draft = read_input(given, options)
    places = list(_places(draft.draft, at, every))
    if places or any(file.citations for file in draft.draft.files):
        draft.require_entries()
    if not places:
        echo(_no_place(given, every), err=True)
        if output == "json":
            print_json({"draft": str(given), "placeholders": []})
        return draft.report_problems()
    recommender = draft.recommender()
    if top is None and (every or output != "json"):
        top = _ENTRIES_WITH_ALL if output == "json" else _ENTRIES_IN_TEXT
    rankings = (_ranking(draft, recommender, place, top) for place in places)
    if output == "json":
        found = [_json(draft, ranking) for ranking in rankings]
        status = draft.report_problems()
        print_json({"draft": str(given), "placeholders": found})
        return status
    status = draft.report_problems()
    for ranking in rankings:
        _print(draft, ranking)
    return status


def _no_place(given: Path, every: bool) -> str:
    if every:
        return f"pincite: {given}: the draft cites nothing"
    return (
        f"pincite: {given}: no citation placeholder found. "
        f"Write {syntax_of(given).placeholder} or [citation needed] "
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


def _place(file: DraftFile, offset: int, citation: Citation | None) -> _Place:
    line, column = file.line_column(offset)
    own = tuple(key.key for key in citation.keys if not is_gap(key.key)) if citation else ()
    return _Place(file, offset, line, column, own)


def _place_at(draft: Draft, at: str) -> _Place:
    match = _AT.fullmatch(at)
    if match is None:
        raise InputError(f"--at {at}: expected [FILE:]LINE:COL, counted from 1")
    file = draft.files[0]
    if match["file"]:
        wanted = [(draft.path.parent / match["file"]).resolve(), Path(match["file"]).resolve()]
        found = [file for file in draft.files if file.path.resolve() in wanted]
        if not found:
            raise InputError(f"--at {at}: {match['file']} is not a file of this draft")
        file = found[0]
    line, column = int(match["line"]), int(match["column"])
    if line < 1 or column < 1:
        raise InputError(f"--at {at}: lines and columns are counted from 1")
    if line > len(file.line_starts):
        lines = counted(len(file.line_starts), "line")
        raise InputError(f"--at {at}: {file.path.name} has {lines}")
    offset = file.offset(line, column)
    column = min(column, file.line_column(offset)[1])
    around = [c for c in file.citations if c.span.start <= offset < c.span.end]
    own = tuple(key.key for c in around for key in c.keys if not is_gap(key.key))
    if around:
        start = around[0].span.start
    else:
        # A position inside a word means the whole word.
        rest = _REST_OF_WORD.match(file.text, offset)
        start = rest.end() if rest else offset
    return _Place(file, start, line, column, own)


def _ranking(
    draft: DraftInput, recommender: Recommender, place: _Place, listed: int | None
) -> _Ranking:
    context = recommender.context(draft.draft, place.file, place.offset)
    ranked = recommender.rank(context)
    own = []
    for key in place.own:
        entry = draft.bibliography.find(key)
        own.append((key, ranked.rank_of(entry.key) if entry else None))
    shown = []
    for number, each in enumerate(recommender.explain(context, ranked[:listed])):
        is_first = number < _ENTRIES_WITH_SENTENCES
        supporting = recommender.supporting(context, each.key) if is_first else ()
        shown.append(_Shown(each, supporting, recommender.languages(each.candidate.key)))
    return _Ranking(place, context, tuple(shown), tuple(own), len(ranked))


def _context_text(context: CitationContext) -> str:
    return " ".join((*_readable(context.left), _CONTEXT_MARK, *_readable(context.right)))


def _readable(words: Sequence[str]) -> list[str]:
    """Return words, with the overlapping character pairs of unspaced scripts joined again."""
    joined: list[str] = []
    for number, word in enumerate(words):
        pair = words[number - 1 : number + 1] if number else ()
        if len(pair) == 2 and all(map(_UNSPACED_PAIR.fullmatch, pair)) and pair[0][1] == word[0]:
            joined[-1] += word[1]
        else:
            joined.append(word)
    return joined


def _json(draft: DraftInput, ranking: _Ranking) -> dict[str, Any]:
    entries = [
        {
            "key": shown.entry.key,
            "score": round(shown.entry.score, 6),
            "internal": round(shown.entry.internal, 6),
            "external": round(shown.entry.external, 6),
            "basis": list(shown.entry.basis),
            "matched": list(shown.entry.matched),
            "reasons": list(shown.entry.reasons),
            **support_json(shown.supporting, shown.languages),
        }
        for shown in ranking.entries
    ]
    found: dict[str, Any] = {
        "file": draft.relative(ranking.place.file.path),
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
    place = ranking.place
    show(screen, draft.place(place.file.path, place.line, place.column), 0, "bold")
    show(screen, f"… {_context_text(ranking.context)} …", 2)
    for key, rank in ranking.own:
        stands = f"rank {rank} of {ranking.number_of_candidates}" if rank else "undefined"
        show(screen, f"cited here: {key} ({stands})", 2)
    for number, shown in enumerate(ranking.entries):
        entry = shown.entry
        if entry.score <= 0.0:
            others = counted(ranking.number_of_candidates - number, "entry", "entries")
            show(screen, f"{others} without a word of this context", 2)
            break
        what = label(entry.candidate)
        show(screen, f"{number + 1}. {entry.key}  {entry.score:.3f}  {what}".rstrip(), 2, "bold")
        rests = " + ".join(entry.basis)
        matched = (f"matched: {', '.join(entry.matched)}",) if entry.matched else ()
        show(screen, "; ".join((f"on {rests}", *(entry.reasons or matched))), 5)
        if shown.languages is not None:
            show(screen, languages_line(shown.languages), 5)
        for sentence in shown.supporting:
            show(screen, support_line(sentence, styled=screen.is_terminal), 7)
    screen.print()
