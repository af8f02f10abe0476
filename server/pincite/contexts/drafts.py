"""A draft as a citing paper: the works it cites, and the contexts in which it cites them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..model.drafts import Draft
from ..model.papers import BibEntry, CitingPaper, InlinkContext, Reference
from ..parsing.papers.references import reference_of
from ..settings import Window
from .inlinks import inlink_contexts


def citing_paper(draft: Draft, entries: Mapping[str, BibEntry], window: Window) -> CitingPaper:
    """Return the contexts in which a draft cites works.

    `entries` are those of its bibliographies by key; undefined keys are ignored. Works are in the
    order of their first citation. The `citing_paper` of a context is the path of its file, since
    drafts share files.
    """
    fold: Callable[[str], str] = str if draft.case_sensitive_keys else str.lower
    names: dict[str, BibEntry] = {}
    for entry in entries.values():
        names.setdefault(fold(entry.key), entry)
    for entry in entries.values():
        for alias in entry.aliases:
            names.setdefault(fold(alias), entry)
    numbers: dict[str, int] = {}
    references: list[Reference] = []
    contexts: list[tuple[int, InlinkContext]] = []
    for file in draft.files:
        for key, context in inlink_contexts(file, str(file.path), window):
            if (cited := names.get(fold(key))) is None:
                continue
            if cited.key not in numbers:
                numbers[cited.key] = len(references)
                references.append(reference_of(cited))
            contexts.append((numbers[cited.key], context))
    return CitingPaper(tuple(references), tuple(contexts))
