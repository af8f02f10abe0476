"""What an author may notice, measured in the real server as an editor sees it."""

from __future__ import annotations

import itertools
import os
import random
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pincite.discovery.neighbours import CITED_BY, neighbours_path, write_neighbours
from pincite.parsing.bibtex import parse_bibliography

from .. import ROOT
from . import peers
from .editor import Editor, read_ahead, seconds
from .material import LINES, LONG, SHORT, Material

_CITED = re.compile(r"\s*~?\\cite\{[^}]*\}")
#: As VS Code asks, but with evidence for the first alone, as other lists have none.
_DISCOVERED = {"only": "discovered", "limit": 30, "supporting": 1}
_KEY = re.compile(r"^@\w+\{([^,\s]+),$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Bench:
    """What all measurements share; `fetched` is None where nothing may be fetched."""

    material: Material
    fetched: Path | None
    quick: bool

    def runs(self, number: int) -> int:
        return min(number, 2) if self.quick else number


@dataclass(slots=True)
class Measured:
    values: list[float] = field(default_factory=list)
    peers: peers.Seconds = field(default_factory=dict)


Found = dict[str, Measured]


@contextmanager
def _new_editor(draft: Path) -> Iterator[Editor]:
    """Start a server that has never read anything."""
    with tempfile.TemporaryDirectory() as cache, closing(Editor(draft, Path(cache))) as editor:
        yield editor


@contextmanager
def _editor_of_all(bench: Bench) -> Iterator[Editor]:
    """Start a server over 50,000 entries and 2,000 papers, which it has read before."""
    draft, library = bench.material.project(50_000, LINES), bench.material.library
    cache = bench.material.folder / "cache"
    if not cache.exists():
        cache.mkdir()
        read_ahead(draft, library, cache)
    with closing(Editor(draft, cache, library)) as editor:
        editor.until_ready()
        yield editor


def letter(bench: Bench) -> Found:
    """Type letters; one is dealt with when the next request is answered."""
    found = Measured()
    with _new_editor(bench.material.project(50_000, LINES)) as editor:
        editor.until_ready()
        line = len(editor.lines) * 2 // 3
        for number in range(bench.runs(500)):
            editor.type(line, number, number, "x" if number % 6 else " ")
            began = time.perf_counter()
            editor.settle()
            found.values.append(time.perf_counter() - began)
            time.sleep(0.005)
    return {"letter": found}


def _listed(editor: Editor, place: tuple[int, int, str]) -> float:
    """Type a citation before another, measure the list there, and delete it again."""
    line, column, _ = place
    start = column - len("\\cite{")
    editor.type(line, start, start, "\\cite{} ")
    took = seconds(lambda: editor.items(line, column))
    editor.type(line, start, start + len("\\cite{} "), "")
    editor.settle()
    return took


def lists(entries: int, bench: Bench) -> Found:
    found, chance = Measured(), random.Random(9)
    with _new_editor(bench.material.project(entries, LONG)) as editor:
        editor.until_ready()
        places = list(editor.cited())
        for _ in range(bench.runs(10)):
            _listed(editor, chance.choice(places))
        found.values += (_listed(editor, chance.choice(places)) for _ in range(bench.runs(300)))
        contexts = _contexts(editor, bench.runs(60))
    texts = [f"{work.title} {work.abstract}" for work in bench.material.works(entries)]
    found.peers = peers.alone(peers.ranking, texts, contexts)
    return {f"list-{entries}": found}


def discovered(bench: Bench) -> Found:
    """Ask for the works around a bibliography of 1,000 entries, as VS Code does."""
    found, chance, own = Measured(), random.Random(9), bench.material.project(1_000, SHORT)
    taken = {work.key for work in bench.material.works(1_000)}
    others = [work.bibtex for work in bench.material.works(6_000) if work.key not in taken]
    with tempfile.TemporaryDirectory() as scratch:
        draft, cache = Path(scratch, "project", own.name), Path(scratch, "cache")
        shutil.copytree(own.parent, draft.parent)
        with (draft.parent / "refs.bib").open("a", encoding="utf-8") as bibliography:
            bibliography.write("@misc{hub, title = {What cites all}, doi = {10.1/hub}}\n")
        entries = parse_bibliography("\n".join(others[:5_000]), Path("around.bib")).entries.values()
        around = (replace(it, source={**it.fields, CITED_BY: "10.1/hub"}) for it in entries)
        write_neighbours(neighbours_path(cache / "index.sqlite", draft.resolve()), around)
        with closing(Editor(draft, cache)) as editor:
            editor.until_ready()
            places = [editor.at(draft, line, column) for line, column, _ in editor.cited()]
            for number in range(3 + bench.runs(150)):
                asked = {**chance.choice(places), **_DISCOVERED}
                ask = partial(editor.request, "pincite/recommendations", asked)
                took = seconds(lambda ask=ask: _require_items(ask()))
                found.values += [took] if number >= 3 else []
    return {"discovered-5000": found}


def _require_items(answer: dict[str, Any]) -> None:
    if not answer["result"]["items"]:
        raise ValueError("no works are listed")


def _contexts(editor: Editor, number: int) -> list[str]:
    """Return the words of the lines around some citations."""
    around = (editor.lines[line - 1 : line + 2] for line, *_ in editor.cited())
    return [_CITED.sub("", " ".join(lines)) for lines in itertools.islice(around, number)]


def hover(bench: Bench) -> Found:
    """Hover over citations of works with papers, then over each of the last again."""
    first, again = Measured(), Measured()
    with _editor_of_all(bench) as editor:
        places = {key: place for *place, key in editor.cited() if key in bench.material.papers}
        warm_up, measured = 3, bench.runs(120)
        hovers = [
            partial(editor.request, "textDocument/hover", editor.at(editor.draft, *place))
            for place in list(places.values())[: warm_up + measured]
        ]
        first.values += [seconds(each) for each in hovers][warm_up:]
        for each in hovers[-bench.runs(40) :]:
            each()
            again.values += [seconds(each) for _ in range(5)]
        citances = _contexts(editor, bench.runs(40))
    papers = sorted(bench.material.library.glob("*.json"))[: len(citances)]
    again.peers = peers.alone(peers.matching, papers, citances)
    return {"hover-first": first, "hover-again": again}


def start_small(bench: Bench) -> Found:
    """Begin a citation in the examples."""
    found = Measured()
    for _ in range(bench.runs(7)):
        with tempfile.TemporaryDirectory() as scratch:
            draft = Path(scratch, "project", "survey.tex")
            shutil.copytree(ROOT / "examples", draft.parent)
            before, cite, after = draft.read_text("utf-8").partition("\\cite")
            draft.write_text(f"{before}\\cite{{}} {cite}{after}", "utf-8")
            line, column = before.count("\n"), len(before.rpartition("\n")[2])
            with closing(Editor(draft, Path(scratch, "cache"))) as editor:
                editor.until_listed(line, column + len("\\cite{"))
                found.values.append(time.perf_counter() - editor.began)
    return {"start-small": found}


def start(entries: int, bench: Bench) -> Found:
    """Ask for a list from the start on, then wait until everything is ranked."""
    first, ranked = Measured(), Measured()
    draft = bench.material.project(entries, SHORT)
    for _ in range(bench.runs(5)):
        with _new_editor(draft) as editor:
            opened = time.perf_counter()
            line, column, key = next(editor.cited())
            editor.type(line, column, column + len(key), "")
            editor.until_listed(line, column)
            first.values.append(time.perf_counter() - editor.began)
            editor.until_ready()
            ranked.values.append(time.perf_counter() - opened)
    texts = [f"{work.title} {work.abstract}" for work in bench.material.works(entries)]
    ranked.peers = peers.alone(peers.fitting, texts)
    if entries > 5_000:
        first.peers = peers.alone(peers.reading, draft.with_name("refs.bib"), bench.fetched)
    return {f"start-{entries}": first, f"ranked-{entries}": ranked}


def edit(entries: int, bench: Bench) -> Found:
    """Let another program save the .bib with another key, and ask until that is listed."""
    found = Measured()
    with tempfile.TemporaryDirectory() as scratch:
        draft = Path(scratch, "project", "main.tex")
        shutil.copytree(bench.material.project(entries, SHORT).parent, draft.parent)
        path = draft.with_name("refs.bib")
        text = path.read_text("utf-8")
        keys = _KEY.findall(text)
        with closing(Editor(draft, Path(scratch, "cache"))) as editor:
            line, column, key = next(editor.cited())
            editor.type(line, column, column + len(key), "")
            number = bench.runs(10)
            for at, key in enumerate(keys[len(keys) // (2 * number) :: len(keys) // number]):
                editor.until_ready()
                new = f"edited{at}elsewhere"
                text = text.replace(f"{{{key},\n", f"{{{new},\n", 1)
                editor.type(line, column, editor.lines[line].index("}", column), new)
                editor.settle()
                path.with_suffix(".new").write_text(text, "utf-8")
                later = time.time_ns() + (at + 1) * 10**9
                os.utime(path.with_suffix(".new"), ns=(later, later))
                began = time.perf_counter()
                path.with_suffix(".new").replace(path)
                changes = [{"uri": path.as_uri(), "type": 2}]
                editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})
                editor.until_listed(line, column + len(new), new)
                found.values.append(time.perf_counter() - began)
    return {f"edit-{entries}": found}


def memory(bench: Bench) -> Found:
    """Write and hover for a while; return what is resident when all is done, in megabytes."""
    with _editor_of_all(bench) as editor:
        places = [place for place in editor.cited() if place[2] in bench.material.papers]
        for place in places[: bench.runs(40)]:
            editor.request("textDocument/hover", editor.at(editor.draft, *place[:2]))
            _listed(editor, place)
        return {"memory": Measured([editor.megabytes()])}
