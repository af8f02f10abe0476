"""The answers of services, kept on the disk: no question is asked twice within a month."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

_KEPT_SECONDS: Final = 30 * 24 * 3600.0


class Answers:
    """A folder with a file for each answer; only its user can read it.

    What cannot be read or written is asked again, everything without a folder.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, service: str, path: str, parameters: Mapping[str, str]) -> tuple[Any] | None:
        """Return the answer to a question; None if it is not known, or too old."""
        if self._folder is None:
            return None
        try:
            kept = json.loads(
                _file(self._folder, service, path, parameters).read_text(encoding="utf-8")
            )
            at, answer = kept["at"], kept["answer"]
            fresh = 0.0 <= time.time() - float(at) < _KEPT_SECONDS
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None
        return (answer,) if fresh else None

    def put(self, service: str, path: str, parameters: Mapping[str, str], answer: object) -> None:
        """Keep an answer."""
        if self._folder is None:
            return
        with suppress(OSError, ValueError, RecursionError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            number, name = tempfile.mkstemp(dir=self._folder)  # mode 0600
            try:
                with open(number, "w", encoding="utf-8") as file:  # noqa: PTH123
                    json.dump({"at": time.time(), "answer": answer}, file)
                os.replace(name, _file(self._folder, service, path, parameters))  # noqa: PTH105
            except BaseException:
                os.unlink(name)  # noqa: PTH108
                raise


def _file(folder: Path, service: str, path: str, parameters: Mapping[str, str]) -> Path:
    asked = repr((service, path, sorted(parameters.items())))
    name = blake2b(asked.encode("utf-8", "replace"), digest_size=16).hexdigest()
    return folder / f"{name}.json"
