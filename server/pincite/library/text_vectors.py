"""Vectors of texts by meaning, cached in the index: encoding is slow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from statistics import mode
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from ..cancellation import check
from ..model.encoders import SentenceEncoder
from .index import PaperIndex
from .library import Progress

Vectors = npt.NDArray[np.float32]

#: How many texts are encoded before another thread may ask to stop.
_BATCH: Final = 8


class NamedEncoder(SentenceEncoder, Protocol):
    """An encoder with a name, which changes with its vectors."""

    @property
    def name(self) -> str:
        """The name under which its vectors are cached."""


class StoredVectors:
    """The vectors of an encoder; those of texts that were encoded before are in an index."""

    def __init__(self, encoder: NamedEncoder, index: PaperIndex) -> None:
        self._encoder, self._index = encoder, index

    def sentences(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of n texts (n×D), which are not stored."""
        return self._encoder.sentences(texts)

    def known(self, texts: Sequence[str]) -> Vectors:
        """Return the stored vectors of n texts (n×D); zeros for a text that has none."""
        digests = list(map(_digest, texts))
        stored = self._index.vectors(self._encoder.name, digests)
        # A vector of another length than the others was damaged.
        length = mode(map(len, stored.values())) if stored else 2
        found = np.zeros((len(texts), length // 2), np.float32)
        for row, digest in enumerate(digests):
            own = stored.get(digest, b"")
            if len(own) == length:
                found[row] = np.frombuffer(own, np.float16)
        return found

    def encode(
        self,
        texts: Sequence[str],
        progress: Progress | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Encode and store the texts that have no vector yet; return False if `cancelled`."""
        of_digest = {_digest(text): text for text in texts if text}
        known = self._index.vectors(self._encoder.name, list(of_digest))
        missing = [digest for digest in of_digest if digest not in known]
        for start in range(0, len(missing), _BATCH):
            check()
            if cancelled():
                return False
            if progress is not None:
                progress(start, len(missing))
            digests = missing[start : start + _BATCH]
            vectors = self._encoder.sentences([of_digest[digest] for digest in digests])
            stored = (vector.astype(np.float16).tobytes() for vector in vectors)
            self._index.put_vectors(self._encoder.name, dict(zip(digests, stored, strict=True)))
        return True


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
