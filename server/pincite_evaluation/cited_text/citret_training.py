"""Sentence-BERT fine-tuned for CitRet (Pandey et al. 2022, section 3.1.1 and appendix B).

Each citance gives five pairs: with its cited text, similarity 1; with two random sentences of other
reference papers, 0; and with two of the same paper, 0.3. The loss is the squared error of the
cosine of the texts' mean vectors: the cosine-similarity loss of Sentence-BERT.

What the paper leaves open: of several sentences chosen for a citance, one is drawn, as an "input
pair" is a citance and a sentence; random sentences of the same paper exclude the chosen ones. Texts
are preprocessed as in `SbertMatcher`, without n-grams appended. Pairs are drawn once. The learning
rate is constant and gradients are clipped at 1, the default of the implementation that the paper
names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..baselines.encoders import encodings
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
