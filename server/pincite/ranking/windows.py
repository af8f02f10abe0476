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
from .at_place import AtPlace, Floats, SeenTerms

#: In the order of columns. `left` and `sentence` are of the paragraph alone, `since` is what
#: follows the citation before, `both` are twenty words on each side (Duma and Klein 2014), `recent`
#: and `like` the titles of what was just cited, and of what was cited in similar sentences. Words
#: count by their distance in `far` and `rare`, and by how rare they are in the draft in `rare` and
#: `topic`, the paragraph so far. Each window takes time: a term is counted once for each that has
#: it. More of them (the paragraph, six words on each side) gained nothing.
WINDOWS: Final = (
    *("left", "sentence", "headings", "recent", "both"),
    *("like", "since", "far", "rare", "topic"),
)
#: Those that are compared with the words of earlier citations.
OWN_WINDOWS: Final = ("left", "sentence", "both", "since", "far")

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


def windows_at(at: AtPlace) -> tuple[Mapping[str, Window], Floats]:
    """Return the windows of a place by name, and how similar earlier citations are to it.

    The latter are the dot products of the TF-IDF vectors of `OWN_WINDOWS`, of length 1, with those
    of the words around each citation before the place (windows by citations).
    """
    place, left, right = at.place, at.left, at.right
    ids, text, offset, draft = at.ids, at.place.text.citing, at.place.offset, at.draft
    around = place.text.around(offset, right=place.right)
    sentence = left[len(left) - around.sentence_left :] + right[: around.sentence_right]
    titles, _ = at.facts.titles.of_several(at.recent)
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
        "left": Window.of(ids.of(left[-_LEFT_WORDS:])),
        "sentence": Window.of(ids.of(sentence)),
        "headings": Window.of(ids.of(around.headings)),
        "recent": Window.of(titles),
        "both": Window.of(ids.of((*around.before, *around.after))),
        "since": Window.of(ids.of(_since(place.text, offset))),
        "far": _decaying(ids, far, _FAR_DECAY),
        "rare": Window(rare.terms, rare.weights * draft.rarity(rare.terms, known) ** 2),
        "topic": Window(paragraph, draft.rarity(paragraph, known) ** 2),
    }
    # At this point, all words of the place have numbers.
    dots = np.zeros((len(OWN_WINDOWS), at.before))
    if at.before:
        dots = at.seen.dots(*_vectors([windows[name] for name in OWN_WINDOWS], at.seen))
    like = _like(at, dots[OWN_WINDOWS.index("left")])
    return {**windows, "like": Window.of(like)}, dots


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


def _vectors(windows: Sequence[Window], seen: SeenTerms) -> tuple[Ids, Floats]:
    """Return the distinct terms of windows, and their TF-IDF unit vectors (windows by terms)."""
    terms, counts = counted(windows)
    vectors = counts * seen.idf(terms)
    lengths = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    return terms, vectors / np.where(lengths > 0.0, lengths, 1.0)


def _like(at: AtPlace, dots: Floats) -> Ids:
    """Return the title terms of what was cited at the places most similar to this one.

    `dots` are the dot products of this place with the citations before it.
    """
    citations = at.place.citations
    if citations is None or not at.before:
        return NO_IDS
    likeness = dots / at.seen.norms
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
