"""A client that speaks the protocol byte by byte and keeps whatever comes back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue
from typing import Any

#: One that shows progress.
CAPABILITIES = {"window": {"workDoneProgress": True}}
#: How long a client waits for an answer.
PATIENCE_SECONDS = 60.0
TEXT = (
    "\\documentclass{article}\n\\begin{document}\nWords \\cite{}.\n\\bibliography{refs}\n"
    "\\end{document}\n"
)


#: The codec of each position encoding, and the width of its unit.
_UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
ENCODINGS = [*_UNITS]


def units(text: str, encoding: str = "utf-16") -> int:
    """Return the length of a text in the units of a position encoding."""
    codec, width = _UNITS[encoding]
    return len(text.encode(codec, "surrogatepass")) // width


def eventually(condition: Callable[[], Any], what: str) -> Any:
    """Wait until a condition holds; return what it gives."""
    for _ in range(600):
        if result := condition():
            return result
        time.sleep(0.05)
    raise AssertionError(f"never happened: {what}")


class Client:
    """A server process, and what went to and fro.

    `replies` has the results that the server's own requests get, by method; others it waits for in
    vain. Without `initialize`, or where it does not read, the test sends all messages. `server`
    are the arguments of Python that start it.
    """

    def __init__(
        self,
        folder: Path | None,
        *,
        options: object = None,
        capabilities: Mapping[str, Any] = CAPABILITIES,
        replies: Mapping[str, Callable[[Any], object]] | None = None,
        initialize: bool = True,
        reads: bool = True,
        process_id: int | None = None,
        server: Sequence[str] = ("-m", "pincite", "serve"),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, *server],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env={**os.environ, **(environment or {})},
        )
        self.replies = replies or {}
        self.received: Queue[dict[str, Any]] = Queue()
        self.seen: list[dict[str, Any]] = []
        self.number = 0
        self._sending = threading.Lock()
        if reads:
            self.begin_to_read()
        self.params = {
            "processId": process_id,
            "rootUri": folder.as_uri() if folder else None,
            "capabilities": capabilities,
            "initializationOptions": options,
        }
        if initialize and reads:
            self.initialize()

    def begin_to_read(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()

    def initialize(self) -> None:
        self.answer = self.request("initialize", self.params)
        self.notify("initialized", {})

    def _read(self) -> None:
        stream = self.process.stdout
        while header := stream.readline():
            assert header.startswith(b"Content-Length: "), header
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(length))
            if "id" in message and (reply := self.replies.get(message.get("method"))):
                self.send({"id": message["id"], "result": reply(message["params"])})
            self.received.put(message)

    def send_bytes(self, body: bytes) -> None:
        with self._sending:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self.process.stdin.flush()

    def send(self, message: Mapping[str, Any]) -> None:
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method: str, params: object) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: object) -> int:
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.number

    def wait(
        self, wanted: Callable[[dict[str, Any]], bool], seconds: float = PATIENCE_SECONDS
    ) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                message = self.received.get(timeout=max(end - time.monotonic(), 0.01))
            except Empty:
                break
            self.seen.append(message)
            if wanted(message):
                return message
        raise AssertionError("nothing of the kind came")

    def wait_for(self, method: str) -> Any:
        """Wait for a message from the server; return its parameters."""
        return self.wait(lambda message: message.get("method") == method).get("params")

    def answer_to(self, number: int | None) -> dict[str, Any]:
        return self.wait(lambda m: "method" not in m and m.get("id") == number)

    def request(self, method: str, params: object) -> dict[str, Any]:
        return self.answer_to(self.ask(method, params))

    def open(self, path: Path | str, text: str = TEXT, language: str = "latex") -> None:
        document = {"uri": _uri(path), "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, path: Path | str, version: int, *changes: Mapping[str, Any]) -> None:
        """Edit a document; each change has a text and, unless all is replaced, a range."""
        document = {"uri": _uri(path), "version": version}
        params = {"textDocument": document, "contentChanges": changes}
        self.notify("textDocument/didChange", params)

    def did(self, what: str, path: Path | str) -> None:
        """Report that a document was closed or saved: "Close", "Save"."""
        self.notify(f"textDocument/did{what}", self.about(path))

    def configure(self, **settings: object) -> None:
        self.notify("workspace/didChangeConfiguration", {"settings": {"pincite": settings}})

    def report_changed(self, *paths: Path | str, kind: int = 2) -> None:
        """Report that files have changed: 1 is created, 2 changed, 3 deleted."""
        changes = [{"uri": _uri(path), "type": kind} for path in paths]
        self.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def change_folders(self, added: Sequence[Path | str] = (), removed: Sequence[Path | str] = ()) -> None:  # fmt: skip
        event = {
            name: [{"uri": _uri(folder), "name": "folder"} for folder in folders]
            for name, folders in (("added", added), ("removed", removed))
        }
        self.notify("workspace/didChangeWorkspaceFolders", {"event": event})

    def about(self, path: Path | str, **more: object) -> dict[str, Any]:
        """Return the parameters of a request about a document."""
        return {"textDocument": {"uri": _uri(path)}, **more}

    def at(self, path: Path | str, line: int = 2, character: int = 12) -> dict[str, Any]:
        return self.about(path, position={"line": line, "character": character})

    def problems(self, path: Path | str) -> list[dict[str, Any]]:
        return self.request("textDocument/diagnostic", self.about(path))["result"]["items"]

    def run(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a command, as an item or an action has it."""
        given = {name: command[name] for name in ("command", "arguments") if name in command}
        return self.request("workspace/executeCommand", given)

    def complete(self, path: Path | str, line: int = 2, character: int = 12) -> dict[str, Any]:
        return self.request("textDocument/completion", self.at(path, line, character))

    def labels(self, path: Path | str, line: int = 2, character: int = 12) -> set[str] | None:
        """Return the keys that are suggested; None where nothing is."""
        found = self.complete(path, line, character)["result"]
        return None if found is None else {item["label"] for item in found["items"]}

    def methods(self) -> list[str]:
        while not self.received.empty():
            self.seen.append(self.received.get())
        return [message["method"] for message in self.seen if "method" in message]

    def sent(self, method: str) -> list[Any]:
        """Return the parameters of the server's messages of a kind so far."""
        self.methods()
        return [message["params"] for message in self.seen if message.get("method") == method]

    def stop(self) -> int:
        """Say goodbye; return the exit status."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(timeout=30)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def _uri(path: Path | str) -> str:
    return path if isinstance(path, str) else path.as_uri()
