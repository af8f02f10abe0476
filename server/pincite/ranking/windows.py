"""The parts of the text around a place that are compared with the entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..representations.columns import sums_of_cells
from ..representations.entry_terms import Ids, TermIds
from ..text.tokens import words
from .at_place import AtPlace, Floats, SeenTerms

#: In the order of columns. `sentence` is the sentence so far, `both` are twenty words on each
#: side (Duma and Klein 2014), `recent` the titles of what was just cited. Words count by their
#: distance in `far` and `rare`, and by how rare they are in the draft in `rare` and `topic`, the
#: paragraph so far. More windows gained nothing: twenty words to the left, those since the
#: citation before, titles of what was cited in similar sentences.
WINDOWS: Final = ("sentence", "headings", "recent", "both", "far", "rare", "topic")
#: Those that are compared with the words of earlier citations.
OWN_WINDOWS: Final = ("sentence", "both", "far")

_PARAGRAPH_WORDS: Final = 80
_DECAY_WORDS: Final = 40
#: A word counts by e^(-d / 8), d words before the place.
_DECAY: Final = 8.0
_FAR_CHARACTERS: Final = 1_200
_FAR_WORDS: Final = 150
_FAR_DECAY: Final = 40.0
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

    @classmethod
    def weighted(cls, ids: TermIds, found: Sequence[str], weights: npt.ArrayLike) -> Window:
        """Return a window of those words that count, which have weights."""
        numbers = ids.numbers(found)
        return cls(numbers[numbers >= 0], np.asarray(weights, np.float64)[numbers >= 0])


def counted(windows: Sequence[Window]) -> tuple[Ids, Floats]:
    """Return the distinct terms of windows, and their weights in each (windows by terms)."""
    terms, term = np.unique(np.concatenate([each.terms for each in windows]), return_inverse=True)
    row = np.repeat(np.arange(len(windows)), [len(each.terms) for each in windows])
    weights = np.concatenate([each.weights for each in windows])
    shape = len(windows), len(terms)
    return terms, sums_of_cells(row * len(terms) + term, weights, shape)


def windows_at(at: AtPlace) -> tuple[Mapping[str, Window], Floats]:
    """Return the windows of a place by name, and how similar earlier citations are to it.

    The latter are the dot products of the TF-IDF vectors of `OWN_WINDOWS`, of length 1, with those
    of the words around each citation before the place (windows by citations).
    """
    place, left, right = at.place, at.left, at.right
    ids, text, offset, draft = at.ids, at.place.text.citing, at.place.offset, at.draft
    around = at.around
    sentence = left[len(left) - around.sentence_left :] + right[: around.sentence_right]
    titles, _ = at.fields.titles.of_several(at.recent)
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
        "sentence": Window.of(ids.of(sentence)),
        "headings": Window.of(ids.of(around.headings)),
        "recent": Window.of(titles),
        "both": Window.of(ids.of((*around.before, *around.after))),
        "far": _decaying(ids, far, _FAR_DECAY),
        "rare": Window(rare.terms, rare.weights * draft.rarity(rare.terms, known) ** 2),
        "topic": Window(paragraph, draft.rarity(paragraph, known) ** 2),
    }
    # At this point, all words of the place have numbers.
    dots = np.zeros((len(OWN_WINDOWS), at.before))
    if at.before:
        dots = at.seen.dots(*_vectors([windows[name] for name in OWN_WINDOWS], at.seen))
    return windows, dots


def _decaying(ids: TermIds, left: Sequence[str], length: float) -> Window:
    return Window.weighted(ids, left, np.exp(-np.arange(len(left))[::-1] / length))


def _spelled(at: AtPlace) -> Window:
    """Return the words of nearby acronyms that the text before the place spells out."""
    found: list[str] = []
    weights: list[float] = []
    for distance, word in enumerate(reversed(at.left[-_ACRONYM_WORDS:])):
        end, spelled = at.draft.spelled_out.get(word.lower(), (at.place.offset, ()))
        if end < at.place.offset:
            found += spelled
            weights += [float(np.exp(-distance / _DECAY))] * len(spelled)
    return Window.weighted(at.ids, found, weights)


def _vectors(windows: Sequence[Window], seen: SeenTerms) -> tuple[Ids, Floats]:
    """Return the distinct terms of windows, and their TF-IDF unit vectors (windows by terms)."""
    terms, counts = counted(windows)
    vectors = counts * seen.idf(terms)
    lengths = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    return terms, vectors / np.where(lengths > 0.0, lengths, 1.0)
