"""The inlink graph: which papers and other drafts cite which entries, and in what words."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from ..model.papers import CitingPaper, InlinkContext, Reference
from ..settings import Window
from .works import Works

#: The words left and right of a citation.
Words = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class CitingSource:
    """A paper or draft that cites entries, under the name it is known by.

    Each reference has the key of its entry as its label. `own_key` is the source's own entry,
    where it has one: a work is no inlink of itself.
    """

    name: str
    paper: CitingPaper
    own_key: str | None = None


def cited_entries(citing: CitingPaper, works: Works) -> CitingPaper:
    """Return what a paper says of entries: its references to them, labelled with their keys."""
    numbers: dict[int, int] = {}
    references: list[Reference] = []
    for number in dict.fromkeys(number for number, _ in citing.contexts):
        reference = citing.references[number]
        key = works.find(reference, reference.label)
        if key is not None:
            numbers[number] = len(references)
            references.append(Reference(label=key))
    contexts = tuple((numbers[n], context) for n, context in citing.contexts if n in numbers)
    return CitingPaper(tuple(references), contexts)


def gather_inlinks(
    sources: Iterable[CitingSource], window: Window, left_out: Collection[Words] = ()
) -> dict[str, tuple[InlinkContext, ...]]:
    """Return the inlink contexts of every entry that is cited, by key, cut to `window`.

    A context that several sources share (a paper and its preprint) counts once. Those `left_out`,
    as wide as they are kept, count not at all: a copy of the draft in hand is no other draft.
    """
    gathered: dict[str, dict[Words, InlinkContext]] = {}
    for source in sources:
        for number, context in source.paper.contexts:
            key = source.paper.references[number].label
            if key == source.own_key or (context.left, context.right) in left_out:
                continue
            left = context.left[-window.left :] if window.left else ()
            right = context.right[: window.right]
            cut = replace(context, citing_paper=source.name, left=left, right=right)
            gathered.setdefault(key, {}).setdefault((left, right), cut)
    return {key: tuple(contexts.values()) for key, contexts in gathered.items()}
