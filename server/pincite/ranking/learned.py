"""The learned ranker: boosted trees over separate evidence (`features`).

A list-wise model in the way of LambdaMART (Burges 2010): trees score each entry, and a softmax over
the list turns the scores into probabilities that a work is cited here. It is calibrated by two
constants that were fitted on projects the trees had not seen (Platt 1999).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..cancellation import check
from ..contexts.surroundings import SurroundedText
from ..model.citing_text import CitingText, PartCache, TextPart
from ..model.contexts import CitationContext, PlaceInText
from ..model.drafts import CITATION_MARK
from ..model.encoders import TextVectors
from ..model.papers import Basis, Candidate, Candidates
from ..model.problems import InputError
from ..model.results import RankedEntry
from ..representations.entry_terms import EntryReader, EntryTerms, TermIds
from ..representations.fields import EntryFields
from ..text.stemming import stemmer
from ..text.stop_words import function_words
from ..trees import Leaves, TreeModel
from .base import Ranker, rounded
from .draft_citations import DraftCitations, PartCitations
from .features import Evidence, Features, Place
from .library_prior import Familiar, probability_in_library
from .meaning_features import Meanings, described
from .reasons import kinds_of, reasons, shared, words_before

Floats = npt.NDArray[np.float64]

#: Without and with features of meaning.
PACKAGED: Final = Path(__file__).with_name("learned.npz")
PACKAGED_ENCODER: Final = Path(__file__).with_name("learned-encoder.npz")
#: The key of the `Calibration` in the `meta` of a model's trees.
CALIBRATION: Final = "calibration"
_SMALLEST: Final = 1e-9
_MAX_MATCHED: Final = 12


@dataclass(frozen=True, slots=True)
class Calibration:
    """From the scores of a list to probabilities: ``sigmoid(slope · logit(p) + shift)``.

    p is the softmax of the scores.
    """

    slope: float = 1.0
    shift: float = 0.0

    def probabilities(self, scores: Floats, others: Floats | None = None) -> Floats:
        """Return the probability of each entry of a list, to which `others` belong as well."""
        whole = scores if others is None else np.concatenate([scores, others])
        logits = list_logits(whole)[: len(scores)]
        return np.asarray(1.0 / (1.0 + np.exp(-self.slope * logits - self.shift)))


def list_logits(scores: Floats) -> Floats:
    """Return the log odds of a softmax over the scores of a list."""
    if not len(scores):
        return scores
    shares = np.exp(scores - scores.max())
    shares = np.clip(shares / shares.sum(), _SMALLEST, 1.0 - _SMALLEST)
    return np.asarray(np.log(shares) - np.log1p(-shares), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class LearnedModel:
    """Trees, and the calibration of their scores."""

    trees: TreeModel
    calibration: Calibration

    @classmethod
    def load(cls, path: Path = PACKAGED) -> LearnedModel:
        """Read a model made by ``pincite train ranker``; raises `InputError` as `TreeModel`."""
        trees = TreeModel.load(path)
        return cls(trees, Calibration(**trees.meta.get(CALIBRATION, {})))

    def matrix(self, found: Features) -> npt.NDArray[np.float32]:
        """Return the features that the trees use, in their order (float32, R×F).

        Raise `InputError` if the model uses unknown features.
        """
        if unknown := [name for name in self.trees.features if name not in found.columns]:
            reason = f"nothing is known about {unknown[0]}"
            raise InputError(f"the ranker's model was made for another version ({reason})")
        columns = [found.columns[name] for name in self.trees.features]
        # `values` is stored by feature, which is how the trees read it.
        return np.asarray(found.values.T.take(columns, axis=0).T, np.float32)

    def scores(self, found: Features) -> Floats:
        """Return the score of each selected entry; higher is better."""
        return self.trees.predict(self.matrix(found))

    def contributions(self, leaves: Leaves) -> tuple[tuple[str, ...], Floats]:
        """Return the kinds of reasons, and what each contributes to the scores (R by kinds).

        `leaves` are those that R entries reach.
        """
        kinds, credits = _credits(self.trees)
        return kinds, self.trees.contributions(leaves, credits)


@lru_cache(2)
def _credits(trees: TreeModel) -> tuple[tuple[str, ...], Floats]:
    """Return the kinds of reasons, and the credits of each at the leaves (kinds by leaves)."""
    kinds, groups = kinds_of(trees.features)
    return kinds, trees.credits(groups)


@cache
def packaged(*, with_meaning: bool = False) -> LearnedModel:
    """Return the packaged model without or with features of meaning, read once."""
    return LearnedModel.load(PACKAGED_ENCODER if with_meaning else PACKAGED)


@dataclass(frozen=True, slots=True, eq=False)
class _LookedAt:
    """The features and scores at the place of a context, and the leaves that these are of."""

    context: CitationContext
    place: Place
    found: Features
    leaves: Leaves
    scores: Floats


class LearnedRanker(Ranker[EntryFields]):
    """Ranks by the probability that a work is cited, as predicted from the evidence.

    Safe to use from several threads once it is fitted.
    """

    def __init__(
        self,
        model: LearnedModel,
        language: str | None = None,
        left_out: frozenset[str] = frozenset(),
        key_of: Callable[[str], str | None] = lambda _key: None,
        vectors: TextVectors | None = None,
    ) -> None:
        """Store a model and what is known about the draft.

        Stems and function words are those of its `language`; `left_out` are further words that are
        ignored. `key_of` returns the key of the candidate that a key in the draft means. A model
        with features of meaning needs `vectors` of texts.
        """
        super().__init__()
        self._model = model
        self._stem = stemmer(language)
        self._function_words = function_words(language)
        self._left_out = self._function_words | left_out
        self._key_of = cache(key_of)
        self._vectors = vectors
        self._evidence: Evidence
        # The next request is likely for the same text, or nearly.
        self._read: DraftCitations | None = None
        self._parts = PartCache[PartCitations]()
        self._latest: _LookedAt | None = None

    def _counted(self, candidates: Iterable[Candidate]) -> EntryFields:
        # The result serves all drafts in the language.
        ids = TermIds(self._stem, left_out=self._function_words)
        names: dict[str, int] = {}
        reader, texts = EntryReader(ids, names), list[str]()

        def read(candidate: Candidate) -> EntryTerms:
            if self._vectors is not None:
                texts.append(described(candidate))
            return reader.read(candidate)

        fields = EntryFields.of(map(read, candidates), ids, names)
        self.described = tuple(texts)
        return fields

    def _titled(self, candidates: Candidates, titles: Iterable[str]) -> EntryFields:
        del candidates
        return EntryFields.of_titles(titles, TermIds(self._stem, left_out=self._function_words))

    def _begin(
        self,
        candidates: Candidates,
        index: EntryFields | None,
        bases: tuple[tuple[Basis, ...], ...],
    ) -> None:
        super()._begin(candidates, index, bases)
        self._read = self._latest = None
        self._parts = PartCache()
        if index is not None:
            ids = TermIds(self._stem, dict(index.terms), self._left_out)
            meanings = None
            if self._vectors is not None:
                meanings = Meanings(self._vectors, self.described or ("",) * len(index))
            has_order = not self.keys.in_order
            self._evidence = Evidence(index, ids, has_order=has_order, meanings=meanings)

    def _scored(
        self, index: EntryFields, context: CitationContext, beside: Ranker[Any] | None
    ) -> tuple[Floats, Callable[[int], tuple[float, float, int]]]:
        """Return probabilities; those of candidates without any evidence are 0.

        Candidates `beside` have the evidence of their own list, so the probabilities in one list of
        both are approximations.
        """
        at = self._look(context)
        others = None
        if isinstance(beside, LearnedRanker) and beside.index is not None:
            others = beside._look(context).scores
        probabilities = self._model.calibration.probabilities(at.scores, others)
        scores = np.zeros(len(index))
        scores[at.found.positions] = rounded(probabilities * at.found.has_evidence)
        slot_of = np.full(len(index), -1, np.intp)
        slot_of[at.found.positions] = np.arange(len(at.found.positions))

        def parts(position: int) -> tuple[float, float, int]:
            slot = int(slot_of[position])
            if slot < 0:
                return 0.0, 0.0, position
            return float(at.found.inside[slot]), float(at.found.outside[slot]), position

        return scores, parts

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Add the words before the place that each entry shares, and the reasons for its rank."""
        if self.index is None or not entries:
            return list(entries)
        check()
        at = self._look(context)
        slots = {position: slot for slot, position in enumerate(at.found.positions.tolist())}
        shown = [entry for entry in entries if entry.bag in slots]
        chosen = np.asarray([slots[entry.bag] for entry in shown], dtype=np.intp)
        matched = self._evidence.matched(words_before(at.place), at.found, chosen)
        why = reasons(
            self._evidence,
            at.place,
            at.found,
            chosen.tolist(),
            *self._model.contributions(at.leaves.of(chosen)),
            lambda position: self._candidates[self.keys.listed[position]],
            matched,
        )
        explained = {
            # Where nothing that can be named decided, shared words are still true.
            entry.bag: replace(
                entry, matched=tuple(words[:_MAX_MATCHED]), reasons=own or shared(words)
            )
            for entry, words, own in zip(shown, matched, why, strict=True)
        }
        return [explained.get(entry.bag, entry) for entry in entries]

    def of_library(
        self, context: CitationContext, entries: Iterable[RankedEntry]
    ) -> list[RankedEntry]:
        """Return entries of the author's library by the probability that the draft cites them.

        Their scores are those of one list with these candidates.
        """
        found = [
            replace(entry, score=probability_in_library(entry.score, familiar))
            for entry in entries
            for familiar in [self.familiar(context, entry.candidate)]
        ]
        return sorted(found, key=lambda entry: -entry.score)

    def familiar(self, context: CitationContext, work: Candidate) -> Familiar:
        """Return what `probability_in_library` needs of a work of the library."""
        if self.index is None:
            return Familiar()
        return self._evidence.familiar(work.title, work.names, self._look(context).place)

    def _look(self, context: CitationContext) -> _LookedAt:
        latest = self._latest
        if latest is None or latest.context is not context:
            where = context.place or _alone(context)
            citations = self._citations(where.text)
            place = Place(citations, where.offset)
            found = self._evidence.at(place)
            trees = self._model.trees
            leaves = trees.leaves(self._model.matrix(found))
            self._latest = latest = _LookedAt(context, place, found, leaves, trees.sums(leaves))
        return latest

    def _citations(self, text: CitingText) -> DraftCitations:
        known = self._read
        if known is None or known.text.citing is not text:
            ids = self._evidence.ids

            def read(part: TextPart) -> PartCitations:
                starts = (start for start, _ in part.places)
                cited = (self._cited(keys) for _, keys in part.places)
                return PartCitations.of(part, starts, cited, ids)

            parts = self._parts.of(text, read)
            self._read = known = DraftCitations(SurroundedText(text), parts)
        return known

    def _cited(self, keys: Sequence[str]) -> tuple[int, ...]:
        """Return the positions of the candidates that keys in the draft refer to."""
        entries = filter(None, map(self._key_of, keys))
        found = dict.fromkeys(map(self.keys.positions.get, entries))
        return tuple(position for position in found if position is not None)


def _alone(context: CitationContext) -> PlaceInText:
    """Return the place of a context that is only words."""
    left = " ".join(context.left)
    text = f"{left} {CITATION_MARK} {' '.join(context.right)}"
    return PlaceInText(CitingText.of(text), len(left) + 1)
