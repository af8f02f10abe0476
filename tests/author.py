r"""An author with a project in an editor, with the real server.

Projects are written as `markup` has them: files that read as LaTeX, with the cursor at ``|``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import markup
from protocol_client import Client, units

REQUEST_FAILED = -32803
#: What VS Code calls the language of a file.
LANGUAGES = {".bib": "bibtex", ".md": "markdown", ".qmd": "quarto", ".Rmd": "rmd", ".typ": "typst"}
CAPABILITIES = {
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {"documentChanges": True},
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
    "textDocument": {
        "completion": {
            "completionItem": {
                "labelDetailsSupport": True,
                "preselectSupport": True,
                "documentationFormat": ["markdown"],
                "resolveSupport": {"properties": ["documentation", "additionalTextEdits"]},
            }
        },
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "rename": {"prepareSupport": True},
        "codeAction": {
            "codeActionLiteralSupport": {
                "codeActionKind": {"valueSet": ["", "quickfix", "refactor"]}
            },
            "resolveSupport": {"properties": ["edit"]},
            "dataSupport": True,
        },
        "publishDiagnostics": {"relatedInformation": True},
    },
}
#: The workspace of an editor that creates files.
CREATING = {
    **CAPABILITIES["workspace"],
    "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]},
}


class Author:
    """What a person does in an editor, and what the screen then shows."""

    def __init__(self, client: Client, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self._begun: list[Path] = []
        self._open: set[Path] = set()

    def begin(self, project: str, **settings: object) -> None:
        """Write a project, open its folder and the file with the cursor (else the first).

        Text in front of the first ``%! name`` is ``main.tex``.
        """
        if not project.lstrip().startswith("%! "):
            project = f"%! main.tex\n{project}"
        self.fixture = markup.parse_fixture(project)
        markup.write_project(self.folder, self.fixture)
        if settings:
            self.configure(**settings)
        self._begun.append(self.folder)
        self.client.change_folders(added=[self.folder])
        name, offset = self.fixture.cursor or (next(iter(self.fixture.files)), 0)
        self.open(name, self.fixture.files[name], offset)

    def end(self) -> None:
        """Close all, for the next author at this server."""
        for path in self._open:
            self.client.did("Close", path)
        self.client.change_folders(removed=self._begun)
        self.configure()

    def configure(self, **settings: object) -> None:
        self.client.configure(**settings)

    def open(self, name: str, text: str, offset: int = 0) -> None:
        """Open a document, or replace its text, with the cursor at an offset."""
        self.path, self.text, self.offset = self.folder / name, text, offset
        self._open.add(self.path)
        self.client.open(self.path, text, LANGUAGES.get(self.path.suffix, "latex"))

    def write(self, marked: str) -> None:
        """Replace the text of the document, cursor and all."""
        fixture = markup.parse_fixture(marked)
        assert fixture.cursor is not None
        self.open(self.path.name, fixture.text, fixture.cursor[1])

    def save_elsewhere(self, name: str, text: str, *, reported: bool = True) -> Path:
        """Let another program write a file; the editor reports it if `reported`."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        later = time.time_ns() + 2_000_000_000
        os.utime(path, ns=(later, later))
        if reported:
            self.client.report_changed(path)
        return path

    def position(self, offset: int | None = None) -> dict[str, int]:
        before = self.text[: self.offset if offset is None else offset]
        last = before.rsplit("\n", 1)[-1]
        return {"line": before.count("\n"), "character": units(last)}

    def params(self, **more: object) -> dict[str, Any]:
        """Return the parameters of a request about the cursor's place."""
        return self.client.about(self.path, position=self.position(), **more)

    def ask(self, method: str, **more: object) -> Any:
        """Return the result of a request about the cursor's place."""
        answer = self.client.request(method, self.params(**more))
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def refused(self, method: str, **more: object) -> str:
        """Return why a request about the cursor's place cannot be granted."""
        error = self.client.request(method, self.params(**more))["error"]
        assert error["code"] == REQUEST_FAILED
        return error["message"]

    def execute(self, command: str, *arguments: object) -> dict[str, Any]:
        """Return the answer to a command of ours."""
        return self.client.run({"command": f"pincite.{command}", "arguments": arguments})

    def here(self, **more: object) -> dict[str, Any]:
        """Return the argument of a command about the cursor's place."""
        return {"uri": self.path.as_uri(), "position": self.position(), **more}

    def cite(self, key: str, **more: object) -> dict[str, Any]:
        """Have a work cited at the cursor; return the answer."""
        return self.execute("insertCitation", self.here(key=key, **more))

    def edited(self) -> dict[str, str]:
        """Return the texts, after the last edit that the server asked for, of the files in it."""
        made = self.client.sent("workspace/applyEdit")[-1]["edit"]
        texts = {**self.fixture.files, self.path.name: self.text}
        return {name: applied(texts.get(name, ""), own) for name, own in edits_of(made).items()}

    def put_into(self, name: str) -> str:
        """Return what the last edit that the server asked for puts into a file."""
        made = self.client.sent("workspace/applyEdit")[-1]["edit"]
        return "".join(each["newText"] for each in edits_of(made).get(name, ()))

    def items(self) -> list[dict[str, Any]]:
        found = self.ask("textDocument/completion")
        return [] if found is None else found["items"]

    def suggested(self) -> list[str]:
        """Return the keys in the list, from the top."""
        return [item["label"] for item in sorted(self.items(), key=lambda item: item["sortText"])]

    def accept(self, key: str) -> str:
        """Choose a suggestion; return the text of the document."""
        item = next(item for item in self.items() if item["label"] == key)
        item = self.client.request("completionItem/resolve", item)["result"]
        return applied(self.text, [item["textEdit"]])

    def hover(self) -> str:
        found = self.ask("textDocument/hover")
        return "" if found is None else found["contents"]["value"]

    def actions(self) -> list[dict[str, Any]]:
        here = self.position()
        context = {"diagnostics": [], "triggerKind": 1}
        return (
            self.ask("textDocument/codeAction", range={"start": here, "end": here}, context=context)
            or []
        )

    def problems(self, name: str | None = None) -> list[dict[str, Any]]:
        return self.client.problems(self.folder / name if name else self.path)


def applied(text: str, edits: Sequence[Mapping[str, Any]]) -> str:
    """Return a text with the protocol's edits made; positions count UTF-16."""
    lines = text.split("\n")

    def offset(at: Mapping[str, int]) -> int:
        units = lines[at["line"]].encode("utf-16-le")[: 2 * at["character"]]
        return sum(len(line) + 1 for line in lines[: at["line"]]) + len(units.decode("utf-16-le"))

    spans = [(offset(e["range"]["start"]), offset(e["range"]["end"]), e["newText"]) for e in edits]
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def edits_of(edit: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the edits of a workspace edit by the name of the file."""
    found = {Path(uri).name: edits for uri, edits in (edit.get("changes") or {}).items()}
    for document in (each for each in edit.get("documentChanges") or () if "edits" in each):
        found[Path(document["textDocument"]["uri"]).name] = document["edits"]
    return found
