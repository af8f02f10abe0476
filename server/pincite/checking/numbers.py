"""The numbers that a draft attributes to a work: where the work has them, or that it has not.

Only a full text can show that it lacks a number, and only where the draft cites nothing else beside
it and does not speak of itself. A number lacks only if no number of the text could be it: another
unit, more decimals, a share of one (.86) and words ("eighty-six") all count, and so do tables.
Rounded numbers, bounds, and ends of ranges are only ever found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import regex

from ..library.printed_pages import printed_page
from ..model.contexts import CitationContext
from ..model.papers import MAX_PAGES, Candidate, ReferencePaper
from ..model.results import SupportingSentence
from ..text.quantities import Quantity, Unit, in_words, numbers, quantities, values_of
from ..text.tokens import terms, words

NumberStatus = Literal["shown", "elsewhere", "missing"]

#: Numbers without a unit are too often others than those that the work reports.
_CAN_BE_MISSING: Final[frozenset[Unit]] = frozenset(("percent", "fold", "p", "n"))
_THOUSAND: Final = 1_000
_SOMEWHERE: Final = "elsewhere in the full text"
#: A sentence about the draft itself, which has numbers of its own.
OF_THE_DRAFT: Final = regex.compile(
    r"\b(?:[Ww]e|[Oo]urs?|us|I|[Mm]y|[Tt]his\s+"
    r"(?:paper|article|section|chapter|thesis|report|dissertation|work|study))\b"
    r"|\b(?:[Ss]ections?|[Cc]hapters?|[Tt]ables?|[Ff]igures?|[Ee]qs?\.|[Ee]quations?)\b"
)


@dataclass(frozen=True, slots=True)
class AttributedNumber:
    """A number that the draft attributes to a work, as `written` in the draft.

    `status` is ``shown`` (a supporting sentence has it), ``elsewhere`` (the full text has it at
    `place`, in words), or ``missing``.
    """

    written: str
    status: NumberStatus
    place: str = ""


def attributed_numbers(
    context: CitationContext, candidate: Candidate, supporting: Sequence[SupportingSentence]
) -> tuple[AttributedNumber, ...]:
    """Return what a work that is known in full has of the numbers in the citing clause."""
    paper, asked = candidate.paper, context.asked
    if paper.basis != "full text" or OF_THE_DRAFT.search(asked):
        return ()
    # The clause may have been read together with the sentences around it.
    own = [each for each in quantities(asked) if each.written in context.citance]
    if not own:
        return ()
    shown = [value for one in supporting for value in _values(one.text)]
    read = _Read(candidate, frozenset(terms(words(asked))))
    is_known = paper.numbers is not None and (paper.page_count or 0) <= MAX_PAGES and read.is_there
    found = []
    for each in own:
        if any(map(each.is_rounded, shown)):
            found.append(AttributedNumber(each.written, "shown"))
        elif place := read.place_of(each):
            found.append(AttributedNumber(each.written, "elsewhere", place))
        elif is_known and context.is_alone and _can_be_missing(each) and read.lacks(each):
            found.append(AttributedNumber(each.written, "missing"))
    return tuple(found)


def _can_be_missing(number: Quantity) -> bool:
    return number.unit in _CAN_BE_MISSING and number.is_exact


def _values(text: str) -> Iterator[float]:
    for number in numbers(text):
        yield from values_of(number)


class _Read:
    """The numbers of a work; a place whose sentence has more of the words `asked` is preferred."""

    def __init__(self, candidate: Candidate, asked: frozenset[str]) -> None:
        self._candidate, self._asked = candidate, asked
        self._paper: ReferencePaper = candidate.paper
        self._sentences = [one for one in self._paper.sentences if any(map(str.isdigit, one.text))]
        # Sentences that were lost from the index are empty.
        self.is_there = any(one.text for one in self._paper.sentences[:1])

    def place_of(self, number: Quantity) -> str:
        """Return where the work has a number in the same unit, in words; "" if nowhere."""
        found = [one for one in self._sentences if _has(one.text, number)]
        if found:
            best = max(found, key=lambda one: len(self._asked.intersection(terms(words(one.text)))))
            return self._located(best.page, best.page_label, best.section) or _SOMEWHERE
        is_telling = number.decimals or min(number.values) >= _THOUSAND
        for page, listed in self._paper.numbers or () if is_telling else ():
            if any(number.values & values_of(each) for each in listed.split(" ")):
                on_page = self._located(page, self._label(page), None)
                return f"a table or formula{on_page and f' on {on_page}'}"
        return ""

    def lacks(self, number: Quantity) -> bool:
        """Return whether no number of the work could be this one, in any unit."""
        apart = (listed for _, listed in self._paper.numbers or ())
        texts = (*(one.text for one in self._sentences), *apart)
        known = (value for text in texts for value in _values(text))
        if any(number.is_rounded(value) or number.is_rounded(100 * value) for value in known):
            return False
        spelled = {word for value in number.values if (word := in_words(value))}
        return not any(
            word in one.text.lower() for word in spelled for one in self._paper.sentences
        )

    def _label(self, page: int | None) -> str | None:
        on_page = (one.page_label for one in self._paper.sentences if one.page == page)
        return next(on_page, None)

    def _located(self, page: int | None, label: str | None, section: str | None) -> str:
        entry = self._candidate.entry
        parts = []
        if page is not None:
            pages = entry.fields.get("pages", "") if entry is not None else ""
            label = printed_page(label, page, self._paper.page_count, pages)
            parts.append(f"p. {label or page}")
        return ", ".join(filter(None, (*parts, section)))


def _has(text: str, number: Quantity) -> bool:
    """Return whether a text reports a number in the same unit, perhaps with more decimals."""
    return any(map(number.is_rounded, _values(text))) and any(
        own.unit == number.unit and any(map(number.is_rounded, own.values))
        for own in quantities(text)
    )
