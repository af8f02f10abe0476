"""Fine-tune a transformer on annotated papers, by folds, and export models that run without torch.

A `Recipe` is that of CitRet's sentence encoder or of UniHD's re-ranker. Both start from the same
local weights and end as ``model.onnx`` with ``tokenizer.json``: one for each fold and one for all
papers. Finished parts are not trained again.

The same papers, recipe, weights and machine give the same model; on a GPU, nearly the same.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pincite.model.problems import InputError, check_parameters

from ..baselines.encoders import (
    TRAINING,
    first_line,
    installed_weights,
    needed,
    open_encoder,
    padded,
)
from ..baselines.model_folder import Fold
from ..corpora.annotations import AnnotatedPaper
from ..training import Part, Trainer
from .overlap import Scorer

#: Pieces of a text with special tokens, and their segment ids.
Read = tuple[list[int], list[int]]

_TRAINED = "training.json"
#: This many batches are drawn together and sorted by length, to reduce padding.
_BATCHES_SORTED = 16


class Pair(NamedTuple):
    """Two texts, and the model's target for them, from 0 to 1."""

    first: str
    second: str
    label: float


@dataclass(frozen=True, slots=True)
class Recipe(ABC):
    """What a transformer is trained for, and how: AdamW with a constant rate; `decay` 0 is Adam.

    `kind` is that of the model's folder; `options` are passed to the `model_class` of transformers.
    Texts are truncated to `longest` pieces, None for the limit of the weights. Gradients are
    clipped to norm `clip`. Raises `InputError` for numbers out of range.
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

    def __post_init__(self) -> None:
        check_parameters(
            self,
            rate=(0.0 < self.rate < np.inf, "a number above 0"),
            decay=(0.0 <= self.decay < np.inf, "a number from 0"),
            clip=(self.clip > 0.0, "a number above 0"),
            epochs=(self.epochs >= 1, "1 or more"),
            batch=(self.batch >= 1, "1 or more"),
            seed=(self.seed >= 0, "0 or more"),
        )

    @abstractmethod
    def pairs(self, papers: Sequence[Judged]) -> list[Pair]:
        """Return the pairs of some papers."""

    @abstractmethod
    def read(self, tokenizer: Any, longest: int, pairs: Sequence[Pair]) -> list[tuple[Read, ...]]:  # noqa: ANN401
        """Tokenise pairs: a `Read` for each text that the model reads."""

    @abstractmethod
    def loss(self, torch: Any, output: Any, mask: Any, labels: Any) -> Any:  # noqa: ANN401
        """Return the loss of a batch from torch, the output, the attention mask, and the labels."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A paper with its judged citances: text, and positions of the chosen sentences."""

    paper: AnnotatedPaper
    citances: tuple[tuple[str, tuple[int, ...]], ...]

    @staticmethod
    def of(paper: AnnotatedPaper) -> Judged:
        """Collect the annotators' choices."""
        pairs = zip(paper.citances, Scorer(paper).cited, strict=True)
        filled = ((one.text, cited) for one, cited in pairs if cited and one.text.strip())
        return Judged(paper, tuple((text, tuple(sorted(cited))) for text, cited in filled))


class TransformerTrainer(Trainer):
    """Fine-tunes transformers by a recipe; steps are pairs."""

    def __init__(self, recipe: Recipe, base: Path | None = None) -> None:
        for module in ("torch", "transformers", "tokenizers", "onnx", "onnxscript"):
            needed(module, TRAINING)
        if base is not None and not (base / "config.json").is_file():
            raise InputError(f"{base}: no weights to train (config.json, model.safetensors)")
        self.kind, self.recipe = recipe.kind, recipe
        self.base, self.weights = (base.resolve().name, base) if base else installed_weights()

    def parts(self, papers: Sequence[AnnotatedPaper], folds: Sequence[Fold]) -> list[Part]:
        """Return a model for each fold."""
        judged = [Judged.of(paper) for paper in papers]
        begun = _digest_of(self.recipe, self.weights)

        def part(fold: Fold) -> Part:
            own = [each for each in judged if each.paper.id not in fold.held_out]
            pairs = self.recipe.pairs(own)
            if not pairs:
                raise InputError("no citance to train on")
            origin = hashlib.sha256(f"{begun}{pairs!r}".encode("utf-8", "replace")).hexdigest()

            def train(folder: Path, progress: Callable[[int], None]) -> None:
                _train(self.recipe, self.weights, pairs, origin, folder, progress)

            steps = self.recipe.epochs * len(pairs)
            return Part(steps, partial(_is_trained, origin), train)

        return [part(fold) for fold in folds]


def _train(
    recipe: Recipe,
    weights: Path,
    pairs: Sequence[Pair],
    origin: str,
    folder: Path,
    progress: Callable[[int], None],
) -> None:
    """Fine-tune the weights on pairs, and write the model; ``training.json`` marks it finished."""
    needed("torch", TRAINING).manual_seed(recipe.seed)
    encoder, transformers = open_encoder(weights), needed("transformers", TRAINING)
    # Suppress its warning about randomly initialised weights, which is intended.
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    try:
        model = getattr(transformers, recipe.model_class).from_pretrained(
            str(weights), local_files_only=True, **recipe.options
        )
    except Exception as error:  # transformers, torch and safetensors raise their own
        raise InputError(f"{weights}: no usable weights ({first_line(error)})") from error
    longest = recipe.longest or encoder.longest
    longest = min(longest, getattr(model.config, "max_position_embeddings", longest))
    read = recipe.read(encoder.tokenizer, longest, pairs)
    losses = _fine_tune(recipe, model, read, pairs, progress)
    trained = {"origin": origin, "pairs": len(pairs), "losses": losses}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _TRAINED).unlink(missing_ok=True)
        write_onnx(model, folder / "model.onnx")
        encoder.tokenizer.save(str(folder / "tokenizer.json"))
        # The format of Sentence-BERT's folders, which `open_encoder` reads.
        limit = json.dumps({"max_seq_length": longest})
        (folder / "sentence_bert_config.json").write_text(limit, "utf-8")
        (folder / _TRAINED).write_text(json.dumps(trained), "utf-8")
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror or error}") from error


def _fine_tune(
    recipe: Recipe,
    model: Any,  # noqa: ANN401 - torch's
    read: Sequence[tuple[Read, ...]],
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


def _padded(texts: Sequence[Read], model: Any) -> dict[str, Any]:  # noqa: ANN401 - torch's
    ids, mask = padded([own for own, _ in texts], model.config.pad_token_id or 0)
    types, _ = padded([of for _, of in texts])
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
    read = inspect.signature(model.forward).parameters
    to_tensor = needed("torch", TRAINING).from_numpy
    return {name: to_tensor(given[name]).to(model.device) for name in given if name in read}


def write_onnx(model: Any, path: Path) -> None:  # noqa: ANN401 - torch's
    """Write a model as ONNX, for batches and texts of any size."""
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


def _digest_of(recipe: Recipe, weights: Path) -> str:
    digest = hashlib.sha256(f"{recipe.kind}{recipe.options}{recipe.longest}{recipe!r}".encode())
    try:
        for path in sorted(weights.iterdir()):
            if path.suffix in (".json", ".txt", ".safetensors", ".bin"):
                digest.update(path.name.encode("utf-8", "surrogateescape"))
                digest.update(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {weights}: {error.strerror}") from error
    return digest.hexdigest()


def _is_trained(origin: str, folder: Path) -> bool:
    try:
        return bool(json.loads((folder / _TRAINED).read_text("utf-8"))["origin"] == origin)
    except (OSError, ValueError, LookupError, TypeError):
        return False
