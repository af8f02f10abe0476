"""Internal representations: what the work itself says (Duma and Klein 2014, section 4).

Each function returns one bag of words or several (passages); a candidate scores as the best of
them. The title, and the authors' names where the candidate carries them, open the text: a draft
in another language still finds a work by them.
"""

from __future__ import annotations

from collections.abc import Callable

from ..model.papers import Candidate
from ..text.tokens import words

#: A bag is kept as its words in order.
Words = list[str]
Internal = Callable[[Candidate], list[Words]]


def full_text(candidate: Candidate) -> list[Words]:
    """Return everything known of the work as one bag."""
    return [_opening(candidate) + _body(candidate)]


def title_abstract(candidate: Candidate) -> list[Words]:
    """Return title and abstract as one bag."""
    return [_opening(candidate) + words(candidate.paper.abstract)]


def passages(length: int) -> Internal:
    """Return a representation by half-overlapping passages of `length` words."""

    def split(candidate: Candidate) -> list[Words]:
        text = _opening(candidate) + _body(candidate)
        if len(text) <= length:
            return [text]
        step = max(1, length // 2)
        # The last passage is the one that reaches the end; no shorter rest follows it.
        starts = range(0, max(1, len(text) - length + step), step)
        return [text[start : start + length] for start in starts]

    return split


def nothing(candidate: Candidate) -> list[Words]:
    """Return an empty bag: for external representations alone."""
    return [[]]


def _opening(candidate: Candidate) -> Words:
    return words(candidate.paper.title) + [word for name in candidate.names for word in words(name)]


def _body(candidate: Candidate) -> Words:
    paper = candidate.paper
    body = [word for sentence in paper.sentences for word in words(sentence.text)]
    return body or words(paper.abstract)
