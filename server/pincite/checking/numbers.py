"""The numbers that a draft attributes to a work: where the work has them, or that it lacks them.

Only a full text can show that it lacks a number, and only where the draft cites nothing else beside
it and does not speak of itself. A number lacks only if no number of the text could be it: another
unit, more decimals, a share of one (.86) and words ("eighty-six") all count, and so do tables.
Rounded numbers, bounds, and ends of ranges are only ever found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

import regex

from ..library.printed_pages import printed_page
from ..model.contexts import CitationContext
from ..model.papers import MAX_PAGES, Candidate, ReferencePaper
from ..model.results import SupportingSentence
from ..text.quantities import Quantity, Unit, in_words, numbers, quantities, values_of
from ..text.tokens import terms, words

NumberStatus = Literal["shown", "elsewhere", "missing"]

#: Numbers without a unit too often differ from those that the work reports.
_CAN_BE_MISSING: Final[frozenset[Unit]] = frozenset(("percent", "fold", "p", "n"))
_THOUSAND: Final = 1_000
#: What percentages are called; "all" is in every text, so that 100 % is never missing.
_PARTS: Final = {20.0: "fifth", 25.0: "quarter", 33.0: "third", 50.0: "half", 66.0: "third",
                 67.0: "third", 75.0: "quarter", 80.0: "fifth", 100.0: "all"}  # fmt: skip
#: A clause with more of them is a table.
_MAX_NUMBERS: Final = 8
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
    own = [each for each in quantities(asked) if each.written in context.citance][:_MAX_NUMBERS]
    if not own:
        return ()
    shown = [value for one in supporting for value in _values(one.text)]
    read = _Read(candidate, frozenset(terms(words(asked))))
    is_known = paper.numbers is not None and (paper.page_count or 0) <= MAX_PAGES
    is_known = is_known and read.is_there and context.is_alone
    found = []
    for each in own:
        if any(map(each.is_rounded, shown)):
            found.append(AttributedNumber(each.written, "shown"))
        elif place := read.place_of(each):
            found.append(AttributedNumber(each.written, "elsewhere", place))
        elif each.is_exact and each.unit in _CAN_BE_MISSING and is_known and read.lacks(each):
            found.append(AttributedNumber(each.written, "missing"))
    return tuple(found)


def _values(text: str) -> Iterator[float]:
    for number in numbers(text):
        yield from values_of(number)


class _Read:
    """The numbers of a work; a place whose sentence has more of the words `asked` is preferred."""

    def __init__(self, candidate: Candidate, asked: frozenset[str]) -> None:
        self._candidate, self._asked = candidate, asked
        self._paper: ReferencePaper = candidate.paper
        sentences = [*self._paper.sentences]
        self._sentences = [(one, values) for one in sentences if (values := [*_values(one.text)])]
        self._text = " ".join(one.text for one in sentences).lower()

    @property
    def is_there(self) -> bool:
        """Whether there is any text: sentences that were lost from the index are empty."""
        return not self._text.isspace()

    def place_of(self, number: Quantity) -> str:
        """Return where the work has a number in the same unit, in words; "" if nowhere."""
        found = [
            one
            for one, values in self._sentences
            if any(map(number.is_rounded, values)) and _has(one.text, number)
        ]
        if found:
            best = max(found, key=lambda one: len(self._asked.intersection(terms(words(one.text)))))
            return self._located(best.page, best.page_label, best.section) or _SOMEWHERE
        is_telling = number.decimals or min(number.values) >= _THOUSAND
        for page, listed in self._paper.numbers or () if is_telling else ():
            if not number.values.isdisjoint(_values(listed)):
                label = next(
                    (one.page_label for one, _ in self._sentences if one.page == page), None
                )
                on_page = self._located(page, label, None)
                return f"a table or formula{on_page and f' on {on_page}'}"
        return ""

    def lacks(self, number: Quantity) -> bool:
        """Return whether no number of the work could be this one, in any unit or in words."""
        apart = (value for _, listed in self._paper.numbers or () for value in _values(listed))
        known = chain(chain.from_iterable(values for _, values in self._sentences), apart)
        if any(number.is_rounded(value) or number.is_rounded(100 * value) for value in known):
            return False
        spelled = (word for value in number.values for word in (in_words(value), _PARTS.get(value)))
        return not any(word in self._text for word in spelled if word)

    def _located(self, page: int | None, label: str | None, section: str | None) -> str:
        entry = self._candidate.entry
        printed = None
        if page is not None:
            pages = entry.fields.get("pages", "") if entry is not None else ""
            printed = f"p. {printed_page(label, page, self._paper.page_count, pages) or page}"
        return ", ".join(filter(None, (printed, section)))


def _has(text: str, number: Quantity) -> bool:
    """Return whether a text reports a number in the same unit, perhaps with more decimals."""
    return any(
        own.unit == number.unit and any(map(number.is_rounded, own.values))
        for own in quantities(text)
    )
