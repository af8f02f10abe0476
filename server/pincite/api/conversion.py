"""From what Pincite works with to what the API returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..checking.whole_draft import DraftFinding
from ..model.drafts import Citation, DraftFile, is_gap
from ..model.papers import NO_BREAK_SPACE, BibEntry, Candidate
from ..model.results import SupportingSentence
from .nouns import Entry, Evidence, Finding, Place


def place_of(file: DraftFile, offset: int) -> Place:
    """Return the place at an offset."""
    return Place(file.path, *file.line_column(offset))


def cited_keys(citation: Citation) -> tuple[str, ...]:
    """Return the keys of a citation, without placeholders."""
    return tuple(key.key for key in citation.keys if not is_gap(key.key))


def citations_at(file: DraftFile, offset: int) -> Sequence[Citation]:
    """Return the citations that a place is in: the one that starts there, else all around it."""
    around = [each for each in file.citations if each.span.start <= offset < each.span.end]
    return [each for each in around if each.span.start == offset][:1] or around


def entry_of(candidate: Candidate) -> Entry:
    """Return the entry of a work: a set has the names of its members."""
    entry = candidate.entry or BibEntry(candidate.key, "", {}, Path())
    who = entry.author_year or ", ".join(candidate.names)
    return replace(entry_from(entry), author_year=who, title=candidate.title)


def entry_from(entry: BibEntry) -> Entry:
    """Return the entry's own fields."""
    names = entry.fields.get("author") or entry.fields.get("editor") or ""
    authors = (name.replace(NO_BREAK_SPACE, " ").strip() for name in names.split(" and "))
    return Entry(
        key=entry.key,
        type=entry.entry_type,
        title=entry.title,
        authors=tuple(name for name in authors if name not in ("", "others")),
        year=entry.year,
        author_year=entry.author_year,
        doi=entry.doi,
        fields=entry.fields,
        file=entry.path,
    )


def evidence_from(sentence: SupportingSentence) -> Evidence:
    """Return a supporting sentence with its location in words."""
    parts = [sentence.section, sentence.marking]
    if sentence.page is not None:
        pdf_page = f" (PDF page {sentence.page})" if sentence.is_printed_otherwise else ""
        parts.insert(0, f"p. {sentence.printed_page}{pdf_page}")
    return Evidence(
        text=sentence.text,
        page=sentence.page,
        page_label=sentence.page_label,
        section=sentence.section,
        strength=sentence.strength,
        probability=sentence.probability,
        score=sentence.score,
        matched=tuple((span.start, span.end) for span in sentence.matched),
        highlighted=sentence.highlighted,
        comment=sentence.comment,
        location=", ".join(filter(None, parts)),
    )


def finding_from(found: DraftFinding) -> Finding:
    """Return a finding with its place."""
    place = Place(found.path, found.line, found.column)
    return Finding(
        found.kind, place, found.message, found.key,
        found.excerpt, found.sentence, found.start, found.end,
    )  # fmt: skip


def draft_finding(finding: Finding) -> DraftFinding:
    """Return a finding as a report needs it."""
    place = finding.place
    return DraftFinding(
        place.file, place.line, place.column, finding.kind, finding.key,
        finding.message, finding.start, finding.end, finding.excerpt, finding.sentence,
    )  # fmt: skip
