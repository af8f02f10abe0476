"""Why something is missing, in words, and what the author can do."""

from __future__ import annotations

from collections.abc import Iterator

from ..checking.verdicts import Verdict
from ..edits.naming import CREATES_ONE, missing_files
from ..library.file_fields import missing_file
from ..model.papers import MAX_PAGES, Candidate
from ..parsing.markups import LATEX, markup_of
from ..project.open_draft import Place


def why_no_entries(place: Place, reason: str = "") -> str:
    """Return why a draft has no entries, and what to do; empty if it has some."""
    if place.bibliography.entries:
        return ""
    draft = place.draft
    because = f" ({reason})" if reason else ""
    sources = draft.bibliographies or draft.fallback_bibliographies
    if sources or place.workspace.settings.bibliographies:
        return f"its bibliography has no usable entries{because}"
    markup = markup_of(draft.path)
    commands = ", ".join(markup.bibliography_commands)
    advice = f"name one in the draft ({commands}) or with --bib FILE"
    if markup is LATEX and "\\documentclass" not in draft.files[0].text:
        advice += "; for a part of a larger draft, give its folder with --workspace DIR"
    missing = next(missing_files(draft), None)
    title = CREATES_ONE if missing is None else f"Create {missing.name}"
    advice += f"; an editor offers “{title}” where you type a key"
    return f"no bibliography found{because}; {advice}"


def remarks_on(place: Place, candidate: Candidate, judged: Verdict) -> Iterator[str]:
    """Yield why there are no supporting sentences, where numbers are, and what was not read."""
    if judged.reason in ("title only", "no text"):
        yield f"{judged}: {_why_no_text(place, candidate)}"
    elif judged.kind != "supported":
        yield str(judged)
    if numbers := judged.about_numbers():
        yield numbers
    if (pages := candidate.paper.page_count or 0) > MAX_PAGES:
        yield f"only the first {MAX_PAGES:,} of its {pages:,} pages were read"


def _why_no_text(place: Place, candidate: Candidate) -> str:
    entry, workspace = candidate.entry, place.workspace
    if entry is not None:
        if (file := workspace.library(place.draft).locate(entry)) is not None:
            return file.name
        bases = workspace.settings.library.base_folders
        if (missing := missing_file(entry, bases=bases)) is not None:
            return f"the file it names does not exist ({missing})"
    listed_by_hand = entry is not None and entry.entry_type == "bibitem"
    advice = "put" if listed_by_hand else "add a file or abstract field to the entry, or put"
    return f"{advice} {candidate.key}.pdf into a papers folder"
