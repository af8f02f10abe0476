"""What a citation stands for: the part of its sentence, or a little more than its sentence.

A sentence that cites in several places says different things with them, and each citation asks for
its own part. A sentence that is too short, or begins with "This", leans on the one before; one that
says "as described previously" asks for what is done there.
"""

from __future__ import annotations

from functools import lru_cache

import regex

from ..model.drafts import CITATION_MARK
from ..text.tokens import terms, words
from .windows import paragraph_span, sentence_number, sentences_of, without_marks

#: Citations in direct succession, or listed: they stand for one thing.
_GROUP = regex.compile(
    rf"{CITATION_MARK}(?:[\s,;&)\]]{{0,4}}(?:and|or|und|et|y|see|also|e\.g\.,?)?\s{{0,2}}"
    rf"[(\[]?{CITATION_MARK})*"
)
#: Before a citation that begins a clause as a name: "…, while [mark] show that …".
_BEGINS = regex.compile(
    r"(?:^|[.;:,(]|\b(?:and|but|while|whereas|although|or|as|und|aber|et|mais))\s*\Z",
    regex.IGNORECASE,
)
#: After such a name, the clause goes on.
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
#: A part of fewer terms than this says too little.
_FEWEST_TERMS = 4
_FEWEST_OF_SENTENCE = 5
_KEPT = 256


def asked_at(prose: str, offset: int) -> str:
    """Return the text that the citation at `offset` stands for, without citations."""
    start, end = paragraph_span(prose, offset)
    return _asked(prose[start:end], offset - start)


@lru_cache(_KEPT)
def _asked(paragraph: str, place: int) -> str:
    spans = sentences_of(paragraph)
    number = sentence_number(spans, place)
    if number is None:
        return ""
    first, last = spans[number]
    sentence = paragraph[first:last]
    asked = without_marks(_clause(sentence, place - first))
    if _count(asked) < _FEWEST_TERMS:
        asked = without_marks(sentence)
    before = without_marks(paragraph[slice(*spans[number - 1])]) if number else ""
    if _ELSEWHERE.search(asked) and _count(asked) < 2 * _FEWEST_OF_SENTENCE:
        after = without_marks(paragraph[slice(*spans[number + 1])]) if number + 1 < len(spans) else ""
        return " ".join(filter(None, (before, asked, after)))
    if _count(asked) < _FEWEST_OF_SENTENCE or _LEANS.match(asked):
        return " ".join(filter(None, (before, asked)))
    return asked


def _clause(sentence: str, place: int) -> str:
    """Return the part of a sentence that the citation at `place` belongs to."""
    groups = [match.span() for match in _GROUP.finditer(sentence)]
    own = next((n for n, (start, end) in enumerate(groups) if start <= place < end), None)
    if own is None or len(groups) == 1:
        return sentence
    begins = [_begins_clause(sentence, *group) for group in groups]
    start, end = 0, len(sentence)
    if begins[own]:
        start = groups[own][0]
        if own + 1 < len(groups):
            end = groups[own + 1][0] if begins[own + 1] else groups[own + 1][0]
    else:
        if own:
            start = groups[own - 1][0] if begins[own - 1] else groups[own - 1][1]
        if own + 1 < len(groups):
            end = groups[own][1]
    return sentence[start:end]


def _begins_clause(sentence: str, start: int, end: int) -> bool:
    return bool(_BEGINS.search(sentence[:start]) and _GOES_ON.match(sentence, end))


def _count(text: str) -> int:
    return len(set(terms(words(text))))
