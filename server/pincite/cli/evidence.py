"""``pincite evidence``: the supporting sentences of every citation of a draft."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from ..model.drafts import TexFile
from ..model.papers import Candidate
from ..model.problems import InputError
from ..model.results import SupportingSentence
from ..parsing.latex import is_gap
from ..recommend import Recommender
from .inputs import DraftInput, read_input
from .output import console, print_json, support_json, support_line


@dataclass(frozen=True, slots=True)
class _Evidence:
    """One cited key with what supports it; `candidate` is None for an undefined key."""

    file: TexFile
    line: int
    column: int
    key: str
    citance: str
    candidate: Candidate | None
    supporting: tuple[SupportingSentence, ...]

    @property
    def basis(self) -> list[str]:
        return [] if self.candidate is None else [self.candidate.paper.basis]


def run(
    given: Path,
    key: str | None,
    number: int | None,
    bibliographies: Sequence[Path],
    libraries: Sequence[Path],
    workspace: Path | None,
    output: str,
) -> int:
    """Run the command and return its exit status."""
    draft = read_input(given, bibliographies, libraries, workspace)
    if any(file.citations for file in draft.draft.files):
        draft.require_entries()
    recommender = draft.cited_texts(key)
    found = list(_evidence(draft, recommender, key, number))
    if not found and key is not None:
        raise InputError(f"{given}: does not cite {key}")
    status = draft.report_problems()
    if not found:
        typer.echo(f"pincite: {given}: the draft cites nothing", err=True)
    if output == "json":
        citations = [_json(draft, item) for item in found]
        print_json({"draft": str(given), "citations": citations})
        return status
    for item in found:
        _print(draft, item)
    return status


def _evidence(
    draft: DraftInput, recommender: Recommender, wanted: str | None, number: int | None
) -> Iterator[_Evidence]:
    for file in draft.draft.files:
        for citation in file.citations:
            if citation.listed_only:
                continue
            context = None
            for key in citation.keys:
                if is_gap(key.key) or (wanted is not None and not draft.same(key.key, wanted)):
                    continue
                context = context or recommender.context(file, citation.span.start)
                entry = draft.bibliography.find(key.key)
                candidate = recommender.candidates.get(entry.key) if entry else None
                supporting = (
                    recommender.supporting(context, candidate.key, number) if candidate else []
                )
                line, column = file.line_column(citation.span.start)
                yield _Evidence(
                    file, line, column, key.key, context.citance, candidate, tuple(supporting)
                )


def _json(draft: DraftInput, item: _Evidence) -> dict[str, Any]:
    return {
        "file": draft.relative(item.file),
        "line": item.line,
        "column": item.column,
        "key": item.key,
        "citance": item.citance,
        "basis": item.basis,
        "supporting": [support_json(sentence) for sentence in item.supporting],
    }


def _print(draft: DraftInput, item: _Evidence) -> None:
    screen = console()
    styled = screen.is_terminal
    where = f"{draft.relative(item.file)}:{item.line}:{item.column}"
    known = item.candidate.entry if item.candidate else None
    what = " · ".join(filter(None, (known.author_year, known.title))) if known else ""
    screen.print(f"{where}  {item.key}  {what}", style="bold" if styled else None, markup=False)
    screen.print(f"  {item.citance}", markup=False)
    if (reason := why_no_evidence(item.candidate, item.supporting)) is not None:
        screen.print(f"    {reason}", markup=False)
    elif item.candidate is not None and item.candidate.paper.basis == "abstract":
        screen.print("    from the abstract (no full text found):", markup=False)
    for sentence in item.supporting:
        screen.print(support_line(sentence, "    ", styled=styled))
    screen.print()


def why_no_evidence(
    candidate: Candidate | None, supporting: Sequence[SupportingSentence]
) -> str | None:
    """Say why a citation has no supporting sentences; None when it has some."""
    if candidate is None:
        return "undefined key: no bibliography of the draft has this entry"
    if candidate.paper.basis == "title":
        return (
            "only the title is known: give the entry a file or an abstract field, "
            f"or put {candidate.key}.pdf into a papers folder"
        )
    if not supporting:
        return f"no sentence of the {candidate.paper.basis} shares a telling word with the citance"
    return None
