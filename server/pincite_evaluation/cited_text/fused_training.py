"""Train the model of `fused` on annotated papers, by folds, for its row in the evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pincite.matching import sentence_features, sentence_kinds, sentence_model, sentence_terms
from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.vectors import WordVectors
from pincite.text.stemming import stemmer

from .. import matcher_training
from ..baselines.encoders import open_encoder
from ..baselines.model_folder import Fold
from ..corpora.annotations import AnnotatedPaper
from ..matcher_training import Sample, train
from ..progress import Progress, ignored
from ..training import Part, Trainer
from .overlap import Scorer

#: The kinds of models: without a transformer, and with one.
KIND, ENCODED = "fused", "fused-encoder"
#: The name of the model's file in a part's folder.
FILE = "sentence-model.json"


def samples_of_papers(
    papers: Sequence[AnnotatedPaper],
    features: SentenceFeatures,
    progress: Progress = ignored,
    *,
    seed: int = 0,
) -> list[Sample]:
    """Return samples of each citance for which any annotator chose a sentence."""
    random = np.random.default_rng(seed)
    found: list[Sample] = []
    for number, paper in enumerate(papers, start=1):
        fitted = features.fit(paper.paper, stemmer("en"))
        rows = fitted.paper.words.positions
        for citance, chosen in zip(paper.citances, Scorer(paper).cited, strict=True):
            if chosen and features.words.reading.words(citance.text):
                right = np.isin(rows, list(chosen)).astype(np.float64)
                others = paper.citances_of_others(citance)
                order = random.permutation(len(others))[: random.integers(len(others) + 1)]
                for known in ((), tuple(others[number] for number in order)):
                    values = features.of(citance.text, features.cited_by(fitted, known)).values
                    found.append(Sample(paper.id, values, right, judged=False, full_text=True))
        progress(number, len(papers))
    return found


@dataclass(frozen=True, slots=True)
class FusedRecipe:
    """The seed of the folds; other parameters are constants of `matcher_training`."""

    seed: int = 0


class FusedTrainer(Trainer):
    """Trains the model of `fused` or of `fused-encoder`, by its `kind`; a step is a model."""

    code = (matcher_training, sentence_features, sentence_kinds, sentence_model, sentence_terms)

    def __init__(self, kind: str = KIND) -> None:
        """Read the vectors; raises `InputError` if `kind` needs an encoder that is missing."""
        encoder = open_encoder() if kind == ENCODED else None
        vectors = WordVectors.packaged()
        self.features = SentenceFeatures(AsymmetricMatcher(vectors), encoder)
        self.kind, self.base = kind, encoder.name if encoder else ""
        self.recipe = FusedRecipe()
        self.identity = f"{vectors.tokens} {len(vectors)} {self.base}"

    def parts(self, papers: Sequence[AnnotatedPaper], folds: Sequence[Fold]) -> list[Part]:
        """Return a model for each fold."""
        samples = samples_of_papers(papers, self.features)

        def part(fold: Fold) -> Part:
            def save(folder: Path, _progress: object) -> None:
                held_out = fold.held_out
                train(samples, self.features.names, held_out=held_out).save(folder / FILE)

            return Part(1, lambda folder: (folder / FILE).is_file(), save)

        return [part(fold) for fold in folds]
