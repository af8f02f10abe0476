r"""How well sentences cover the words of a citance (Ricci et al. 2022, equations 1 and 3).

The arithmetic that matchers share, independent of the source of the vectors, and the order of
sentences by their scores.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.intp]

#: The least cosine at which a word is marked as matched, independent of d.
MARKED_FROM = 0.5**0.5
#: OpenBLAS uses one thread for products of no more multiplications than this. More threads save
#: 0.1 ms on an idle machine, and cost ten when other programs keep its cores busy.
_OF_ONE_THREAD = 1 << 18
#: Scores are compared rounded to these digits, so that the order of additions cannot break ties.
_DIGITS = 12


def unit(vectors: Floats) -> Floats:
    """Return vectors (n×D), each scaled to length 1; zeros remain."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Floats = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0.0)
    return found


def product(left: Floats, right: Floats) -> Floats:
    """Return the matrix product (n×V) of n×D and D×V, a few columns at a time."""
    found = np.empty((len(left), right.shape[1]), np.float32)
    step = max(1, _OF_ONE_THREAD // max(1, left.size))
    for start in range(0, right.shape[1], step):
        np.matmul(left, right[:, start : start + step], out=found[:, start : start + step])
    return found


def scaled(similarities: Floats, d: float) -> Floats:
    r"""Return \sigma of cosines: the power d, 0 for negative ones."""
    powers: Floats = np.power(np.clip(similarities, 0.0, 1.0), np.float32(d))
    return powers


def covered(similarities: Floats, starts: Indices, d: float) -> Floats:
    r"""Return \max \sigma of each word of a citance (n) over the words of each sentence (n×S).

    `similarities` (n×N) are with the N words of all sentences, the first of them at `starts` (S).
    """
    # The power is monotonic, so it can be applied after the maxima.
    return scaled(np.maximum.reduceat(similarities, starts, axis=1), d)


def best_first(scores: Floats | npt.NDArray[np.float64], number: int) -> list[tuple[int, float]]:
    """Return index and score of the best `number` positive sentences; ties in the paper's order."""
    rounded = np.round(np.asarray(scores, np.float64), _DIGITS)
    order = np.argsort(-rounded, kind="stable")[: max(0, number)]
    return [(index, float(rounded[index])) for index in order.tolist() if rounded[index] > 0.0]
