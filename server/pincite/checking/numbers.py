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
from ..text.quantities import Quantity, Unit, in_words, quantities, values_in
from ..text.tokens import terms, words

NumberStatus = Literal["shown", "elsewhere", "missing"]

#: Numbers without a unit too often differ from those that the work reports.
_CAN_BE_MISSING: Final[frozenset[Unit]] = frozenset(("percent", "fold", "p", "n"))
_THOUSAND: Final = 1_000
#: What parts of a whole, and multiples, are called: half, three quarters, twice.
_PARTS: Final = {
    2: ("half", "halb", "hälfte", "moitié", "mitad"), 3: ("third", "drittel", "tiers", "tercio"),
    4: ("quarter", "fourths", "one fourth", "viertel", "cuart"), 5: ("fifth",), 6: (), 7: (),
    8: ("eighth",), 9: (), 10: ("tenth",),
}  # fmt: skip
_MULTIPLES: Final = {2.0: ("twice", "double", "doubling"), 3.0: ("thrice", "triple", "tripling")}
#: "All" and "none" are in every text, so that these are never missing.
_ALL_OR_NONE: Final = frozenset((0.0, 100.0))
#: "30/120", "30 of the 120", "5 per 1000".
_SHARE: Final = regex.compile(
    r"(?<![\d.,])(\d{1,6})\s?(?:/|(?:in|(?:out )?of|per|von|sur|de)\b(?: the| all)?)\s?"
    r"([1-9]\d{0,5})\b"
)
_BETWEEN_WORDS: Final = regex.compile(r"[-‐]|\band\b")
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
    own = quantities(context.clause)[:_MAX_NUMBERS]
    if not own:
        return ()
    shown = [value for one in supporting for value in values_in(one.text)]
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


class _Read:
    """The numbers of a work; a place whose sentence has more of the words `asked` is preferred."""

    def __init__(self, candidate: Candidate, asked: frozenset[str]) -> None:
        self._candidate, self._asked = candidate, asked
        self._paper: ReferencePaper = candidate.paper
        sentences = [*self._paper.sentences]
        self._sentences = [(one, values) for one in sentences if (values := [*values_in(one.text)])]
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
            if not number.values.isdisjoint(values_in(listed)):
                label = next(
                    (one.page_label for one, _ in self._sentences if one.page == page), None
                )
                on_page = self._located(page, label, None)
                return f"a table or formula{on_page and f' on {on_page}'}"
        return ""

    def lacks(self, number: Quantity) -> bool:
        """Return whether no number of the work could be this one, in any unit or in words."""
        # Parts of fractions and dates are numbers, too: 30/120.
        apart = (listed for _, listed in self._paper.numbers or ())
        known = [
            *chain.from_iterable(values_in(t.replace("/", "/ ")) for t in (self._text, *apart))
        ]
        if number.unit == "percent":
            known += (int(part) / int(whole) for part, whole in _SHARE.findall(self._text))
        if any(number.is_rounded(value) or number.is_rounded(100 * value) for value in known):
            return False
        text = " ".join(_BETWEEN_WORDS.sub(" ", self._text).split())
        return not any(word in text for word in _words_for(number))

    def _located(self, page: int | None, label: str | None, section: str | None) -> str:
        entry = self._candidate.entry
        printed = None
        if page is not None:
            pages = entry.fields.get("pages", "") if entry is not None else ""
            printed = f"p. {printed_page(label, page, self._paper.page_count, pages) or page}"
        return ", ".join(filter(None, (printed, section)))


def _words_for(number: Quantity) -> Iterator[str]:
    """Yield words that a text may have for a number: eighty six, three quarters, nine in ten."""
    for value in number.values:
        if value in _ALL_OR_NONE:
            yield ""
        yield from filter(None, (in_words(value),))
        if number.unit == "fold":
            yield from _MULTIPLES.get(value, ())
            yield from ("order of magnitude",) if value == 10 else ()
        for whole, names in _PARTS.items() if number.unit == "percent" else ():
            for part in range(1, whole):
                # 66 % and 67 % are two thirds.
                if abs(100 * part / whole - value) < 10.0**-number.decimals:
                    yield from names
                    few, many = in_words(part), in_words(whole)
                    yield from (f"{few} {word} {many}" for word in ("in", "of", "out of"))


def _has(text: str, number: Quantity) -> bool:
    """Return whether a text reports a number in the same unit, perhaps with more decimals."""
    return any(
        own.unit == number.unit and any(map(number.is_rounded, own.values))
        for own in quantities(text)
    )
