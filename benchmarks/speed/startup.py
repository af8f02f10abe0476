"""From the start of the process to the first answers."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from .editor import EMPTY_SERVER, SERVER, Editor, is_ranked
from .own_process import ROOT
from .plan import Plan
from .report import Row

GROUP = "Start"
_HEAVY = ("numpy", "scipy", "sklearn", "gensim")


def measure(plan: Plan) -> Iterator[Row]:
    yield from _initialize(plan)
    yield from _small_project(plan)


def _initialize(plan: Plan) -> Iterator[Row]:
    seconds: dict[str, list[float]] = {"ours": [], "empty": []}
    cpu: dict[str, list[float]] = {"ours": [], "empty": []}
    loaded: list[str] = []
    for run in range(plan.runs(21) + 1):
        for name, server in (("ours", SERVER), ("empty", EMPTY_SERVER)):
            with Editor(None, server=server, initialize=False) as editor:
                answered = editor.initialize()
                spent = editor.cpu()
                if name == "ours":
                    loaded += editor.has_loaded(_HEAVY)
            if run:  # the first fills the caches of the file system
                seconds[name].append(answered - editor.began)
                cpu[name].append(spent)
    empty_cpu = sorted(cpu["empty"])[len(cpu["empty"]) // 2]
    ours_cpu = sorted(cpu["ours"])[len(cpu["ours"]) // 2]
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


def _small_project(plan: Plan) -> Iterator[Row]:
    listed, ranked, spent = [], [], []
    for _ in range(plan.runs(7)):
        with tempfile.TemporaryDirectory() as scratch:
            project = Path(scratch, "project")
            shutil.copytree(ROOT / "examples", project)
            draft = project / "survey.tex"
            text = draft.read_text("utf-8")
            line = next(n for n, each in enumerate(text.split("\n")) if "\\cite" in each)
            column = text.split("\n")[line].index("\\cite")
            before, after = text.split("\n")[line][:column], text.split("\n")[line][column:]
            lines = text.split("\n")
            lines[line] = f"{before}\\cite{{}} {after}"
            with Editor(project, server=SERVER, cache=Path(scratch, "cache")) as editor:
                editor.open(draft, "\n".join(lines))
                first, best = first_lists(editor, draft, line, column + len("\\cite{"))
                spent.append(editor.cpu())
            listed.append(first)
            ranked.append(best)
    note = "the examples, cold cache"
    yield Row(GROUP, "first key list in a small project", "s", listed, {"median": 2.0}, note=note)
    yield Row(
        GROUP,
        "first ranked completion in it",
        "s",
        ranked,
        {"median": 2.0},
        cpu=sorted(spent)[len(spent) // 2],
        note=note,
    )


def first_lists(
    editor: Editor, draft: Path, line: int, character: int, seconds: float = 120.0
) -> tuple[float, float]:
    """Return the seconds from the start of a server to its first list, and its first ranked one.

    The list is asked for again and again, with as long a pause as the last answer took.
    """
    listed = 0.0
    while time.perf_counter() < editor.began + seconds:
        took, items = editor.complete(draft, line, character)
        now = time.perf_counter() - editor.began
        listed = listed or (now if items else 0.0)
        if is_ranked(items):
            return listed, now
        time.sleep(min(max(took, 0.02), 0.5))
    raise TimeoutError(f"no ranked list after {seconds:.0f} s")
