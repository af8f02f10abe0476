"""The inlink graph: which other drafts of the workspace cite which entries, and in what words.

Two drafts cite the same work where their entries have the same DOI, or the same title with the
same key or first author. The draft in hand is never a source of its own inlink contexts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

from ..contexts.inlinks import inlink_contexts
from ..model.drafts import Draft
from ..model.papers import BibEntry, InlinkContext
from ..settings import Window

_NOT_LETTERS = regex.compile(r"[^\p{L}\p{N}]+")


@dataclass(frozen=True, slots=True)
class CitingDraft:
    """Another draft of the workspace with the entries of its bibliographies by key."""

    name: str
    draft: Draft
    entries: dict[str, BibEntry]


def gather_inlinks(
    entries: Iterable[BibEntry], citing_drafts: Iterable[CitingDraft], window: Window
) -> dict[str, tuple[InlinkContext, ...]]:
    """Return the inlink contexts of every entry that another draft cites, by key."""
    works: dict[str, str] = {}
    for entry in entries:
        for identity in _identities(entry):
            works.setdefault(identity, entry.key)
    gathered: dict[str, list[InlinkContext]] = {}
    for citing in citing_drafts:
        same_work = {
            key: work
            for key, entry in citing.entries.items()
            if (work := next((works[i] for i in _identities(entry) if i in works), None))
        }
        for file in citing.draft.files:
            for key, context in inlink_contexts(file, citing.name, window):
                if (work := same_work.get(key)) is not None:
                    gathered.setdefault(work, []).append(context)
    return {key: tuple(contexts) for key, contexts in gathered.items()}


def _identities(entry: BibEntry) -> Iterator[str]:
    """Yield what identifies a work across bibliographies."""
    if entry.doi:
        yield f"doi {entry.doi}"
    title = _NOT_LETTERS.sub(" ", entry.title.casefold()).strip()
    if title:
        yield f"key {entry.key} {title}"
        if entry.surnames:
            yield f"author {entry.surnames[0].casefold()} {title}"
