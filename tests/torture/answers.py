"""Requests: each is answered exactly once, in every state, and slow work delays none for long."""

from __future__ import annotations

import random
import sqlite3
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any, NamedTuple

from protocol_client import Client
from torture import projects
from torture.probe import SERVER, SLOW
from torture.rows import Row, Size

REQUESTS = {"ci": 1_000, "full": 10_000, "nightly": 200_000}
IN_FLIGHT = {"ci": 2_000, "full": 10_000, "nightly": 10_000}
FOLDERS = {"ci": 1_000, "full": 10_000, "nightly": 10_000}
#: An answer that takes so much longer than in a quiet project has waited.
_MOST_SECONDS = 1.0
_PATIENCE = 120.0
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
        """Wait for all answers; return what is wrong with them."""
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
    return Row(
        "every request is answered once, in every state", tried, len(failures), "", tuple(failures)
    )


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
    return Row(f"{number:,} requests in flight", number, len(failures), "", tuple(failures))


# Waiting


class _Asked(NamedTuple):
    """The context of requests: a draft, its settings, another open document."""

    what: str
    draft: Path
    number: int
    options: object
    environment: dict[str, str]
    loose: Path | None = None
    #: A lock that is held meanwhile.
    held: sqlite3.Connection | None = None


class _Usual(NamedTuple):
    """Seconds for an answer in a quiet project: the first one, of a server that starts, and others."""

    first: float
    median: float

    @classmethod
    def of(cls, found: list[float]) -> _Usual:
        return cls(found[0], statistics.median(found[1:]))


def _waiting(size: Size, seed: int) -> Iterator[Row]:
    """Send requests while something else is slow: none waits for it."""
    number = 20 if size == "ci" else 60
    with tempfile.TemporaryDirectory() as scratch:
        alone = projects.invented(Path(scratch, "project"), random.Random(seed), 30)
        cache = {"PINCITE_CACHE": str(Path(scratch, "cache"))}
        usual = _Usual.of(_latencies(alone, number, None, cache, None))
    for what in (_slow_folder, _large_folder, _locked_index, _indexing):
        with tempfile.TemporaryDirectory() as scratch:
            yield _judged(what(Path(scratch), random.Random(seed), number, size), usual)


def _slow_folder(scratch: Path, chance: random.Random, number: int, _size: Size) -> _Asked:
    draft = projects.invented(scratch / "project", chance, 30)
    slow = scratch / "slow"
    for name in range(40):
        (slow / str(name)).mkdir(parents=True)
        (slow / str(name) / f"work{name}.md").write_text(projects.paper(chance))
    options = {"library": {"folders": [str(slow)]}}
    environment = {"PINCITE_CACHE": str(scratch / "cache"), SLOW: str(slow)}
    return _Asked("a slow folder (200 ms a call)", draft, number, options, environment)


def _large_folder(scratch: Path, chance: random.Random, number: int, size: Size) -> _Asked:
    """Also open a single file in a folder of thousands."""
    draft = projects.invented(scratch / "project", chance, 30)
    large = scratch / "large"
    for name in range(FOLDERS[size]):
        (large / f"{name % 100}" / f"{name}").mkdir(parents=True)
    loose = large / "loose.tex"
    loose.write_text("Words \\cite{}.\n")
    environment = {"PINCITE_CACHE": str(scratch / "cache")}
    return _Asked("a walk over a large folder", draft, number, None, environment, loose)


def _locked_index(scratch: Path, chance: random.Random, number: int, _size: Size) -> _Asked:
    draft = projects.invented(scratch / "project", chance, 30, 5)
    cache = scratch / "cache"
    environment = {"PINCITE_CACHE": str(cache)}
    with _started(draft.parent, environment=environment) as client:  # makes the index
        client.open(draft, draft.read_text())
        client.complete(draft, 2, 0)
        _until_ready(client)
    other = sqlite3.connect(cache / "index.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    return _Asked("an index that is locked", draft, number, None, environment, held=other)


def _indexing(scratch: Path, chance: random.Random, number: int, size: Size) -> _Asked:
    works = 3_000 if size == "ci" else 20_000
    draft = projects.invented(scratch / "project", chance, works, 150)
    environment = {"PINCITE_CACHE": str(scratch / "cache")}
    return _Asked("indexing", draft, number, None, environment)


def _judged(asked: _Asked, usual: _Usual) -> Row:
    found = _latencies(asked.draft, asked.number, asked.options, asked.environment, asked.loose)
    if asked.held is not None:
        asked.held.close()
    first, *others = found
    waits = [first - usual.first, *(seconds - usual.median for seconds in others)]
    late = [
        f"answer {at} came {wait:.2f} s late"
        for at, wait in enumerate(waits)
        if wait > _MOST_SECONDS
    ]
    note = f"first {first:.2f} s, then at most {max(others):.2f} s; quiet: {usual.first:.2f} s, {usual.median:.3f} s"
    return Row(f"no request waits for {asked.what}", len(found), len(late), note, tuple(late))


def _latencies(
    draft: Path, number: int, options: object, environment: dict[str, str], loose: Path | None
) -> list[float]:
    found = []
    with _started(draft.parent, options=options, environment=environment, server=SERVER) as client:
        text = draft.read_text()
        client.open(draft, text)
        if loose is not None:
            client.open(loose, loose.read_text())
        lines = text.split("\n")
        cited = [(n, line.index("\\cite{")) for n, line in enumerate(lines) if "\\cite{" in line]
        for asked in range(number):
            line, start = cited[asked % len(cited)]
            if loose is not None and asked % 5 == 0:
                client.ask("textDocument/hover", client.at(loose, 0, 8))
            method = "textDocument/hover" if asked % 2 else "textDocument/completion"
            began = time.perf_counter()
            client.request(method, client.at(draft, line, start + len("\\cite{")))
            found.append(time.perf_counter() - began)
            client.change(draft, asked + 2, _typed(line))
            time.sleep(0.02)
    return found


def _typed(line: int) -> dict[str, Any]:
    place = {"line": line, "character": 0}
    return {"range": {"start": place, "end": place}, "text": ""}


def _until_ready(client: Client) -> None:
    ends = time.monotonic() + _PATIENCE
    while time.monotonic() < ends:
        if client.request("pincite/status", None).get("result", {}).get("state") == "ready":
            return
        time.sleep(0.1)
