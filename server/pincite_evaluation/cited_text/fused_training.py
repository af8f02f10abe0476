"""Train the model of `fused` on annotated papers, by folds, for its row in the evaluation."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from pincite.library.index import default_index_path
from pincite.matching import sentence_features, sentence_kinds, sentence_model, sentence_terms
from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.vectors import WordVectors
from pincite.model.problems import InputError
from pincite.text.stemming import stemmer

from .. import matcher_training
from ..baselines.encoders import open_encoder
from ..baselines.model_folder import Fold, ModelFolder
from ..corpora.annotations import AnnotatedPaper
from ..folds import folds_to_train
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


def kept_fused(
    papers: Sequence[AnnotatedPaper], *, encoded: bool = False, progress: Progress = ignored
) -> ModelFolder:
    """Return the model trained on these papers, cached in the user's cache folder.

    The cache key covers everything that it depends on: papers, word vectors, the encoder, and the
    training code. Raises `InputError` without scikit-learn, enough papers, or the extra with the
    encoder, or if models cannot be written.
    """
    vectors = WordVectors.packaged()
    encoder = open_encoder() if encoded else None
    features = SentenceFeatures(AsymmetricMatcher(vectors), encoder)
    names = [paper.id for paper in papers]
    digest = blake2b(repr(names).encode(), digest_size=20)
    digest.update(repr((vectors.tokens, len(vectors), encoder and encoder.name)).encode())
    for module in _CODE:
        digest.update(inspect.getsource(module).encode())
    kind = ENCODED if encoded else KIND
    folder = default_index_path().parent / kind / digest.hexdigest()
    try:
        return ModelFolder.read(folder)
    except InputError:
        base = "" if encoder is None else encoder.name
        settings = {"seed": 0, "papers": len(papers)}
        model = ModelFolder(folder, kind, base, settings, folds_to_train(names))
        _train(model, samples_of_papers(papers, features), features.names, progress)
        return model


def _train(
    model: ModelFolder, samples: Sequence[Sample], names: tuple[str, ...], progress: Progress
) -> None:
    """Write a model for each of the folds, which it holds out, and one trained on all papers."""
    parts = (*model.folds, Fold("all", frozenset()))
    for number, fold in enumerate(parts):
        progress(number, len(parts))
        trained = train(samples, names, held_out=fold.held_out)
        trained.save(model.folder / fold.name / FILE)
    progress(len(parts), len(parts))
    model.write()
