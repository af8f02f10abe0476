"""Word vectors and word frequencies, read from one compact file.

The file has the safetensors layout: eight bytes with the length of a JSON header, the header,
then the tensors, all little-endian. Each vector is stored as signed bytes and one scale, and mapped
into memory, so that opening a file is cheap and only the rows in use are read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.problems import InputError
from ..text.stemming import stemmer
from ..whole_files import write_model
from .coverage import unit

#: Name of the default model among the package's data.
PACKAGED = "word-vectors.safetensors"
FORMAT = "pincite-word-vectors-1"
#: The word that stands for all rare words in a model that merges them; no text contains it.
UNKNOWN = "[UNK]"

_LENGTH_BYTES = 8
#: Far more than any header needs: a foreign file must not make us read gigabytes as JSON.
_LONGEST_HEADER = 1 << 20
_TYPES = {"I8": "<i1", "U8": "<u1", "F16": "<f2", "F32": "<f4", "U32": "<u4", "U64": "<u8"}

Rows = npt.NDArray[np.int64]
Vectors = npt.NDArray[np.float32]
Array = npt.NDArray[Any]


class WordVectors:
    """The vectors of a vocabulary and how often its words occur; immutable.

    Words are cased, as in Ricci et al. (2022): "Parser" and "parser" are two words; a model may
    also have been trained on lower-case text. A form that is too rare has neither vector nor
    frequency (if the model has `UNKNOWN`, callers may use that instead). In a model saved with
    stems, such a form has the vector and frequency of its lower-case form, else the vector, but not
    the frequency, of the most frequent word with the same English stem.
    """

    __slots__ = (
        "_counts", "_metadata", "_rows", "_scales", "_stems", "_stored", "_total", "_words",
    )  # fmt: skip

    def __init__(
        self,
        words: Sequence[str],
        stored: npt.NDArray[np.int8] | Vectors,
        scales: npt.NDArray[np.float32],
        counts: npt.NDArray[np.int64],
        metadata: Mapping[str, str],
        stems: Mapping[str, int] | None = None,
    ) -> None:
        """Use vectors `stored` (V×D) times `scales` (V); `counts` (V) are training occurrences.

        `stems` maps each stem to a row, None in a model without stems.
        """
        self._words = tuple(words)
        self._stored = stored
        self._scales = scales
        self._counts = counts
        self._metadata = dict(metadata)
        self._rows = {word: row for row, word in enumerate(self._words)}
        self._stems = stems
        self._total = int(self._metadata.get("tokens", 0)) or int(counts.sum())

    @classmethod
    def empty(cls) -> WordVectors:
        """Return a model without words: no word has a vector, and all are unknown."""
        return cls(
            (), np.zeros((0, 0), np.int8), np.zeros(0, np.float32), np.zeros(0, np.int64), {}
        )

    @classmethod
    def load(cls, path: Path) -> WordVectors:
        """Open the model at `path`; raise `InputError` if it cannot be read or is damaged."""
        try:
            header, data = _open(path)
            tensors = {
                name: _tensor(data, header, name)
                for name in ("vectors", "scales", "counts", "words")
            }
            words = _listed(tensors["words"])
            metadata = {str(key): str(value) for key, value in header["__metadata__"].items()}
            if metadata.get("format") != FORMAT:
                raise ValueError(f"format is {metadata.get('format')!r}")
            _check(tensors, words)
            stems = None
            if "stems" in header:
                rows = _tensor(data, header, "stem_rows")
                if not (rows < len(words)).all():
                    raise ValueError("a stem has no word")
                listed = _listed(_tensor(data, header, "stems"))
                stems = dict(zip(listed, rows.tolist(), strict=True))
            return cls(
                words,
                tensors["vectors"],
                tensors["scales"].astype(np.float32),
                tensors["counts"].astype(np.int64),
                metadata,
                stems,
            )
        except OSError as error:
            raise InputError(f"cannot read word vectors {path}: {error.strerror}") from error
        # A header may contain anything: its fields are validated on use.
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
            raise InputError(f"{path} is not a word-vector file, or is damaged: {error}") from error

    @staticmethod
    @cache
    def packaged() -> WordVectors:
        """Return the packaged model, opened once."""
        with resources.as_file(resources.files("pincite.data").joinpath(PACKAGED)) as path:
            return WordVectors.load(path)

    def __len__(self) -> int:
        return len(self._words)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    @property
    def dimensions(self) -> int:
        """Length of a vector; 0 without any."""
        return int(self._stored.shape[1])

    @property
    def tokens(self) -> int:
        """The number of words in the training text, rare ones included."""
        return self._total

    @property
    def words(self) -> tuple[str, ...]:
        """The vocabulary, most frequent first."""
        return self._words

    @property
    def metadata(self) -> Mapping[str, str]:
        """How the model was made."""
        return MappingProxyType(self._metadata)

    def rows(self, words: Sequence[str]) -> Rows:
        """Return the row of each word (n), -1 where it has no vector."""
        return np.fromiter(map(self._row, words), np.int64, len(words))

    def _row(self, word: str) -> int:
        row = self._row_of_form(word)
        if row < 0 and self._stems:
            return self._stems.get(_stem(word.lower()), -1)
        return row

    def _row_of_form(self, word: str) -> int:
        row = self._rows.get(word)
        if row is None and self._stems is not None:
            row = self._rows.get(word.lower())
        return -1 if row is None else row

    def unit(self, rows: npt.ArrayLike) -> Vectors:
        """Return the vectors of `rows` (n×D), each of length 1; zeros for row -1."""
        index = np.asarray(rows, np.int64)
        vectors = np.zeros((len(index), self.dimensions), np.float32)
        known = index >= 0
        vectors[known] = self._stored[index[known]]
        # The scale of a row cancels out here, so quantisation only affects directions.
        return unit(vectors)

    def vectors(self, rows: npt.ArrayLike) -> Vectors:
        """Return the vectors of `rows` (n×D) as trained; zeros for row -1."""
        index = np.asarray(rows, np.int64)
        vectors = np.zeros((len(index), self.dimensions), np.float32)
        known = index >= 0
        vectors[known] = self._stored[index[known]] * self._scales[index[known], None]
        return vectors

    def probability(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return p(w) = f(w)/N of each word (n), 0 for an unknown one (section 2.2)."""
        rows = np.fromiter(map(self._row_of_form, words), np.int64, len(words))
        probabilities = np.zeros(len(words))
        known = rows >= 0
        probabilities[known] = self._counts[rows[known]] / max(self._total, 1)
        return probabilities


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
    scales: Array = np.ones(len(words), np.float32)
    stored: tuple[str, Array] = ("F32", matrix.astype("<f4"))
    if quantise:
        scales = np.abs(matrix).max(axis=1, initial=0.0) / 127
        divisor = np.where(scales > 0, scales, 1)[:, None]
        stored = ("I8", np.rint(matrix / divisor).astype("<i1"))
    listed = "\n".join(words[row] for row in order).encode()
    tensors: dict[str, tuple[str, Array]] = {
        "scales": ("F32", scales.astype("<f4")),
        "counts": ("U32", np.array([counts[row] for row in order], "<u4")),
        "vectors": stored,
        "words": ("U8", np.frombuffer(listed, "<u1")),
    }
    if stems:
        by_stem: dict[str, int] = {}
        for row, position in enumerate(order):
            by_stem.setdefault(_stem(words[position].lower()), row)
        tensors["stem_rows"] = ("U32", np.array(list(by_stem.values()), "<u4"))
        tensors["stems"] = ("U8", np.frombuffer("\n".join(by_stem).encode(), "<u1"))
    header: dict[str, object] = {"__metadata__": {**metadata, "format": FORMAT}}
    position = 0
    for name, (kind, array) in tensors.items():
        header[name] = {
            "dtype": kind,
            "shape": list(array.shape),
            "data_offsets": [position, position + array.nbytes],
        }
        position += array.nbytes
    encoded = json.dumps(header, ensure_ascii=False).encode()
    # Padding aligns the tensors, as the format asks.
    encoded += b" " * (-len(encoded) % _LENGTH_BYTES)
    parts = [len(encoded).to_bytes(_LENGTH_BYTES, "little"), encoded]
    write_model(path, [*parts, *(array.tobytes() for _, array in tensors.values())])


