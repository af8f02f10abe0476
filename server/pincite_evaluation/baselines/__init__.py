"""Other published systems that implement the protocols of ranking and matching."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pincite.library.text_vectors import NamedEncoder
    from pincite.matching.base import SentenceMatcher
    from pincite.matching.vectors import WordVectors
    from pincite.settings import MatchingSettings


def make_matcher(settings: MatchingSettings, vectors: WordVectors) -> SentenceMatcher[Any]:
    """Make the sentence matcher that settings name; raises `InputError` if it is unavailable."""
    from ..training import ModelFolder
    from .systems import named

    system = named(settings.system)
    if settings.model is not None:
        system = system.with_model(ModelFolder.read(settings.model))
    return system.matcher(vectors)


def make_encoder() -> NamedEncoder:
    """Return the installed encoder of sentences; raises `InputError` if there is none."""
    from .encoders import open_encoder

    return open_encoder()
