"""Memory: the server does not grow during hours of writing, and leaves nothing open."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from protocol_client import Client
from torture import projects
from torture.rows import Row, Size

KEYSTROKES = {"ci": 15_000, "full": 60_000, "nightly": 600_000}
MINUTES = {"ci": 6, "full": 30, "nightly": 240}
EXPORTED = {"ci": 4_000, "full": 20_000, "nightly": 20_000}
#: As many letters as fill the caches of regions (`parsing.latex.regions`).
_WARM_KEYSTROKES = 55_000
_MOST_MEGABYTES = 2.0
_MOST_SHARE = 0.10
#: What is read and fitted once is there by then.
_WARM = 0.2
_PATIENCE = 60.0
#: Threads of pools begin when they are first needed.
_MORE = {"descriptors": 0, "threads": 4, "children": 0, "temporary": 0}


@dataclass(frozen=True, slots=True)
class _Held:
    """The resources that a process holds at a moment."""

    megabytes: float
    descriptors: int
    threads: int
    children: int
    temporary: int

    @classmethod
    def by(cls, client: Client, temporary: Path) -> _Held:
        process = Path("/proc", str(client.process.pid))
        status = dict(
            line.split(":", 1)
            for line in (process / "status").read_text().splitlines()
            if ":" in line
        )
        children = (process / "task" / str(client.process.pid) / "children").read_text().split()
        return cls(
            int(status["VmRSS"].split()[0]) / 1024,
            len(list((process / "fd").iterdir())),
            int(status["Threads"]),
            len(children),
            len(list(temporary.iterdir())),
        )


def run(size: Size, seed: int) -> Iterator[Row]:
    """Type for long, then write for long with all that happens meanwhile; Linux tells the figures."""
    if not Path("/proc/self/status").exists():
        yield Row("memory", 0, 0, "not tried: this system has no /proc")
        return
    yield _typing(KEYSTROKES[size], random.Random(seed))
    yield from _writing(MINUTES[size], EXPORTED[size], random.Random(seed))


def _typing(number: int, chance: random.Random) -> Row:
    with tempfile.TemporaryDirectory() as scratch:
        draft = projects.examples(Path(scratch))
        with _Session(draft, Path(scratch)) as session:
            # Until the caches of the latest regions are full: with a request each 50 letters.
            session.type(max(number // 2, _WARM_KEYSTROKES), chance)
            before = session.held()
            session.type(number, chance)
            after = session.held()
    grown = after.megabytes - before.megabytes
    failures = [f"grew by {grown:.1f} MB"] if grown > _MOST_MEGABYTES else []
    note = f"grew by {grown:.1f} MB of {before.megabytes:.0f}"
    return Row(f"typing grows memory by at most {_MOST_MEGABYTES:.0f} MB", number, len(failures), note, tuple(failures))  # fmt: skip


def _writing(minutes: int, exported: int, chance: random.Random) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        draft = projects.invented(Path(scratch, "project"), chance, exported)
        with _Session(draft, Path(scratch)) as session:
            found = []
            for minute in range(minutes):
                session.write_for_a_minute(minute, exported, chance)
                found.append(session.held())
    warm = found[max(1, int(_WARM * minutes))]
    last = found[-1]
    share = last.megabytes / warm.megabytes - 1.0
    grown = [f"{warm.megabytes:.0f} MB, then {last.megabytes:.0f}"] if share > _MOST_SHARE else []
    note = f"{share:+.0%} of {warm.megabytes:.0f} MB"
    yield Row(
        "an hour of writing grows it by at most 10 %", minutes, len(grown), note, tuple(grown)
    )
    left = [
        f"{name}: {getattr(warm, name)}, then {getattr(last, name)}"
        for name, more in _MORE.items()
        if getattr(last, name) > getattr(warm, name) + more
    ]
    yield Row(
        "no descriptor, thread, process or file is left", len(_MORE), len(left), "", tuple(left)
    )


class _Session:
    """A server with one draft open."""

    def __init__(self, draft: Path, scratch: Path) -> None:
        self.draft, self.temporary = draft, scratch / "temporary"
        self.temporary.mkdir()
        environment = {"PINCITE_CACHE": str(scratch / "cache"), "TMPDIR": str(self.temporary)}
        self.client = Client(draft.parent, environment=environment)
        self.lines = draft.read_text().split("\n")
        self.version = 1
        self.client.open(draft, "\n".join(self.lines))

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def held(self) -> _Held:
        self.ready()
        return _Held.by(self.client, self.temporary)

    def ready(self) -> None:
        ends = time.monotonic() + _PATIENCE
        while time.monotonic() < ends:
            self.client.seen.clear()
            if self.client.request("pincite/status", {})["result"]["state"] == "ready":
                return
            time.sleep(0.1)

    def type(self, keystrokes: int, chance: random.Random) -> None:
        """Type words at the end of a line, and delete them; now and then ask for something."""
        line = next(n for n, each in enumerate(self.lines) if "\\cite" in each)
        column = len(self.lines[line])
        at = column
        for number in range(keystrokes):
            self.version += 1
            start = {"line": line, "character": at}
            if at > column + 60:
                first = {"line": line, "character": column}
                change = {"range": {"start": first, "end": start}, "text": ""}
                at = column
            else:
                change = {
                    "range": {"start": start, "end": start},
                    "text": chance.choice("aeinrst "),
                }
                at += 1
            self.client.change(self.draft, self.version, change)
            if number % 50 == 0:
                place = self.client.at(self.draft, line, self.lines[line].index("\\cite") + 8)
                method = chance.choice(("textDocument/completion", "textDocument/hover"))
                self.client.request(method, place)
                self.client.seen.clear()
        self.version += 1
        ends = {"line": line, "character": at}
        span = {"start": {"line": line, "character": column}, "end": ends}
        self.client.change(self.draft, self.version, {"range": span, "text": ""})

    def write_for_a_minute(self, minute: int, exported: int, chance: random.Random) -> None:
        """Do in seconds what an author and other programs do in a minute."""
        folder, changed = self.draft.parent, []
        self.type(400, chance)
        self.draft.write_text("\n".join(self.lines))
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.draft.as_uri()}})
        # Another branch is checked out: the whole draft is another one.
        if minute % 3 == 2:
            self.lines = projects.draft(chance, 40, exported).split("\n")
            self.version += 1
            self.client.change(self.draft, self.version, {"text": "\n".join(self.lines)})
        # A reference manager exports its library, by way of a new file.
        new = folder / "refs.bib.new"
        new.write_text(projects.bibliography(chance, exported))
        new.replace(folder / "refs.bib")
        changed.append(folder / "refs.bib")
        # Papers appear, and change.
        paper = folder / "papers" / f"work{minute % 12}.md"
        paper.write_text(projects.paper(chance))
        changed.append(paper)
        changes = [{"uri": path.as_uri(), "type": 2} for path in changed]
        self.client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        self.client.complete(self.draft, len(self.lines) - 4, 12)
        self.ready()
