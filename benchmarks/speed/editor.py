"""A simulated editor: it types, sends requests, and measures when answers come."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import Any

from .own_process import ROOT, processor_seconds, resident
from .timed_server import PING, TIMINGS

SERVER = ("-m", "pincite", "serve")
TIMED_SERVER = ("-m", "benchmarks.speed.timed_server")
EMPTY_SERVER = (str(Path(__file__).with_name("empty_server.py")),)

_CAPABILITIES = {
    "window": {"workDoneProgress": True},
    "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}},
    "textDocument": {
        "completion": {
            "completionItem": {
                "labelDetailsSupport": True,
                "documentationFormat": ["markdown"],
                "resolveSupport": {"properties": ["documentation"]},
            }
        },
        "hover": {"contentFormat": ["markdown"]},
    },
    "experimental": {"pinciteStatus": True},
}
#: How long anything may take before the benchmark gives up.
PATIENCE = 180.0
#: A server that gets no processor looks idle, too: it has to be so several times.
_QUIET_TIMES, _QUIET_SECONDS, _QUIET_SHARE = 3, 0.25, 0.02


class TooLongError(Exception):
    """An answer did not come in time."""


class Editor:
    """One server process and its messages; `cache` is the folder of its index.

    With `initialize=False` nothing is sent yet; `began` is when the process was started.
    """

    def __init__(
        self,
        folder: Path | None,
        *,
        server: Sequence[str] = TIMED_SERVER,
        python: str = sys.executable,
        cache: Path | None = None,
        options: Mapping[str, object] | None = None,
        initialize: bool = True,
    ) -> None:
        environment = {**os.environ, **({"PINCITE_CACHE": str(cache)} if cache else {})}
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            [python, *server],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=environment,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to_server, self._from_server = self._process.stdin, self._process.stdout
        self._folder = folder
        self._options = options
        self._number = 0
        self._sending = threading.Lock()
        self._answers: dict[int, Queue[tuple[float, dict[str, Any]]]] = {}
        self._is_read = threading.Event()
        self._texts: dict[Path, list[str]] = {}
        self._versions: dict[Path, int] = {}
        threading.Thread(target=self._read, daemon=True).start()
        if initialize:
            self.initialize()
            self.notify("initialized", {})

    def __enter__(self) -> Editor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    # The process

    @property
    def pid(self) -> int:
        return self._process.pid

    def cpu(self) -> float:
        """Return the processor seconds that the server has used so far."""
        return processor_seconds(self.pid)

    def memory(self, what: str = "VmRSS") -> float:
        return resident(self.pid, what)

    def has_loaded(self, names: Sequence[str]) -> list[str]:
        """Return which compiled packages the process has in memory."""
        mapped = Path(f"/proc/{self.pid}/maps").read_text()
        return [name for name in names if f"/{name}/" in mapped]

    def end(self) -> None:
        """Say goodbye, and do not wait long for an answer."""
        with suppress(OSError, TooLongError):
            self.request("shutdown", None, seconds=10)
            self.notify("exit", None)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)
        self._process.kill()
        self._process.wait()

    def wait_until_idle(self, seconds: float = PATIENCE) -> None:
        """Wait until the server has done next to nothing for a while."""
        ends = time.monotonic() + seconds
        quiet, before = 0, self.cpu()
        while time.monotonic() < ends:
            time.sleep(_QUIET_SECONDS)
            now = self.cpu()
            quiet = quiet + 1 if now - before < _QUIET_SHARE * _QUIET_SECONDS else 0
            if quiet == _QUIET_TIMES:
                return
            before = now
        raise TooLongError(f"still busy after {seconds:.0f} s")

    # Messages

    def _read(self) -> None:
        while header := self._from_server.readline():
            length = int(header.split(b":")[1])
            while self._from_server.readline().strip():
                pass
            body = self._from_server.read(length)
            arrived = time.perf_counter()
            message = json.loads(body)
            number, method = message.get("id"), message.get("method")
            if method is None and (waiting := self._answers.pop(number, None)) is not None:
                waiting.put((arrived, message))
            elif method is not None and number is not None:
                self._send({"id": number, "result": None})
            elif method == "pincite/statusChanged" and message["params"]["done"] >= 1.0:
                self._is_read.set()

    def _send(self, message: Mapping[str, Any]) -> float:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with self._sending:
            began = time.perf_counter()
            self._to_server.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self._to_server.flush()
        return began

    def notify(self, method: str, params: object) -> float:
        """Send a notification; return when."""
        return self._send({"method": method, "params": params})

    def ask(self, method: str, params: object) -> Callable[[float], tuple[float, Any]]:
        """Send a request; return what waits for the seconds it took and its result."""
        self._number += 1
        number = self._number
        waiting: Queue[tuple[float, dict[str, Any]]] = Queue()
        self._answers[number] = waiting
        began = self._send({"id": number, "method": method, "params": params})

        def wait(seconds: float = PATIENCE) -> tuple[float, Any]:
            try:
                arrived, message = waiting.get(timeout=seconds)
            except Empty:
                raise TooLongError(f"{method} was not answered in {seconds:.0f} s") from None
            return arrived - began, message.get("result")

        return wait

    def request(self, method: str, params: object, seconds: float = PATIENCE) -> tuple[float, Any]:
        return self.ask(method, params)(seconds)

    def initialize(self) -> float:
        """Say who we are; return when that was answered."""
        uri = self._folder.as_uri() if self._folder else None
        self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": uri,
                "capabilities": _CAPABILITIES,
                "initializationOptions": self._options,
            },
        )
        return time.perf_counter()

    def timings(self) -> dict[str, list[float]]:
        """Return the seconds inside the server's handlers since this was last asked."""
        return self.request(TIMINGS, None)[1]

    def ping(self) -> float:
        """Return how long the event loop takes to answer anything."""
        return self.request(PING, None)[0]

    def settle(self) -> None:
        """Wait until everything that was sent has been read by the server."""
        self.request("benchmark/unknown", None)

    @property
    def has_read(self) -> bool:
        """Whether the server has said that all papers of a draft are read."""
        return self._is_read.is_set()

    def wait_until_read(self, seconds: float = PATIENCE) -> None:
        """Wait until the server says that all papers of a draft are read."""
        if not self._is_read.wait(seconds):
            raise TooLongError(f"the papers were not read in {seconds:.0f} s")

    # Documents

    def open(self, path: Path, text: str | None = None) -> float:
        text = path.read_text("utf-8") if text is None else text
        self._texts[path], self._versions[path] = text.split("\n"), 1
        language = "bibtex" if path.suffix == ".bib" else "latex"
        document = {"uri": path.as_uri(), "languageId": language, "version": 1, "text": text}
        return self.notify("textDocument/didOpen", {"textDocument": document})

    def close(self, path: Path) -> None:
        document = {"uri": path.as_uri()}
        self.notify("textDocument/didClose", {"textDocument": document})

    def lines(self, path: Path) -> list[str]:
        """Return the lines of an open document."""
        return self._texts[path]

    def type(self, path: Path, line: int, start: int, end: int, text: str) -> float:
        """Replace a part of a line (of ASCII); return when."""
        before = self._texts[path][line]
        self._texts[path][line] = before[:start] + text + before[end:]
        self._versions[path] += 1
        change = {
            "range": {
                "start": {"line": line, "character": start},
                "end": {"line": line, "character": end},
            },
            "text": text,
        }
        document = {"uri": path.as_uri(), "version": self._versions[path]}
        params = {"textDocument": document, "contentChanges": [change]}
        return self.notify("textDocument/didChange", params)

    def at(self, path: Path, line: int, character: int) -> dict[str, Any]:
        position = {"line": line, "character": character}
        return {"textDocument": {"uri": path.as_uri()}, "position": position}

    def complete(self, path: Path, line: int, character: int) -> tuple[float, list[dict[str, Any]]]:
        took, found = self.request("textDocument/completion", self.at(path, line, character))
        return took, found["items"] if found else []


def is_ranked(items: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the first item of a list has a reason for its rank."""
    return bool(items) and bool((items[0].get("labelDetails") or {}).get("description"))
