"""The citance: the citing sentence, and the part of it that a citation supports.

If a sentence cites in several places, each citation supports its own part. A sentence that is too
short, or begins with "This", needs the sentence before it; one that says "as described previously"
refers to what is done around it.
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
    r"""Return the sentence at `offset`, without citations and with whitespace collapsed.

    `names` replace citations that are part of the sentence, by their offsets in the prose: "made by
    \citet{key} at" needs the name.
    """
    start, end = paragraph_span(prose, offset)
    paragraph = prose[start:end]
    place = offset - start
    spans = sentences_of(paragraph)
    chosen = sentence_number(spans, place)
    if chosen is None:
        return ""
    first, last = spans[chosen]
    sentence = paragraph[first:last]
    for at in sorted(names or (), reverse=True):
        if names and 0 <= (own := at - start - first) < len(sentence):
            sentence = sentence[:own] + names[at] + sentence[own + len(CITATION_MARK) :]
    sentence = without_marks(sentence)
    if chosen and not any(character.isalnum() for character in sentence):
        sentence = without_marks(paragraph[slice(*spans[chosen - 1])])
    return sentence


def sentence_at(prose: str, offset: int) -> tuple[int, int] | None:
    """Return the span of the sentence that a place belongs to, as in `citance_at`."""
    start, end = paragraph_span(prose, offset)
    spans = sentences_of(prose[start:end])
    number = sentence_number(spans, offset - start)
    if number is None:
        return None
    first, last = spans[number]
    return start + first, start + last


def sentence_number(spans: Sequence[tuple[int, int]], place: int) -> int | None:
    """Return the index of the sentence that a place in a paragraph belongs to; None without any."""
    for number, (start, end) in enumerate(spans):
        if start <= place < end:
            return number
    # A mark after the full stop ("... shown.[MARK]") belongs to the sentence before it.
    before = sum(end <= place for _, end in spans)
    return max(before - 1, 0) if spans else None


@lru_cache(_CACHED_PARAGRAPHS)
def sentences_of(paragraph: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of the sentences of a paragraph; cached, as they are needed repeatedly."""
    return tuple(sentence_spans(paragraph))


@lru_cache(_CACHED_SENTENCES)
def without_marks(sentence: str) -> str:
    """Return a sentence without citations and with whitespace collapsed."""
    sentence = _LISTED_MARKS.sub(CITATION_MARK, sentence)
    sentence = _STOP_TWICE.sub(".", sentence)
    sentence = _UNSPACED_MARK.sub("", sentence).replace(CITATION_MARK, " ")
    sentence = _EMPTY_BRACKETS.sub("", sentence)
    return _SPACE_BEFORE.sub("", " ".join(sentence.split()))


def paragraph_span(prose: str, offset: int) -> tuple[int, int]:
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
    start, end = paragraph_span(prose, offset)
    return _asked(prose[start:end], offset - start)


@lru_cache(_CACHED_SENTENCES)
def _asked(paragraph: str, place: int) -> str:
    spans = sentences_of(paragraph)
    number = sentence_number(spans, place)
    if number is None:
        return ""
    first, last = spans[number]
    sentence = paragraph[first:last]
    asked = without_marks(_clause(sentence, place - first))
    if _count(asked) < _MIN_TERMS:
        asked = without_marks(sentence)
    before = without_marks(paragraph[slice(*spans[number - 1])]) if number else ""
    if _ELSEWHERE.search(asked) and _count(asked) < 2 * _MIN_OF_SENTENCE:
        after = (
            without_marks(paragraph[slice(*spans[number + 1])]) if number + 1 < len(spans) else ""
        )
        return " ".join(filter(None, (before, asked, after)))
    if _count(asked) < _MIN_OF_SENTENCE or _LEANS.match(asked):
        return " ".join(filter(None, (before, asked)))
    return asked


def _clause(sentence: str, place: int) -> str:
    groups = [match.span() for match in _GROUP.finditer(sentence)]
    own = next((n for n, (start, end) in enumerate(groups) if start <= place < end), None)
    if own is None or len(groups) == 1:
        return sentence
    begins = [_begins_clause(sentence, *group) for group in groups]
    if begins[own]:
        later = (group[0] for group, first in zip(groups, begins, strict=True) if first)
        start = groups[own][0]
        end = next((other for other in later if other > start), len(sentence))
    else:
        start = groups[own - 1][1] if own else 0
        end = groups[own][1] if own + 1 < len(groups) else len(sentence)
    return sentence[start:end]


def _begins_clause(sentence: str, start: int, end: int) -> bool:
    return bool(_BEGINS.search(sentence[:start]) and _GOES_ON.match(sentence, end))


def _count(text: str) -> int:
    return len(set(terms(words(text))))
