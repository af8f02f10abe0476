"""Citation contexts: up to *w* words left and right of a place (Duma and Klein 2014, section 4).

Works on any prose in which citations are `CITATION_MARK`s: marks are no words, so citations in
direct succession share their context.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import regex

from ..model.contexts import CitationContext
from ..model.drafts import CITATION_MARK, TexFile
from ..settings import Window
from ..text.sentences import sentence_spans
from ..text.tokens import words

_PARAGRAPH_BREAK = regex.compile(r"\n[^\S\n]*\n\s*")
#: A citation between an abbreviation and the full stop: "see e.g. [mark]."
_STOP_TWICE = regex.compile(rf"\.(?:\s*{CITATION_MARK})+\s*\.(?!\S)")
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}。，、；：！？（）]"
_UNSPACED_MARK = regex.compile(rf"(?<={_UNSPACED})\s*{CITATION_MARK}+\s*(?={_UNSPACED})")
#: A list of citations in the running text: "as [MARK], [MARK] and [MARK] say".
_LISTED_MARKS = regex.compile(
    rf"{CITATION_MARK}(?:\s*(?:[,;&]|,?\s*(?:and|or|und|et|y))?\s*{CITATION_MARK})+"
)
_EMPTY_BRACKETS = regex.compile(r"\([\s,;]*\)|\[[\s,;]*\]")
_SPACE_BEFORE = regex.compile(r"\s+(?=[.,;:!?)\]])")
#: Characters looked at first for each word wanted; more are taken where they do not suffice.
_CHARACTERS_PER_WORD = 16
_LONGEST_PARAGRAPH = 6_000
#: How many paragraphs with their sentences are kept: those around the places just looked at.
_SENTENCES_KEPT = 64


def extract(prose: str, offset: int, window: Window) -> CitationContext:
    """Return the context of the place at `offset` in `prose`."""
    return CitationContext(
        left=words_before(prose, offset, window.left),
        right=words_after(prose, offset, window.right),
        citance=citance_at(prose, offset),
    )


def of_place(file: TexFile, offset: int, window: Window) -> CitationContext:
    """Return the context of the place at `offset` in a file of a draft."""
    return extract(file.prose.text, file.prose.offset_at(offset), window)


def words_before(prose: str, offset: int, number: int) -> tuple[str, ...]:
    """Return up to `number` words that end before `offset`, in reading order.

    A word that the place itself cuts in two counts as it stands there.
    """
    offset = max(offset, 0)
    if number <= 0:
        return ()
    reach = number * _CHARACTERS_PER_WORD
    while True:
        start = max(0, offset - reach)
        # A word cut in two at the far end would be counted as a word.
        found = words(prose[start:offset])[1 if start else 0 :]
        if len(found) >= number or start == 0:
            return tuple(found[-number:])
        reach *= 4


def words_after(prose: str, offset: int, number: int) -> tuple[str, ...]:
    """Return up to `number` words that start after `offset`, in reading order."""
    offset = max(offset, 0)
    if number <= 0:
        return ()
    reach = number * _CHARACTERS_PER_WORD
    while True:
        end = offset + reach
        found = words(prose[offset:end])
        if end < len(prose):
            found = found[:-1]
        if len(found) >= number or end >= len(prose):
            return tuple(found[:number])
        reach *= 4


def citance_at(prose: str, offset: int) -> str:
    """Return the sentence at `offset`, its citations taken out and its spaces made single."""
    start, end = paragraph_span(prose, offset)
    paragraph = prose[start:end]
    place = offset - start
    spans = sentences_of(paragraph)
    chosen = sentence_number(spans, place)
    if chosen is None:
        return ""
    sentence = without_marks(paragraph[slice(*spans[chosen])])
    if chosen and not any(character.isalnum() for character in sentence):
        sentence = without_marks(paragraph[slice(*spans[chosen - 1])])
    return sentence


def sentence_number(spans: Sequence[tuple[int, int]], place: int) -> int | None:
    """Return which of the sentences of a paragraph a place belongs to; None if it has none."""
    for number, (start, end) in enumerate(spans):
        if start <= place < end:
            return number
    # A mark after the full stop ("... shown.[MARK]") belongs to the sentence before it.
    before = sum(end <= place for _, end in spans)
    return max(before - 1, 0) if spans else None


@lru_cache(_SENTENCES_KEPT)
def sentences_of(paragraph: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of the sentences of a paragraph, which are asked for several times."""
    return tuple(sentence_spans(paragraph))


def without_marks(sentence: str) -> str:
    """Return a sentence without its citations, its spaces made single."""
    sentence = _LISTED_MARKS.sub(CITATION_MARK, sentence)
    sentence = _STOP_TWICE.sub(".", sentence)
    sentence = _UNSPACED_MARK.sub("", sentence).replace(CITATION_MARK, " ")
    sentence = _EMPTY_BRACKETS.sub("", sentence)
    return _SPACE_BEFORE.sub("", " ".join(sentence.split()))


def paragraph_span(prose: str, offset: int) -> tuple[int, int]:
    """Return the span of the paragraph at `offset`."""
    low = max(0, offset - _LONGEST_PARAGRAPH)
    start = low
    for match in _PARAGRAPH_BREAK.finditer(prose, low, offset):
        start = match.end()
    following = _PARAGRAPH_BREAK.search(prose, offset, offset + _LONGEST_PARAGRAPH)
    end = following.start() if following else min(len(prose), offset + _LONGEST_PARAGRAPH)
    return start, end
