"""The parts of the text round a place that are compared with the entries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..contexts.surroundings import SurroundedText, words_of_paragraphs
from ..model.citing_text import PARAGRAPH_BREAK, TextPart
from ..model.drafts import CITATION_MARK
from ..representations.entry_terms import NO_IDS, Ids, TermIds
from ..representations.fields import Lists
from ..text.tokens import words
from .at_place import AtPlace, Floats

#: In the order of columns. `near` to `paragraph` are of the paragraph alone, `since` is what
#: follows the citation before, `both` are twenty words on each side (Duma and Klein 2014), `recent`
#: and `like` the titles of what was just cited, and of what was cited in like sentences. In
#: `decay` and `far` words count by their distance, in `rare` and `topic` also by how rare they are
#: in the draft.
WINDOWS: Final = (
    *("near", "left", "sentence", "paragraph", "headings", "recent", "both", "decay", "like"),
    *("since", "far", "rare", "topic"),
)
#: Those that are compared with the words of earlier citations.
OWN_WINDOWS: Final = ("near", "left", "sentence", "paragraph", "both", "decay", "since", "far")

_NEAR_WORDS: Final = 6
_LEFT_WORDS: Final = 20
_PARAGRAPH_WORDS: Final = 80
_DECAY_WORDS: Final = 40
#: A word counts by e^(-d / 8), d words before the place.
_DECAY: Final = 8.0
_FAR_CHARACTERS: Final = 1_200
_FAR_WORDS: Final = 150
_FAR_DECAY: Final = 40.0
_SINCE_CHARACTERS: Final = 500
_SINCE_WORDS: Final = 25
_FEWEST_SINCE: Final = 3
#: What was cited at the places most like this one.
_MOST_LIKE: Final = 3
_ACRONYM_WORDS: Final = 25
#: "trust region policy optimization (TRPO)".
_SPELLED_OUT: Final = re.compile(r"\(([^\W\d_]*[A-Z][^\W_]*[A-Z0-9][^\W_]{0,8}?)s?\)")
_LONGEST_SPELLING: Final = 160
_MOST_SPELLED: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Terms in order, each with a weight."""

    terms: Ids
    weights: Floats

    @classmethod
    def of(cls, terms: Ids) -> Window:
        """Return terms that count alike."""
        return cls(terms, np.ones(len(terms)))


@dataclass(frozen=True, slots=True, eq=False)
class _PartTerms:
    """The distinct terms of each paragraph of a part, and the acronyms that it spells out."""

    terms: Lists
    acronyms: Sequence[tuple[str, int, tuple[str, ...]]]

    @classmethod
    def of(cls, part: TextPart, ids: TermIds) -> _PartTerms:
        terms = Lists.of(np.unique(ids.of(own)) for own in words_of_paragraphs(part))
        return cls(terms, _spelled_out(part.text))


class DraftTerms:
    """How rare each term is in a draft, by paragraphs, and what its acronyms stand for."""

    def __init__(
        self, text: SurroundedText, ids: TermIds, earlier: DraftTerms | None = None
    ) -> None:
        """Read a text; the parts that an `earlier` one has are not read again."""
        self.text = text
        known: Mapping[TextPart, _PartTerms] = {} if earlier is None else earlier._parts
        parts = ((part, known.get(part) or _PartTerms.of(part, ids)) for part in text.citing.parts)
        self._parts: dict[TextPart, _PartTerms] = dict(parts)
        self._terms = Lists.joined([own.terms for own in self._parts.values()])
        self._counts: tuple[int, npt.NDArray[np.int64]] = (-1, np.empty(0, np.int64))
        #: Where each acronym is first spelled out, and the words it means.
        self.spelled_out: dict[str, tuple[int, tuple[str, ...]]] = {}
        for begin, own in zip(text.citing.starts, self._parts.values(), strict=True):
            for name, end, meant in own.acronyms:
                self.spelled_out.setdefault(name, (begin + end, meant))

    def rarity(self, terms: Ids, paragraphs: int) -> Floats:
        """Return from 0 to 1 how rare terms are in the first paragraphs of the draft."""
        end, counts = self._counts
        if end != paragraphs:
            counts = np.bincount(self._terms.values[: int(self._terms.starts[paragraphs])])
            self._counts = (paragraphs, counts)
        known = np.zeros(len(terms))
        is_known = terms < len(counts)
        known[is_known] = counts[terms[is_known]]
        most = np.log((paragraphs + 10.0) / 0.5)
        return np.asarray(np.log((paragraphs + 10.0) / (known + 0.5)) / most, np.float64)


