"""Inlink contexts: the windows around citations in other drafts."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.drafts import TexFile
from ..model.papers import InlinkContext
from ..settings import Window
from .windows import words_after, words_before


def inlink_contexts(
    file: TexFile, citing_paper: str, window: Window
) -> Iterator[tuple[str, InlinkContext]]:
    r"""Yield each key that a file cites with the words around it; ``\nocite`` has none."""
    prose = file.prose
    for citation in file.citations:
        if citation.listed_only or not citation.keys:
            continue
        start = prose.offset_at(citation.span.start)
        context = InlinkContext(
            citing_paper,
            words_before(prose.text, start, window.left),
            words_after(prose.text, start, window.right),
        )
        for key in citation.keys:
            yield key.key, context
