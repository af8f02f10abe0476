"""Edits: the server's text stays equal to the author's, whatever a client sends.

An independent model of the text follows each edit; now and then the text that
the server has is compared with it, and the answers about an edited document with those about one
that was sent whole.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protocol_client import CAPABILITIES, Client
from torture import Row, Size
from torture.probe import SERVER, TEXT

EDITS = {"ci": 20_000, "full": 120_000, "nightly": 1_000_000}
ENCODINGS = ("utf-8", "utf-16", "utf-32")
_COMPARED_EVERY = 25
_ANSWERS_EVERY = 500
_MAX_LENGTH = 6_000
_END_OF_LINE = re.compile(r"\r\n|\n|\r")
_PARTS = (
    "word ", "\\cite{alpha}", "\\cite{alpha,beta}", "\\citep[see][p.~3]{beta}", "\\section{", "}", "{",
    "\n", "\r\n", "\r", "\n\n", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "😀", "ünï", "中文", "e\u0301",
    "\U0001f468\u200d\U0001f469", "%", "$", "\\begin{verbatim}", "\\end{verbatim}", "\t", "\\", "\\input{x}",
    "\ufeff", "\u202e", "a" * 300, "\\cite{", "@article{x,", "\x00", "\uffff",
)  # fmt: skip
_ASKED = ("textDocument/documentHighlight", "textDocument/prepareRename", "textDocument/definition")

Change = dict[str, Any]


class Model:
    """A text by the protocol's rules: lines end at LF, CRLF and CR, columns are code units."""

    def __init__(self, encoding: str, text: str = "") -> None:
        self.encoding, self.text = encoding, text

    def lines(self) -> list[tuple[int, str]]:
        """Return each line without its end, and where it starts."""
        found, start = [], 0
        for match in _END_OF_LINE.finditer(self.text):
            found.append((start, self.text[start : match.start()]))
            start = match.end()
        return [*found, (start, self.text[start:])]

    def units(self, character: str) -> int:
        if self.encoding == "utf-32":
            return 1
        if self.encoding == "utf-16":
            return 2 if ord(character) > 0xFFFF else 1
        return len(character.encode("utf-8", "surrogatepass"))

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position, clipped to the end of its line and of the text."""
        lines = self.lines()
        if line >= len(lines):
            return len(self.text)
        start, text = lines[line]
        units = 0
        for at, character in enumerate(text):
            # A position inside of a character is behind it.
            if units >= column:
                return start + at
            units += self.units(character)
        return start + len(text)

    def apply(self, change: Change) -> None:
        if (span := change.get("range")) is None:
            self.text = change["text"]
            return
        start, end = sorted(
            self.offset(span[side]["line"], span[side]["character"]) for side in ("start", "end")
        )
        self.text = self.text[:start] + change["text"] + self.text[end:]


class _Writer:
    """Generates edits."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def text(self) -> str:
        return "".join(self.chance.choices(_PARTS, k=self.chance.choice((0, 1, 1, 1, 2, 6))))

    def position(self, model: Model) -> dict[str, int]:
        if self.chance.random() < 0.02:
            far = (0, 5, 10**6, 2**31 - 1)
            return {"line": self.chance.choice(far), "character": self.chance.choice(far)}
        lines = model.lines()
        line = self.chance.randrange(len(lines))
        units = sum(map(model.units, lines[line][1]))
        return {"line": line, "character": self.chance.randint(0, units + 1)}

    def change(self, model: Model) -> Change:
        if self.chance.random() < 0.01:
            return {"text": "".join(self.text() for _ in range(40))}
        start = self.position(model)
        # Half of all edits are letters typed; reversed ranges come by themselves.
        end = dict(start) if self.chance.random() < 0.5 else self.position(model)
        if len(model.text) > _MAX_LENGTH:
            start, end = {"line": 0, "character": 0}, self.position(model)
        return {"range": {"start": start, "end": end}, "text": self.text()}


