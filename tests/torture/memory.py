"""Memory: the server does not grow during hours of writing, and leaves nothing open."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from protocol_client import Client
from torture import Row, Size, projects

KEYSTROKES = {"ci": 15_000, "full": 60_000, "nightly": 600_000}
MINUTES = {"ci": 6, "full": 30, "nightly": 240}
EXPORTED = {"ci": 4_000, "full": 20_000, "nightly": 20_000}
#: As many letters as fill the caches of regions (`parsing.latex.regions`).
_WARM_KEYSTROKES = 55_000
_MAX_MEGABYTES = 2.0
_MAX_SHARE = 0.10
#: What is read and fitted once is there by then.
_WARM = 0.2
_PATIENCE = 60.0
#: How many more there may be in the end: threads of pools begin when they are first needed.
_MORE = {"descriptors": 0, "threads": 4, "children": 0, "temporary": 0}


def run(size: Size, seed: int) -> Iterator[Row]:
    """Type for long, then write for long with all that happens meanwhile; Linux has the figures."""
    if not Path("/proc/self/status").exists():
        yield Row("memory", 0, note="not tried: this system has no /proc")
        return
    with tempfile.TemporaryDirectory() as scratch:
        yield _typing(KEYSTROKES[size], Path(scratch), random.Random(seed))
    with tempfile.TemporaryDirectory() as scratch:
        yield from _writing(MINUTES[size], EXPORTED[size], Path(scratch), random.Random(seed))


def _typing(number: int, scratch: Path, chance: random.Random) -> Row:
    session = _Session(projects.examples(scratch), scratch)
    # Until the caches of the latest regions are full: with a request each 50 letters.
    session.type(max(number // 2, _WARM_KEYSTROKES), chance)
    before = session.held()["megabytes"]
    session.type(number, chance)
    grown = session.held()["megabytes"] - before
    session.client.close()
    note = f"grew by {grown:.1f} MB of {before:.0f}"
    promise = f"typing grows memory by at most {_MAX_MEGABYTES:.0f} MB"
    return Row(promise, number, [note] if grown > _MAX_MEGABYTES else [], note)


def _writing(minutes: int, exported: int, scratch: Path, chance: random.Random) -> Iterator[Row]:
    draft = projects.invented(scratch / "project", chance, exported)
    session, found = _Session(draft, scratch), []
    for minute in range(minutes):
        session.write_for_a_minute(minute, exported, chance)
        found.append(session.held())
    session.client.close()
    warm, last = found[max(1, int(_WARM * minutes))], found[-1]
    share = last["megabytes"] / warm["megabytes"] - 1.0
    note = f"{share:+.0%} of {warm['megabytes']:.0f} MB"
    grown = [note] if share > _MAX_SHARE else []
    yield Row("an hour of writing grows it by at most 10 %", minutes, grown, note)
    left = [
        f"{name}: {warm[name]:.0f}, then {last[name]:.0f}"
        for name, more in _MORE.items()
        if last[name] > warm[name] + more
    ]
    yield Row("no descriptor, thread, process or file is left", len(_MORE), left)


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

    def held(self) -> dict[str, float]:
        """Return what the server holds once it has nothing to do."""
        self.ready()
        process = Path("/proc", str(self.client.process.pid))
        lines = (process / "status").read_text().splitlines()
        status = dict(line.split(":", 1) for line in lines if ":" in line)
        children = process / "task" / process.name / "children"
        return {
            "megabytes": int(status["VmRSS"].split()[0]) / 1024,
            "descriptors": len(list((process / "fd").iterdir())),
            "threads": int(status["Threads"]),
            "children": len(children.read_text().split()),
            "temporary": len(list(self.temporary.iterdir())),
        }

    def ready(self) -> None:
        ends = time.monotonic() + _PATIENCE
        while time.monotonic() < ends:
            self.client.seen.clear()
            if self.client.request("pincite/status", {})["result"]["state"] == "ready":
                return
            time.sleep(0.1)

    def change(self, line: int, start: int, end: int, text: str) -> None:
        self.version += 1
        places = ({"line": line, "character": column} for column in (start, end))
        span = dict(zip(("start", "end"), places, strict=True))
        self.client.change(self.draft, self.version, {"range": span, "text": text})

    def type(self, keystrokes: int, chance: random.Random) -> None:
        """Type words at the end of a line, and delete them; now and then ask for something."""
        line = next(n for n, each in enumerate(self.lines) if "\\cite" in each)
        column = at = len(self.lines[line])
        for number in range(keystrokes):
            if at > column + 60:
                self.change(line, column, at, "")
                at = column
            else:
                self.change(line, at, at, chance.choice("aeinrst "))
                at += 1
            if number % 50 == 0:
                place = self.client.at(self.draft, line, self.lines[line].index("\\cite") + 8)
                method = chance.choice(("textDocument/completion", "textDocument/hover"))
                self.client.request(method, place)
                self.client.seen.clear()
        self.change(line, column, at, "")

    def write_for_a_minute(self, minute: int, exported: int, chance: random.Random) -> None:
        """Do in seconds what an author and other programs do in a minute."""
        folder = self.draft.parent
        self.type(400, chance)
        self.draft.write_text("\n".join(self.lines))
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.draft.as_uri()}})
        # Another branch is checked out: the whole draft is another one.
        if minute % 3 == 2:
            self.lines = projects.draft(chance, 40, exported).split("\n")
            self.version += 1
            self.client.change(self.draft, self.version, {"text": "\n".join(self.lines)})
        # A reference manager exports its library, by way of a new file; papers appear, and change.
        new = folder / "refs.bib.new"
        new.write_text(projects.bibliography(chance, exported))
        new.replace(folder / "refs.bib")
        paper = folder / "papers" / f"work{minute % 12}.md"
        paper.write_text(projects.paper(chance))
        changed = ({"uri": path.as_uri(), "type": 2} for path in (folder / "refs.bib", paper))
        self.client.notify("workspace/didChangeWatchedFiles", {"changes": list(changed)})
        self.client.complete(self.draft, len(self.lines) - 4, 12)
        self.ready()