def _listed(tensor: Array) -> list[str]:
    text = tensor.tobytes().decode("utf-8")
    return text.split("\n") if text else []


def _stem(word: str) -> str:
    return stemmer("en")(word)


def _open(path: Path) -> tuple[dict[str, Any], npt.NDArray[np.uint8]]:
    """Return the header of a file and its data, mapped."""
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(_LENGTH_BYTES), "little")
        if not 0 < length <= _LONGEST_HEADER:
            raise ValueError("it has no header")
        try:
            header = json.loads(stream.read(length))
        except RecursionError as error:
            raise ValueError("its header is nested too deeply") from error
    if not isinstance(header, dict):
        raise ValueError("its header is not an object")
    start = _LENGTH_BYTES + length
    if path.stat().st_size == start:
        return header, np.zeros(0, np.uint8)
    return header, np.memmap(path, np.uint8, mode="r", offset=start)


def _tensor(data: npt.NDArray[np.uint8], header: Mapping[str, Any], name: str) -> Array:
    """Return a view of one tensor; raise `ValueError` unless it lies inside `data`."""
    described = header[name]
    start, end = described["data_offsets"]
    kind = np.dtype(_TYPES[described["dtype"]])
    shape = tuple(int(size) for size in described["shape"])
    if not 0 <= start <= end <= len(data) or math.prod(shape) * kind.itemsize != end - start:
        raise ValueError(f"tensor {name!r} does not fit the file")
    return data[start:end].view(kind).reshape(shape)


def _check(tensors: Mapping[str, Array], words: Sequence[str]) -> None:
    """Raise `ValueError` unless every word has one vector, one scale and one count."""
    for name, axes, kind in (("vectors", 2, "if"), ("scales", 1, "f"), ("counts", 1, "u")):
        tensor = tensors[name]
        if tensor.ndim != axes or tensor.dtype.kind not in kind or len(tensor) != len(words):
            raise ValueError(f"tensor {name!r} has shape {tensor.shape} for {len(words)} words")
