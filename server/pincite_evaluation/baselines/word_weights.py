"""Weights of words in a match (Ricci et al. 2022, section 2.2 and appendix C.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import Literal

import numpy as np
import numpy.typing as npt

from pincite.matching.vectors import UNKNOWN, WordVectors
from pincite.model.problems import InputError

Weights = Literal["inverse-frequency", "uniform", "uniform-nostop"]


def weights_of(
    words: Sequence[str], vectors: WordVectors, rule: Weights, alpha: float
) -> npt.NDArray[np.float64]:
    r"""Return W(w) of each word (n).

    By inverse frequency, the weight is \alpha / (\alpha + p(w)) (equation 2), otherwise 1; without
    stop words, theirs is 0.
    """
    if rule == "inverse-frequency":
        return np.asarray(alpha / (alpha + vectors.probability(words)), np.float64)
    if rule == "uniform":
        return np.ones(len(words))
    stopped = paper_stop_words()
    return np.array([float(word.lower() not in stopped) for word in words])


@cache
def paper_stop_words() -> frozenset[str]:
    """Return the words of the stop list of Ricci et al. (2022, appendix E), lower case."""
    listed = resources.files("pincite_evaluation.baselines").joinpath("ricci_stop_words.txt")
    lines = listed.read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def in_model(words: Iterable[str], vectors: WordVectors, unk: bool) -> list[str]:
    """Return the words as the model sees them: with `unk`, all unknown ones become `UNKNOWN`."""
    return [word if not unk or word in vectors else UNKNOWN for word in words]


def check(vectors: WordVectors, alpha: float, k: int, unk: bool) -> None:
    """Raise `InputError` if these parameters are out of range, or the vectors lack `UNKNOWN`."""
    if not 0.0 < alpha < np.inf:
        raise InputError(f"alpha={alpha}: expected a number above 0")
    if k < 1:
        raise InputError(f"k={k}: expected 1 sentence or more")
    if unk and UNKNOWN not in vectors:
        raise InputError(
            f"the word vectors have no {UNKNOWN} for rare words:"
            " train some with `pincite vectors train --unknown`"
        )
