"""Train models on annotated papers by folds: `neal` (Nomoto 2016), `fused`, and transformers.

CitRet's sentence encoder and UniHD's re-ranker start from the same local weights and end as
``model.onnx`` with ``tokenizer.json``, for each fold and for all papers. Finished parts are not
trained again. The same papers, recipe, weights and machine give the same model; on a GPU, nearly.

CitRet (Pandey et al. 2022, section 3.1.1 and appendix B): each citance gives five pairs: with its
cited text, similarity 1; with two random sentences of other reference papers, 0; and with two of
the same paper, 0.3. The loss is the squared error of the cosine of the texts' mean vectors. What
the paper leaves open: one of several sentences chosen is drawn, once; random sentences of the same
paper exclude the chosen ones; texts are preprocessed as in `SbertMatcher`.

UniHD (Aumiller et al. 2020, sections 3.1.2 and 4.1.1): the pairs of a citance are BM25's best 10
sentences, relevant if an annotator chose them. The loss is the binary cross-entropy of each pair.
Where we differ: their rate, 5e-7, could change no weight by more than about 2e-4 in our 145 steps
per epoch (theirs, with all of ScisummNet, about 3,000). Ours is 2e-5.
"""

from __future__ import annotations

import inspect
import json
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass, make_dataclass
from functools import cache, partial
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import joblib
import numpy as np

from pincite.matching import (
    sentence_content,
    sentence_features,
    sentence_kinds,
    sentence_model,
    sentence_terms,
)
from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.vectors import WordVectors
from pincite.model.problems import InputError
from pincite.text.markers import without_markers
from pincite.text.stemming import stemmer

from .. import sentence_training
from ..baselines import encoders, neal
from ..baselines.bm25 import MAX_PIECES, Bm25Matcher, pieces_of_pairs
from ..baselines.encoders import TRAINING, Tokenizer, needed, open_encoder
from ..baselines.fields import FIELD_1, FIELD_2, FIELD_3
from ..baselines.neal import READING
from ..baselines.sbert import Content
from ..baselines.systems import SENTENCE_MODEL
from ..corpora.scisumm import AnnotatedPaper
from ..processes import tracked
from ..sentence_training import Sample, train
from ..training import Fold, Part, Trainer, digest
from .overlap import Scorer

NEAL = "neal"
#: The kinds of models of `fused`: without a transformer, and with one.
FUSED, ENCODED = "fused", "fused-encoder"


def neal_trainer(recipe: neal.NealRecipe = neal.NealRecipe()) -> Trainer:  # noqa: B008 - frozen
    """Return what trains the layers of NEAL; steps are epochs."""

    def prepare(papers: Sequence[AnnotatedPaper]) -> Callable[[Fold], Part]:
        words = {}
        for paper in papers:
            citances = [READING.words(citance.text) for citance in paper.citances]
            sentences = [READING.words(sentence.text) for sentence in paper.paper.sentences]
            targets = zip(citances, Scorer(paper).cited, strict=True)
            words[paper.id] = neal.TrainingPaper(sentences, list(targets))

        def part(fold: Fold) -> Part:
            own = [read for name, read in words.items() if name not in fold.held_out]

            def train(folder: Path, progress: Callable[[int], None]) -> None:
                neal.learn(neal.Instances.of(own, recipe), recipe, progress).save(folder)

            return Part(recipe.epochs, train)

        return part

    return Trainer(NEAL, recipe, prepare, code=(neal,))


def samples_of_papers(
    papers: Sequence[AnnotatedPaper], features: SentenceFeatures, seed: int = 0
) -> list[Sample]:
    """Return samples of each citance for which any annotator chose a sentence."""
    random = np.random.default_rng(seed)
    found: list[Sample] = []
    for paper in tracked(papers, "Annotated papers", len(papers)):
        fitted = features.fit(paper.paper, stemmer("en"))
        rows = fitted.paper.words.positions
        for citance, chosen in zip(paper.citances, Scorer(paper).cited, strict=True):
            if chosen and features.words.reading.words(citance.text):
                right = np.isin(rows, list(chosen)).astype(np.float64)
                others = paper.citances_of_others(citance)
                order = random.permutation(len(others))[: random.integers(len(others) + 1)]
                for known in ((), tuple(others[number] for number in order)):
                    read = features.of(citance.text, features.cited_by(fitted, known))
                    found.append(
                        Sample(paper.id, read.values, right, "annotated", True, read.eligible)
                    )
    return found


