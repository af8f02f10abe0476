"""Word vectors and word frequencies, read from one compact safetensors file.

Each vector is stored as signed bytes and one scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from ..model.problems import InputError
from ..text.stemming import stemmer
from .coverage import unit

#: Name of the default model among the package's data.
PACKAGED = "word-vectors.safetensors"
FORMAT = "pincite-word-vectors-1"
#: The word that stands for all rare words in a model that merges them; no text contains it.
UNKNOWN = "[UNK]"

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
        #: The vocabulary, most frequent first.
        self.words = tuple(words)
        #: How the model was made.
        self.metadata = dict(metadata)
        #: The number of words in the training text, rare ones included.
        self.tokens = int(self.metadata.get("tokens", 0)) or int(counts.sum())
        self._stored = stored
        self._scales = scales
        self._counts = counts
        self._rows = {word: row for row, word in enumerate(self.words)}
        self._stems = stems

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
            path.open("rb").close()  # safetensors does not report why a file cannot be opened
            with safe_open(path, "numpy") as file:
                metadata = file.metadata() or {}
                if metadata.get("format") != FORMAT:
                    raise ValueError(f"format is {metadata.get('format')!r}")
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            words = _listed(tensors["words"])
            _check(tensors, words)
            stems = None
            if "stems" in tensors:
                rows = tensors["stem_rows"]
                if not (rows < len(words)).all():
                    raise ValueError("a stem has no word")
                stems = dict(zip(_listed(tensors["stems"]), rows.tolist(), strict=True))
            counts = tensors["counts"].astype(np.int64)
            return cls(words, tensors["vectors"], tensors["scales"], counts, metadata, stems)
        except OSError as error:
            raise InputError(f"cannot read word vectors {path}: {error.strerror}") from error
        except (SafetensorError, ValueError, LookupError, TypeError) as error:
            raise InputError(f"{path} is not a word-vector file, or is damaged: {error}") from error

    @staticmethod
    @cache
    def packaged() -> WordVectors:
        """Return the packaged model, opened once."""
        with resources.as_file(resources.files("pincite.data").joinpath(PACKAGED)) as path:
            return WordVectors.load(path)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    @property
    def dimensions(self) -> int:
        """Length of a vector; 0 without any."""
        return int(self._stored.shape[1])

    def rows(self, words: Sequence[str]) -> Rows:
        """Return the row of each word (n), -1 where it has no vector."""
        return np.fromiter(map(self._row, words), np.int64, len(words))

    def _row(self, word: str) -> int:
        row = self._row_of_form(word)
        if row < 0 and self._stems:
            return self._stems.get(stem(word.lower()), -1)
        return row

    def _row_of_form(self, word: str) -> int:
        row = self._rows.get(word)
        if row is None and self._stems is not None:
            row = self._rows.get(word.lower())
        return -1 if row is None else row

    def unit(self, rows: npt.ArrayLike) -> Vectors:
        """Return the vectors of `rows` (n×D), each of length 1; zeros for row -1."""
        # The scale of a row cancels out here, so quantisation only affects directions.
        return unit(self._stored_at(np.asarray(rows, np.int64)))

    def vectors(self, rows: npt.ArrayLike) -> Vectors:
        """Return the vectors of `rows` (n×D) as trained; zeros for row -1."""
        index = np.asarray(rows, np.int64)
        known = index >= 0
        vectors = self._stored_at(index)
        vectors[known] *= self._scales[index[known], None]
        return vectors

    def _stored_at(self, index: Rows) -> Vectors:
        vectors = np.zeros((len(index), self.dimensions), np.float32)
        known = index >= 0
        vectors[known] = self._stored[index[known]]
        return vectors

    def probability(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return p(w) = f(w)/N of each word (n), 0 for an unknown one (section 2.2)."""
        rows = np.fromiter(map(self._row_of_form, words), np.int64, len(words))
        probabilities = np.zeros(len(words))
        known = rows >= 0
        probabilities[known] = self._counts[rows[known]] / max(self.tokens, 1)
        return probabilities


def _listed(tensor: Array) -> list[str]:
    text = tensor.tobytes().decode("utf-8")
    return text.split("\n") if text else []


def stem(word: str) -> str:
    """Return the English stem of a word in lower case."""
    return stemmer("en")(word)


def _check(tensors: Mapping[str, Array], words: Sequence[str]) -> None:
    """Raise `ValueError` unless every word has one vector, one scale and one count."""
    for name, axes, kind in (("vectors", 2, "if"), ("scales", 1, "f"), ("counts", 1, "u")):
        tensor = tensors[name]
        if tensor.ndim != axes or tensor.dtype.kind not in kind or len(tensor) != len(words):
            raise ValueError(f"tensor {name!r} has shape {tensor.shape} for {len(words)} words")
