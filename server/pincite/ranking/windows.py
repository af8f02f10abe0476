"""The parts of the text around a place that are compared with the entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..contexts.surroundings import SurroundedText
from ..model.drafts import CITATION_MARK
from ..representations.columns import sums_of_cells
from ..representations.entry_terms import NO_IDS, Ids, TermIds
from ..text.tokens import words
from .at_place import AtPlace, Floats

#: In the order of columns. `near` to `paragraph` are of the paragraph alone, `since` is what
#: follows the citation before, `both` are twenty words on each side (Duma and Klein 2014), `recent`
#: and `like` the titles of what was just cited, and of what was cited in similar sentences. In
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
#: The number of most similar places whose citations form `like`.
_MOST_LIKE: Final = 3
_ACRONYM_WORDS: Final = 25


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Terms in order, each with a weight."""

    terms: Ids
    weights: Floats

    @classmethod
    def of(cls, terms: Ids) -> Window:
        """Return a window of terms with equal weights."""
        return cls(terms, np.ones(len(terms)))


def counted(windows: Sequence[Window]) -> tuple[Ids, Floats]:
    """Return the distinct terms of windows, and their weights in each (windows by terms)."""
    terms, term = np.unique(np.concatenate([each.terms for each in windows]), return_inverse=True)
    row = np.repeat(np.arange(len(windows)), [len(each.terms) for each in windows])
    weights = np.concatenate([each.weights for each in windows])
    shape = len(windows), len(terms)
    return terms, sums_of_cells(row * len(terms) + term, weights, shape)


def windows_at(at: AtPlace) -> Mapping[str, Window]:
    """Return the windows of a place, by name."""
    place, left, right = at.place, at.left, at.right
    ids, text, offset, draft = at.ids, at.place.text.citing, at.place.offset, at.draft
    around = place.text.around(offset, right=place.right)
    sentence = left[len(left) - around.sentence_left :] + right[: around.sentence_right]
    titles, _ = at.facts.titles.of_several(at.recent)
    left_terms = ids.of(left[-_LEFT_WORDS:])
    paragraph = ids.of(left[-_PARAGRAPH_WORDS:])
    decay = _decaying(ids, left[-_DECAY_WORDS:], _DECAY)
    far = words(text.between(offset - _FAR_CHARACTERS, offset))[-_FAR_WORDS:]
    spelled = _spelled(at)
    # Where only the left is known, only the paragraphs before are.
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
    # At this point, all words of the place have numbers.
    return {**windows, "like": Window.of(_like(at, left_terms))}


def _decaying(ids: TermIds, left: Sequence[str], length: float) -> Window:
    numbers = ids.numbers(left)
    weights = np.exp(-np.arange(len(numbers))[::-1] / length)
    return Window(numbers[numbers >= 0], weights[numbers >= 0])


def _spelled(at: AtPlace) -> Window:
    """Return the words of nearby acronyms that the text before the place spells out."""
    found: list[str] = []
    weights: list[float] = []
    for distance, word in enumerate(reversed(at.left[-_ACRONYM_WORDS:])):
        end, meant = at.draft.spelled_out.get(word.lower(), (at.place.offset, ()))
        if end < at.place.offset:
            found += meant
            weights += [float(np.exp(-distance / _DECAY))] * len(meant)
    numbers = at.ids.numbers(found)
    return Window(numbers[numbers >= 0], np.asarray(weights)[numbers >= 0])


def _since(text: SurroundedText, offset: int) -> Sequence[str]:
    """Return the words since the previous citation; since an earlier one if these are few."""
    start = max(text.start(offset), offset - _SINCE_CHARACTERS)
    found: list[str] = []
    for part in reversed(text.citing.between(start, offset).split(CITATION_MARK)):
        found = [*words(part), *found]
        if len(found) >= _FEWEST_SINCE:
            break
    return found[-_SINCE_WORDS:]


def _like(at: AtPlace, query: Ids) -> Ids:
    """Return the title terms of what was cited at the places most similar to this one."""
    citations = at.place.citations
    if citations is None or not at.before or not len(query):
        return NO_IDS
    terms = np.asarray(sorted({*query.tolist()}), np.int32)
    likeness = at.seen.dots(terms, at.seen.idf[None, terms])[0] / at.seen.norms
    least = np.partition(likeness, -_MOST_LIKE)[-_MOST_LIKE] if len(likeness) > _MOST_LIKE else 0.0
    best = np.flatnonzero(likeness >= least)
    best = best[np.argsort(-likeness[best], kind="stable")][:_MOST_LIKE]
    entries = dict.fromkeys(
        entry
        for number in best[likeness[best] > 0.0].tolist()
        for entry in citations.cited_by(number).tolist()
    )
    found, _ = at.facts.titles.of_several(np.asarray(list(entries), np.intp))
    return found
