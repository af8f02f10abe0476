"""Write word vectors as the editor reads them (`pincite.matching.vectors`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import safetensors.numpy

from pincite.matching.vectors import FORMAT, Array, stem
from pincite.whole_files import write_model


def save(
    path: Path,
    words: Sequence[str],
    vectors: npt.ArrayLike,
    counts: Sequence[int],
    metadata: Mapping[str, str],
    *,
    quantise: bool = True,
    stems: bool = False,
) -> None:
    """Write a model and replace `path` atomically; words are sorted by descending count.

    Vectors (V×D) are stored as signed bytes with one scale each, or in 32 bits without `quantise`.
    With `stems`, forms that are not in the vocabulary get the vector of a word with the same stem.
    Raise `InputError` if `path` cannot be written.
    """
    order: list[int] = sorted(range(len(words)), key=lambda row: (-counts[row], words[row]))
    matrix = np.asarray(vectors, np.float32)[order]
    tensors: dict[str, Array] = {
        "scales": np.ones(len(words), np.float32),
        "counts": np.array([counts[row] for row in order], np.uint32),
        "vectors": matrix,
        "words": _joined([words[row] for row in order]),
    }
    if quantise:
        scales = np.abs(matrix).max(axis=1, initial=0.0) / 127
        divisor = np.where(scales > 0, scales, 1)[:, None]
        tensors |= {"scales": scales, "vectors": np.rint(matrix / divisor).astype(np.int8)}
    if stems:
        by_stem: dict[str, int] = {}
        for row, position in enumerate(order):
            by_stem.setdefault(stem(words[position].lower()), row)
        tensors["stem_rows"] = np.array(list(by_stem.values()), np.uint32)
        tensors["stems"] = _joined(list(by_stem))
    written = safetensors.numpy.save(tensors, {**metadata, "format": FORMAT})
    write_model(path, _with_sorted_header(written))


def _with_sorted_header(written: bytes) -> list[bytes]:
    """Return the parts of a safetensors file with its metadata, which has no order, sorted."""
    end = 8 + int.from_bytes(written[:8], "little")
    header = json.dumps(
        json.loads(written[8:end]), ensure_ascii=False, separators=(",", ":"), sort_keys=True
    )
    return [written[:8], header.encode().ljust(end - 8), written[end:]]


def _joined(words: Sequence[str]) -> Array:
    return np.frombuffer("\n".join(words).encode(), np.uint8)
