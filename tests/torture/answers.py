"""Requests: each is answered exactly once, in every state, and none waits for slow work."""

from __future__ import annotations

import math
import random
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any, NamedTuple

from protocol_client import PATIENCE_SECONDS, Client, eventually
from torture import Row, Size, projects
from torture.probe import CALL_SECONDS, SERVER, SLOW

REQUESTS = {"ci": 1_000, "full": 10_000, "nightly": 200_000}
IN_FLIGHT = {"ci": 2_000, "full": 10_000, "nightly": 10_000}
_PATIENCE = 120.0
#: So many calls of a slow file system take longer than a client waits for one answer.
_SLOW_CALLS = int(1.5 * PATIENCE_SECONDS / CALL_SECONDS)
_AT_A_PLACE = (
    "textDocument/completion", "textDocument/hover", "textDocument/definition", "textDocument/references",
    "textDocument/documentHighlight", "textDocument/prepareRename", "textDocument/rename",
    "pincite/recommendations", "pincite/evidence",
)  # fmt: skip
_OTHERS = (
    "textDocument/documentLink", "textDocument/diagnostic", "textDocument/inlayHint", "textDocument/codeAction",
    "workspace/symbol", "completionItem/resolve", "codeAction/resolve", "workspace/executeCommand",
    "pincite/status", "pincite/library", "pincite/check", "textDocument/unknown",
)  # fmt: skip
_NONSENSE: tuple[object, ...] = (
    None,
    5,
    [],
    "x",
    {},
    {"textDocument": 5},
    {"textDocument": {"uri": "x:"}},
)
_REPLIES = {"workspace/applyEdit": lambda _params: {"applied": False}}


def run(size: Size, seed: int) -> Iterator[Row]:
    """Send random requests in each state; then many at once; then beside slow work."""
    yield _in_every_state(REQUESTS[size], random.Random(seed))
    yield _in_flight(IN_FLIGHT[size], random.Random(seed + 1))
    yield from _waiting(size, seed + 2)


class _Asker:
    """Sends requests and counts the answers to each."""

    def __init__(self, draft: Path, client: Client, chance: random.Random) -> None:
        self.draft, self.client, self.chance = draft, client, chance
        self.asked: dict[int, str] = {}
        self.answered: Counter[int] = Counter()
        self.lines = draft.read_text("utf-8").split("\n")

    def ask(self) -> None:
        chance = self.chance
        method = chance.choice((*_AT_A_PLACE, *_AT_A_PLACE, *_OTHERS))
        number = self.client.ask(method, self.params(method))
        self.asked[number] = method
        if chance.random() < 0.3:
            self.client.notify("$/cancelRequest", {"id": chance.choice((number, number - 1))})
        if chance.random() < 0.05:
            self.type()
        if chance.random() < 0.02:
            settings = {"pincite": {"ranker": chance.choice(("learned", "mixed"))}}
            self.client.notify("workspace/didChangeConfiguration", {"settings": settings})

    def params(self, method: str) -> object:
        if self.chance.random() < 0.05:
            return self.chance.choice(_NONSENSE)
        line = self.chance.randrange(len(self.lines) + 2)
        place = {"line": line, "character": self.chance.randrange(90)}
        return {
            "textDocument": {"uri": self.draft.as_uri()},
            "position": place,
            "range": {"start": place, "end": place},
            "context": {"diagnostics": [], "includeDeclaration": True},
            "newName": "other",
            "query": "a",
            "label": "x",
            "title": "x",
            "command": self.chance.choice(("pincite.reindex", "pincite.insertCitation", "x")),
            "arguments": [{"uri": self.draft.as_uri(), "position": place, "key": "x"}],
        }

    def type(self) -> None:
        place = {"line": 0, "character": 0}
        self.client.change(self.draft, 2, {"range": {"start": place, "end": place}, "text": "%"})

    def collect(self) -> list[str]:
        """Wait for all answers, as long as some come; return what is wrong with them."""
        last = self.client.ask("pincite/status", None)
        self.asked[last] = "pincite/status"
        ends = time.monotonic() + _PATIENCE
        while len(self.answered) < len(self.asked) and time.monotonic() < ends:
            try:
                message = self.client.received.get(timeout=1.0)
            except Empty:
                continue
            if "method" not in message and message.get("id") is not None:
                self.answered[message["id"]] += 1
                ends = time.monotonic() + _PATIENCE
        never = (f"{m} was never answered" for n, m in self.asked.items() if n not in self.answered)
        twice = (f"{self.asked.get(n, n)}: {k} answers" for n, k in self.answered.items() if k > 1)
        return [*never, *twice]


@contextmanager
def _started(folder: Path, **options: Any) -> Iterator[Client]:
    client = Client(folder, replies=_REPLIES, **options)
    try:
        yield client
    finally:
        client.close()


def _failed(client: Client) -> list[str]:
    """Return the errors that an ended server has logged of requests."""
    logged = client.process.stderr.read().decode(errors="replace")
    parts = logged.split("pincite: a request failed:")[1:]
    return [each.split("pincite: ", 1)[0].strip().splitlines()[-1] for each in parts]


