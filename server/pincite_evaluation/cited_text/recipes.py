"""What transformers are fine-tuned for: CitRet's sentence encoder, and UniHD's re-ranker.

CitRet (Pandey et al. 2022, section 3.1.1 and appendix B) fine-tunes Sentence-BERT. Each citance
gives five pairs: with its cited text, similarity 1; with two random sentences of other reference
papers, 0; and with two of the same paper, 0.3. The loss is the squared error of the cosine of the
texts' mean vectors: the cosine-similarity loss of Sentence-BERT.

What the paper leaves open: of several sentences chosen for a citance, one is drawn, as an "input
pair" is a citance and a sentence; random sentences of the same paper exclude the chosen ones. Texts
are preprocessed as in `SbertMatcher`, without n-grams appended. Pairs are drawn once. The learning
rate is constant and gradients are clipped at 1, the default of the implementation that the paper
names.

UniHD (Aumiller et al. 2020, sections 3.1.2 and 4.1.1): the pairs of a citance are BM25's best 10
sentences: those that an annotator chose are relevant, the others are not. The "supervised" form
adds chosen sentences that BM25 did not find. The loss is the binary cross-entropy of each pair.
Where we differ: the paper's learning rate is 5e-7, in batches of 52. Adam changes no weight by much
more than the rate per step, and the annotated papers give 145 steps per epoch (theirs, with all of
ScisummNet, about 3,000): no weight could change by more than about 2e-4 in all. Our rate is 2e-5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np

from pincite.model.problems import InputError
from pincite.text.markers import without_markers

from ..baselines.encoders import encodings
from ..baselines.fields import FIELD_1, FIELD_2, FIELD_3
from ..baselines.reranker import MAX_PIECES, RerankerMatcher, pieces_of_pairs
from ..baselines.sbert import Content
from .transformer_training import Judged, Pair, Read, Recipe

#: Labels of sentences of other papers and of the same, and how many of each.
_OTHER, _SAME, _CITED = 0.0, 0.3, 1.0
_RANDOM = 2


@dataclass(frozen=True, slots=True)
class CitRetRecipe(Recipe):
    """The paper's recipe: AdamW, rate 2e-5, weight decay 0.01, 3 epochs, batches of 16 pairs."""

    kind = "citret"
    model_class = "AutoModel"

    decay: float = 0.01

    def pairs(self, papers: Sequence[Judged]) -> list[Pair]:
        """Return the pairs of all citances."""
        return citret_pairs(papers, self.seed)

    def read(self, tokenizer: Any, longest: int, pairs: Sequence[Pair]) -> list[tuple[Read, ...]]:  # noqa: ANN401
        """Tokenise the two texts of each pair separately."""
        distinct = list(dict.fromkeys(text for pair in pairs for text in pair[:2]))
        found = encodings(tokenizer, distinct, longest)
        read = {t: (each.ids, each.type_ids) for t, each in zip(distinct, found, strict=True)}
        return [(read[pair.first], read[pair.second]) for pair in pairs]

    def loss(self, torch: Any, output: Any, mask: Any, labels: Any) -> Any:  # noqa: ANN401
        """Return the squared error of the cosine of the texts' mean vectors."""
        shown = mask.unsqueeze(-1)
        means = (output.last_hidden_state * shown).sum(1) / shown.sum(1)
        citances, sentences = means.chunk(2)
        cosines = torch.nn.functional.cosine_similarity(citances, sentences)
        return torch.nn.functional.mse_loss(cosines, labels)


def citret_pairs(papers: Sequence[Judged], seed: int = 0) -> list[Pair]:
    """Return the five pairs of every citance, fewer if there are not enough sentences."""
    draw = np.random.default_rng(seed)
    texts = [
        [Content.of(sentence.text).text for sentence in each.paper.paper.sentences]
        for each in papers
    ]
    owners = np.repeat(np.arange(len(papers)), list(map(len, texts)))
    everything = [text for own in texts for text in own]
    pairs: list[Pair] = []

    def add(citance: str, drawn_from: Sequence[str], number: int, label: float) -> None:
        filled = [text for text in drawn_from if text]
        chosen = draw.permutation(len(filled))[:number].tolist()
        pairs.extend(Pair(citance, filled[index], label) for index in chosen)

    for number, each in enumerate(papers):
        others = [everything[index] for index in np.flatnonzero(owners != number)]
        for written, cited in each.citances:
            if citance := Content.of(written).text:
                rest = [text for index, text in enumerate(texts[number]) if index not in cited]
                add(citance, [texts[number][index] for index in cited], 1, _CITED)
                add(citance, others, _RANDOM, _OTHER)
                add(citance, rest, _RANDOM, _SAME)
    return pairs


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
    longest = MAX_PIECES

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
