"""Representations of works as bags of words (Duma and Klein 2014, section 4).

An internal representation makes one bag of what the work itself says, or several (passages); a
candidate scores as the best of them. The external one is the bag of how others cite the work. Mixed
ones join every internal bag with the one external bag. The title, and the authors' names where the
candidate carries them, open the text: a draft in another language still finds a work by them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from ..model.papers import Candidate
from ..settings import RankingSettings, Window
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


#: From the words of a work to its internal bags.
Internal = Callable[[WorkWords], list[Words]]
#: From a candidate to its external bag.
External = Callable[[Candidate], Words]


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
    return lambda work: passages_of(work.everything, length)


def passages_of(text: Tokens, length: int) -> list[Tokens]:
    """Return half-overlapping passages of `length` words; one if the text is not longer."""
    if len(text) <= length:
        return [text]
    step = max(1, length // 2)
    # The last passage is the one that reaches the end; no shorter rest follows it.
    starts = range(0, max(1, len(text) - length + step), step)
    return [text[start : start + length] for start in starts]


def inlink_contexts(window: Window) -> External:
    """Return a representation by the bag of all inlink contexts, cut to `window`."""

    def gather(candidate: Candidate) -> Words:
        gathered: Words = []
        for context in candidate.inlink_contexts:
            if window.left:
                gathered.extend(context.left[-window.left :])
            gathered.extend(context.right[: window.right])
        return gathered

    return gather


@dataclass(frozen=True, slots=True)
class Representation:
    """How a candidate becomes bags; by default, its internal or external part is empty."""

    internal: Internal = lambda _work: [[]]
    external: External = lambda _candidate: []

    def bags(self, candidate: Candidate) -> tuple[list[Words], Words]:
        """Return the internal bags of a candidate, and the external one, which all of them share.

        They are apart so that a score can be explained.
        """
        return self.internal(words_of(candidate)), self.external(candidate)


def mixed(settings: RankingSettings) -> Representation:
    """Return the paper's best representation: passages with inlink contexts (Table 1)."""
    return Representation(passages(settings.passage_words), inlink_contexts(settings.inlink_window))
