"""What turns texts into vectors by meaning, such as a transformer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt


class SentenceEncoder(Protocol):
    """Maps texts to vectors by meaning."""

    def sentences(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a vector for each of n texts (n×D)."""


class TextVectors(SentenceEncoder, Protocol):
    """An encoder, and the vectors of texts that were encoded before."""

    def known(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a vector for each of n texts (n×D); zeros for one that was not encoded yet."""