#: The seed of the folds; other parameters are constants.
FusedRecipe = make_dataclass("FusedRecipe", [("seed", int, 0)], frozen=True)


def fused_trainer(
    kind: str = FUSED, more: Callable[[SentenceFeatures], Sequence[Sample]] = lambda _: ()
) -> Trainer:
    """Return what trains the model of `fused` or of `fused-encoder`; a step is a model.

    `more` makes the samples that no fold holds out.
    """
    encoder = open_encoder() if kind == ENCODED else None
    vectors = WordVectors.packaged()
    features = SentenceFeatures(AsymmetricMatcher(vectors), encoder)
    others = more(features)

    def prepare(papers: Sequence[AnnotatedPaper]) -> Callable[[Fold], Part]:
        samples = [*samples_of_papers(papers, features), *others]

        def part(fold: Fold) -> Part:
            own = [sample for sample in samples if sample.work not in fold.held_out]

            def save(folder: Path, _progress: object) -> None:
                train(own, features.names).save(folder / SENTENCE_MODEL)

            return Part(1, save)

        return part

    base = encoder.name if encoder else ""
    identity = f"{vectors.tokens} {len(vectors)} {base} {joblib.hash(others)}"
    modules = sentence_content, sentence_features, sentence_kinds, sentence_model, sentence_terms
    code = sys.modules[__name__], *modules, sentence_training
    return Trainer(kind, FusedRecipe(), prepare, base, code, identity)


#: Pieces of a text with special tokens, and their segment ids.
Read = tuple[list[int], list[int]]
Reads = list[tuple[Read, ...]]

#: This many batches are drawn together and sorted by length, to reduce padding.
_BATCHES_SORTED = 16


class Pair(NamedTuple):
    """Two texts, and the model's target for them, from 0 to 1."""

    first: str
    second: str
    label: float


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a transformer is trained for, and how: AdamW with a constant rate; `decay` 0 is Adam.

    Texts have up to `longest` pieces (None: the limit of the weights), gradients the norm `clip`.
    """

    kind: ClassVar[str]
    model_class: ClassVar[str]
    options: ClassVar[Mapping[str, Any]] = {}
    longest: ClassVar[int | None] = None

    rate: float = 2e-5
    decay: float = 0.0
    clip: float = 1.0
    epochs: int = 3
    batch: int = 16
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A paper, with the text of each citance and the positions of the sentences it cites."""

    paper: AnnotatedPaper
    citances: tuple[tuple[str, tuple[int, ...]], ...]

    @staticmethod
    def of(paper: AnnotatedPaper) -> Judged:
        """Leave out citances without text or cited sentences, which cannot be trained on."""
        pairs = zip(paper.citances, Scorer(paper).cited, strict=True)
        filled = ((one.text, cited) for one, cited in pairs if cited and one.text.strip())
        return Judged(paper, tuple((text, tuple(sorted(cited))) for text, cited in filled))


def transformer_trainer(recipe: CitRetRecipe | RerankerRecipe, base: Path | None = None) -> Trainer:
    """Return what fine-tunes transformers by a recipe; steps are pairs."""
    for module in ("torch", "transformers", "tokenizers", "onnx", "onnxscript"):
        needed(module, TRAINING)
    if base is not None and not (base / "config.json").is_file():
        raise InputError(f"{base}: no weights to train (config.json, model.safetensors)")
    name, weights = (base.resolve().name, base) if base else encoders.installed_weights()
    kinds = (".json", ".txt", ".safetensors", ".bin")
    read = (path for path in sorted(weights.iterdir()) if path.suffix in kinds)
    contents = (part for path in read for part in (path.name.encode(), path.read_bytes()))

    def prepare(papers: Sequence[AnnotatedPaper]) -> Callable[[Fold], Part]:
        judged = [Judged.of(paper) for paper in papers]

        def part(fold: Fold) -> Part:
            pairs = recipe.pairs([each for each in judged if each.paper.id not in fold.held_out])
            if not pairs:
                raise InputError("no citance to train on")
            return Part(recipe.epochs * len(pairs), partial(_train, recipe, weights, pairs))

        return part

    code = (sys.modules[__name__],)
    return Trainer(recipe.kind, recipe, prepare, name, code, digest((), *contents))


