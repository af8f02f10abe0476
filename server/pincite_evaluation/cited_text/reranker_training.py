"""Train UniHD's re-ranker (Aumiller et al. 2020, sections 3.1.2 and 4.1.1).

The pairs of a citance are BM25's best 10 sentences: those that an annotator chose are relevant, the
others are not. The "supervised" form adds chosen sentences that BM25 did not find. The loss is the
binary cross-entropy of each pair.

Where we differ: the paper's learning rate is 5e-7, in batches of 52. Adam changes no weight by much
more than the rate per step, and the annotated papers give 145 steps per epoch (theirs, with all of
ScisummNet, about 3,000): no weight could change by more than about 2e-4 in all. Our rate is 2e-5.
Nine in ten candidates are irrelevant: `negatives` limits how many of them are used per citance,
drawn at random, which saves most of the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np

from pincite.model.problems import InputError
from pincite.text.markers import without_markers

from ..baselines.fields import FIELD_1, FIELD_2, FIELD_3
from ..baselines.reranker import LONGEST, RerankerMatcher, pieces_of_pairs
from .transformer_training import Judged, Pair, Read, Recipe

KIND = "reranker"


@dataclass(frozen=True, slots=True)
class RerankerRecipe(Recipe):
    """The paper's recipe, except for the rate: Adam, 3 epochs, batches of 52, clipping at 0.5.

    `fields` is the number of UniHD's text fields that select the `candidates`; `supervised` adds
    relevant sentences that they miss; at most `negatives` irrelevant ones are used per citance,
    None for all.
    """

    kind = KIND
    model_class = "AutoModelForSequenceClassification"
    options: ClassVar[Mapping[str, Any]] = {"num_labels": 1}
    longest = LONGEST

    clip: float = 0.5
    batch: int = 52
    fields: Literal[2, 3] = 2
    candidates: int = 10
    supervised: bool = False
    negatives: int | None = None

    def __post_init__(self) -> None:
        Recipe.__post_init__(self)
        if self.negatives is not None and self.negatives < 1:
            raise InputError(f"negatives={self.negatives}: expected 1 or more")

    def pairs(self, papers: Sequence[Judged]) -> list[Pair]:
        """Return the pairs of all papers."""
        return [pair for paper in papers for pair in reranker_pairs(paper, self)]

    def read(self, tokenizer: Any, longest: int, pairs: Sequence[Pair]) -> list[tuple[Read, ...]]:  # noqa: ANN401
        """Tokenise the two texts of each pair as one."""
        read = pieces_of_pairs(tokenizer, longest, [pair[:2] for pair in pairs])
        return [(pieces,) for pieces in read]

    def loss(self, torch: Any, output: Any, mask: Any, labels: Any) -> Any:  # noqa: ANN401
        """Return the binary cross-entropy."""
        logits = output.logits.squeeze(-1)
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, labels)


@cache  # folds share most papers
def reranker_pairs(paper: Judged, recipe: RerankerRecipe) -> list[Pair]:
    """Return every citance of a paper with each of its candidates; 1 is relevant."""
    fields = (FIELD_1, FIELD_2, FIELD_3)[: recipe.fields]
    bm25 = RerankerMatcher(fields=fields, candidates=recipe.candidates).bm25
    fitted = bm25.fit(paper.paper.paper)
    sentences = [without_markers(each.text) for each in paper.paper.paper.sentences]
    # Seeded by paper, so that folds that share it train on the same pairs.
    draw = np.random.default_rng([recipe.seed, *paper.paper.id.encode()])
    pairs = []
    for citance, cited in paper.citances:
        found = bm25.match(citance, fitted, recipe.candidates)
        positions = [each.position for each in found]
        if recipe.supervised:
            positions += [position for position in cited if position not in positions]
        if recipe.negatives is not None:
            others = [position for position in positions if position not in cited]
            dropped = draw.permutation(len(others))[recipe.negatives :]
            left_out = {others[index] for index in dropped}
            positions = [position for position in positions if position not in left_out]
        own = without_markers(citance)
        pairs += [
            Pair(own, sentences[position], float(position in cited)) for position in positions
        ]
    return pairs
