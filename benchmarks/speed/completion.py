"""Completion, resolve and hover in the thesis, with and without full texts.

Before every completion an empty citation is typed into a chapter, as an author does; the server
parses that chapter again as part of the answer. Times "inside" are those of the handler
(`timed_server`), the others are what an editor waits for.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

from .editor import Editor, TooLongError, is_ranked
from .own_process import run
from .plan import Plan, say
from .report import Row

GROUP = "Completion, resolve and hover"
_COMPLETION, _HOVER = "textDocument/completion", "textDocument/hover"
_RESOLVE, _RECOMMEND = "completionItem/resolve", "pincite/recommendations"
_WARM_UPS = 10
#: Enough for a 99th percentile, if the answers come fast enough for so many.
_ANSWERS = 300
_SECONDS = 20.0
_WORKS = 120
#: Fitting the ranker to all full texts takes its time.
_READING_SECONDS = 400.0
_CITED = re.compile(r"\\cite\{([^},]+)\}")

#: Sends a request and waits for its answer.
Request = Callable[[], tuple[float, Any]]
#: Name, and the seconds and processor seconds of each run.
Peer = dict[str, Any]


@dataclass(slots=True)
class Taken:
    """Seconds of some requests: inside the server, for the editor, and processor time."""

    inside: list[float]
    waited: list[float]
    cpu: float


def by_entries(plan: Plan) -> Iterator[Row]:
    for ranker, name in (("learned", ""), ("mixed", ", ranker mixed")):
        say(f"completion in the thesis, ranked by {ranker}")
        with thesis_in_editor(plan, None, ranker) as editor:
            taken = _completions(plan, editor, Places(plan, editor))
        yield from _completion_rows(plan, taken, None, name)


def in_one_file(plan: Plan) -> Iterator[Row]:
    say("completion in the thesis in one file")
    thesis = plan.material.thesis_in_one / "main.tex"
    with Editor(thesis.parent, cache=plan.caches / "thesis") as editor:
        editor.open(thesis)
        places = Places(plan, editor, [thesis])
        _wait_until_ranked(editor, thesis)
        editor.wait_until_idle(_READING_SECONDS)
        taken = _ask(plan, editor, _COMPLETION, places.completions())
    lines = plan.material.sizes.lines
    name = f"completion at an empty prefix, in the thesis of {lines:,} lines in one file"
    yield from _rows(name, taken, {}, [])


def by_full_texts(plan: Plan) -> Iterator[Row]:
    name = f", with {plan.material.sizes.full_texts:,} full texts"
    say(f"completion, resolve and hover in the thesis{name}")
    with thesis_in_editor(plan, plan.material.library) as editor:
        places = Places(plan, editor)
        taken = _completions(plan, editor, places)
        works = _works(plan, editor, places)
    yield from _completion_rows(plan, taken, plan.material.library, name)
    loops = _plain_matching(plan)
    for work, of_work in works.items():
        budget = {"median": 10.0 if work.endswith("warm") else 60.0}
        yield from _rows(work, of_work, budget, loops if work == "hover, warm" else [])


def _completions(plan: Plan, editor: Editor, places: Places) -> tuple[Taken, Taken]:
    """Return the times of completion with an empty prefix, and with a prefix."""
    return (
        _ask(plan, editor, _COMPLETION, places.completions()),
        _ask(plan, editor, _COMPLETION, places.completions(prefixes=True)),
    )


def _completion_rows(
    plan: Plan, taken: tuple[Taken, Taken], library: Path | None, name: str
) -> Iterator[Row]:
    empty, typed = taken
    budget = {"median": 15.0, "p99": 40.0}
    peers = _plain_ranking(plan, library)
    yield from _rows(f"completion at an empty prefix{name}", empty, budget, peers)
    yield from _rows(f"completion with a prefix{name}", typed, {"median": 15.0}, [])


def thesis_in_editor(plan: Plan, library: Path | None, ranker: str = "learned") -> Editor:
    """Return an editor with the chapters of the thesis open, everything read and ranked."""
    material = plan.material
    if library is not None:
        _read_ahead(plan, library)
    folders = [str(library.absolute())] if library else []
    options = {"library": {"folders": folders}, "ranker": ranker}
    editor = Editor(material.thesis, cache=plan.caches / "thesis", options=options)
    try:
        for path in (material.thesis / "main.tex", *material.chapters):
            editor.open(path)
        _wait_until_ranked(editor, material.chapters[0])
        if library is not None:
            editor.wait_until_read(_READING_SECONDS)
        editor.wait_until_idle(_READING_SECONDS)
    except BaseException:
        editor.end()
        raise
    return editor


def _wait_until_ranked(editor: Editor, path: Path) -> None:
    line, column, _ = next(_citations(editor.lines(path)))
    ends = time.monotonic() + _READING_SECONDS
    while not is_ranked(editor.complete(path, line, column)[1]):
        if time.monotonic() > ends:
            raise TooLongError("the thesis was not ranked")
        time.sleep(1.0)


def _read_ahead(plan: Plan, library: Path) -> None:
    """Read a library into the thesis's index, once, as an author may overnight."""
    cache = plan.caches / "thesis"
    done = cache / f"{library.parent.name}-{library.name}.read"
    if not done.exists():
        say(f"reading {library.name} into the index")
        command = [sys.executable, "-m", "pincite", "index", str(plan.material.thesis / "main.tex")]
        subprocess.run(
            [*command, "--library", str(library)],
            env={**os.environ, "PINCITE_CACHE": str(cache)},
            stdout=subprocess.DEVNULL,
            check=False,  # files that cannot be read are told by the status
        )
        done.touch()


