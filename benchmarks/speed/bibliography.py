"""One large .bib file: time until keys can be completed, until they are ranked, after an edit."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from . import peers
from .editor import SERVER, Editor, TooLongError
from .own_process import Clock, resident, run
from .plan import Plan
from .report import Row
from .startup import FirstLists, first_lists

GROUP = "Large bibliography"
_PATIENCE = 120.0
#: A bibliography that was edited is ranked again some seconds later.
_UNTIL_RANKED_ANEW = 4.0
_KEY = re.compile(r"@\w+\{([^,\s]+),$")


def _project(plan: Plan) -> tuple[Path, Path, int, int]:
    """Return a folder, its draft, and line and column where a key can be completed."""
    folder = plan.material.project("large-bibliography", plan.material.bibliography)
    return folder, folder / "main.tex", *_place(folder / "main.tex")


def _place(draft: Path) -> tuple[int, int]:
    line = next(n for n, each in enumerate(_lines(draft)) if "\\cite{" in each)
    return line, _lines(draft)[line].index("\\cite{") + len("\\cite{")


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")


def lists(plan: Plan) -> Iterator[Row]:
    yield from _lists(plan, *_project(plan))


def lists_in_a_thesis(plan: Plan) -> Iterator[Row]:
    """Measure the same if the first list also requires reading a large draft."""
    draft = plan.material.chapters[0]
    yield from _lists(plan, plan.material.thesis, draft, *_place(draft), where=" in the thesis")


def _lists(
    plan: Plan, folder: Path, draft: Path, line: int, character: int, where: str = ""
) -> Iterator[Row]:
    lists: dict[str, list[FirstLists]] = {"cold": [], "warm": []}
    for _ in range(plan.processes(3)):
        with tempfile.TemporaryDirectory() as cache:
            for state in ("cold", "warm"):
                with Editor(folder, server=SERVER, cache=Path(cache)) as editor:
                    editor.open(draft)
                    lines = _lines(draft)
                    # The key that stands there makes room for any.
                    end = lines[line].index("}", character)
                    editor.type(draft, line, character, end, "")
                    lists[state].append(first_lists(editor, draft, line, character))
                    editor.wait_until_idle()  # what is kept on disk is written by then
    for state, most_listed, most_ranked in (("cold", 1.0, 6.0), ("warm", 1.0, 1.0)):
        note = {"cold": "no index", "warm": "second process, index on disk"}[state]
        found = lists[state]
        yield Row(
            GROUP,
            f"keys completable{where}, {state}, from process start",
            "s",
            [each.listed for each in found],
            {"median": most_listed},
            cpu=median(each.listed_cpu for each in found),
            note=note,
        )
        yield Row(
            GROUP,
            f"ranked completion{where}, {state}, from process start",
            "s",
            [each.ranked for each in found],
            {"median": most_ranked},
            cpu=median(each.ranked_cpu for each in found),
            note=note,
        )


# Edits


def edits(plan: Plan) -> Iterator[Row]:
    budget = {"median": 0.150}
    name = "edit of one entry visible"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "project")
        folder.mkdir()
        original, draft, line, character = _project(plan)
        text = (original / "refs.bib").read_text("utf-8")
        (folder / "refs.bib").write_text(text, "utf-8")
        (folder / "main.tex").write_bytes(draft.read_bytes())
        draft = folder / "main.tex"
        with Editor(folder, server=SERVER, cache=Path(scratch, "cache")) as editor:
            editor.open(draft)
            first_lists(editor, draft, line, character)
            editor.wait_until_idle()
            typed = _Typed(editor, draft, line, character)
            yield Row(GROUP, f"{name}, saved by another program", "s", _saved(plan, typed), budget)
            time.sleep(_UNTIL_RANKED_ANEW)
            editor.wait_until_idle()
            seconds = _typed_in(plan, typed)
            yield Row(GROUP, f"{name}, typed into the open .bib", "s", seconds, budget)


class _Typed:
    """A half-typed key in a draft, to check whether its entry is suggested."""

    def __init__(self, editor: Editor, draft: Path, line: int, character: int) -> None:
        self.editor, self.draft = editor, draft
        self._line, self._start = line, character

    def begin(self, prefix: str) -> None:
        end = self.editor.lines(self.draft)[self._line].index("}", self._start)
        self.editor.type(self.draft, self._line, self._start, end, prefix)
        self._end = self._start + len(prefix)

    def wait_for(self, key: str, seconds: float = 30.0) -> None:
        ends = time.perf_counter() + seconds
        while time.perf_counter() < ends:
            _, items = self.editor.complete(self.draft, self._line, self._end)
            if any(item["label"] == key for item in items):
                return
        raise TooLongError(f"{key} was not suggested after {seconds:.0f} s")


def _keys(text: str, number: int) -> list[tuple[int, str]]:
    """Return lines and keys of some entries from all over a bibliography."""
    found = [
        (n, match[1]) for n, line in enumerate(text.split("\n")) if (match := _KEY.match(line))
    ]
    return found[len(found) // (2 * number) :: max(1, len(found) // number)][:number]


def _saved(plan: Plan, typed: _Typed) -> list[float]:
    path = typed.draft.with_name("refs.bib")
    seconds = []
    for number, (_, key) in enumerate(_keys(path.read_text("utf-8"), plan.runs(5))):
        new = f"saved{number}elsewhere"
        text = path.read_text("utf-8").replace(f"{{{key},\n", f"{{{new},\n", 1)
        typed.begin(new)
        typed.editor.settle()
        beside = path.with_suffix(".new")
        beside.write_text(text, "utf-8")
        later = time.time_ns() + (number + 1) * 10**9
        os.utime(beside, ns=(later, later))
        began = time.perf_counter()
        beside.replace(path)
        changes = [{"uri": path.as_uri(), "type": 2}]
        typed.editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        typed.wait_for(new)
        seconds.append(time.perf_counter() - began)
    return seconds


def _typed_in(plan: Plan, typed: _Typed) -> list[float]:
    path = typed.draft.with_name("refs.bib")
    text = path.read_text("utf-8")
    typed.editor.open(path, text)
    typed.editor.settle()
    typed.editor.wait_until_idle()
    seconds = []
    for number, (line, key) in enumerate(_keys(text, plan.runs(20))):
        new = f"typed{number}here"
        typed.begin(new)
        typed.editor.settle()
        start = text.split("\n")[line].index("{") + 1
        began = typed.editor.type(path, line, start, start + len(key), new)
        typed.wait_for(new)
        seconds.append(time.perf_counter() - began)
    typed.editor.close(path)
    return seconds


# Readers of BibTeX by themselves


def readers(plan: Plan) -> Iterator[Row]:
    material = plan.material
    ours = _read(plan, "read_by_pincite", material.bibliography)
    if not ours:
        return
    seconds, cpu = [each["seconds"] for each in ours], median(each["cpu"] for each in ours)
    name = "the .bib file read, alone in a process"
    counts = f"{ours[0]['entries']:,} entries, {ours[0]['problems']} problems reported"
    found = _read(plan, "read_by_bibtexparser", material.bibliography, runs=1)
    beside = [each["seconds"] for each in found]
    yield Row(GROUP, name, "s", seconds, {}, "bibtexparser", beside, cpu, counts)
    if plan.peers is None:
        return
    readers: dict[str, tuple[Callable[[Path, Path, float], dict[str, object]], Path, str]] = {
        "latex-utensils": (
            peers.parse_with_latex_utensils,
            material.sound_bibliography,
            "LaTeX Workshop's parser, without the broken entries, at which it ends",
        ),
        "citation-langserver": (
            peers.read_with_citation_langserver,
            material.sound_bibliography,
            "its reading alone, without these entries",
        ),
    }
    for peer, (read, path, about) in readers.items():
        taken = read(plan.peers, path, _PATIENCE)
        beside, error = [], taken.get("error")
        if not error:
            beside = [float(str(taken["seconds"]))]
            about += f"; {taken['entries']:,} entries"
        yield Row(GROUP, name, "s", seconds, {}, peer, beside, note=f"{peer}: {error or about}")


def _read(plan: Plan, function: str, path: Path, runs: int | None = None) -> list[dict[str, Any]]:
    found = []
    for _ in range(runs or plan.processes(3)):
        arguments = {"path": str(path.absolute())}
        found += run("bibliography", function, arguments, seconds=_PATIENCE).found
    return found


def read_by_pincite(path: str) -> Iterator[dict[str, Any]]:
    from pincite.parsing.bibtex import read_bibliography

    clock = Clock()
    read = read_bibliography(Path(path))
    # An entry is read when its fields are looked at.
    fields = sum(len(entry.fields) for entry in read.entries.values())
    yield {
        **clock.read(),
        "entries": len(read.entries),
        "fields": fields,
        "problems": len(read.problems),
        "memory": resident(),
    }


def read_by_bibtexparser(path: str) -> Iterator[dict[str, Any]]:
    import logging

    import bibtexparser

    logging.disable()
    clock = Clock()
    read = bibtexparser.parse_string(Path(path).read_text("utf-8"))
    yield {**clock.read(), "entries": len(read.entries), "memory": resident()}
