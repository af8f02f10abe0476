"""What the server answers in an editor: a script of edits and requests in real projects.

The places and edits are drawn by chance from the texts alone, seeded with the project's name: a
server that reads the same files is asked the same.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from author import CAPABILITIES, LANGUAGES
from protocol_client import Client
from where import EXAMPLES

PLACES, RENAMES = 12, 5
_CITATION = re.compile(r"\\\w*cite\w*\*?(?:\[[^\]\n]*\])*\{(?=\w)|(?<![\w@])@(?=\w)|#cite\(<(?=\w)")
_KEY = re.compile(r"[\w:-]+")
#: Quiet for this long, that many times: the work in the background is done.
_QUIET_SECONDS, _QUIET_TIMES, _QUIET_SHARE = 0.1, 8, 0.2


class Project(NamedTuple):
    """A folder to open, and the document in which the author writes."""

    folder: Path
    document: str


def projects(shared: Path) -> dict[str, Project]:
    data = shared / "data"
    return {
        "examples": Project(EXAMPLES, "survey.tex"),
        "lyttle-phd": Project(data / "wild" / "lyttle-phd", "chapters/introduction.tex"),
        "heiss-paper": Project(data / "drafts" / "heiss-paper", "manuscript/manuscript.Rmd"),
        "aml4td-book": Project(data / "drafts" / "aml4td-book", "chapters/cls-neural-nets.qmd"),
        "tomsch-phd-typst": Project(
            data / "drafts" / "tomsch-phd-typst", "chapters/introduction.typ"
        ),
    }


def records(name: str, project: Project) -> dict[str, Any]:
    """Work in a copy of a project; return each request with its answer, in order."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(shutil.copytree(project.folder, Path(temporary, "project")))
        cache = str(Path(temporary, "cache"))
        client = Client(
            folder,
            capabilities=CAPABILITIES,
            replies={
                "client/registerCapability": lambda _: None,
                "window/workDoneProgress/create": lambda _: None,
            },
            environment={"PINCITE_CACHE": cache, "PINCITE_ZOTERO": cache},
        )
        try:
            writer = _Writer(client, folder, folder / project.document, random.Random(name))
            return {"session": list(writer.work())}
        finally:
            client.close()


