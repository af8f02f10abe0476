"""Plain TF-IDF, and NEAL: TF-IDF mixed with a learned similarity of words (Nomoto 2016).

A sentence r of the reference paper is ranked for a citance d by (sections 1 and 2)

    σ(d, r) = λ h(d, r) + (1 - λ) t(d, r),    h(d, r) = G(d) · F(r)

where t is the cosine of TF-IDF vectors and h a single hidden layer: G(d) is the sum of the rows of
V (N×K) that belong to the words of d, each word once, F(r) the same for W (N×K). V and W are
learned by margin ranking with AdaGrad. An instance is a citance d, a true target r⁺ and the false
targets S⁻; the loss is

    Σ [margin - G(d)·F(r⁺) + G(d)·F(r⁻)]₊   over r⁻ in S⁻

and after each step every column of V and W is scaled to length 1: columns belong to hidden units,
not to words as in the model that it adapts (Bordes et al. 2014). Only so is h of the magnitude of
the margin and of t, as its Figure 4 requires; with words of length 1, h was 12 to 24.

What the paper leaves open: t has the frequencies of the paper's own sentences; the similarity of
two sentences is the same cosine; a candidate is compared with the better ones that stay in the
output. S⁻ is 20 sentences of the same paper, drawn once, as 4,608 instances for the 219 pairs of
Table 1 imply. Layers are initialised with normal random numbers; steps are over a `batch` of pairs
with their S⁻. AdaGrad has no regulariser, whose strength is not given; but words in no instance
are 0, as any would make them. `rate` was chosen by the loss, which reaches 0 in 10 epochs.

The returned scores are fractions: σ, which may be negative, is shifted and scaled by the bounds of
h for the citance. This keeps the order, and with λ = 0 the scores equal t.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pincite.matching.coverage import best_first
from pincite.matching.sentence_vocabulary import Indices, Reading, SentenceWords
from pincite.model.papers import ReferencePaper
from pincite.model.problems import InputError
from pincite.model.results import SupportingSentence
from pincite.representations.tfidf import TfIdfSpace
from pincite.whole_files import write_model

from ..processes import ignored, imported

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Preprocessing of citances and sentences: all words, in lower case, without citation markers.
READING = Reading(truncation=None, cased=False)

#: A paper's words, and the vector space of its sentences; None if there are no words.
SentenceSpace: TypeAlias = tuple[SentenceWords, TfIdfSpace | None]


@dataclass(frozen=True, slots=True)
class TfIdfMatcher:
    """Matches by the cosine of TF-IDF vectors, the IDF fitted on the paper's own sentences."""

    k: int = 2

    def fit(self, paper: ReferencePaper) -> SentenceSpace:
        """Fit the vector space on the sentences of `paper`."""
        words = SentenceWords.of(paper, READING)
        listed = words.listed(words.vocabulary)
        return words, TfIdfSpace.of_bags(([own], []) for own in listed) if listed else None

    def match(
        self, citance: str, fitted: SentenceSpace, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return `number` sentences, by default `k`, by falling cosine."""
        words, space = fitted
        if space is None:
            return []
        query = READING.words(citance)
        cosines = space.score(query).cosine.clip(max=1.0)
        found = best_first(cosines, self.k if number is None else number)
        return words.supporting(found, words.telling(query))


#: Sentences with at most this many words are dismissed (section 1).
_DISMISSED_WORDS = 2

_FILE = "neal.npz"

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class NealModel:
    """The learned layers: `v` (N×K) for the words of citances, `w` (N×K) for those of sentences."""

    vocabulary: Mapping[str, int] = field(default_factory=dict)
    v: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    w: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    @classmethod
    def load(cls, folder: Path) -> NealModel:
        """Read ``neal.npz`` from a folder; raises `InputError` if it is missing or damaged."""
        path = folder / _FILE
        try:
            with np.load(path, allow_pickle=False) as arrays:
                words = arrays["words"].tobytes().decode("utf-8").split("\n")
                model = cls({word: row for row, word in enumerate(words)}, arrays["v"], arrays["w"])
            if not len(words) == len(model.v) == len(model.w):
                raise ValueError("not a row of numbers for each word")
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}") from error
        except Exception as error:  # a foreign file may fail in many ways
            raise InputError(f"{path} is not a NEAL model, or is damaged: {error}") from error
        return model

    def save(self, folder: Path) -> None:
        """Write ``neal.npz`` to a folder."""
        words = np.frombuffer("\n".join(self.vocabulary).encode(), np.uint8)
        written = BytesIO()
        np.savez(written, words=words, v=self.v, w=self.w)
        write_model(folder / _FILE, [written.getvalue()])

    def citance(self, words: Sequence[str]) -> Floats:
        """Return G (K) of a citance's words."""
        return self._summed(self.v, words)

    def sentences(self, words: SentenceWords) -> Floats:
        """Return F (S×K) of the sentences that have words."""
        found = [self._summed(self.w, own) for own in words.listed(words.vocabulary)]
        return np.asarray(found, np.float32).reshape(len(found), self.w.shape[1])

    def _summed(self, layer: Floats, words: Sequence[str]) -> Floats:
        rows = sorted({self.vocabulary[word] for word in words if word in self.vocabulary})
        summed: Floats = layer[np.asarray(rows, np.intp)].sum(axis=0)
        return summed


class EmbeddedPaper(NamedTuple):
    """A paper's vector space, its S sentences in the hidden layer, and which of them are ranked."""

    sentences: SentenceSpace
    hidden: Floats
    reach: float
    ranked: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class NealMatcher:
    """Matches by σ, where `mix` is λ, and drops sentences that repeat a better one.

    Of the best `k`, those whose similarity with a better one that stays exceeds `gamma` are
    dropped.
    """

    model: NealModel = field(default_factory=NealModel)
    k: int = 2
    mix: float = 0.1
    gamma: float = 0.24

    def fit(self, paper: ReferencePaper) -> EmbeddedPaper:
        """Compute whatever does not depend on the citance."""
        words, _ = fitted = TfIdfMatcher().fit(paper)
        hidden = self.model.sentences(words)
        reach = float(np.linalg.norm(hidden, axis=1).max(initial=0.0))
        ranked = np.bincount(words.owners) > _DISMISSED_WORDS
        return EmbeddedPaper(fitted, hidden, reach, ranked)

    def match(
        self, citance: str, fitted: EmbeddedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return up to `number` sentences, by default `k`; none repeats a better one."""
        words, space = fitted.sentences
        cited = READING.words(citance)
        embedded = self.model.citance(cited)
        bound = float(np.linalg.norm(embedded)) * fitted.reach
        # σ is from -λ·bound to λ·bound + 1 - λ.
        extent = 2.0 * self.mix * bound + 1.0 - self.mix
        if space is None or not extent:
            return []
        h = (fitted.hidden @ embedded).astype(np.float64)
        t = space.score(cited).cosine
        scores = (self.mix * (h + bound) + (1.0 - self.mix) * t) / extent
        found: list[tuple[int, float]] = []
        listed = words.listed(words.vocabulary)
        ranked, wanted = np.where(fitted.ranked, scores, 0.0), self.k if number is None else number
        for index, score in best_first(ranked, wanted):
            similar = space.score(listed[index]).cosine
            if all(similar[earlier] <= self.gamma for earlier, _ in found):
                found.append((index, min(score, 1.0)))
        return words.supporting(found, words.telling(cited))


#: Keeps the first steps finite: the square of a gradient far smaller than any other.
_EPSILON = 1e-8


@dataclass(frozen=True, slots=True)
class NealRecipe:
    """How the layers are trained: K columns, the margin, and what the paper leaves open."""

    dimensions: int = 30
    margin: float = 0.1
    epochs: int = 10
    negatives: int = 20
    rate: float = 0.01
    batch: int = 16
    seed: int = 0


class TrainingPaper(NamedTuple):
    """The words of a paper's sentences; the words of each citance with the sentences it targets."""

    sentences: Sequence[Sequence[str]]
    citances: Sequence[tuple[Sequence[str], frozenset[int]]]


@dataclass(frozen=True, slots=True, eq=False)
class Instances:
    """P pairs of citance and true target, each with its n false targets."""

    words: tuple[str, ...]
    citances: csr_array
    sentences: csr_array
    cited: Indices
    true: Indices
    false: Indices

    @classmethod
    def of(cls, papers: Iterable[TrainingPaper], recipe: NealRecipe) -> Instances:
        """Draw false targets for all pairs; sentences that are never ranked are left out."""
        draw = np.random.default_rng(recipe.seed)
        citances: list[Sequence[str]] = []
        sentences: list[Sequence[str]] = []
        pairs: list[tuple[int, int, Indices]] = []
        for paper in papers:
            ranked = {
                number: len(sentences) + number
                for number, words in enumerate(paper.sentences)
                if len(words) > _DISMISSED_WORDS
            }
            for words, targets in paper.citances:
                others = np.asarray([ranked[each] for each in ranked.keys() - targets], np.intp)
                others.sort()
                for target in sorted(targets & ranked.keys()) if words and len(others) else ():
                    few = len(others) < recipe.negatives
                    drawn = draw.choice(others, recipe.negatives, replace=few)
                    pairs.append((len(citances), ranked[target], drawn))
                citances.append(words)
            sentences += paper.sentences
        if not pairs:
            raise InputError("no citance has a sentence that it targets, and one that it does not")
        vocabulary = {word: None for text in (*citances, *sentences) for word in text}
        columns = {word: column for column, word in enumerate(vocabulary)}
        rows = (np.asarray(each, np.intp) for each in zip(*pairs, strict=True))
        return cls(tuple(columns), _binary(citances, columns), _binary(sentences, columns), *rows)


def learn(
    instances: Instances, recipe: NealRecipe, progress: Callable[[int], None] = ignored
) -> NealModel:
    """Train V and W; words that stay 0 in both are left out of the model."""
    draw = np.random.default_rng(recipe.seed)
    shape = len(instances.words), recipe.dimensions
    shown = np.concatenate([instances.true, instances.false.ravel()])
    layers: list[Floats] = []
    for rows in (instances.citances[instances.cited], instances.sentences[shown]):
        layer = draw.standard_normal(shape).astype(np.float32)
        layer[np.bincount(rows.indices, minlength=shape[0]) == 0] = 0.0
        layers.append(_normalised(layer))
    squares = [np.full(shape, _EPSILON, np.float32) for _ in layers]
    for epoch in range(recipe.epochs):
        progress(epoch)
        order = draw.permutation(len(instances.cited))
        for start in range(0, len(order), recipe.batch):
            batch = order[start : start + recipe.batch]
            _, *gradients = loss(instances, batch, layers[0], layers[1], recipe.margin)
            for layer, gradient, summed in zip(layers, gradients, squares, strict=True):
                summed += gradient * gradient
                layer -= recipe.rate * gradient / np.sqrt(summed)
                _normalised(layer)
    v, w = layers
    known = np.flatnonzero(v.any(axis=1) | w.any(axis=1))
    vocabulary = {instances.words[row]: number for number, row in enumerate(known.tolist())}
    return NealModel(vocabulary, v[known], w[known])


def loss(
    instances: Instances, batch: Indices, v: Floats, w: Floats, margin: float
) -> tuple[float, Floats, Floats]:
    """Return the loss of a batch of pairs, and its gradients with respect to V and W (N×K)."""
    cited = instances.citances[instances.cited[batch]]
    true = instances.sentences[instances.true[batch]]
    false = instances.sentences[instances.false[batch].ravel()]
    g, f_true = cited @ v, true @ w
    f_false = (false @ w).reshape(len(batch), -1, w.shape[1])
    slack = margin - (g * f_true).sum(axis=1)[:, None] + np.einsum("bk,bnk->bn", g, f_false)
    active = (slack > 0.0).astype(w.dtype)
    violations = active.sum(axis=1)[:, None]
    of_g = np.einsum("bn,bnk->bk", active, f_false) - violations * f_true
    of_false = (active[:, :, None] * g[:, None, :]).reshape(-1, w.shape[1])
    of_w = false.T @ of_false - true.T @ (violations * g)
    return float(np.maximum(slack, 0.0).sum()), cited.T @ of_g, of_w


def _normalised(layer: Floats) -> Floats:
    """Scale the columns of a layer to length 1, in place."""
    lengths = np.linalg.norm(layer, axis=0)
    layer /= np.where(lengths > 0.0, lengths, 1.0)
    return layer


def _binary(texts: Iterable[Sequence[str]], columns: Mapping[str, int]) -> csr_array:
    found = [sorted({columns[word] for word in text}) for text in texts]
    indices = np.fromiter(chain.from_iterable(found), np.int32)
    starts = np.cumsum([0, *map(len, found)], dtype=np.int32)
    (sparse,) = imported('this needs SciPy: pip install "pincite[evaluation]"', "scipy.sparse")
    ones = np.ones(len(indices), np.float32)
    return sparse.csr_array((ones, indices, starts), shape=(len(found), len(columns)))
