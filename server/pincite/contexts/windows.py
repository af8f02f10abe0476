"""Citation contexts: the words and the sentence around a place.

The words are up to *w* on its left and right (Duma and Klein 2014, section 4). Of the citing
sentence, the citance, a citation supports a part; a sentence that is too short, or begins with
"This", needs the one before it, and "as described previously" refers to what is done around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

import regex

from ..model.contexts import CitationContext
from ..model.drafts import CITATION_MARK, DraftFile
from ..settings import Window
from ..text.sentences import sentence_spans
from ..text.tokens import terms, words

#: Commands whose citation is part of the sentence.
_TEXTUAL = ("citet", "citeauthor", "textcite", "citeasnoun", "newcite")
#: No sentence is longer than this in the source.
_NEAR = 2_000
#: Characters searched at first per requested word; that is nearly always enough.
_CHARACTERS_PER_WORD = 16
#: Characters searched at most, even if they have too few words.
_MAX_CHARACTERS = 10_000

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
#: Sizes of the caches of paragraphs with their sentences, for places close to each other, and of
#: sentences without citations.
_CACHED_PARAGRAPHS, _CACHED_SENTENCES = 64, 256


def extract(
    prose: str, offset: int, window: Window, names: Mapping[int, str] | None = None
) -> CitationContext:
    """Return the context of the place at `offset` in `prose`; for `names` see `citance_at`."""
    citance, clause = citance_at(prose, offset, names), clause_at(prose, offset)
    return CitationContext(
        left=words_before(prose, offset, window.left),
        right=words_after(prose, offset, window.right),
        citance=citance,
        asked=asked_at(prose, offset),
        clause=clause if any(map(str.isalnum, clause)) else citance,
        before=prose[_paragraph_at(prose, offset)[0] : offset],
    )


def of_place(
    file: DraftFile, offset: int, window: Window, name_of: Callable[[str], str] = lambda _key: ""
) -> CitationContext:
    """Return the context of a place in a file; `name_of` returns the name of a key's work."""
    prose, place = file.prose.text, file.prose.offset_at(offset)
    near = [
        (file.prose.offset_at(citation.span.start), citation)
        for citation in file.citations_near(offset)
        if offset - _NEAR <= citation.span.start < offset + _NEAR
    ]
    names = {
        at: name
        for at, citation in near
        if citation.command.lower().rstrip("*s").startswith(_TEXTUAL)
        and (name := " and ".join(filter(None, (name_of(key.key) for key in citation.keys))))
    }
    groups = _GROUP.finditer(prose, max(0, place - _NEAR), place + _NEAR)
    own = (match.span() for match in groups if match.start() <= place < match.end())
    start, end = next(own, (place, place + 1))
    keys = {key.key for at, each in near if start <= at < end for key in each.keys}
    return replace(extract(prose, place, window, names), is_alone=len(keys) <= 1)


