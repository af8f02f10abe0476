"""The sentence matcher that the settings name, made when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from ..cancellation import holding
from ..model.problems import InputError, Problem
from ..settings import DEFAULT_SYSTEM, MatchingSettings

if TYPE_CHECKING:
    from ..matching.base import SentenceMatcher
    from ..matching.vectors import WordVectors

Loaded = TypeVar("Loaded")
#: Makes the sentence matcher of settings with word vectors; raises `InputError` if it cannot.
MakeMatcher = Callable[[MatchingSettings, "WordVectors"], "SentenceMatcher[Any]"]


class ChosenMatcher:
    """Makes a matcher once, whichever thread asks first; others wait for it.

    What cannot be had is in `problems`, and the packaged vectors or the default matcher serve
    instead.
    """

    def __init__(self, settings: MatchingSettings, make: MakeMatcher | None) -> None:
        """Take settings, and what serves where they name another system than the default."""
        self.problems: list[Problem] = []
        #: The setting that names what cannot be had, its value, and why.
        self.wrong: list[tuple[str, str, str]] = []
        self._settings = settings
        self._make = make
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

        settings, make, named = self._settings, self._make, None
        chosen = settings.vectors
        loaded = (
            self._loaded(lambda: WordVectors.load(chosen), "vectors", str(chosen))
            if chosen
            else None
        )
        vectors = loaded or self._loaded(WordVectors.packaged) or WordVectors.empty()
        if make is not None and settings.system != DEFAULT_SYSTEM:
            named = self._loaded(lambda: make(settings, vectors), "system", settings.system)
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
