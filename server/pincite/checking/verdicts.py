"""The verdict on a citation: one set of words for every front end (`claims` decides).

A citation is *supported* where a sentence of the cited work has a strength. Where none has, it is a
verdict only if there was enough to compare: a full text, in the language of the draft, and a
citance with enough content words. Otherwise the citation was *not checked*, for a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from ..model.results import Strength
from .numbers import AttributedNumber

VerdictKind = Literal["supported", "nothing found", "not checked"]
Reason = Literal[
    "undefined key",
    "title only",
    "abstract only",
    "no text",
    "too short",
    "other language",
    "being read",
]

#: With fewer content words in a citance, an empty result proves nothing.
MIN_TERMS: Final = 6
_BECAUSE: Final[dict[Reason, str]] = {
    "undefined key": "no bibliography has the key",
    "title only": "only the title is known",
    "abstract only": "nothing was found in the abstract, and there is no full text",
    "no text": "no text could be read from its file",
    "too short": "the sentence has fewer than six content words",
    "other language": "the work is in another language",
    "being read": "papers are still being read",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The evidence of a cited work for a citation.

    `kind` is ``supported``, ``nothing found`` or ``not checked``. `strength` is that of the
    strongest supporting sentence, None without one; `sentences` is the number of sentences of the
    work that were compared. `reason` is why a citation was not checked, else None: ``undefined
    key``, ``title only``, ``abstract only`` (nothing was found in it), ``no text`` (of a scanned or
    unreadable file), ``too short`` (the citance has fewer than six content words), ``other
    language`` or, in an editor, ``being read``. `numbers` are those that the draft attributes to a
    work with a full text. As a string, it is in words.

    >>> str(Verdict("supported", "strong", 212)), str(Verdict("nothing found", None, 1))
    ('supported (strong)', 'nothing found in 1 sentence')
    >>> str(Verdict("not checked", reason="title only"))
    'not checked, because only the title is known'
    """

    kind: VerdictKind
    strength: Strength | None = None
    sentences: int = 0
    reason: Reason | None = None
    numbers: tuple[AttributedNumber, ...] = ()

    def __str__(self) -> str:
        return self.about("")

    def about(self, name: str) -> str:
        """Return the verdict in words, about the work with this name if there is one."""
        if self.kind == "nothing found":
            number = f"{self.sentences:,} sentence{'' if self.sentences == 1 else 's'}"
            return f"nothing found in {number}{name and f' of {name}'}"
        why = f"({self.strength})" if self.reason is None else f"because {_BECAUSE[self.reason]}"
        words = f"{self.kind}{' ' if self.reason is None else ', '}{why}"
        return f"{name}: {words}" if name else words

    def sentence(self, name: str = "") -> str:
        """Return the verdict as a sentence of its own."""
        words = self.about(name)
        return f"{words[0].upper()}{words[1:]}."

    @property
    def is_weak(self) -> bool:
        """Whether a work that is known in full lacks what the draft says: support, or a number."""
        return self.kind == "nothing found" or any(one.status == "missing" for one in self.numbers)

    def about_missing(self, name: str = "") -> str:
        """Return in a sentence which numbers the full text lacks; "" if it lacks none."""
        missing = [one.written for one in self.numbers if one.status == "missing"]
        return f"No {' and no '.join(missing)} in the full text{name and f' of {name}'}." * bool(
            missing
        )

    def about_numbers(self) -> str:
        """Return in sentences which numbers no supporting sentence has, and where they are."""
        elsewhere = (one for one in self.numbers if one.status == "elsewhere")
        places = "; ".join(f"{one.written}: {one.place}" for one in elsewhere)
        return " ".join(filter(None, (self.about_missing(), places and f"{places}.")))


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """How many citations of keys have each verdict; `reasons` counts those not checked.

    >>> supported = Verdict("supported", "strong", 9)
    >>> made = [supported, supported, Verdict("not checked", reason="too short")]
    >>> str(VerdictCounts.of(made))
    '3 citations: 2 supported, 0 without support, 1 not checked (1 too short)'
    """

    citations: int
    supported: int
    without_support: int
    not_checked: int
    reasons: tuple[tuple[Reason, int], ...]

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> VerdictCounts:
        """Count verdicts; the most frequent reason comes first."""
        found = [*verdicts]
        kinds = Counter(each.kind for each in found)
        reasons = Counter(each.reason for each in found if each.reason is not None)
        return cls(
            len(found),
            kinds["supported"],
            kinds["nothing found"],
            kinds["not checked"],
            tuple(reasons.most_common()),
        )

    def __str__(self) -> str:
        citations = f"{self.citations:,} citation{'' if self.citations == 1 else 's'}"
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in self.reasons)
        unchecked = f"{self.not_checked:,} not checked{reasons and f' ({reasons})'}"
        supported = f"{self.supported:,} supported, {self.without_support:,} without support"
        return f"{citations}: {supported}, {unchecked}"
