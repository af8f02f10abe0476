"""The sentence matcher that the settings name, made when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from .. import extensions
from ..cancellation import holding
from ..model.problems import InputError, Problem
from ..settings import MatchingSettings

if TYPE_CHECKING:
    from ..matching.base import SentenceMatcher
    from ..matching.vectors import WordVectors

Loaded = TypeVar("Loaded")


class ChosenMatcher:
    """Makes a matcher once, whichever thread asks first; others wait for it.

    What cannot be had is in `problems`, and the packaged vectors or the default matcher serve
    instead.
    """

    def __init__(self, settings: MatchingSettings) -> None:
        self.problems: list[Problem] = []
        #: The setting that names what cannot be had, its value, and why.
        self.wrong: list[tuple[str, str, str]] = []
        self._settings = settings
        self._making = Lock()
        self._made: SentenceMatcher[Any] | None = None

    def __call__(self) -> SentenceMatcher[Any]:
        """Return the matcher."""
        with holding(self._making):
            if self._made is None:
                self._made = self._new()
            return self._made

    def _new(self) -> SentenceMatcher[Any]:
        from ..matching.asymmetric import AsymmetricMatcher
        from ..matching.fused import FusedMatcher
        from ..matching.vectors import WordVectors

        settings, named = self._settings, None
        chosen = settings.vectors
        loaded = (
            self._loaded(lambda: WordVectors.load(chosen), "vectors", str(chosen))
            if chosen
            else None
        )
        vectors = loaded or self._loaded(WordVectors.packaged) or WordVectors.empty()
        if settings.needs_research:
            named = self._loaded(lambda: _named(settings, vectors), "system", settings.system)
        # Where the packaged model is damaged, the matcher of its strongest evidence serves.
        return named or self._loaded(lambda: FusedMatcher(vectors)) or AsymmetricMatcher(vectors)

    def _loaded(
        self, load: Callable[[], Loaded], setting: str = "", value: str = ""
    ) -> Loaded | None:
        try:
            return load()
        except InputError as error:
            if setting:
                self.wrong.append((setting, value, str(error)))
            self.problems.append(Problem(None, None, str(error)))
            return None


def _named(settings: MatchingSettings, vectors: WordVectors) -> SentenceMatcher[Any]:
    """Make the matcher that settings name; raises `InputError` if it is not to be had."""
    make = extensions.load("matchers", extensions.MATCHERS, f"the system {settings.system}")
    matcher: SentenceMatcher[Any] = make(settings, vectors)
    return matcher
