"""Typing in the thesis, alone and while 500 PDFs are read: latency of key strokes and requests."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from .editor import Editor, TooLongError
from .plan import Plan, say
from .report import Row

GROUP = "Typing"
_DID_CHANGE = "textDocument/didChange"
_KEYS = 500
_PAUSE, _SECONDS = 0.005, 20.0
_BURST_SECONDS = 60.0
_BETWEEN_BURSTS = 0.1
#: The issue says that no request waits behind other work; more than this an author would feel.
_MOST_WAITED = 500.0
#: A draft with a bibliography of its own, which is opened in the middle of everything.
_OTHER_ENTRIES = 20_000


def typing(plan: Plan) -> Iterator[Row]:
    material = plan.material
    size = f"thesis of {material.sizes.lines:,} lines"
    files = f"{size} in {material.sizes.files} files"
    main, budget = material.thesis / "main.tex", {"p99": 2.0}
    # Nobody promised anything of a .bib file, but authors type into those, too.
    for name, typed, others, most in (
        (files, material.chapters[-1], (main,), budget),
        (f"{size} in one file", material.thesis_in_one / "main.tex", (), budget),
        ("large .bib file", material.thesis / "refs.bib", (main,), {}),
    ):
        say(f"typing in the {name}")
        yield from _typing(plan, name, typed, others, most)


def _typing(
    plan: Plan, name: str, typed: Path, others: tuple[Path, ...], budget: dict[str, float]
) -> Iterator[Row]:
    folder = plan.material.thesis if others else typed.parent
    with Editor(folder, cache=plan.caches / "thesis") as editor:
        for path in (*others, typed):
            editor.open(path)
        editor.wait_until_idle()
        line = len(editor.lines(typed)) * 2 // 3
        alone = [1e3 * editor.ping() for _ in range(plan.runs(100))]
        editor.timings()
        until_read = []
        cpu = editor.cpu()
        ends = time.monotonic() + _SECONDS
        for number in range(plan.runs(_KEYS)):
            began = editor.type(typed, line, number, number, "x" if number % 6 else " ")
            editor.ping()
            until_read.append(1e3 * (time.perf_counter() - began))
            time.sleep(_PAUSE)
            if time.monotonic() > ends:
                break
        cpu = 1e3 * (editor.cpu() - cpu) / len(until_read)
        inside = [1e3 * seconds for seconds in editor.timings()[_DID_CHANGE]]
    yield Row(GROUP, f"`didChange` in the {name}, inside the server", "ms", inside, budget)
    yield Row(
        GROUP,
        f"`didChange` in the {name}, until the next request is answered",
        "ms",
        until_read,
        {},
        "that request alone",
        alone,
        cpu,
    )


def bursts(plan: Plan) -> Iterator[Row]:
    say(f"requests while {plan.material.sizes.pdfs} PDFs are read")
    pdfs = f"while {plan.material.sizes.pdfs} PDFs are read"
    waited: dict[str, dict[str, list[float]]] = {}
    typed: dict[str, list[float]] = {}
    read = ""
    # First with nothing to do but to answer, then with all there is.
    for name, folders in (("idle", []), (pdfs, [plan.material.pdfs])):
        with tempfile.TemporaryDirectory() as cache:
            options = {"library": {"folders": [str(folder.absolute()) for folder in folders]}}
            editor = Editor(plan.material.thesis, cache=Path(cache), options=options)
            with editor:
                burst = _Burst(plan, editor)
                burst.begin()
                if not folders:
                    editor.wait_until_idle()
                editor.timings()
                seconds = plan.seconds(_BURST_SECONDS if folders else _BURST_SECONDS / 4)
                finished = burst.run(seconds, with_other_draft=bool(folders))
                waited[name] = burst.waited
                typed[name] = [1e3 * each for each in editor.timings()[_DID_CHANGE]]
        if folders:
            read = "all read by the end" if finished else f"the first {seconds:g} s"
    of_all = {name: [each for some in by.values() for each in some] for name, by in waited.items()}
    budget = {"worst": _MOST_WAITED}
    others = min(_OTHER_ENTRIES, plan.material.sizes.entries)
    note = f"{read}, with a draft over {others:,} other entries opened meanwhile"
    yield _burst_row("any request", of_all, pdfs, budget, note)
    for method in waited[pdfs]:
        both = {name: by[method] for name, by in waited.items()}
        yield _burst_row(f"`{method}`", both, pdfs, {}, "")
    yield _burst_row("`didChange`, inside the server,", typed, pdfs, {"p99": 2.0}, "")


def _burst_row(
    what: str, both: dict[str, list[float]], name: str, budget: dict[str, float], note: str
) -> Row:
    worst = f"worst {max(both[name]):,.0f} ms, idle {max(both['idle']):,.0f} ms"
    note = f"{worst}; {note}" if note else worst
    return Row(GROUP, f"{what} {name}", "ms", both[name], budget, "idle", both["idle"], note=note)


class _Burst:
    """Repeated bursts of mixed concurrent requests; `waited` has milliseconds by method."""

    def __init__(self, plan: Plan, editor: Editor) -> None:
        self.waited: dict[str, list[float]] = defaultdict(list)
        self._plan, self._editor = plan, editor
        self._main = plan.material.thesis / "main.tex"
        self._chapters = plan.material.chapters[:3]

    def begin(self) -> None:
        """Open the thesis and wait for a first list: the draft's own entries have to be read."""
        for path in (self._main, *self._chapters):
            self._editor.open(path)
        line, column = self._place(0)
        ends = time.monotonic() + 60.0
        while not self._editor.complete(self._chapters[0], line, column)[1]:
            if time.monotonic() > ends:
                raise TooLongError("nothing was listed")
            time.sleep(0.1)

    def run(self, seconds: float, *, with_other_draft: bool) -> bool:
        """Send requests for some seconds, or until all papers are read; return whether they are."""
        began = time.monotonic()
        other = with_other_draft
        number = 0
        while time.monotonic() < began + seconds:
            self._ask_all(number)
            number += 1
            if other and time.monotonic() > began + seconds / 3:
                self._open_other_draft()
                other = False
            if with_other_draft and self._editor.has_read:
                return True
            time.sleep(_BETWEEN_BURSTS)
        return False

    def _place(self, number: int) -> tuple[int, int]:
        lines = self._editor.lines(self._chapters[number % len(self._chapters)])
        cited = [n for n, line in enumerate(lines) if "\\cite{" in line]
        line = cited[number % len(cited)]
        return line, lines[line].index("\\cite{") + len("\\cite{")

    def _ask_all(self, number: int) -> None:
        editor, draft = self._editor, self._chapters[number % len(self._chapters)]
        line, column = self._place(number)
        editor.type(draft, line, 0, 0, "a")
        at = editor.at(draft, line, column + 1)
        document = {"textDocument": at["textDocument"]}
        asked = {
            method: editor.ask(method, params)
            for method, params in {
                "textDocument/completion": at,
                "textDocument/hover": at,
                "textDocument/definition": at,
                "textDocument/documentHighlight": at,
                "textDocument/documentLink": document,
                "pincite/recommendations": {**at, "limit": 10, "supporting": 2},
            }.items()
        }
        for method, wait in asked.items():
            took, found = wait(60.0)
            self.waited[method].append(1e3 * took)
            if method == "textDocument/completion" and found and found["items"]:
                took, _ = editor.request("completionItem/resolve", found["items"][0])
                self.waited["completionItem/resolve"].append(1e3 * took)
        editor.type(draft, line, 0, 1, "")

    def _open_other_draft(self) -> None:
        material = self._plan.material
        number = min(_OTHER_ENTRIES, material.sizes.entries)
        folder = material.project("another", material.bibliography_of(number))
        self._editor.open(folder / "main.tex")
