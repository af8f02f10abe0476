"""Inlink contexts from citing sentences that were fetched from the network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ..model.fetched import CITING, read_citing
from ..model.papers import InlinkContext
from ..text.markers import without_markers
from ..text.tokens import words
from .inlinks import CitingSource, Placed
from .lent_texts import LentTexts


def fetched_sources(lent: LentTexts) -> Iterator[CitingSource]:
    """Yield the works that cite entries of a draft, by what was lent of them."""
    said: dict[str, list[tuple[str, str]]] = {}
    for key, others in lent.entries.items():
        for other in others:
            for title, sentences in read_citing(other.fields.get(CITING, "")):
                said.setdefault(title, []).extend((key, sentence) for sentence in sentences)
    for title in sorted(said):
        cited = [(number, key) for number, (key, _) in enumerate(said[title])]
        sentences = [sentence for _, sentence in said[title]]
        yield CitingSource(title, cited, partial(_contexts, title, sentences))


def _contexts(title: str, sentences: Sequence[str], references: Sequence[int]) -> Placed:
    return [(number, _context(title, sentences[number])) for number in sorted(references)]


def _context(title: str, sentence: str) -> InlinkContext:
    """Return a sentence as a context; where in it the work is cited, the service does not say."""
    said = tuple(words(without_markers(sentence)))
    half = (len(said) + 1) // 2
    return InlinkContext(title, said[:half], said[half:], sentence)