def _citations(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield line and column of citation keys, and the keys."""
    for number, line in enumerate(lines):
        for match in _CITED.finditer(line):
            yield number, match.start(1), match[1]


class Places:
    """Places in the thesis, in a pseudo-random but reproducible order."""

    def __init__(self, plan: Plan, editor: Editor, chapters: Sequence[Path] | None = None) -> None:
        self._editor = editor
        self._random = random.Random(9)
        self._full_texts = plan.material.keys_with_full_text
        self._surnames = [e.surname.lower() for e in plan.material.entries if e.surname.isascii()]
        self._cited = [
            (chapter, line, column, key)
            for chapter in chapters or plan.material.chapters
            for line, column, key in _citations(editor.lines(chapter))
        ]
        self._random.shuffle(self._cited)

    def completions(self, *, prefixes: bool = False) -> Iterator[Request]:
        """Yield completions with an empty prefix or some letters of an author's name."""
        for chapter, line, column, _ in cycle(self._cited):
            surname = self._random.choice(self._surnames)
            prefix = surname[: self._random.randint(1, 5)] if prefixes else ""
            yield partial(self._complete, chapter, line, column, prefix)

    def _complete(self, chapter: Path, line: int, column: int, prefix: str) -> tuple[float, Any]:
        """Type a citation before another one, request completion, and delete it again."""
        start, typed = column - len("\\cite{"), f"\\cite{{{prefix}}} "
        self._editor.type(chapter, line, start, start, typed)
        answer = self._editor.complete(chapter, line, start + len(typed) - 2)
        self._editor.type(chapter, line, start, start + len(typed), "")
        # Makes the server read the chapter: the next list is in another, and no author edits two.
        self._editor.request(_RECOMMEND, {**self._editor.at(chapter, line, start), "limit": 1})
        return answer

    def hovers(self, number: int) -> list[Request]:
        """Return hovers over citations of different works with full texts."""
        found = {place[3]: place for place in self._cited if place[3] in self._full_texts}
        return [
            partial(self._editor.request, _HOVER, self._editor.at(chapter, line, column + 1))
            for chapter, line, column, _ in islice(found.values(), number)
        ]

    def resolves(self, number: int, seconds: float) -> list[Request]:
        """Return resolves of items of different works with full texts."""
        found: dict[str, Request] = {}
        ends = time.monotonic() + seconds
        for complete in self.completions():
            for item in complete()[1]:
                if item["label"] in self._full_texts:
                    found[item["label"]] = partial(self._editor.request, _RESOLVE, item)
            if len(found) >= number or time.monotonic() > ends:
                break
        return list(found.values())[:number]


def _ask(
    plan: Plan,
    editor: Editor,
    method: str,
    requests: Iterable[Request],
    *,
    warm_ups: int = _WARM_UPS,
) -> Taken:
    """Send requests, one after another, until there are enough or time is up."""
    requests = iter(requests)
    for request in islice(requests, warm_ups):
        request()
    editor.timings()
    cpu, waited = editor.cpu(), []
    ends = time.monotonic() + plan.seconds(_SECONDS)
    for request in islice(requests, _ANSWERS):
        waited.append(request()[0])
        if time.monotonic() > ends:
            break
    cpu = (editor.cpu() - cpu) / max(1, len(waited))
    return Taken(editor.timings()[method], waited, cpu)


def _works(plan: Plan, editor: Editor, places: Places) -> dict[str, Taken]:
    """Return the times of evidence: for works not requested so far, then for one again."""
    hovers = places.hovers(plan.runs(_WORKS + 3))
    resolves = places.resolves(plan.runs(_WORKS + 3), plan.seconds(_SECONDS))
    taken = {}
    for name, method, requests in (
        ("hover", _HOVER, hovers),
        ("resolve", _RESOLVE, resolves),
    ):
        # The first few load what all share, such as word vectors.
        first, others = requests[:3], requests[3:] or requests
        taken[f"{name}, cold"] = _ask(plan, editor, method, [*first, *others], warm_ups=len(first))
        again = (each for request in others[-40:] for each in [request] * 6)
        taken[f"{name}, warm"] = _again(plan, editor, method, again, 6)
    return taken


def _again(
    plan: Plan, editor: Editor, method: str, requests: Iterable[Request], times: int
) -> Taken:
    """Repeat each request several times; the first time of each is not counted."""
    taken = _ask(plan, editor, method, requests, warm_ups=0)
    warm = [n for n in range(len(taken.waited)) if n % times]
    return Taken([taken.inside[n] for n in warm], [taken.waited[n] for n in warm], taken.cpu)


def _rows(
    name: str, taken: Taken, budget: Mapping[str, float], peers: Sequence[Peer]
) -> Iterator[Row]:
    inside = [1e3 * seconds for seconds in taken.inside]
    for number, peer in enumerate(peers or [{"name": "", "seconds": [], "cpu": []}]):
        yield Row(
            GROUP,
            f"{name}, inside the server",
            "ms",
            inside,
            {} if number else budget,
            peer["name"],
            [1e3 * seconds for seconds in peer["seconds"]],
            1e3 * taken.cpu,
            beside_cpu=1e3 * median(peer["cpu"]) if peer["cpu"] else None,
        )
    yield Row(GROUP, f"{name}, over stdio", "ms", [1e3 * seconds for seconds in taken.waited])


# The same by plain means


def _plain_ranking(plan: Plan, library: Path | None) -> list[Peer]:
    arguments = {
        "bibliography": str(plan.material.bibliography.absolute()),
        "library": str(library.absolute()) if library else None,
        "thesis": str(plan.material.thesis.absolute()),
        "number": plan.runs(60),
    }
    return run("plain", "ranking", arguments, seconds=240.0).found


def _plain_matching(plan: Plan) -> list[Peer]:
    arguments = {
        "library": str(plan.material.library.absolute()),
        "thesis": str(plan.material.thesis.absolute()),
        "number": plan.runs(40),
    }
    return run("plain", "matching", arguments, seconds=120.0).found
