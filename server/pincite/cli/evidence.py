"""``pincite evidence``: the supporting sentences of every citation of a draft."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..library.file_fields import missing_file
from ..model.drafts import DraftFile, is_gap
from ..model.papers import MOST_PAGES, Candidate
from ..model.problems import InputError
from ..model.results import Languages, SupportingSentence
from ..ranking.base import basis_of
from ..recommend import Recommender
from .inputs import DraftInput, read_input
from .options import DraftOptions
from .output import (
    console,
    echo,
    label,
    languages_line,
    print_json,
    show,
    support_json,
    support_line,
)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """One cited key with what supports it; `candidate` is None for an undefined key."""

    file: DraftFile
    line: int
    column: int
    key: str
    citance: str
    candidate: Candidate | None
    supporting: tuple[SupportingSentence, ...]
    languages: Languages | None

    @property
    def basis(self) -> list[str]:
        return [] if self.candidate is None else list(basis_of(self.candidate))


def run(
    given: Path,
    key: str | None,
    number: int | None,
    options: DraftOptions,
    output: str,
) -> int:
    """Run the command and return its exit status."""
    draft = read_input(given, options)
    if any(file.citations for file in draft.draft.files):
        draft.require_entries()
    recommender = draft.texts()
    found = list(_evidence(draft, recommender, key, number))
    if not found and key is not None:
        raise InputError(f"{given}: does not cite {key}")
    status = draft.report_problems()
    if not found:
        echo(f"pincite: {given}: the draft cites nothing", err=True)
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
                context = context or recommender.context(draft.draft, file, citation.span.start)
                entry = draft.bibliography.find(key.key)
                candidate = recommender.candidates.get(entry.key) if entry else None
                supporting = (
                    recommender.supporting(context, candidate.key, number) if candidate else []
                )
                line, column = file.line_column(citation.span.start)
                differ = recommender.languages(candidate.key) if candidate else None
                yield _Evidence(
                    file,
                    line,
                    column,
                    key.key,
                    context.citance,
                    candidate,
                    tuple(supporting),
                    differ,
                )


def _json(draft: DraftInput, item: _Evidence) -> dict[str, Any]:
    return {
        "file": draft.relative(item.file.path),
        "line": item.line,
        "column": item.column,
        "key": item.key,
        "citance": item.citance,
        "basis": item.basis,
        **support_json(item.supporting, item.languages),
    }


def _print(draft: DraftInput, item: _Evidence) -> None:
    screen = console()
    where = draft.place(item.file.path, item.line, item.column)
    what = label(item.candidate) if item.candidate else ""
    show(screen, f"{where}  {item.key}  {what}".rstrip(), 0, "bold")
    show(screen, item.citance, 2)
    if item.languages is not None:
        show(screen, languages_line(item.languages), 4)
    if (reason := why_no_evidence(draft, item)) is not None:
        show(screen, reason, 4)
    elif item.candidate is not None and item.candidate.paper.basis == "abstract":
        show(screen, "from the abstract; the full text was not found:", 4)
    if item.candidate is not None and (pages := item.candidate.paper.page_count or 0) > MOST_PAGES:
        show(screen, f"only the first {MOST_PAGES:,} of its {pages:,} pages were read", 4)
    for sentence in item.supporting:
        show(screen, support_line(sentence, styled=screen.is_terminal), 4)
    screen.print()


def why_no_evidence(draft: DraftInput, item: _Evidence) -> str | None:
    """Return why a citation has no supporting sentences; None when it has some."""
    candidate = item.candidate
    if candidate is None:
        return "undefined key: no bibliography of the draft has this entry"
    if candidate.paper.basis == "title":
        entry = candidate.entry
        file = draft.workspace.library(draft.draft).locate(entry) if entry else None
        if file is not None:
            return f"only the title is known: {file.name} gives no text"
        bases = draft.workspace.settings.library.base_folders
        missing = missing_file(entry, bases=bases) if entry else None
        if missing is not None:
            return f"only the title is known: the file it names does not exist ({missing})"
        fields = "" if entry and entry.entry_type == "bibitem" else "a file or an abstract field"
        advice = f"give the entry {fields}, or put" if fields else "put"
        return f"only the title is known: {advice} {candidate.key}.pdf into a papers folder"
    if not item.supporting:
        basis = candidate.paper.basis
        lacking = "; the full text was not found" if basis == "abstract" else ""
        return f"nothing in the {basis} supports this{lacking}"
    return None
