"""Training of NEAL's layers (Nomoto 2016, section 2): margin ranking with AdaGrad.

An instance is a citance d, a true target r⁺ and the false targets S⁻; the loss is

    Σ [margin - G(d)·F(r⁺) + G(d)·F(r⁻)]₊   over r⁻ in S⁻

and after each step every column of V and W is scaled to length 1. The paper writes V and W as N×K,
so that columns belong to hidden units, not to words as in the model for question answering that it
adapts (Bordes et al. 2014). We take this literally: only then is h of the magnitude of the margin
and of t, as its Figure 4 requires; with words of length 1, h was 12 to 24, where t is at most 1.

What the paper leaves open: it has 4,608 instances of one r⁻ each for the 219 pairs of citation and
target of Table 1, so S⁻ is 20 sentences of the same paper, drawn once. Layers are initialised with
normal random numbers. Steps are over a `batch` of pairs with their S⁻. AdaGrad is used without the
regulariser of its RDA form (regularised dual averaging), whose strength is not given; but words in
no instance are 0, as any such regulariser would make them. `rate` is of the magnitude of the
numbers in a column of length 1; it was chosen by the loss, which reaches 0 in 10 epochs, not by
scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import joblib
import numpy as np

from pincite.matching.sentence_vocabulary import Indices
from pincite.model.problems import InputError, check_parameters

from .neal import DISMISSED_WORDS, Floats, NealModel
from .sparse import csr_array

#: Called with the number of epochs done and in all.
Progress = Callable[[int, int], None]
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

    def __post_init__(self) -> None:
        check_parameters(
            self,
            dimensions=(self.dimensions >= 1, "1 or more"),
            margin=(0.0 < self.margin < np.inf, "a number above 0"),
            epochs=(self.epochs >= 1, "1 or more"),
            negatives=(self.negatives >= 1, "1 or more"),
            rate=(0.0 < self.rate < np.inf, "a number above 0"),
            batch=(self.batch >= 1, "1 or more"),
            seed=(self.seed >= 0, "0 or more"),
        )


@dataclass(frozen=True, slots=True)
class TrainingPaper:
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
        cited: list[int] = []
        true: list[int] = []
        false: list[Indices] = []
        for paper in papers:
            ranked = {
                number: len(sentences) + number
                for number, words in enumerate(paper.sentences)
                if len(words) > DISMISSED_WORDS
            }
            for words, targets in paper.citances:
                others = np.asarray([ranked[each] for each in ranked.keys() - targets], np.intp)
                others.sort()
                for target in sorted(targets & ranked.keys()) if words and len(others) else ():
                    cited.append(len(citances))
                    true.append(ranked[target])
                    few = len(others) < recipe.negatives
                    false.append(draw.choice(others, recipe.negatives, replace=few))
                citances.append(words)
            sentences += paper.sentences
        if not cited:
            raise InputError("no citance has a sentence that it targets, and one that it does not")
        vocabulary = {word: None for text in (*citances, *sentences) for word in text}
        columns = {word: column for column, word in enumerate(vocabulary)}
        rows = np.asarray(cited, np.intp), np.asarray(true, np.intp), np.asarray(false, np.intp)
        return cls(tuple(columns), _binary(citances, columns), _binary(sentences, columns), *rows)

    def digest(self, recipe: NealRecipe) -> str:
        """Return a digest of these instances and a recipe."""
        counts = [(rows.indices, rows.indptr) for rows in (self.citances, self.sentences)]
        pairs = self.cited, self.true, self.false
        return str(joblib.hash((repr(recipe), self.words, counts, pairs)))


def learn(
    instances: Instances, recipe: NealRecipe, progress: Progress = lambda _done, _total: None
) -> NealModel:
    """Train a model on some instances; the same instances and recipe give the same model."""
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
        order = draw.permutation(len(instances.cited))
        for start in range(0, len(order), recipe.batch):
            batch = order[start : start + recipe.batch]
            _, *gradients = loss(instances, batch, layers[0], layers[1], recipe.margin)
            for layer, gradient, summed in zip(layers, gradients, squares, strict=True):
                summed += gradient * gradient
                layer -= recipe.rate * gradient / np.sqrt(summed)
                _normalised(layer)
        progress(epoch + 1, recipe.epochs)
    v, w = layers
    known = np.flatnonzero(v.any(axis=1) | w.any(axis=1))
    vocabulary = {instances.words[row]: number for number, row in enumerate(known.tolist())}
    return NealModel(vocabulary, v[known], w[known], instances.digest(recipe))


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
    return (
        float(np.maximum(slack, 0.0).sum()),
        cited.T @ of_g,
        false.T @ of_false - true.T @ (violations * g),
    )


def _normalised(layer: Floats) -> Floats:
    """Scale the columns of a layer to length 1, in place."""
    lengths = np.linalg.norm(layer, axis=0)
    layer /= np.where(lengths > 0.0, lengths, 1.0)
    return layer


def _binary(texts: Iterable[Sequence[str]], columns: Mapping[str, int]) -> csr_array:
    found = [sorted({columns[word] for word in text}) for text in texts]
    indices = np.fromiter(chain.from_iterable(found), np.int32)
    starts = np.cumsum([0, *map(len, found)], dtype=np.int32)
    shape = len(found), len(columns)
    return csr_array((np.ones(len(indices), np.float32), indices, starts), shape=shape)
