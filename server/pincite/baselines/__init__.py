"""The other published systems, behind the protocols of ranking and matching."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..matching.base import SentenceMatcher
    from ..matching.vectors import WordVectors


def make_matcher(system: str, vectors: WordVectors) -> SentenceMatcher[Any]:
    """Make the sentence matcher of a name; raises `InputError` when that cannot be had."""
    from .systems import named

    return named(system).matcher(vectors)
