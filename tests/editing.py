"""An author with a project in an editor, and the server's session for it: no process, no protocol."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsprotocol import types

from markup import parse_fixture, write_project
from pincite.lsp.documents import Documents, Lines
from pincite.lsp.session import Document, Session
from pincite.settings import EditorSettings, Settings


class Editing:
    """A project on disk, and what is open of it; requests are made as the server's threads do."""

    def __init__(self, folder: Path, project: str, *, settings: Settings | None = None, **switches: Any) -> None:  # fmt: skip
        self.folder, self.fixture = folder, parse_fixture(project)
        self.main = write_project(folder, self.fixture)
        self.texts = dict(self.fixture.files)
        self.documents = Documents()
        self.session = Session(self.documents)
        self.session.folders = (folder,)
        self.session.settings = settings or Settings(editor=EditorSettings(**switches))

    @property
    def project(self) -> Any:
        return self.session.project()

    def uri(self, name: str) -> str:
        return name if name.startswith("untitled:") else (self.folder / name).as_uri()

    def open(self, name: str, text: str | None = None, version: int = 1) -> Lines:
        """Open a file of the project, or replace its text."""
        if text is not None:
            self.texts[name] = text
        self.documents.open(self.uri(name), self.texts[name], version)
        return self.documents.now.lines(self.uri(name))

    def here(self, name: str = "main.tex") -> Document:
        """Return a document as a request would find it now."""
        if (lines := self.documents.now.lines(self.uri(name))) is None:
            lines = self.open(name)
        return Document(self.project, self.documents.now.path(self.uri(name)), lines)

    def at(self, marked: str, name: str = "main.tex") -> tuple[Document, int]:
        """Return a document, and the bar in `marked`, which is text of it."""
        before, after = marked.split("|")
        here = self.here(name)
        assert before + after in here.text, marked
        return here, here.text.index(before + after) + len(before)

    def ask(self, feature: Callable[..., Any], marked: str, name: str = "main.tex", **options: Any) -> Any:  # fmt: skip
        return feature(*self.at(marked, name), **options)

    def shown(self, uri: str, place: types.Range) -> str:
        """Return a place as ``file:line:text``."""
        path = self.documents.now.path(uri)
        lines = self.project.lines(path)
        name = path.relative_to(self.folder).as_posix() if path.is_relative_to(self.folder) else path.name  # fmt: skip
        return f"{name}:{place.start.line}:{lines.span(place).of(lines.text)}"

    def indexed(self) -> Editing:
        """Wait until the papers of the first file's draft are read."""
        self.here(next(iter(self.texts)))
        assert wait_until_built(self.session, self.main)
        return self


def wait_until_built(session: Session, path: Path, seconds: float = 60.0) -> bool:
    """Wait for the full recommender of a draft."""
    while (opened := session.project().open_draft(path)) is not None:
        if opened.complete:
            return True
        if not session.background.wait(seconds):
            break
    return False


def after(text: str, edits: list[types.TextEdit]) -> str:
    """Return a text after edits, as an editor makes them."""
    lines = Lines(text, "utf-16")
    for edit in sorted(edits, key=lambda each: lines.span(each.range), reverse=True):
        span = lines.span(edit.range)
        text = text[: span.start] + edit.new_text + text[span.end :]
    return text
