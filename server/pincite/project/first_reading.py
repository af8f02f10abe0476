"""The first reading of a draft's bibliographies: keys at a glance, then everything.

It has a thread of its own, so that requests for other drafts go on; who needs the bibliographies
of this one waits for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..cancellation import result_of
from ..settings import Settings
from .garbage import made_to_stay
from .listed import Listed

if TYPE_CHECKING:
    from ..model.drafts import Draft
    from .bibliographies import DraftBibliography
    from .workspace import Workspace

#: How long the interpreter is left to a list of what is seen of a bibliography before it is read.
_FIRST_LIST_SECONDS = 0.05

#: The settings and folders that a draft is read with.
RestsOn = tuple[Settings, tuple[Path, ...]]
#: A bibliography as it looks at a glance, and a list of it.
Seen = tuple["DraftBibliography", Listed]
#: Returns the draft of a document with this text, and what reads it; raises `InputError`.
DraftOf = Callable[[Path, "str | None"], "tuple[Workspace, Draft]"]


@dataclass(slots=True, eq=False)
class _Reading:
    """One document's reading; `glance` has None where reading everything takes no longer."""

    rests_on: RestsOn
    #: Let go of once everything is read.
    glance: Future[Seen | None] | None = None
    whole: Future[None] = field(default_factory=Future)

    def has_failed(self) -> bool:
        """Tell whether it has to be begun anew."""
        whole = self.whole
        return whole.done() and not whole.cancelled() and whole.exception() is not None


class FirstReadings:
    """The first readings of all documents, each begun when it is first asked for."""

    def __init__(self, draft_of: DraftOf, rests_on: Callable[[], RestsOn]) -> None:
        """Read drafts with `draft_of`; `rests_on` tells what they are read with by now."""
        self._draft_of = draft_of
        self._rests_on = rests_on
        self._readings: dict[Path, _Reading] = {}
        self._beginning = threading.Lock()
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="pincite-ahead")
        self._stopped = False

    def seen(self, path: Path, text: str | None) -> Seen | None:
        """Return the bibliographies of a document at a glance; None once they are read.

        None as well where reading them does not take long, and where it cannot be done.
        """
        from ..model.problems import InputError

        reading = self._begun(path, text)
        glance = reading.glance if reading is not None else None
        if glance is None:
            return None
        with suppress(InputError, CancelledError):
            return result_of(glance)
        return None

    def wait(self, path: Path, text: str | None) -> None:
        """Wait until the bibliographies of a document are read, if they can be."""
        from ..model.problems import InputError

        if (reading := self._begun(path, text)) is not None:
            with suppress(InputError, CancelledError):  # the request will find it too
                result_of(reading.whole)

    def forget(self) -> None:
        """Begin all readings anew when they are next asked for."""
        self._readings.clear()

    def stop(self) -> None:
        """Begin no more readings; nobody has to wait for what has not begun."""
        with self._beginning:
            self._stopped = True
        self._reader.shutdown(wait=False, cancel_futures=True)

    def _begun(self, path: Path, text: str | None) -> _Reading | None:
        with self._beginning:
            if self._stopped:
                return None
            reading, rests_on = self._readings.get(path), self._rests_on()
            if reading is None or reading.has_failed() or reading.rests_on != rests_on:
                reading = self._readings[path] = _Reading(rests_on)
                reading.glance = self._reader.submit(self._glance, path, text)
                reading.whole = self._reader.submit(self._read, path, text, reading.glance)
                reading.whole.add_done_callback(lambda _: setattr(reading, "glance", None))
        return reading

    def _glance(self, path: Path, text: str | None) -> Seen | None:
        workspace, draft = self._draft_of(path, text)
        seen = workspace.glance(draft)
        if seen is None:
            return None
        return seen, Listed(workspace, draft, seen.entries, at_a_glance=True)

    def _read(self, path: Path, text: str | None, glance: Future[Seen | None]) -> None:
        if glance.result() is not None:
            time.sleep(_FIRST_LIST_SECONDS)
        workspace, draft = self._draft_of(path, text)
        with made_to_stay():
            workspace.bibliography(draft)
