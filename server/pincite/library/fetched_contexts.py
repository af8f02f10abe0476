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
from ..settings import STORED_WINDOW
from ..text.markers import blanked, marker_spans
from ..text.tokens import words
from .fallback_texts import FallbackTexts
from .inlinks import CitingSource, Placed
from .same_work.words import letters_of, name_words, same_name


class _Cited(NamedTuple):
    """A sentence that cites an entry, and the surname by which it may do so."""

    key: str
    sentence: str
    surname: str


def fetched_sources(
    fallbacks: FallbackTexts, heard: Collection[str] = ()
) -> Iterator[CitingSource]:
    """Yield the works that cite entries, by what was fetched, but for those `heard` otherwise."""
    left_out = set(map(letters_of, heard))
    by_title: dict[str, list[_Cited]] = {}
    for key, others in fallbacks.entries.items():
        for other in others:
            surname = next(iter(name_words(other.surnames[:1])), "")
            for title, sentences in read_citing(other.fields.get(CITING, "")):
                if letters_of(title) not in left_out:
                    found = (_Cited(key, sentence, surname) for sentence in sentences)
                    by_title.setdefault(title, []).extend(found)
    for title in sorted(by_title):
        cited = [(number, each.key) for number, each in enumerate(by_title[title])]
        yield CitingSource(title, cited, partial(_contexts, title, by_title[title]))


def _contexts(title: str, cited: Sequence[_Cited], references: Sequence[int]) -> Placed:
    return [(number, _context(title, cited[number])) for number in sorted(references)]


def _context(title: str, cited: _Cited) -> InlinkContext:
    sentence = cited.sentence
    spans = marker_spans(sentence)
    text = blanked(sentence, spans)
    if not spans:
        all_words = tuple(words(text))
        half = (len(all_words) + 1) // 2
        return InlinkContext(title, all_words[:half], all_words[half:], sentence)
    start, end = next((s for s in spans if _names(sentence[slice(*s)], cited.surname)), spans[0])
    left = words_before(text, start, STORED_WINDOW.left)
    return InlinkContext(title, left, words_after(text, end, STORED_WINDOW.right), sentence)


def _names(marker: str, surname: str) -> bool:
    last = surname.rpartition(" ")[2]
    written = name_words(marker.split())
    return bool(last) and any(same_name(last, word) for word in written)