class _Writer:
    def __init__(self, client: Client, folder: Path, path: Path, chance: random.Random) -> None:
        self._client, self._folder, self._path, self._chance = client, folder, path, chance
        self._text = path.read_text("utf-8")
        self._version = 1
        self._items: list[dict[str, Any]] = []

    def work(self) -> Iterator[dict[str, Any]]:
        language = LANGUAGES.get(self._path.suffix, "latex")
        self._client.open(self._path, self._text, language)
        self._settle()
        yield from self._survey()
        for _ in range(PLACES):
            yield from self._write()
        for _ in range(RENAMES):
            place = self._at(self._chance.choice(self._keys()))
            yield self._ask("textDocument/prepareRename", place)
            yield self._ask("textDocument/rename", {**place, "newName": "renamed2026"})
            everywhere = {**place, "context": {"includeDeclaration": True}}
            yield self._ask("textDocument/references", everywhere)
            yield self._ask("textDocument/definition", place)
            yield self._ask("textDocument/documentHighlight", place)

    def _survey(self) -> Iterator[dict[str, Any]]:
        document = self._document()
        everything = {"start": {"line": 0, "character": 0}, "end": self._position(len(self._text))}
        yield self._ask("textDocument/inlayHint", {**document, "range": everything})
        yield self._ask("textDocument/documentLink", document)
        yield self._ask("textDocument/diagnostic", document)
        yield self._ask("workspace/symbol", {"query": "an"})
        yield self._ask("pincite/status", document)
        yield self._ask("pincite/library", document)
        yield self._ask("pincite/check", document)

    def _write(self) -> Iterator[dict[str, Any]]:
        """Edit the text at a citation, ask what an editor asks there, and sometimes undo it."""
        before, start = self._text, self._chance.choice(self._keys())
        key = _KEY.match(before, start)
        assert key is not None
        end, kind = key.end(), self._chance.randrange(4)
        if kind == 0:  # the key is gone: a placeholder
            self._replace(start, end, "")
            end = start
        elif kind == 1:  # a part of the key is typed
            self._replace(start + 2, end, "")
            end = min(start + 2, end)
        elif kind == 2:  # some words before it
            line = before.rfind("\n", 0, start) + 1
            self._replace(line, line, "Some words about models and data. ")
            start, end = start + 34, end + 34
        else:  # a paragraph goes
            cut = before.rfind("\n\n", 0, start)
            begin = max(before.rfind("\n\n", 0, max(cut, 0)), 0)
            self._replace(begin, max(cut, begin), "")
            start, end = start - (max(cut, begin) - begin), end - (max(cut, begin) - begin)
        self._settle()
        place = self._at(end)
        yield self._ask("textDocument/completion", place)
        for item in self._items[:2]:
            yield self._ask("completionItem/resolve", item)
        yield self._ask("textDocument/hover", self._at(start))
        here = self._position(start)
        actions = {"range": {"start": here, "end": here}, "context": {"diagnostics": []}}
        yield self._ask("textDocument/codeAction", {**self._document(), **actions})
        yield self._ask("pincite/recommendations", {**place, "limit": 10, "supporting": 2})
        yield self._ask("pincite/evidence", self._at(start))
        if self._chance.random() < 0.5:
            self._replace(0, len(self._text), before)
            self._settle()

    def _keys(self) -> list[int]:
        return [match.end() for match in _CITATION.finditer(self._text)]

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        answer = self._client.request(method, params)
        if method == "textDocument/completion":
            self._items = (answer.get("result") or {}).get("items") or []
        answer = {name: answer[name] for name in ("result", "error") if name in answer}
        record = _without_data({"method": method, "params": params, "answer": answer})
        return json.loads(json.dumps(record).replace(str(self._folder), "/project"))

    def _replace(self, start: int, end: int, text: str) -> None:
        where = {"start": self._position(start), "end": self._position(end)}
        self._version += 1
        self._client.change(self._path, self._version, {"range": where, "text": text})
        self._text = self._text[:start] + text + self._text[end:]

    def _settle(self) -> None:
        """Wait until the server has nothing left to do, and no other process reads papers for it.

        A server that gets no processor looks idle, too: it has to answer between two looks.
        """
        process = self._client.process.pid
        quiet, before = 0, processor_seconds(process)
        while quiet < _QUIET_TIMES:
            time.sleep(_QUIET_SECONDS)
            is_reading, now = self._is_reading(), processor_seconds(process)
            is_busy = is_reading or now - before > _QUIET_SHARE * _QUIET_SECONDS
            quiet, before = 0 if is_busy else quiet + 1, now

    def _is_reading(self) -> bool:
        status = self._client.request("pincite/status", self._document())["result"]
        return status is not None and status["state"] == "reading"

    def _document(self) -> dict[str, Any]:
        return {"textDocument": {"uri": self._path.as_uri()}}

    def _at(self, offset: int) -> dict[str, Any]:
        return {**self._document(), "position": self._position(offset)}

    def _position(self, offset: int) -> dict[str, int]:
        start = self._text.rfind("\n", 0, offset) + 1
        units = len(self._text[start:offset].encode("utf-16-le")) // 2
        return {"line": self._text.count("\n", 0, start), "character": units}


def processor_seconds(pid: int) -> float:
    """Return the processor time that a process has used, as Linux's clock_getcpuclockid(3) has it."""
    return time.clock_gettime((~pid << 3) | 2)


def _without_data(value: Any) -> Any:
    """Leave out what items carry for the server alone: no client looks into it."""
    if isinstance(value, dict):
        return {name: _without_data(each) for name, each in value.items() if name != "data"}
    return [_without_data(each) for each in value] if isinstance(value, list) else value