def _train(
    recipe: CitRetRecipe | RerankerRecipe,
    weights: Path,
    pairs: Sequence[Pair],
    folder: Path,
    progress: Callable[[int], None],
) -> dict[str, Any]:
    """Fine-tune the weights on pairs, write the model, and return how it was trained."""
    needed("torch", TRAINING).manual_seed(recipe.seed)
    encoder = encoders.open_encoder(weights)
    model = encoders.pretrained(weights, recipe.model_class, **recipe.options)
    longest = recipe.longest or encoder.longest
    longest = min(longest, getattr(model.config, "max_position_embeddings", longest))
    read = recipe.read(encoder.tokenizer, longest, pairs)
    losses = _fine_tune(recipe, model, read, pairs, progress)
    write_onnx(model, folder / "model.onnx")
    encoder.tokenizer.save(str(folder / "tokenizer.json"))
    # The format of Sentence-BERT's folders, which `open_encoder` reads.
    limit = json.dumps({"max_seq_length": longest})
    (folder / "sentence_bert_config.json").write_text(limit, "utf-8")
    return {"pairs": len(pairs), "losses": losses}


def _fine_tune(
    recipe: CitRetRecipe | RerankerRecipe,
    model: Any,  # noqa: ANN401
    read: Reads,
    pairs: Sequence[Pair],
    progress: Callable[[int], None],
) -> list[float]:
    torch = needed("torch", TRAINING)
    model.to("cuda" if torch.cuda.is_available() else "cpu").train()
    optimizer = torch.optim.AdamW(model.parameters(), recipe.rate, weight_decay=recipe.decay)
    lengths = np.asarray([max(len(ids) for ids, _ in texts) for texts in read])
    labels = np.asarray([pair.label for pair in pairs], np.float32)
    losses, done = [], 0
    for epoch in range(recipe.epochs):
        summed = 0.0
        for rows in _batches(lengths, recipe, epoch):
            # If the model reads the texts separately: all first texts, then all second ones.
            sides = zip(*(read[row] for row in rows), strict=True)
            given = _padded([text for side in sides for text in side], model)
            wanted = torch.from_numpy(labels[rows]).to(model.device)
            loss = recipe.loss(torch, model(**given), given["attention_mask"], wanted)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
            optimizer.step()
            summed += float(loss.detach()) * len(rows)
            done += len(rows)
            progress(done)
        losses.append(summed / len(pairs))
    return losses


def _batches(lengths: Any, recipe: Recipe, epoch: int) -> Iterator[Any]:  # noqa: ANN401
    """Yield the rows of each batch of an epoch, in random order, grouped by length."""
    draw = np.random.default_rng((recipe.seed, epoch))
    order = draw.permutation(len(lengths))
    together = recipe.batch * _BATCHES_SORTED
    batches = []
    for start in range(0, len(order), together):
        some = order[start : start + together]
        some = some[np.argsort(lengths[some], kind="stable")]
        batches += [some[at : at + recipe.batch] for at in range(0, len(some), recipe.batch)]
    for number in draw.permutation(len(batches)):
        yield batches[number]


def _padded(texts: Sequence[Read], model: Any) -> dict[str, Any]:  # noqa: ANN401
    ids, mask = encoders.padded([own for own, _ in texts], model.config.pad_token_id or 0)
    types, _ = encoders.padded([of for _, of in texts])
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
    read = inspect.signature(model.forward).parameters
    to_tensor = needed("torch", TRAINING).from_numpy
    return {name: to_tensor(given[name]).to(model.device) for name in given if name in read}


