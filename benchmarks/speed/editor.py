"""An editor at the real server, over stdio: it types and asks, and the server's process is read."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from author import CAPABILITIES
from protocol_client import Client

_PATIENCE = 300.0


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _until(condition: Callable[[], bool], pause: float) -> None:
    ends = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > ends:
            raise TimeoutError(f"not {condition.__name__} in {_PATIENCE:.0f} s")
        time.sleep(pause)


class Editor(Client):
    """A server with one draft open; `began` is when its process was started."""

    def __init__(self, draft: Path, cache: Path, library: Path | None = None) -> None:
        self.draft, self.began = draft, time.perf_counter()
        self.lines = draft.read_text("utf-8").split("\n")
        self._version = 1
        nothing = {"client/registerCapability", "window/workDoneProgress/create"}
        super().__init__(
            draft.parent,
            options={"library": {"folders": [str(library)] if library else []}},
            capabilities=CAPABILITIES,
            replies=dict.fromkeys(nothing, lambda _: None),
            environment={"PINCITE_CACHE": str(cache), "PINCITE_ZOTERO": str(cache)},
        )
        self.open(draft, "\n".join(self.lines))

    def type(self, line: int, start: int, end: int, text: str) -> None:
        """Replace a part of a line (of ASCII)."""
        before = self.lines[line]
        self.lines[line] = before[:start] + text + before[end:]
        self._version += 1
        places = ({"line": line, "character": column} for column in (start, end))
        span = dict(zip(("start", "end"), places, strict=True))
        self.change(self.draft, self._version, {"range": span, "text": text})

    def settle(self) -> None:
        """Wait until the server has read all that was sent."""
        self.request("benchmark/unknown", None)
        self.seen.clear()

    def items(self, line: int, column: int) -> list[dict[str, Any]]:
        found = self.complete(self.draft, line, column).get("result")
        return found["items"] if found else []

    def until_listed(self, line: int, column: int, key: str | None = None) -> None:
        """Ask for lists until one is ranked, or has a key; pause as an author does."""

        def is_listed() -> bool:
            items = self.items(line, column)
            if key is not None:
                return any(item["label"] == key for item in items)
            # The best entry is preselected; rows that offer to do something are not.
            return bool(items and items[0].get("preselect"))

        _until(is_listed, 0.02)

    def until_ready(self) -> None:
        """Wait until everything is read and ranked."""

        def is_ready() -> bool:
            document = {"textDocument": {"uri": self.draft.as_uri()}}
            status = self.request("pincite/status", document)["result"]
            return status is not None and status["state"] == "ready"

        _until(is_ready, 0.05)

    def cited(self) -> Iterator[tuple[int, int, str]]:
        """Yield line, column and key of the citations."""
        for number, line in enumerate(self.lines):
            if (start := line.find("\\cite{")) >= 0:
                column = start + len("\\cite{")
                yield number, column, line[column : line.index("}", column)]

    def megabytes(self) -> float:
        """Return the memory that the server has resident, once it stays as it is."""
        before, now = 0.0, 1.0
        while abs(now - before) >= 1.0:
            time.sleep(4.0)
            status = Path(f"/proc/{self.process.pid}/status").read_text()
            before, now = now, int(status.split("VmRSS:")[1].split()[0]) * 1024 / 1e6
        return now


def read_ahead(draft: Path, library: Path, cache: Path) -> None:
    """Read the papers of a library into a cache, as an author may overnight."""
    command = [sys.executable, "-m", "pincite", "index", str(draft), "--library", str(library)]
    environment = {**os.environ, "PINCITE_CACHE": str(cache)}
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
