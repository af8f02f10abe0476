"""The sentence matcher that the settings name, made when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from .. import extensions
from ..cancellation import CancelledError, check, result_of
from ..model.problems import InputError, Problem
from ..settings import MatchingSettings

if TYPE_CHECKING:
    from ..matching.base import SentenceMatcher

_T = TypeVar("_T")


class ChosenMatcher:
    """Makes a matcher once, whichever thread asks first; others wait: it may fill the memory.

    What cannot be had is in `problems`, and the packaged vectors or the default matcher serve
    instead.
    """

    def __init__(self, settings: MatchingSettings) -> None:
        self.problems: list[Problem] = []
        #: The setting that names what cannot be had, its value, and why.
        self.wrong: list[tuple[str, str, str]] = []
        self._settings = settings
        self._made: dict[str, Future[SentenceMatcher[Any]]] = {}

    def __call__(self) -> SentenceMatcher[Any]:
        """Return the matcher."""
        mine: Future[SentenceMatcher[Any]] = Future()
        made = self._made.setdefault("matcher", mine)
        if made is not mine:
            try:
                return result_of(made)
            except CancelledError:
                check()
                return self()  # what was cancelled was the thread that made it
        try:
            failed: list[tuple[str, str, str]] = []
            matcher = _made(self._settings, failed)
        except BaseException as error:
            self._made.clear()
            mine.set_exception(error)
            raise
        self.problems = [Problem(None, None, message) for _, _, message in failed]
        self.wrong = [each for each in failed if each[0]]
        mine.set_result(matcher)
        return matcher


def _made(settings: MatchingSettings, failed: list[tuple[str, str, str]]) -> SentenceMatcher[Any]:
    from ..matching.asymmetric import AsymmetricMatcher
    from ..matching.fused import FusedMatcher
    from ..matching.vectors import WordVectors

    def loaded(load: Callable[[], _T], setting: str = "", value: str = "") -> _T | None:
        try:
            return load()
        except InputError as error:
            failed.append((setting, value, str(error)))
            return None

    def named() -> SentenceMatcher[Any]:
        make = extensions.load("matchers", extensions.MATCHERS, f"the system {settings.system}")
        matcher: SentenceMatcher[Any] = make(settings, vectors)
        return matcher

    path = settings.vectors
    own = loaded(lambda: WordVectors.load(path), "vectors", str(path)) if path else None
    vectors = own or loaded(WordVectors.packaged) or WordVectors.empty()
    chosen = loaded(named, "system", settings.system) if settings.needs_research else None
    # Where the packaged model is damaged, the matcher of its strongest evidence serves.
    return chosen or loaded(lambda: FusedMatcher(vectors)) or AsymmetricMatcher(vectors)
