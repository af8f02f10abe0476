"""UniHD's re-ranker (Aumiller et al. 2020, section 3.1.2): a cross-encoder over BM25's best.

BM25 in several fields selects candidates (`Bm25Matcher`, scores added). For each, a transformer
reads citance and sentence as one text with a separator and gives one logit, whose logistic
function is the probability that the sentence is relevant (Nogueira and Cho 2019). Candidates are
ordered by it, regardless of BM25's score. `reranker_training` trains the model.

Where we differ: citation markers are removed, as for every matcher here; a citance is truncated to
three quarters of the model's input, so that there is always room for the sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pincite.cancellation import checked
from pincite.matching.top_sentences import best_first
from pincite.model.papers import ReferencePaper
from pincite.model.problems import InputError
from pincite.model.results import SupportingSentence
from pincite.text.markers import without_markers

from .bm25 import Bm25Matcher, IndexedPaper
from .encoders import Ids, first_line, needed, open_onnx, open_tokenizer
from .fields import FIELD_1, FIELD_2, Field

#: The logits of B texts (B), from ids, attention mask, and segment ids of the pieces (B×L).
Forward = Callable[[Ids, Ids, Ids], npt.NDArray[np.float32]]

#: How many pieces BERT reads.
MAX_PIECES = 512


@dataclass(frozen=True, slots=True, eq=False)
class CrossEncoder:
    """A trained transformer that reads a citance and a sentence, `longest` pieces in all."""

    tokenizer: Any
    forward: Forward
    longest: int = MAX_PIECES

    @staticmethod
    def empty() -> CrossEncoder:
        """Return an untrained model: all sentences have probability one half."""
        return CrossEncoder(None, lambda ids, _mask, _types: np.zeros(len(ids), np.float32))

    @staticmethod
    def load(folder: Path) -> CrossEncoder:
        """Open ``model.onnx`` and ``tokenizer.json`` in a folder, a part of a trained model."""
        for module in ("onnxruntime", "tokenizers"):
            needed(module)
        model, described = folder / "model.onnx", folder / "tokenizer.json"
        for path in (model, described):
            if not path.is_file():
                raise InputError(f"{path}: no such file; `pincite train reranker` makes it")
        try:
            run = open_onnx(model)

            def forward(ids: Ids, mask: Ids, types: Ids) -> npt.NDArray[np.float32]:
                return np.asarray(run(ids, mask, types), np.float32).reshape(len(ids))

            opened = CrossEncoder(open_tokenizer(described), forward)
            opened.probabilities("", [""])
        except Exception as error:  # both libraries have exceptions of their own
            raise InputError(f"{folder}: not a usable re-ranker ({first_line(error)})") from error
        return opened

    def probabilities(self, citance: str, sentences: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the probability that each of n sentences is relevant to a citance (n)."""
        logits = np.zeros(len(sentences))
        if self.tokenizer is not None:
            pairs = [(citance, sentence) for sentence in sentences]
            read = pieces_of_pairs(self.tokenizer, self.longest, pairs)
            # One by one, so that no result depends on the rest of a batch.
            for row, (own, types) in enumerate(checked(read)):
                ids = np.asarray([own], np.int64)
                (logits[row],) = self.forward(ids, np.ones_like(ids), np.asarray([types], np.int64))
        return np.asarray(np.exp(-np.logaddexp(0.0, -logits.astype(np.float64))), np.float64)


def pieces_of_pairs(
    tokenizer: Any,  # noqa: ANN401 - a module without types
    longest: int,
    pairs: Sequence[tuple[str, str]],
) -> list[tuple[list[int], list[int]]]:
    """Return the pieces of pairs of texts, special tokens included, and their segment ids."""
    room = longest - tokenizer.num_special_tokens_to_add(True)
    read = [
        tokenizer.encode_batch(list(texts), add_special_tokens=False)
        for texts in zip(*pairs, strict=True)
    ]
    found = []
    for first, second in zip(*read, strict=True):
        first.truncate(max(room - len(second.ids), 3 * room // 4))
        second.truncate(room - len(first.ids))
        joined = tokenizer.post_process(first, second)
        found.append((joined.ids, joined.type_ids))
    return found


@dataclass(frozen=True, slots=True)
class RerankerMatcher:
    """Re-ranks the best `candidates` sentences of BM25 and returns the best `k`."""

    model: CrossEncoder = field(default_factory=CrossEncoder.empty)
    fields: tuple[Field, ...] = (FIELD_1, FIELD_2)
    k: int = 4
    candidates: int = 10

    def __post_init__(self) -> None:
        _ = self.bm25

    @property
    def bm25(self) -> Bm25Matcher:
        """The matcher that selects the candidates."""
        return Bm25Matcher(self.fields, "sum", k=self.k, candidates=self.candidates)

    def fit(self, paper: ReferencePaper) -> IndexedPaper:
        """Index the sentences of `paper` in every field."""
        return self.bm25.fit(paper)

    def match(
        self, citance: str, fitted: IndexedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the most relevant of the candidates: `number` (`k`) of them."""
        wanted = self.k if number is None else number
        found = self.bm25.match(citance, fitted, max(self.candidates, wanted))
        # In the order of the paper, which ties keep.
        found.sort(key=lambda each: each.position)
        probabilities = self.model.probabilities(
            without_markers(citance), [without_markers(each.text) for each in found]
        )
        return [
            replace(found[index], score=min(score, 1.0))
            for index, score in best_first(probabilities, wanted)
        ]
