"""Results as the protocol's types."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsprotocol import types

from ..model.papers import BibEntry, Candidate
from ..model.results import RankedEntry, SupportingSentence
from .documents import Lines
from .from_proto import KeySlot

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~])")
_MOST_MATCHED = 4


def completion_item(
    entry: RankedEntry, rank: int, slot: KeySlot, lines: Lines, typed: str
) -> types.CompletionItem:
    """Return a ranked entry as a completion item whose order the client keeps.

    `filter_text` starts with what was typed: the server has filtered already, by more than the
    key, and the client must not filter again.
    """
    known = entry.candidate.entry
    new_text = f"{{{entry.key}}}" if slot.literal else entry.key
    return types.CompletionItem(
        label=entry.key,
        label_details=types.CompletionItemLabelDetails(
            detail=f" {known.author_year}" if known and known.author_year else None,
            description=reason(entry),
        ),
        detail=entry.candidate.paper.title or None,
        kind=types.CompletionItemKind.Reference,
        sort_text=f"!{rank:05d}",
        filter_text=f"{typed} {entry.key}" if typed else entry.key,
        preselect=rank == 0 or None,
        text_edit=types.TextEdit(lines.range(slot.start, slot.end), new_text),
    )


def reason(entry: RankedEntry) -> str:
    """Say in a few words why an entry stands where it does."""
    if entry.score <= 0.0:
        return ""
    basis = "cited in a like context" if entry.external > entry.internal else entry.basis[0]
    matched = ", ".join(entry.matched[:_MOST_MATCHED])
    return f"{basis}: {matched}" if matched else basis


def evidence_markdown(candidate: Candidate, supporting: Sequence[SupportingSentence]) -> str:
    """Return a work and its supporting sentences as Markdown, matched words in bold."""
    lines = [_header(candidate.entry, candidate)]
    if candidate.paper.basis == "title":
        lines.append(
            "Only the title is known. Give the entry a `file` or `abstract` field, or put "
            f"`{candidate.key}.pdf` into a `papers` folder, to see what supports this citation."
        )
    elif not supporting:
        lines.append(f"No sentence of the {candidate.paper.basis} matches this sentence.")
    for sentence in supporting:
        where = _place(sentence, candidate)
        lines.append(f"> {_marked(sentence)}" + (f"  \n> — {where}" if where else ""))
    if supporting and candidate.paper.basis == "abstract":
        lines.append("*From the abstract; the full text is not attached.*")
    return "\n\n".join(lines)


def _header(entry: BibEntry | None, candidate: Candidate) -> str:
    who = entry.author_year if entry is not None else candidate.key
    return " · ".join(
        f for f in (f"**{escape(who)}**" if who else "", escape(candidate.paper.title)) if f
    )


def _place(sentence: SupportingSentence, candidate: Candidate) -> str:
    parts = []
    if sentence.page is not None:
        label = f"p. {sentence.page}"
        if candidate.paper.source is not None:
            label = f"[{label}]({candidate.paper.source.as_uri()}#page={sentence.page})"
        if sentence.page_label not in (None, str(sentence.page)):
            label += f" (printed {escape(str(sentence.page_label))})"
        parts.append(label)
    if sentence.section:
        parts.append(escape(sentence.section))
    return ", ".join(parts)


def _marked(sentence: SupportingSentence) -> str:
    text, parts, last = sentence.text, [], 0
    for span in sentence.matched:
        parts.append(escape(text[last : span.start]))
        parts.append(f"**{escape(span.of(text))}**")
        last = span.end
    parts.append(escape(text[last:]))
    return " ".join("".join(parts).split())


def escape(text: str) -> str:
    """Escape what Markdown would read as markup."""
    return _MARKDOWN.sub(r"\\\1", text)
