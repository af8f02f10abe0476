r"""The documents an editor holds open.

Kept here instead of taking pygls's: its lines end wherever `str.splitlines` says (form feeds and
U+2028 too), the protocol's only at LF, CRLF and CR, and one such character would shift every
later edit. Texts are immutable strings, so that a worker thread reads a snapshot without a lock.
"""

from __future__ import annotations

import os
import re
import threading
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from pygls import uris

#: Where the documents of an author are; a version control or a notebook has others.
_SCHEMES = frozenset({"file", "untitled"})
#: What editors call LaTeX and the languages that it is woven into, in lower case.
_LATEX_LANGUAGES = frozenset(
    "latex tex plaintex plain-tex context latex-expl3 latex-package latex-class doctex rsweave "
    "rnoweb sweave jlweave pweave".split()
)
#: Files of these kinds are drafts also where an editor has another name for their language.
_LATEX_SUFFIXES = frozenset(
    ".tex .ltx .latex .dtx .sty .cls .rnw .snw .rtex .jnw .jtexw .texw .pnw .tikz".split()
)
#: What an editor may send us and no draft is written in.
_NO_DRAFT = frozenset({".bib", ".bst", ".bbl", ".pdf", ".md", ".txt", ".json"})
_LINE_END = re.compile(r"\r\n|\n|\r")


class Lines:
    """A text's lines, and positions in the client's units to offsets in code points and back.

    Line starts are found as far as they are asked for: an edit of a thousand places must not
    read the whole text a thousand times.
    """

    def __init__(
        self, text: str, encoding: types.PositionEncodingKind | str, starts: Sequence[int] = (0,)
    ) -> None:
        """Take a text; `starts` are the starts of its first lines, where they are known."""
        self.text = text
        self.encoding = str(getattr(encoding, "value", encoding))
        self._starts = list(starts)
        self._all_read = False

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position; one beyond a line or the text is its end."""
        self._read_line(position.line + 1)
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        line = self.text[start : self._line_end(position.line)]
        if line.isascii() or self.encoding == types.PositionEncodingKind.Utf32.value:
            return start + min(position.character, len(line))
        units = 0
        for index, character in enumerate(line):
            if units >= position.character:
                return start + index
            units += self._units(character)
        return start + len(line)

    def position(self, offset: int) -> types.Position:
        """Return the position of an offset."""
        if self._starts[-1] <= offset:
            self._read(past=offset)
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : offset]
        if before.isascii() or self.encoding == types.PositionEncodingKind.Utf32.value:
            return types.Position(line, len(before))
        return types.Position(line, sum(self._units(character) for character in before))

    def range(self, start: int, end: int) -> types.Range:
        """Return the range between two offsets."""
        return types.Range(self.position(start), self.position(end))

    def edited(self, edit: types.TextDocumentContentChangePartial) -> Lines:
        """Return the lines after an edit."""
        start, end = sorted((self.offset(edit.range.start), self.offset(edit.range.end)))
        text = self.text[:start] + edit.text + self.text[end:]
        # The edited line's own start may move: a LF typed behind a CR belongs to it.
        known = bisect_right(self._starts, start) - 1
        return Lines(text, self.encoding, self._starts[: max(known, 1)])

    def _read_line(self, line: int) -> None:
        if line >= len(self._starts) and not self._all_read:
            self._read(count=line + 1)

    def _read(self, *, past: int | None = None, count: int | None = None) -> None:
        """Find line starts until one is `past` an offset, or there are `count`."""
        if self._all_read:
            return
        for match in _LINE_END.finditer(self.text, self._starts[-1]):
            self._starts.append(match.end())
            if (past is not None and match.end() > past) or len(self._starts) == count:
                return
        self._all_read = True

    def _line_end(self, line: int) -> int:
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        while end > self._starts[line] and self.text[end - 1] in "\r\n":
            end -= 1
        return end

    def _units(self, character: str) -> int:
        if self.encoding == types.PositionEncodingKind.Utf8.value:
            return len(character.encode("utf-8", "surrogatepass"))
        return 2 if ord(character) > 0xFFFF else 1


class Documents:
    """Texts of the open documents by path."""

    def __init__(self) -> None:
        self.texts: dict[Path, str] = {}
        self.encoding: types.PositionEncodingKind | str = types.PositionEncodingKind.Utf16
        #: The folder in which a document without a file is taken to stand.
        self.home: Path | None = None
        #: Where the last edit of each document ended, until it is saved: what is there may be half
        #: typed.
        self.last_edits: dict[Path, int] = {}
        self._uris: dict[Path, str] = {}
        self._languages: dict[Path, str] = {}
        self._versions: dict[Path, int] = {}
        #: Documents as the last edit left them: the next one is near, and its line known.
        self._edited: dict[Path, Lines] = {}

    def path(self, uri: str) -> Path:
        """Return the path under which a document is kept."""
        path = path_of(uri)
        if uri.startswith("untitled:") and self.home is not None:
            # An editor that knows where the document will be saved says so: that path stays.
            return self.home / path
        return path

    def open(self, uri: str, text: str, version: int = 0, language: str = "") -> None:
        """Take in a document of an author; others are left out quietly.

        `language` is what the editor calls its language, empty where that is not known.
        """
        if urlsplit(uri).scheme not in _SCHEMES:
            return
        path = self.path(uri)
        self._languages[path] = language.lower()
        self._edited.pop(path, None)
        self.texts[path], self._uris[path], self._versions[path] = text, uri, version

    def change(
        self,
        uri: str,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        version: int = 0,
    ) -> None:
        """Apply an edit; a document that was never opened is left alone."""
        path = self.path(uri)
        text = self.texts.get(path)
        if text is None:
            return
        lines = self._edited.pop(path, None) or Lines(text, self.encoding)
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                behind = len(lines.text) - lines.offset(change.range.end)
                lines = lines.edited(change)
                self.last_edits[path] = len(lines.text) - behind
            else:
                lines = Lines(change.text, self.encoding)
                self.last_edits.pop(path, None)
        self.texts[path], self._versions[path] = lines.text, version
        self._edited[path] = lines

    def uri(self, path: Path) -> str:
        """Return the URI of a file: the client's own while it has it open."""
        return self._uris.get(path) or path.as_uri()

    def version(self, path: Path) -> int | None:
        """Return the version of an open document, None for a file on disk."""
        return self._versions.get(path) if path in self._uris else None

    def close(self, uri: str) -> None:
        """Forget a document; what is on disk counts again."""
        path = self.path(uri)
        # A new document that was just saved is closed after its file was opened.
        if self._uris.get(path) == uri:
            self.texts.pop(path, None)
            self._versions.pop(path, None)
            self._languages.pop(path, None)
            self.last_edits.pop(path, None)
            self._edited.pop(path, None)
            del self._uris[path]

    def may_cite(self, path: Path) -> bool:
        """Tell whether a file is written in LaTeX, by its name and what the editor calls it."""
        suffix, language = path.suffix.lower(), self._languages.get(path, "")
        if suffix in _LATEX_SUFFIXES or language in _LATEX_LANGUAGES:
            return True
        return not language and suffix not in _NO_DRAFT

    def lines(self, uri: str) -> Lines | None:
        """Return the lines of an open document as it stands now."""
        text = self.texts.get(self.path(uri))
        return None if text is None else Lines(text, self.encoding)