def _in_every_state(number: int, chance: random.Random) -> Row:
    failures: list[str] = []
    tried = 0
    with tempfile.TemporaryDirectory() as scratch:
        draft = projects.examples(Path(scratch))
        cache = {"PINCITE_CACHE": str(Path(scratch, "cache"))}
        with _started(draft.parent, initialize=False, environment=cache) as client:
            asker = _Asker(draft, client, chance)
            for state in ("not initialized", "reading papers", "ready", "shut down"):
                if state == "reading papers":
                    client.initialize()
                    client.open(draft, "\n".join(asker.lines))
                if state == "shut down":
                    client.request("shutdown", None)
                for _ in range(number // 4):
                    asker.ask()
                failures += [f"{state}: {each}" for each in asker.collect()]
                tried += len(asker.asked)
                asker.asked.clear()
                asker.answered.clear()
            client.notify("exit", None)
            if status := client.process.wait(timeout=60):
                failures.append(f"the server ended with status {status}")
            failures += _failed(client)
    return Row("every request is answered once, in every state", tried, failures)


def _in_flight(number: int, chance: random.Random) -> Row:
    with tempfile.TemporaryDirectory() as scratch:
        draft = projects.examples(Path(scratch))
        cache = {"PINCITE_CACHE": str(Path(scratch, "cache"))}
        with _started(draft.parent, environment=cache) as client:
            asker = _Asker(draft, client, chance)
            client.open(draft, "\n".join(asker.lines))
            for _ in range(number):
                asker.ask()
            failures = asker.collect()
            if status := client.stop():
                failures.append(f"the server ended with status {status}")
            failures += _failed(client)
    return Row(f"{number:,} requests in flight", number, failures)


# Waiting


class _Slow(NamedTuple):
    """A project in which something takes longer than a client waits for an answer."""

    draft: Path
    environment: dict[str, str]
    options: object = None
    loose: Path | None = None
    lock: sqlite3.Connection | None = None


def _waiting(size: Size, seed: int) -> Iterator[Row]:
    """Send requests while something else is slow: an answer that comes has not waited for it."""
    number = 20 if size == "ci" else 60
    for what, make in (
        ("a slow folder", _slow_folder),
        ("a walk over a slow folder", _walked_folder),
        ("an index that is locked", _locked_index),
        ("indexing", _indexing),
    ):
        with tempfile.TemporaryDirectory() as scratch:
            slow = make(Path(scratch), random.Random(seed))
            try:
                failures, longest = _answered(slow, number)
            finally:
                if slow.lock is not None:
                    slow.lock.close()
        yield Row(
            f"no request waits for {what}", number, failures, f"{longest:.2f} s for the slowest"
        )


def _slow_folder(scratch: Path, chance: random.Random) -> _Slow:
    draft = projects.invented(scratch / "project", chance, 30)
    slow = scratch / "slow"
    for name in range(_SLOW_CALLS):
        (slow / str(name)).mkdir(parents=True)
        (slow / str(name) / f"work{name}.md").write_text(projects.paper(chance))
    environment = {"PINCITE_CACHE": str(scratch / "cache"), SLOW: str(slow)}
    return _Slow(draft, environment, {"library": {"folders": [str(slow)]}})


def _walked_folder(scratch: Path, chance: random.Random) -> _Slow:
    """Also open a single file above a folder of hundreds."""
    draft = projects.invented(scratch / "project", chance, 30)
    loose = scratch / "loose" / "loose.tex"
    for name in range(_SLOW_CALLS):
        (loose.parent / "walked" / str(name)).mkdir(parents=True)
    loose.write_text("Words \\cite{}.\n")
    environment = {"PINCITE_CACHE": str(scratch / "cache"), SLOW: str(loose.parent / "walked")}
    return _Slow(draft, environment, loose=loose)


def _locked_index(scratch: Path, chance: random.Random) -> _Slow:
    """Hold the index; one of the papers is not in it yet."""
    draft = projects.invented(scratch / "project", chance, 30, 5)
    environment = {"PINCITE_CACHE": str(scratch / "cache")}
    with _started(draft.parent, environment=environment) as client:  # makes the index
        client.open(draft, draft.read_text())
        client.complete(draft, 2, 0)
        eventually(lambda: _state(client) == "ready", "the papers are read")
    (draft.parent / "papers" / "work9.md").write_text(projects.paper(chance))
    other = sqlite3.connect(scratch / "cache" / "index.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    return _Slow(draft, environment, lock=other)


def _indexing(scratch: Path, chance: random.Random) -> _Slow:
    draft = projects.invented(scratch / "project", chance, 3_000, _SLOW_CALLS)
    environment = {
        "PINCITE_CACHE": str(scratch / "cache"),
        SLOW: str(draft.parent / "papers" / "work"),
    }
    return _Slow(draft, environment)


def _state(client: Client) -> str:
    return client.request("pincite/status", None)["result"]["state"]


def _answered(slow: _Slow, number: int) -> tuple[list[str], float]:
    """Send requests one after another; return what waited, or had no reason to, and the longest."""
    draft, start, longest = slow.draft, {"line": 0, "character": 0}, 0.0
    with _started(
        draft.parent, options=slow.options, environment=slow.environment, server=SERVER
    ) as client:
        text = draft.read_text()
        client.open(draft, text)
        if slow.loose is not None:
            client.open(slow.loose, slow.loose.read_text())
        lines = text.split("\n")
        cited = [(n, line.index("\\cite{")) for n, line in enumerate(lines) if "\\cite{" in line]
        for asked in range(number):
            line, column = cited[asked % len(cited)]
            if slow.loose is not None and asked % 5 == 0:
                client.ask("textDocument/hover", client.at(slow.loose, 0, 8))
            method = "textDocument/hover" if asked % 2 else "textDocument/completion"
            began = time.perf_counter()
            try:
                client.request(method, client.at(draft, line, column + len("\\cite{")))
            except AssertionError:
                return [f"request {asked}, {method}, waited"], math.inf
            longest = max(longest, time.perf_counter() - began)
            here = {**start, "line": line}
            change = {"range": {"start": here, "end": here}, "text": ""}
            client.change(draft, asked + 2, change)
            time.sleep(0.02)
        is_idle = slow.loose is None and _state(client) == "ready"
    return ["nothing was slow"] if is_idle else [], longest
