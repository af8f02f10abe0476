"""Inlink contexts from citing sentences that were fetched from the network.

A sentence comes without the place in it where the work is cited: that is the marker with the
work's first author, else the first marker. Without any, it is the middle of the sentence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from ..contexts.windows import words_after, words_before
from ..model.fetched import CITING, read_citing
from ..model.papers import InlinkContext
from ..settings import KEPT_WINDOW
from ..text.markers import blanked, marker_spans
from ..text.tokens import words
from .inlinks import CitingSource, Placed
from .lent_texts import LentTexts
from .same_work.words import letters_of, name_words, same_name


class _Cited(NamedTuple):
    """What a work says of an entry, and the name by which it may cite it."""

    key: str
    sentence: str
    surname: str


def fetched_sources(lent: LentTexts, heard: Collection[str] = ()) -> Iterator[CitingSource]:
    """Yield the works that cite entries, by what was fetched, but for those `heard` otherwise."""
    left_out = set(map(letters_of, heard))
    said: dict[str, list[_Cited]] = {}
    for key, others in lent.entries.items():
        for other in others:
            surname = next(iter(name_words(other.surnames[:1])), "")
            for title, sentences in read_citing(other.fields.get(CITING, "")):
                if letters_of(title) not in left_out:
                    found = (_Cited(key, sentence, surname) for sentence in sentences)
                    said.setdefault(title, []).extend(found)
    for title in sorted(said):
        cited = [(number, each.key) for number, each in enumerate(said[title])]
        yield CitingSource(title, cited, partial(_contexts, title, said[title]))


def _contexts(title: str, said: Sequence[_Cited], references: Sequence[int]) -> Placed:
    return [(number, _context(title, said[number])) for number in sorted(references)]


def _context(title: str, cited: _Cited) -> InlinkContext:
    sentence = cited.sentence
    spans = marker_spans(sentence)
    text = blanked(sentence, spans)
    if not spans:
        all_words = tuple(words(text))
        half = (len(all_words) + 1) // 2
        return InlinkContext(title, all_words[:half], all_words[half:], sentence)
    start, end = next((s for s in spans if _names(sentence[slice(*s)], cited.surname)), spans[0])
    left = words_before(text, start, KEPT_WINDOW.left)
    return InlinkContext(title, left, words_after(text, end, KEPT_WINDOW.right), sentence)


def _names(marker: str, surname: str) -> bool:
    last = surname.rpartition(" ")[2]
    written = name_words(marker.split())
    return bool(last) and any(same_name(last, word) for word in written)
