"""The accuracy that a random order has in citation resolution.

By the rule of Duma and Klein (2014, sections 3 to 5) a group of n references is resolved when any
of them is among the first n; this is the exact probability of that for a random order.
"""

from __future__ import annotations

from math import comb


def chance(references: int, candidates: int) -> float:
    """Return the probability that a random order of the candidates resolves a group.

    A group of n references is resolved when any of them is among the first n.
    """
    if references <= 0:
        return 0.0
    return 1.0 - comb(candidates - references, references) / comb(candidates, references)
