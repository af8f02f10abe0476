"""The server's memory use, and its processor use when idle."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from .completion import Places, thesis_in_editor
from .editor import Editor
from .plan import Plan, say
from .report import Row

GROUP = "Memory and idling"
_IDLE_SECONDS = 10.0
_HOVERS, _COMPLETIONS = 40, 40


def nothing_open(_plan: Plan) -> Iterator[Row]:
    with Editor(None) as editor:
        time.sleep(1.0)
        nothing = editor.memory()
    yield Row(GROUP, "resident with nothing open", "MB", [nothing])


def thesis_open(plan: Plan) -> Iterator[Row]:
    number = plan.material.sizes.full_texts
    sentences, held = [], []
    for part in (0, number // 4, number):
        say(f"memory with {part:,} full texts")
        library = _part_of_library(plan, part) if part else None
        with thesis_in_editor(plan, library) as editor:
            places = Places(plan, editor)
            for hover in places.hovers(plan.runs(_HOVERS)):
                hover()
            for _, complete in zip(
                range(plan.runs(_COMPLETIONS)), places.completions(), strict=False
            ):
                complete()
            editor.wait_until_idle()
            resident, most = editor.memory(), editor.memory("VmHWM")
            idle = _idle(plan, editor)
        sentences.append(_sentences(library) if library else 0)
        held.append(resident)
        name = f"resident with the thesis, its .bib and {part:,} full texts open"
        budget = {"median": 350.0} if part == number else {}
        note = f"{sentences[-1]:,} sentences, at most {most:,.0f} MB on the way"
        yield Row(GROUP, name, "MB", [resident], budget, note=note)
    growth = [max(memory - held[0], 0.1) for memory in held]
    exponent = math.log(growth[2] / growth[1]) / math.log(sentences[2] / sentences[1])
    # One that has to identify a language needs more than full texts do.
    exponent = max(0.0, exponent)
    yield Row(
        GROUP,
        "growth of memory with sentences, exponent",
        "",
        [exponent],
        {"median": 0.99},
        note=f"{1e6 * growth[2] / sentences[2]:,.0f} bytes a sentence",
    )
    yield Row(GROUP, "processor when idle", "ms/s", [idle], {"median": 1.0})


def _part_of_library(plan: Plan, number: int) -> Path:
    """Return a folder with some of the full texts, real and invented ones alike."""
    library = plan.material.library
    if number == plan.material.sizes.full_texts:
        return library
    folder = library.with_name(f"library-{number}")
    if not folder.is_dir():
        folder.mkdir()
        paths = sorted(library.glob("*.json"))
        for path in paths[:: max(1, len(paths) // number)][:number]:
            shutil.copyfile(path, folder / path.name)
    return folder


def _sentences(library: Path) -> int:
    """Return about how many sentences the papers of a folder have, by their full stops."""
    return sum(path.read_bytes().count(b". ") for path in library.glob("*.json"))


def _idle(plan: Plan, editor: Editor) -> float:
    seconds = plan.seconds(_IDLE_SECONDS)
    before = editor.cpu()
    time.sleep(seconds)
    return 1e3 * (editor.cpu() - before) / seconds
