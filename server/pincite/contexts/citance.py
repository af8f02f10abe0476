"""The citance: the citing sentence, and the part of it that a citation supports.

A sentence that is too short, or begins with "This", needs the one before it; one that says "as
described previously" refers to what is done around it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import regex

from ..model.drafts import CITATION_MARK
from ..text.sentences import sentence_spans
from ..text.tokens import terms, words

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
_MAX_PARAGRAPH = 6_000
#: Size of the cache of paragraphs with their sentences, for places close to each other.
_CACHED_PARAGRAPHS = 64
#: Citations in direct succession, or listed: they support the same part.
_GROUP = regex.compile(
    rf"{CITATION_MARK}(?:[\s,;&)\]]{{0,4}}(?:and|or|und|et|y|see|also|e\.g\.,?)?\s{{0,2}}"
    rf"[(\[]?{CITATION_MARK})*"
)
#: What precedes a citation that begins a clause as a name: "…, while [mark] show that …".
_BEGINS = regex.compile(
    r"(?:^|[.;:,(]|\b(?:and|but|while|whereas|although|or|as|und|aber|et|mais))\s*\Z",
    regex.IGNORECASE,
)
#: What follows such a name: the rest of the clause.
_GOES_ON = regex.compile(r"\s*+(?!(?:and|or|but|while|whereas|as|to|for|in|on)\b)\p{Ll}")
_LEANS = regex.compile(
    r"\s*(?:this|these|that|those|such|it|they|here|both|the (?:same|latter|former))\b",
    regex.IGNORECASE,
)
_ELSEWHERE = regex.compile(
    r"\b(?:as|previously|method|protocol|procedure)\b[^.]{0,40}\b(?:described|reported|detailed"
    r"|outlined)\b|\bdescribed (?:previously|elsewhere|before|in detail)\b",
    regex.IGNORECASE,
)
#: A part with fewer terms than this is too short to be useful.
_MIN_TERMS = 4
_MIN_OF_SENTENCE = 5
_CACHED_SENTENCES = 256


def citance_at(prose: str, offset: int, names: Mapping[int, str] | None = None) -> str:
    r"""Return the sentence at `offset`, without citations and with whitespace collapsed."""
    start, spans, chosen = _sentences_at(prose, offset)
    if chosen is None:
        return ""
    first, last = (start + at for at in spans[chosen])
    sentence = prose[first:last]
    for at, name in sorted((names or {}).items(), reverse=True):
        if first <= at < first + len(sentence):
            own = at - first
            sentence = sentence[:own] + name + sentence[own + len(CITATION_MARK) :]
    sentence = without_marks(sentence)
    if chosen and not any(character.isalnum() for character in sentence):
        first, last = (start + at for at in spans[chosen - 1])
        sentence = without_marks(prose[first:last])
    return sentence


def sentence_at(prose: str, offset: int) -> tuple[int, int] | None:
    """Return the span of the sentence that a place belongs to, as in `citance_at`."""
    start, spans, number = _sentences_at(prose, offset)
    return None if number is None else (start + spans[number][0], start + spans[number][1])


def _sentences_at(prose: str, offset: int) -> tuple[int, Sequence[tuple[int, int]], int | None]:
    """Return where a paragraph starts, its sentences, and the number of that at an offset."""
    start, end = _paragraph_span(prose, offset)
    spans = _sentences_of(prose[start:end])
    return start, spans, _sentence_number(spans, offset - start)


def _sentence_number(spans: Sequence[tuple[int, int]], place: int) -> int | None:
    """Return the index of the sentence that a place in a paragraph belongs to; None without any."""
    for number, (start, end) in enumerate(spans):
        if start <= place < end:
            return number
    # A mark after the full stop ("... shown.[MARK]") belongs to the sentence before it.
    before = sum(end <= place for _, end in spans)
    return max(before - 1, 0) if spans else None


@lru_cache(_CACHED_PARAGRAPHS)
def _sentences_of(paragraph: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentence_spans(paragraph))


@lru_cache(_CACHED_SENTENCES)
def without_marks(sentence: str) -> str:
    """Return a sentence without citations and with whitespace collapsed."""
    sentence = _LISTED_MARKS.sub(CITATION_MARK, sentence)
    sentence = _STOP_TWICE.sub(".", sentence)
    sentence = _UNSPACED_MARK.sub("", sentence).replace(CITATION_MARK, " ")
    sentence = _EMPTY_BRACKETS.sub("", sentence)
    return _SPACE_BEFORE.sub("", " ".join(sentence.split()))


def _paragraph_span(prose: str, offset: int) -> tuple[int, int]:
    """Return the span of the paragraph at `offset`.

    For a very long one, a part around the offset; nearby places share it, so that its sentences are
    found once.
    """
    first = offset // _MAX_PARAGRAPH
    start = max(0, (first - 1) * _MAX_PARAGRAPH)
    for match in _PARAGRAPH_BREAK.finditer(prose, start, offset):
        start = match.end()
    end = min(len(prose), (first + 2) * _MAX_PARAGRAPH)
    following = _PARAGRAPH_BREAK.search(prose, offset, end)
    return start, following.start() if following else end


def asked_at(prose: str, offset: int) -> str:
    """Return the text that the citation at `offset` supports, without citations."""
    start, end = _paragraph_span(prose, offset)
    return _asked(prose[start:end], offset - start)


@lru_cache(_CACHED_SENTENCES)
def _asked(paragraph: str, place: int) -> str:
    spans = _sentences_of(paragraph)
    number = _sentence_number(spans, place)
    if number is None:
        return ""
    before, after = (
        without_marks(paragraph[slice(*spans[n])]) if 0 <= n < len(spans) else ""
        for n in (number - 1, number + 1)
    )
    first, last = spans[number]
    asked = without_marks(_clause(paragraph[first:last], place - first))
    if _count(asked) < _MIN_TERMS:
        asked = without_marks(paragraph[first:last])
    if _ELSEWHERE.search(asked) and _count(asked) < 2 * _MIN_OF_SENTENCE:
        return " ".join(filter(None, (before, asked, after)))
    if _count(asked) < _MIN_OF_SENTENCE or _LEANS.match(asked):
        return " ".join(filter(None, (before, asked)))
    return asked


def _clause(sentence: str, place: int) -> str:
    groups = [match.span() for match in _GROUP.finditer(sentence)]
    own = next((n for n, (start, end) in enumerate(groups) if start <= place < end), None)
    if own is None or len(groups) == 1:
        return sentence
    begins = [
        start
        for start, end in groups
        if _BEGINS.search(sentence[:start]) and _GOES_ON.match(sentence, end)
    ]
    start, end = groups[own]
    if start in begins:
        return sentence[start : next((other for other in begins if other > start), None)]
    return sentence[groups[own - 1][1] if own else 0 : end if own + 1 < len(groups) else None]


def _count(text: str) -> int:
    return len(set(terms(words(text))))