class _Edited:
    """A document edited in a server, with its model and a copy that is sent whole."""

    def __init__(self, folder: Path, encoding: str, chance: random.Random) -> None:
        self.chance, self.writer, self.model = chance, _Writer(chance), Model(encoding)
        self.failures: list[str] = []
        for name in ("edited", "whole"):
            (folder / name).mkdir()
            entries = "@misc{alpha, title={Words}}\n@misc{beta, title={More}}\n"
            (folder / name / "refs.bib").write_text(entries)
        self.folder, self.version = folder, 1
        self.path = folder / "edited" / "main.tex"
        general = {"positionEncodings": [encoding]}
        self.client = Client(
            folder, server=SERVER, capabilities={**CAPABILITIES, "general": general}
        )
        self.client.open(self.path, "")
        self.client.open(folder / "whole" / "main.tex", "")

    def edit(self) -> int:
        """Send a notification; return its number of edits."""
        changes = []
        for _ in range(self.chance.choice((1, 1, 1, 2, 4))):
            changes.append(self.writer.change(self.model))
            self.model.apply(changes[-1])
        # Versions that go backwards are no reason to lose an edit.
        self.version += self.chance.choice((1, 1, 1, 3, -2, 0))
        self.client.change(self.path, self.version, *changes)
        return len(changes)

    def reopen(self) -> None:
        """Close and open, reopen, or rename the document, or replace its whole text."""
        uri, way = self.path.as_uri(), self.chance.randrange(3)
        if way:
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        if way == 2:
            self.path = self.path.with_name(f"main{self.chance.randrange(4)}.tex")
        if not way:
            self.model.text = self.writer.text()
        self.client.open(self.path, self.model.text)

    def compare(self) -> None:
        self.client.seen.clear()
        found = self.client.request(TEXT, {"uri": self.path.as_uri()}).get("result")
        if found != self.model.text:
            self.failures.append(f"{self.model.encoding}: {_difference(found, self.model.text)}")
            self.client.open(self.path, self.model.text)

    def compare_answers(self) -> None:
        whole = self.folder / "whole" / self.path.name
        self.client.open(whole, self.model.text)
        places = self.writer
        for _ in range(4):
            position = places.position(self.model)
            for method in _ASKED:
                answers = []
                for path in (self.path, whole):
                    params = {"textDocument": {"uri": path.as_uri()}, "position": position}
                    answer = json.dumps(self.client.request(method, params).get("result"))
                    answers.append(answer.replace(path.parent.as_uri(), ""))
                if answers[0] != answers[1]:
                    self.failures.append(f"{method}: {answers[0][:200]} for {answers[1][:200]}")
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": whole.as_uri()}})


def run(size: Size, seed: int) -> Iterator[Row]:
    """Edit documents at random, a third of the edits in each encoding."""
    for number, encoding in enumerate(ENCODINGS):
        tried, failures = _edit(encoding, EDITS[size] // len(ENCODINGS), seed + number)
        note = f"{encoding}; compared every {_COMPARED_EVERY} notifications"
        yield Row("no edit is lost", tried, failures, note)


def _edit(encoding: str, number: int, seed: int) -> tuple[int, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        edited = _Edited(Path(folder), encoding, random.Random(seed))
        tried = sent = 0
        try:
            while tried < number:
                tried, sent = tried + edited.edit(), sent + 1
                if edited.chance.random() < 0.005:
                    edited.reopen()
                if sent % _COMPARED_EVERY == 0:
                    edited.compare()
                if sent % _ANSWERS_EVERY == 0:
                    edited.compare_answers()
            edited.compare()
            status = edited.client.stop()
            if status:
                edited.failures.append(f"{encoding}: the server ended with status {status}")
        finally:
            edited.client.close()
    return tried, edited.failures


def _difference(found: str | None, wanted: str) -> str:
    if found is None:
        return "the document is not known"
    at = next((n for n, (a, b) in enumerate(zip(found, wanted, strict=False)) if a != b), -1)
    at = min(len(found), len(wanted)) if at < 0 else at
    return f"at {at}: {found[at - 5 : at + 10]!r} for {wanted[at - 5 : at + 10]!r}"
