"""The answers of services, kept on the disk: no question is asked twice within a month."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from ..whole_files import write_whole

_KEPT_SECONDS: Final = 30 * 24 * 3600.0


class Answers:
    """A folder with a file for each answer; only its user can read it.

    What cannot be read or written is asked again, everything without a folder.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        #: Answers are as old as they were then: none expires between a plan and its run.
        self._now = time.time()

    def get(self, service: str, path: str, parameters: Mapping[str, str]) -> tuple[Any] | None:
        """Return the answer to a question; None if it is not known, or too old."""
        if self._folder is None:
            return None
        try:
            kept = json.loads(
                _file(self._folder, service, path, parameters).read_text(encoding="utf-8")
            )
            at, answer = kept["at"], kept["answer"]
            fresh = self._now - _KEPT_SECONDS < float(at) <= time.time()
        except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
            return None
        return (answer,) if fresh else None

    def put(self, service: str, path: str, parameters: Mapping[str, str], answer: object) -> None:
        """Keep an answer."""
        if self._folder is None:
            return
        with suppress(OSError, ValueError, RecursionError):
            kept = json.dumps({"at": time.time(), "answer": answer})
            write_whole(_file(self._folder, service, path, parameters), [kept.encode("ascii")])


def _file(folder: Path, service: str, path: str, parameters: Mapping[str, str]) -> Path:
    asked = repr((service, path, sorted(parameters.items())))
    name = blake2b(asked.encode("utf-8", "replace"), digest_size=16).hexdigest()
    return folder / f"{name}.json"