def words_around(
    prose: str, offset: int, window: Window
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words on the left and on the right of `offset`."""
    return words_before(prose, offset, window.left), words_after(prose, offset, window.right)


def words_before(prose: str, offset: int, number: int) -> tuple[str, ...]:
    """Return up to `number` words that end before `offset`, in reading order."""
    found: list[str] = []
    for reach in _reaches(number):
        start = max(0, offset - reach)
        # Drop the first word, which may be cut in two.
        found = words(prose[start : max(offset, 0)])[1 if start else 0 :]
        if len(found) >= number or start == 0:
            break
    return tuple(found[-number:])


def words_after(prose: str, offset: int, number: int) -> tuple[str, ...]:
    """Return up to `number` words that start after `offset`, in reading order."""
    found, offset = list[str](), max(offset, 0)
    for reach in _reaches(number):
        end = offset + reach
        found = words(prose[offset:end])[: None if end >= len(prose) else -1]
        if len(found) >= number or end >= len(prose):
            break
    return tuple(found[:number])


def _reaches(number: int) -> tuple[int, ...]:
    """Return how many characters to search for a number of words, first and at most."""
    near = number * _CHARACTERS_PER_WORD
    return (near, max(_MAX_CHARACTERS, 4 * near)) if number > 0 else ()


def citance_at(prose: str, offset: int, names: Mapping[int, str] | None = None) -> str:
    """Return the sentence at `offset`, without citations but for the `names` at some offsets."""
    spans, number = _sentences_at(prose, offset)
    if not spans:
        return ""
    first, last = spans[number]
    sentence = prose[first:last]
    for at, name in sorted((names or {}).items(), reverse=True):
        if first <= at < last:
            own = at - first
            sentence = sentence[:own] + name + sentence[own + len(CITATION_MARK) :]
    sentence = _without_marks(sentence)
    if number and not any(map(str.isalnum, sentence)):
        sentence = _without_marks(prose[slice(*spans[number - 1])])
    return sentence


def sentence_at(prose: str, offset: int) -> tuple[int, int] | None:
    """Return the span of the sentence that a place belongs to, as in `citance_at`."""
    spans, number = _sentences_at(prose, offset)
    return spans[number] if spans else None


def text_around(prose: str, offset: int, window: Window) -> tuple[str, str]:
    """Return the text before and after a place in its paragraph, as shown to the author.

    It has no citations and at most as many words as the window; an ellipsis marks a cut.
    """
    begin, end = _paragraph_at(prose, offset)
    before, behind = _without_marks(prose[begin:offset]), _without_marks(prose[offset:end])
    left, right = before.split(" "), behind.split(" ")
    if len(left) > window.left:
        before = " ".join(("…", *left[-window.left :]))
    if len(right) > window.right:
        behind = " ".join((*right[: window.right], "…"))
    return before, behind


def clause_at(prose: str, offset: int) -> str:
    """Return the part of its sentence that the citation at `offset` supports, however short."""
    spans, number = _sentences_at(prose, offset)
    if not spans:
        return ""
    first, last = spans[number]
    return _without_marks(_clause(prose[first:last], offset - first))


def asked_at(prose: str, offset: int) -> str:
    """Return the text that the citation at `offset` supports, with more where that is short."""
    asked = clause_at(prose, offset)
    spans, number = _sentences_at(prose, offset)

    def sentence(number: int) -> str:
        is_there = 0 <= number < len(spans)
        return _without_marks(prose[slice(*spans[number])]) if is_there else ""

    if (count := _count(asked)) < _MIN_TERMS:
        asked = sentence(number)
        count = _count(asked)
    if _ELSEWHERE.search(asked) and count < 2 * _MIN_OF_SENTENCE:
        return " ".join(filter(None, (sentence(number - 1), asked, sentence(number + 1))))
    if count < _MIN_OF_SENTENCE or _LEANS.match(asked):
        return " ".join(filter(None, (sentence(number - 1), asked)))
    return asked


def _sentences_at(prose: str, offset: int) -> tuple[list[tuple[int, int]], int]:
    """Return the sentences of the paragraph at an offset, and the number of that of the offset.

    A mark after the full stop ("... shown.[MARK]") belongs to the sentence before it.
    """
    begin, end = _paragraph_at(prose, offset)
    spans = [(begin + start, begin + stop) for start, stop in _sentences_of(prose[begin:end])]
    return spans, max(sum(start <= offset for start, _ in spans) - 1, 0)


def _paragraph_at(prose: str, offset: int) -> tuple[int, int]:
    """Return where the paragraph around a place starts and ends.

    Of a very long one it is a part, which nearby places share, so that it is divided once.
    """
    part = offset // _MAX_PARAGRAPH
    begin = max(0, (part - 1) * _MAX_PARAGRAPH)
    for match in _PARAGRAPH_BREAK.finditer(prose, begin, offset):
        begin = match.end()
    end = min(len(prose), (part + 2) * _MAX_PARAGRAPH)
    following = _PARAGRAPH_BREAK.search(prose, offset, end)
    return begin, following.start() if following else end


@lru_cache(_CACHED_PARAGRAPHS)
def _sentences_of(paragraph: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentence_spans(paragraph))


@lru_cache(_CACHED_SENTENCES)
def _without_marks(sentence: str) -> str:
    """Return a sentence without citations and with whitespace collapsed."""
    sentence = _LISTED_MARKS.sub(CITATION_MARK, sentence)
    sentence = _STOP_TWICE.sub(".", sentence)
    sentence = _UNSPACED_MARK.sub("", sentence).replace(CITATION_MARK, " ")
    sentence = _EMPTY_BRACKETS.sub("", sentence)
    return _SPACE_BEFORE.sub("", " ".join(sentence.split()))


def _clause(sentence: str, place: int) -> str:
    """Return the part of a sentence that the citation at a place supports."""
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
