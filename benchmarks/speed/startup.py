"""Time from the start of the process to the first answers."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from .editor import EMPTY_SERVER, PATIENCE, SERVER, Editor, TooLongError, is_ranked
from .own_process import ROOT
from .plan import Plan
from .report import Row

GROUP = "Start"
_HEAVY = ("numpy", "scipy", "sklearn", "gensim")


def initialize(plan: Plan) -> Iterator[Row]:
    seconds: dict[str, list[float]] = {"ours": [], "empty": []}
    cpu: dict[str, list[float]] = {"ours": [], "empty": []}
    loaded: list[str] = []
    for run in range(plan.processes(21) + 1):
        for name, server in (("ours", SERVER), ("empty", EMPTY_SERVER)):
            with Editor(None, server=server, initialize=False) as editor:
                answered = editor.initialize()
                spent = editor.cpu()
                if name == "ours":
                    loaded += editor.has_loaded(_HEAVY)
            if run:  # the first fills the caches of the file system
                seconds[name].append(answered - editor.began)
                cpu[name].append(spent)
    ours_cpu, empty_cpu = median(cpu["ours"]), median(cpu["empty"])
    yield Row(
        GROUP,
        "`initialize` answered, from process start",
        "s",
        seconds["ours"],
        {"ratio": 1.2},
        "empty pygls server",
        seconds["empty"],
        cpu=ours_cpu,
        note=f"cpu {ours_cpu / max(empty_cpu, 1e-9):.2f} of the empty server's",
    )
    yield Row(
        GROUP,
        "of numpy, scipy, sklearn, gensim loaded by then",
        "packages",
        [len(set(loaded))],
        {"worst": 0},
        note=", ".join(sorted(set(loaded))),
    )


def small_project(plan: Plan) -> Iterator[Row]:
    found = []
    for _ in range(plan.processes(7)):
        with tempfile.TemporaryDirectory() as scratch:
            project = Path(scratch, "project")
            shutil.copytree(ROOT / "examples", project)
            draft = project / "survey.tex"
            lines = draft.read_text("utf-8").split("\n")
            line = next(n for n, each in enumerate(lines) if "\\cite" in each)
            before, cite, after = lines[line].partition("\\cite")
            lines[line] = f"{before}\\cite{{}} {cite}{after}"
            with Editor(project, server=SERVER, cache=Path(scratch, "cache")) as editor:
                editor.open(draft, "\n".join(lines))
                found.append(first_lists(editor, draft, line, len(before) + len("\\cite{")))
    for name, seconds, cpu in (
        ("key list", [f.listed for f in found], median(f.listed_cpu for f in found)),
        ("ranked completion", [f.ranked for f in found], median(f.ranked_cpu for f in found)),
    ):
        yield Row(
            GROUP,
            f"first {name} in a small project, from process start",
            "s",
            seconds,
            {"median": 2.0},
            cpu=cpu,
            note="the examples, cold cache",
        )


class FirstLists(NamedTuple):
    """Seconds from the start of a server, and its processor time, to its first lists."""

    listed: float
    listed_cpu: float
    ranked: float
    ranked_cpu: float


def first_lists(
    editor: Editor, draft: Path, line: int, character: int, seconds: float = PATIENCE
) -> FirstLists:
    """Request lists repeatedly, pausing as long as the last answer took."""
    listed: tuple[float, float] | None = None
    while time.perf_counter() < editor.began + seconds:
        took, items = editor.complete(draft, line, character)
        now = time.perf_counter() - editor.began, editor.cpu()
        if items:
            listed = listed or now
        if listed and is_ranked(items):
            return FirstLists(*listed, *now)
        time.sleep(min(max(took, 0.02), 0.5))
    raise TooLongError(f"no ranked list after {seconds:.0f} s")