class OpenTexts(Mapping[Path, str]):
    """The open documents as a workspace reads them.

    The author types on while a request is worked at: its thread sees the document it is about as
    it was when the request came, because the request's position belongs to that text.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._of_thread = threading.local()

    @contextmanager
    def pinned(self, path: Path, text: str | None) -> Iterator[None]:
        """Let this thread see a document with this text; None leaves it as it is."""
        before = getattr(self._of_thread, "pinned", None)
        if text is not None:
            self._of_thread.pinned = (path, text)
        try:
            yield
        finally:
            self._of_thread.pinned = before

    def __getitem__(self, path: Path) -> str:
        pinned: tuple[Path, str] | None = getattr(self._of_thread, "pinned", None)
        if pinned is not None and pinned[0] == path:
            return pinned[1]
        return self._documents.texts[path]

    def __iter__(self) -> Iterator[Path]:
        return iter(tuple(self._documents.texts))

    def __len__(self) -> int:
        return len(self._documents.texts)


def is_bibliography(path: Path) -> bool:
    """Tell whether a document is a .bib file."""
    return path.suffix.lower() == ".bib"


def path_of(uri: str) -> Path:
    """Return the path of a document; of one that is no file, a relative path no file has.

    An unsaved document that names the path it will be saved under has that path.
    """
    path = uris.to_fs_path(uri)
    if path is not None:
        return Path(os.path.normpath(Path(path).absolute()))
    parts = urlsplit(uri)
    name = unquote(parts.path)
    if parts.scheme == "untitled":
        return Path(os.path.normpath(name or "untitled"))
    return Path(parts.scheme or "untitled", name.lstrip("/") or "draft.tex")
