"""Edits of the product: each is one workspace edit that changes nothing else.

Run on the theses of the shared data (`PINCITE_DATA`) if available, else on the examples.
"""

from __future__ import annotations

import difflib
import json
import os
import random
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path

from lsprotocol import types

from pincite.lsp.documents import Documents, Lines, path_of
from pincite.lsp.features.citing import citing_edit, pinning_edit
from pincite.lsp.features.navigation import rename
from pincite.lsp.session import Document, Session
from pincite.model.drafts import Citation, Draft
from pincite.model.problems import InputError
from pincite.settings import Settings
from protocol_client import eventually
from torture import Row, Size, projects

EACH = {"ci": 4, "full": 30, "nightly": 400}
ENCODINGS = ("utf-8", "utf-16", "utf-32")
_DATA = Path(os.environ.get("PINCITE_DATA", projects.EXAMPLES.parents[1] / "shared" / "data"))
_NEW = "renamed2026key"
_PAGE = "4711"


PROMISES = {
    **{
        what: f"{what}: one edit, nothing else"
        for what in ("rename", "pin", "cite", "add to the .bib file")
    },
    "changed in the meantime": "refused when the text changed in the meantime",
}


def run(size: Size, seed: int) -> Iterator[Row]:
    """Rename, cite, pin and add at random places of each draft."""
    failures: dict[str, list[str]] = {promise: [] for promise in PROMISES}
    tried = dict.fromkeys(PROMISES, 0)
    chance = random.Random(seed)
    drafts = _drafts()
    for number, main in enumerate(drafts):
        author = _Author(main, ENCODINGS[number % len(ENCODINGS)], drafts[number - 1], chance)
        for _ in range(EACH[size]):
            for what, failure in author.edits():
                tried[what] += 1
                failures[what] += [f"{main.name}: {failure}"] if failure else []
    for what, promise in PROMISES.items():
        yield Row(promise, tried[what], failures[what], f"{len(drafts)} drafts")


def _drafts() -> list[Path]:
    listed = _DATA / "wild" / "drafts.json"
    if not listed.exists():
        return [projects.EXAMPLES / "survey.tex", projects.EXAMPLES / "earlier-draft.tex"]
    return [listed.parent / name for name in json.loads(listed.read_text()).values()]


class _Author:
    """A draft in an editor."""

    def __init__(self, main: Path, encoding: str, other: Path, chance: random.Random) -> None:
        self.main, self.chance = main, chance
        self.documents = Documents()
        self.documents.set_encoding(encoding)
        self.session = Session(self.documents)
        self.session.folders = (main.parent,)
        self.session.settings = Settings(
            global_bibliographies=tuple(other.parent.rglob("*.bib"))[:3]
        )
        self.documents.open(main.as_uri(), main.read_bytes().decode("utf-8", "replace"))
        read = self.session.project().read_draft(main)
        assert read is not None, f"{main} cannot be read"
        self.draft: Draft = read.draft
        self.keys = list(read.bibliography.entries)
        cited = ((file.path, each) for file in self.draft.files for each in file.citations)
        self.cited = [(path, citation) for path, citation in cited if citation.keys]
        named = self.session.settings.global_bibliographies
        library = self.session.project().global_library.recommender
        found = eventually(library, "it is read") if named else None
        self.library = [key for key in found.candidates if key not in self.keys] if found else []

    def edits(self) -> Iterator[tuple[str, str]]:
        """Yield each edit and its fault, "" if there is none."""
        if not self.cited:
            return
        path, citation = self.chance.choice(self.cited)
        if path not in self.documents.now.documents:
            self.documents.open(path.as_uri(), self._text(path))
        yield from self._rename(path, citation)
        place = partial(self._place, path, citation)
        key = citation.keys[0].key
        with suppress(InputError):
            yield "pin", self._wrong(pinning_edit(*place(), key, int(_PAGE)).edit, {_PAGE})
        for what, keys in (("cite", self.keys), ("add to the .bib file", self.library)):
            if not keys:
                continue
            new = self.chance.choice(keys)
            with suppress(InputError):
                yield what, self._wrong(citing_edit(*place(), new).edit, {new})

    def _rename(self, path: Path, citation: Citation) -> Iterator[tuple[str, str]]:
        key = self.chance.choice(citation.keys)
        here, offset = self._place(path, citation, key.span.start)
        try:
            edit = rename(here, offset, new_name=_NEW)
        except InputError:
            edit = None
        if edit is None:
            return
        yield "rename", self._wrong(edit, {_NEW}, key.key)
        # The author types on in another file of the draft after the request was read.
        place = types.Position(0, 0)
        change = types.TextDocumentContentChangePartial(types.Range(place, place), "% typed\n")
        self.documents.change(path.as_uri(), [change], 2)
        try:
            rename(here, offset, new_name=_NEW)
        except InputError:
            yield "changed in the meantime", ""
        else:
            yield "changed in the meantime", f"{key.key} was renamed in {path.name}"
        undo = types.Range(place, types.Position(1, 0))
        self.documents.change(path.as_uri(), [types.TextDocumentContentChangePartial(undo, "")], 3)

    def _place(
        self, path: Path, citation: Citation, offset: int | None = None
    ) -> tuple[Document, int]:
        lines = self.documents.now.documents[path].lines
        at = citation.span.start + 1 if offset is None else offset
        return Document(self.session.project(), path, lines), at

    def _text(self, path: Path) -> str:
        lines = self.session.project().lines(path)
        assert lines is not None, path
        return lines.text

    def _wrong(self, edit: types.WorkspaceEdit, new: set[str], old: str = "") -> str:
        """Return what an edit changes besides its insertion, "" for nothing."""
        changes = edit.document_changes or ()
        if not changes:
            return "no versioned edit"
        for change in changes:
            assert isinstance(change, types.TextDocumentEdit)
            path = path_of(change.text_document.uri)
            text, lines = self._text(path), Lines(self._text(path), self.documents.now.encoding)
            spans = sorted(
                (lines.offset(e.range.start), lines.offset(e.range.end), e.new_text)
                for e in change.edits
            )
            if any(first[1] > second[0] for first, second in pairwise(spans)):
                return f"edits of {path.name} overlap"
            for start, end, put in spans:
                gone = text[start:end]
                # BibTeX ignores the case of keys.
                if old and (gone.lower() != old.lower() or put != _NEW):
                    return f"{gone!r} became {put!r} in {path.name}"
                if not old and not _is_put_in(gone, put):
                    return f"{gone!r} was lost to {put!r} in {path.name}"
            if not any(word in put for _, _, put in spans for word in new):
                return f"nothing new in {path.name}"
        return ""


def _is_put_in(gone: str, put: str) -> bool:
    """Return whether all of a text, but for a placeholder and signs between, is in what replaces it."""
    if not gone.strip() or gone.strip(" ?~[]{}").upper() in {"", "TODO", "CITATION NEEDED"}:
        return True
    matcher = difflib.SequenceMatcher(None, gone, put, autojunk=False)
    return all(tag in ("equal", "insert") or not gone[a:b].strip(" ,\n") for tag, a, b, _, _ in matcher.get_opcodes())  # fmt: skip
