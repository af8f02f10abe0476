"""Internal representations: what the work itself says (Duma and Klein 2014, section 4).

Each makes one bag of words of a work or several (passages); a candidate scores as the best of
them. The title, and the authors' names where the candidate carries them, open the text: a draft
in another language still finds a work by them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from ..model.papers import Candidate
from ..text.tokens import words

#: A bag is its words in order.
Words = list[str]
#: `Words`, or their numbers.
Tokens = TypeVar("Tokens", bound=Any)


@dataclass(frozen=True, slots=True)
class WorkWords:
    """The words of a work in order: all that is known about it, and its title and abstract only."""

    everything: Words
    summary: Words


#: From the words of a work to its bags.
Internal = Callable[[WorkWords], list[Words]]


def words_of(candidate: Candidate) -> WorkWords:
    """Return the words of a candidate."""
    paper = candidate.paper
    opening = words(paper.title) + [word for name in candidate.names for word in words(name)]
    abstract = words(paper.abstract)
    if paper.basis == "abstract" and abstract:
        body = abstract  # without splitting it into sentences, which are the same words
    else:
        body = [word for sentence in paper.sentences for word in words(sentence.text)] or abstract
    return WorkWords(opening + body, opening + abstract)


def full_text(work: WorkWords) -> list[Words]:
    """Return everything known about the work as one bag."""
    return [work.everything]


def title_abstract(work: WorkWords) -> list[Words]:
    """Return title and abstract as one bag."""
    return [work.summary]


def passages(length: int) -> Internal:
    """Return a representation by half-overlapping passages of `length` words."""

    def split(work: WorkWords) -> list[Words]:
        return passages_of(work.everything, length)

    return split


def passages_of(text: Tokens, length: int) -> list[Tokens]:
    """Return half-overlapping passages of `length` words; one if the text is not longer."""
    if len(text) <= length:
        return [text]
    step = max(1, length // 2)
    # The last passage is the one that reaches the end; no shorter rest follows it.
    starts = range(0, max(1, len(text) - length + step), step)
    return [text[start : start + length] for start in starts]


def nothing(work: WorkWords) -> list[Words]:
    """Return an empty bag: for external representations alone."""
    return [[]]