def write_onnx(model: Any, path: Path) -> None:  # noqa: ANN401
    """Export a model for batches of any size and length; it is moved to the CPU."""
    torch = needed("torch", TRAINING)
    model.cpu().eval()
    example = _padded([([1] * 7, [0] * 7), ([1] * 5, [0] * 5)], model)
    any_size = {name: dict.fromkeys((0, 1), torch.export.Dim.DYNAMIC) for name in example}
    # The exporter prints and warns, for example of missing image operators.
    with warnings.catch_warnings(), redirect_stdout(StringIO()), ExitStack() as stack:
        stack.callback(logging.disable, logging.root.manager.disable)
        logging.disable(logging.WARNING)
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            (),
            str(path),
            kwargs=example,
            input_names=list(example),
            dynamic_shapes=any_size,
            dynamo=True,
            external_data=False,
            verbose=False,
        )


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
        """Return the five pairs of every citance, fewer if there are not enough sentences."""
        draw = np.random.default_rng(self.seed)
        sentences = (each.paper.paper.sentences for each in papers)
        texts = [[Content.of(one.text).text for one in own] for own in sentences]
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

    def read(self, tokenizer: Tokenizer, longest: int, pairs: Sequence[Pair]) -> Reads:
        """Return the pieces of both texts of each pair, which the model reads separately."""
        distinct = list(dict.fromkeys(text for pair in pairs for text in pair[:2]))
        found = encoders.encodings(tokenizer, distinct, longest)
        read = {t: (each.ids, each.type_ids) for t, each in zip(distinct, found, strict=True)}
        return [(read[pair.first], read[pair.second]) for pair in pairs]

    def loss(self, torch: Any, output: Any, mask: Any, labels: Any) -> Any:  # noqa: ANN401
        """Return the squared error of the cosines of the texts' mean vectors, padding left out."""
        shown = mask.unsqueeze(-1)
        means = (output.last_hidden_state * shown).sum(1) / shown.sum(1)
        citances, sentences = means.chunk(2)
        cosines = torch.nn.functional.cosine_similarity(citances, sentences)
        return torch.nn.functional.mse_loss(cosines, labels)


RERANKER = "reranker"


@dataclass(frozen=True, slots=True)
class RerankerRecipe(Recipe):
    """The paper's recipe, except for the rate: Adam, 3 epochs, batches of 52, clipping at 0.5.

    `fields` of UniHD select the `candidates`; `supervised` adds relevant sentences that they miss;
    at most `negatives` irrelevant ones are used per citance, None for all.
    """

    kind = RERANKER
    model_class = "AutoModelForSequenceClassification"
    options: ClassVar[Mapping[str, Any]] = {"num_labels": 1}
    longest = MAX_PIECES

    clip: float = 0.5
    batch: int = 52
    fields: int = 2
    candidates: int = 10
    supervised: bool = False
    negatives: int | None = None

    def pairs(self, papers: Sequence[Judged]) -> list[Pair]:
        """Return the pairs of all citances; those of a paper are the same in every fold."""
        return [pair for paper in papers for pair in reranker_pairs(paper, self)]

    def read(self, tokenizer: Tokenizer, longest: int, pairs: Sequence[Pair]) -> Reads:
        """Return the pieces of each pair, which the model reads as one text."""
        read = pieces_of_pairs(tokenizer, longest, [pair[:2] for pair in pairs])
        return [(pieces,) for pieces in read]

    def loss(self, torch: Any, output: Any, mask: Any, labels: Any) -> Any:  # noqa: ANN401
        """Return the binary cross-entropy of the logits (B×1)."""
        logits = output.logits.squeeze(-1)
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, labels)


@cache  # folds share most papers
def reranker_pairs(paper: Judged, recipe: RerankerRecipe) -> list[Pair]:
    """Return every citance of a paper with each of its candidates; 1 is relevant."""
    fields = (FIELD_1, FIELD_2, FIELD_3)[: recipe.fields]
    bm25 = Bm25Matcher(fields, "sum", candidates=recipe.candidates)
    fitted = bm25.fit(paper.paper.paper)
    sentences = [without_markers(each.text) for each in paper.paper.paper.sentences]
    # Seeded by paper, so that folds that share it train on the same pairs.
    draw = np.random.default_rng([recipe.seed, *paper.paper.id.encode()])
    pairs = []
    for citance, cited in paper.citances:
        found = bm25.match(citance, fitted, recipe.candidates)
        positions = [each.position for each in found]
        if recipe.supervised:
            positions += [at for at in cited if at not in positions]
        if recipe.negatives is not None:
            others = [at for at in positions if at not in cited]
            dropped = draw.permutation(len(others))[recipe.negatives :]
            left_out = {others[index] for index in dropped}
            positions = [at for at in positions if at not in left_out]
        own = without_markers(citance)
        pairs += [Pair(own, sentences[at], float(at in cited)) for at in positions]
    return pairs