def _spelled_out(text: str) -> list[tuple[str, int, tuple[str, ...]]]:
    """Return the acronyms of a text, where each is spelled out, and the words it means."""
    found: list[tuple[str, int, tuple[str, ...]]] = []
    for match in _SPELLED_OUT.finditer(text):
        name = match[1].lower()
        before = text[max(0, match.start() - _LONGEST_SPELLING) : match.start()]
        own = words(before.rpartition(PARAGRAPH_BREAK)[2])
        for first in range(len(own) - 1, max(-1, len(own) - _MOST_SPELLED), -1):
            meant = own[first:]
            initials = ("".join(word[0] for word in kept).lower() for kept in _kept(meant))
            if len(meant) > 1 and name in initials:
                found.append((name, match.end(), tuple(meant)))
                break
    return found


def _kept(meant: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    return meant, [word for word in meant if len(word) > 3 or word[0].isupper()]


def windows_at(at: AtPlace) -> Mapping[str, Window]:
    """Return the windows of a place, by name."""
    place, left, right = at.place, at.left, at.right
    ids, text, offset = at.evidence.ids, at.place.text.citing, at.place.offset
    draft = at.evidence.draft_terms(place.text)
    around = place.text.around(offset, right=place.right)
    sentence = left[len(left) - around.sentence_left :] + right[: around.sentence_right]
    titles, _ = at.fields.titles.of_several(at.recent)
    left_terms = ids.of(left[-_LEFT_WORDS:])
    paragraph = ids.of(left[-_PARAGRAPH_WORDS:])
    decay = _decaying(ids, left[-_DECAY_WORDS:], _DECAY)
    far = words(text.between(offset - _FAR_CHARACTERS, offset))[-_FAR_WORDS:]
    spelled = _spelled(at, draft)
    # Where only the left is known, so are only the paragraphs before.
    known = place.text.number if place.right else place.text.paragraph(offset)
    rare = Window(
        np.concatenate([decay.terms, spelled.terms]),
        np.concatenate([decay.weights, spelled.weights]),
    )
    windows = {
        "near": Window.of(ids.of((*left[-_NEAR_WORDS:], *right[:_NEAR_WORDS]))),
        "left": Window.of(left_terms),
        "sentence": Window.of(ids.of(sentence)),
        "paragraph": Window.of(paragraph),
        "headings": Window.of(ids.of(around.headings)),
        "recent": Window.of(titles),
        "both": Window.of(ids.of((*around.before, *around.after))),
        "decay": decay,
        "since": Window.of(ids.of(_since(place.text, offset))),
        "far": _decaying(ids, far, _FAR_DECAY),
        "rare": Window(rare.terms, rare.weights * draft.rarity(rare.terms, known) ** 2),
        "topic": Window(paragraph, draft.rarity(paragraph, known) ** 2),
    }
    # By now all words here have their numbers.
    return {**windows, "like": Window.of(_like(at, left_terms))}


def _decaying(ids: TermIds, left: Sequence[str], length: float) -> Window:
    numbers = ids.numbers(left)
    weights = np.exp(-np.arange(len(numbers))[::-1] / length)
    return Window(numbers[numbers >= 0], weights[numbers >= 0])


def _spelled(at: AtPlace, draft: DraftTerms) -> Window:
    """Return the words of the acronyms near the place that the text before has spelled out."""
    found: list[str] = []
    weights: list[float] = []
    for distance, word in enumerate(reversed(at.left[-_ACRONYM_WORDS:])):
        end, meant = draft.spelled_out.get(word.lower(), (at.place.offset, ()))
        if end < at.place.offset:
            found += meant
            weights += [float(np.exp(-distance / _DECAY))] * len(meant)
    numbers = at.evidence.ids.numbers(found)
    return Window(numbers[numbers >= 0], np.asarray(weights)[numbers >= 0])


def _since(text: SurroundedText, offset: int) -> Sequence[str]:
    """Return the words since the citation before; since an earlier one where these are few."""
    start = max(text.start(offset), offset - _SINCE_CHARACTERS)
    found: list[str] = []
    for part in reversed(text.citing.between(start, offset).split(CITATION_MARK)):
        found = [*words(part), *found]
        if len(found) >= _FEWEST_SINCE:
            break
    return found[-_SINCE_WORDS:]


def _like(at: AtPlace, query: Ids) -> Ids:
    """Return the title terms of what was cited where the text was most like here."""
    citations = at.place.citations
    if citations is None or not at.before or not len(query):
        return NO_IDS
    sought = np.zeros(len(at.seen.idf))
    sought[query] = at.seen.idf[query]
    likeness = at.seen.among(query).dots(sought) / at.seen.norms
    best = np.argsort(-likeness, kind="stable")[:_MOST_LIKE]
    entries = dict.fromkeys(
        entry
        for number in best[likeness[best] > 0.0].tolist()
        for entry in citations.cited_by(number).tolist()
    )
    found, _ = at.fields.titles.of_several(np.asarray(list(entries), np.intp))
    return found
