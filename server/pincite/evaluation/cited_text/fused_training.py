"""Train the model of `fused` on annotated papers, by folds, for its row in the evaluation."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from ...baselines.encoders import open_encoder
from ...baselines.model_folder import Fold, ModelFolder
from ...library.index import default_index_path
from ...matching import sentence_features, sentence_kinds, sentence_model, sentence_terms
from ...matching.asymmetric import AsymmetricMatcher
from ...matching.sentence_features import SentenceFeatures
from ...matching.vectors import WordVectors
from ...model.problems import InputError
from ...text.stemming import stemmer
from .. import matcher_training
from ..corpora.annotations import AnnotatedPaper
from ..folds import FOLDS, folds_to_train
from ..matcher_training import Sample, train
from ..progress import Progress, ignored
from .overlap import Scorer

#: The kinds of models: without a transformer, and with one.
KIND, ENCODED = "fused", "fused-encoder"
#: The name of the model's file in a part's folder.
FILE = "sentence-model.json"
_CODE = (matcher_training, sentence_features, sentence_kinds, sentence_model, sentence_terms)


def samples_of_papers(
    papers: Sequence[AnnotatedPaper],
    features: SentenceFeatures,
    progress: Progress = ignored,
    *,
    seed: int = 0,
) -> list[Sample]:
    """Return samples of each citance for which any annotator chose a sentence.

    There are two for each: alone, and with a random number of citances of other papers, from as few
    as authors have to all there are.
    """
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


def train_fused(
    samples: Sequence[Sample],
    papers: Sequence[str],
    names: tuple[str, ...],
    folder: Path,
    *,
    encoder: str = "",
    folds: int = FOLDS,
    seed: int = 0,
    progress: Progress = ignored,
) -> ModelFolder:
    """Train a model for each of the `folds`, which it holds out, and one on all papers.

    `names` are those of the features, `encoder` that of the transformer among them.
    Raises `InputError` without scikit-learn or enough papers, or if models cannot be written.
    """
    drawn = folds_to_train(list(papers), folds, seed)
    parts = (*drawn, Fold("all", frozenset()))
    for number, fold in enumerate(parts):
        progress(number, len(parts))
        model = train(samples, names, seed=seed, held_out=fold.held_out)
        model.save(folder / fold.name / FILE)
    progress(len(parts), len(parts))
    found = ModelFolder(
        folder,
        ENCODED if encoder else KIND,
        base=encoder,
        settings={"seed": seed, "papers": len(papers)},
        folds=drawn,
    )
    found.write()
    return found


def kept_fused(
    papers: Sequence[AnnotatedPaper], *, encoded: bool = False, progress: Progress = ignored
) -> ModelFolder:
    """Return the model trained on these papers, cached in the user's cache folder.

    The cache key covers everything that it depends on: papers, word vectors, the encoder, and the
    training code. Raises `InputError` if the extra with the encoder is not installed.
    """
    vectors = WordVectors.packaged()
    encoder = open_encoder() if encoded else None
    features = SentenceFeatures(AsymmetricMatcher(vectors), encoder)
    digest = blake2b(repr([paper.id for paper in papers]).encode(), digest_size=20)
    digest.update(repr((vectors.tokens, len(vectors), encoder and encoder.name)).encode())
    for module in _CODE:
        digest.update(inspect.getsource(module).encode())
    folder = default_index_path().parent / (ENCODED if encoded else KIND) / digest.hexdigest()
    try:
        return ModelFolder.read(folder)
    except InputError:
        samples = samples_of_papers(papers, features)
        return train_fused(
            samples,
            [paper.id for paper in papers],
            features.names,
            folder,
            encoder="" if encoder is None else encoder.name,
            progress=progress,
        )
