"""NEAL: TF-IDF mixed with a learned similarity of words (Nomoto 2016, sections 1 and 2).

A sentence r of the reference paper is ranked for a citance d by

    σ(d, r) = λ h(d, r) + (1 - λ) t(d, r),    h(d, r) = G(d) · F(r)

where t is the cosine of TF-IDF vectors and h a single hidden layer: G(d) is the sum of the rows of
V (N×K) that belong to the words of d, each word once, F(r) the same for W (N×K). V and W are
learned (`neal_learning`); words that did not occur in training are ignored.

What the paper leaves open: t is that of `tfidf`, with the frequencies of the paper's own sentences
(theirs are those of the corpus under test); the similarity of two sentences is the same cosine; a
candidate is compared with the better ones that stay in the output. h is not rescaled. The columns
of V and W have length 1 as in the paper, which keeps h in the range of t: its largest value for a
citance was 0.35 on average on held-out papers.

The returned scores are fractions: σ, which may be negative, is shifted and scaled by the bounds of
h for the citance. This keeps the order, and with λ = 0 the scores equal t.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pincite.matching.sentence_vocabulary import Indices, SentenceWords
from pincite.matching.top_sentences import best_first
from pincite.model.papers import ReferencePaper
from pincite.model.problems import InputError, check_parameters
from pincite.model.results import SupportingSentence
from pincite.whole_files import write_model

from .tfidf import READING, SentenceSpace, TfIdfMatcher

#: Sentences with at most this many words are dismissed (section 1).
DISMISSED_WORDS = 2

_FILE = "neal.npz"

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class NealModel:
    """The learned layers: `v` (N×K) for the words of citances, `w` (N×K) for those of sentences."""

    vocabulary: Mapping[str, int]
    v: Floats
    w: Floats
    origin: str = ""

    @classmethod
    def empty(cls) -> NealModel:
        """Return a model without words: h is 0."""
        nothing = np.zeros((0, 0), np.float32)
        return cls({}, nothing, nothing)

    @classmethod
    def load(cls, folder: Path) -> NealModel:
        """Read the model in a folder; raise `InputError` if it is missing or damaged."""
        path = folder / _FILE
        try:
            with np.load(path, allow_pickle=False) as arrays:
                words = arrays["words"].tobytes().decode("utf-8").split("\n")
                v, w, origin = arrays["v"], arrays["w"], str(arrays["origin"])
            words = words if words != [""] else []
            for name, layer in (("v", v), ("w", w)):
                if layer.dtype != np.float32 or layer.ndim != 2 or layer.shape != v.shape:
                    raise ValueError(f"{name} has shape {layer.shape}, {layer.dtype}")
                if len(layer) != len(words) or not np.isfinite(layer).all():
                    raise ValueError(f"{name} is not a row of numbers for each word")
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}") from error
        except Exception as error:  # a foreign file may fail in many ways, and may claim any size
            raise InputError(f"{path} is not a NEAL model, or is damaged: {error}") from error
        return cls({word: row for row, word in enumerate(words)}, v, w, origin)

    def save(self, folder: Path) -> None:
        """Write the model into a folder atomically; raise `InputError` if that fails."""
        words = np.frombuffer("\n".join(self.vocabulary).encode(), np.uint8)
        written = BytesIO()
        np.savez(written, words=words, v=self.v, w=self.w, origin=np.array(self.origin))
        with suppress(OSError):  # which writing reports
            folder.mkdir(parents=True, exist_ok=True)
        write_model(folder / _FILE, [written.getvalue()])

    def citance(self, words: Sequence[str]) -> Floats:
        """Return G (K) of a citance's words."""
        rows = self._rows(tuple(dict.fromkeys(words)))
        summed: Floats = self.v[rows[rows >= 0]].sum(axis=0)
        return summed

    def sentences(self, words: SentenceWords) -> Floats:
        """Return F (S×K) of the sentences that have words."""
        rows = self._rows(words.vocabulary)
        layer = np.zeros((len(rows), self.w.shape[1]), np.float32)
        layer[rows >= 0] = self.w[rows[rows >= 0]]
        owners, columns = np.unique(np.stack([words.owners, words.columns]), axis=1)
        starts = np.searchsorted(owners, np.arange(len(words.starts)))
        summed: Floats = np.add.reduceat(layer[columns], starts, axis=0)
        return summed

    def _rows(self, words: Sequence[str]) -> Indices:
        return np.fromiter((self.vocabulary.get(word, -1) for word in words), np.intp, len(words))


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedPaper:
    """A paper's vector space, its S sentences in the hidden layer, and which of them are ranked."""

    sentences: SentenceSpace
    hidden: Floats
    reach: float
    ranked: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class NealMatcher:
    """Matches by σ and drops sentences that repeat a better one.

    * `mix` is λ, the share of h in σ: 0 is TF-IDF, 1 the learned similarity alone.
    * Of the best `k` sentences, those whose similarity with a better one that stays exceeds `gamma`
      (γ) are dropped, so fewer than `k` may be returned; 1 keeps all.

    Sentences of two words or fewer are not ranked. With the empty model h is 0. Raises
    `InputError` for numbers out of range.
    """

    model: NealModel = field(default_factory=NealModel.empty)
    k: int = 2
    mix: float = 0.1
    gamma: float = 0.24

    def __post_init__(self) -> None:
        check_parameters(
            self,
            k=(self.k >= 1, "1 sentence or more"),
            mix=(0.0 <= self.mix <= 1.0, "a number from 0 to 1"),
            gamma=(0.0 <= self.gamma <= 1.0, "a number from 0 to 1"),
        )

    def fit(self, paper: ReferencePaper) -> EmbeddedPaper:
        """Weigh and embed the words of every sentence of `paper` that has any."""
        fitted = TfIdfMatcher().fit(paper)
        hidden = self.model.sentences(fitted.words)
        return EmbeddedPaper(
            fitted,
            hidden,
            float(np.linalg.norm(hidden, axis=1).max(initial=0.0)),
            np.bincount(fitted.words.owners) > DISMISSED_WORDS,
        )

    def match(
        self, citance: str, fitted: EmbeddedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the best `number` sentences, two by default, without repetitions."""
        words, space = fitted.sentences.words, fitted.sentences.space
        cited = READING.words(citance)
        embedded = self.model.citance(cited)
        bound = float(np.linalg.norm(embedded)) * fitted.reach
        # σ is from -λ·bound to λ·bound + 1 - λ.
        extent = 2.0 * self.mix * bound + 1.0 - self.mix
        if space is None or not extent:
            return []
        h = (fitted.hidden @ embedded).astype(np.float64)
        t = space.score(space.query(cited)).cosine
        scores = (self.mix * (h + bound) + (1.0 - self.mix) * t) / extent
        found: list[tuple[int, float]] = []
        candidates = best_first(
            np.where(fitted.ranked, scores, 0.0), self.k if number is None else number
        )
        listed = words.listed(words.vocabulary)
        for index, score in candidates:
            similar = space.score(space.query(listed[index])).cosine
            if all(similar[earlier] <= self.gamma for earlier, _ in found):
                found.append((index, min(score, 1.0)))
        return words.supporting(found, words.telling(cited))
